/* What `:help COMMAND` shows as examples. */
#include <string.h>

#include "tui/command/commands.h"

#define TESTSET "samples/sentences.en samples/sentences.de"
#define ALIGNED "samples/aligned.en samples/aligned.de"
#define DOGS "Two dogs are running."
#define STARS "I have never seen so many stars in the sky."

static const struct {
    const char *command;
    const char *lines[EXAMPLE_LINES + 1]; // NULL at the end
} examples[] = {
    {"translate", {":translate samples/sentences.en", ":translate samples/sentences-ja.en"}},
    {"force", {DOGS, ":force Zwei Hunde rennen.", ":open " TESTSET, ":force"}},
    {"open", {":open " TESTSET, ":open samples/sentences.en"}},
    {"next", {":open " TESTSET, ":next", ":next"}},
    {"prev", {":open " TESTSET, ":goto 10", ":prev", ":prev"}},
    {"goto", {":open " TESTSET, ":goto 10", ":goto 200"}},
    {"hypothesis", {DOGS, ":hypothesis", ":hypothesis 2"}},
    {"attn", {STARS, ":attn cross 2.7 word", ":attn enc layer 1 head mean"}},
    {"heads", {STARS, ":heads cross", ":heads enc layer 1-2 head 1-4 word"}},
    {"token", {STARS, ":token stars enc", ":token 4 cross layer 2"}},
    {"align",
     {STARS, ":align", ":align layer 2 head 7 word", ":align " ALIGNED,
      ":align " ALIGNED " samples/aligned.pharaoh by layer,head"}},
    {"alti", {STARS, ":alti", ":alti samples/sentences-ja.en"}},
    {"patch",
     {STARS, ":patch I see " DOGS " ||| cross", ":patch I see stars. ||| 1-1 2-2 ||| enc layer 1"}},
    {"importance",
     {":load samples/en-de-dhicm.bin", STARS, ":importance dec layer 2",
      ":importance samples/sentences.en by layer"}},
    {"gates",
     {":load samples/en-de-context.bin", STARS, ":gates enc k",
      ":gates enc qk samples/sentences.en by layer"}},
    {"score",
     {":score I see stars. ||| Ich sehe Sterne.", ":score " DOGS " ||| Zwei Hunde rennen."}},
    {"disable", {STARS, ":disable cross layer 2 head 1-4", ":disable enc 3.7"}},
    {"enable", {":disable head 5-8", ":enable layer 1 head 8", ":enable"}},
    {"disabled", {":disable enc 3.7", ":disabled", ":mask cross layer 2 backward", ":disabled"}},
    {"mask", {STARS, ":mask cross layer 2 backward", ":mask enc layer 1 head 3-4 local 2"}},
    {"pattern", {STARS, ":pattern enc 1.1 previous", ":pattern enc layer 2 left_context word"}},
    {"reset", {":disable enc head 8", ":reset", ":mask cross layer 2 backward", ":reset"}},
    {"state", {":disable enc head 8", ":state without8", ":state"}},
    {"undo", {":disable enc head 8", ":mask cross 1.1 backward", ":undo", ":undo"}},
    {"redo", {":disable enc head 8", ":undo", ":redo", ":undo", ":redo"}},
    {"beside",
     {STARS, ":disable cross layer 2 head 1-4", ":beside before", ":beside en-de current"}},
    {"bleu", {":bleu " TESTSET, ":bleu " TESTSET " by 8,10,12 group 2"}},
    {"compare",
     {":disable enc head 8", ":compare before current " TESTSET,
      ":compare before current " TESTSET " by 10,20 group 1"}},
    {"ablate", {":ablate " TESTSET " by layer", ":ablate " TESTSET " by layer show 2"}},
    {"prune",
     {":prune " TESTSET " until 1 cross layer 2 head 1-3",
      ":prune " TESTSET " until 1 cross layer 2 head 1-3 show 1"}},
    {"contrast",
     {":contrast samples/agreement-en-de.json by distance",
      ":contrast samples/senses-en-de.json ablate by layer cross"}},
    {"flips",
     {":contrast samples/senses-en-de.json", ":disable cross layer 2",
      ":contrast samples/senses-en-de.json", ":flips", ":undo",
      ":contrast samples/senses-en-de.json", ":flips"}},
    {"stats",
     {":stats " TESTSET " cross", ":stats " TESTSET " cross distances",
      ":stats " TESTSET " cross 2.7 show confidence",
      ":stats samples/pos-en.conllu enc layer 4 by pos confidence"}},
    {"merge",
     {":merge parts", ":bleu " TESTSET, ":merge parts/1-of-1.part",
      ":translate samples/sentences.en"}},
    {"load", {":load samples/en-de-fixed.bin", ":load samples/en-de-mma.bin"}},
    {"model", {":load samples/en-de-fixed.bin", ":model", ":model en-de.bin"}},
    {"set", {":set beam 1", ":set figure.preset acl-column"}},
    {"info", {":info", ":load samples/en-de-dhicm.bin", ":info"}},
    {"export", {STARS, ":export stars.pdf attn cross 2.7 word", ":export heads.npz heads enc"}},
    {"show", {STARS, ":show attn cross 2.7 word", ":show heads cross"}},
    {"source",
     {":source samples/papers/dhicm-figure-3.scope", ":source samples/papers/mma-figure-3.scope"}},
    {"save", {STARS, ":save session.scope", ":disable cross 2.7", ":save without.scope"}},
    {"help", {":help attn", ":help"}},
    {"quit", {":quit", ":q"}},
};

const char *const *command_examples(const struct command *command)
{
    static const char *const none[] = {NULL};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(examples[i].command, command->name) == 0)
            return examples[i].lines;
    return none;
}
