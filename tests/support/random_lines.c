#include "tests/support/random_lines.h"
#include "tests/support/test.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "terminal/interrupt.h"
#include "tests/support/cli_support.h"

/* What the letters after % stand for. The files are those of random_lines_open. */
static const char *const selectors[] = {"head 1",
                                        "layer 1",
                                        "dec layer 2 head 1-2",
                                        "cross head 3,4",
                                        "enc layer all head 2",
                                        "layer 2 head 8",
                                        "in dec head mean",
                                        "cross layer 2 head max",
                                        "head 99",
                                        ""};
static const char *const numbers[] = {"1", "2", "3", "7", "0", "-1", "99999999999", "x", ""};
static const char *const names[] = {
    "a",   "b c", "before", "current", "vanilla_post.bin",
    "fix", "v",   "\"\"",   "",        "tests/golden/vanilla_post.bin"};
static const char *const sentences[] = {"the dog sees a cat",
                                        "a",
                                        "the 'dog",
                                        "\"the dog\"",
                                        " :the dog",
                                        "\t the  dog \r",
                                        "\xff",
                                        "the\x1b[31m dog \xc2\x9b \xe2\x80\xa8 zzz"};
static const char *const settings[] = {"beam",
                                       "batch",
                                       "length_penalty",
                                       "threads",
                                       "max_length.plus",
                                       "max_length.most",
                                       "source_language",
                                       "target_language",
                                       "length_penalty.alpha",
                                       "figure.dpi",
                                       "figure.colormap",
                                       "bleu.tokenize",
                                       "compare.sentences",
                                       "significance.trials",
                                       "nothing"};
static const char *const values[] = {"1", "2", "3", "0.5", "none", "wu", "magma", "-1", "1e300"};
static const char *const models[] = {"vanilla_post",    "fixed_7f1l", "dhicm_last_layers",
                                     "mixture_decoder", "asymmetric", "nothing"};
static const char *const formats[] = {"png", "pdf", "svg",  "csv",         "tsv",
                                      "npy", "npz", "json", "safetensors", "exe"};
static const char *const views[] = {"",
                                    "align",
                                    "align word",
                                    "attn cross",
                                    "heads enc word",
                                    "token 2 dec",
                                    "gates",
                                    "importance",
                                    "beside",
                                    "bleu %F %F",
                                    "\"attn layer 2\"",
                                    "alti",
                                    "lens",
                                    "attribute saliency"};
static const char *const methods[] = {"weights", "norms",   "contributions",     "rollout", "flow",
                                      "alti",    "erasure", "integrated-hidden", "nothing"};
static const char *const row_methods[] = {"saliency", "gradient-input", "integrated-gradients",
                                          "erasure",  "alti",           "weights"};
static char files[2][96], gold[96], conllu[96], script[96], folder[64];
static const char *const paths[] = {files[0], files[1], conllu, "/nowhere", ""};

#define POOL(letter, list)                                                                         \
    {                                                                                              \
        letter, list, sizeof list / sizeof *list                                                   \
    }
static const struct {
    char letter;
    const char *const *words;
    size_t count;
} pools[] = {POOL('S', selectors), POOL('N', numbers), POOL('M', names),   POOL('T', sentences),
             POOL('P', settings),  POOL('V', values),  POOL('L', models),  POOL('E', formats),
             POOL('W', views),     POOL('F', paths),   POOL('A', methods), POOL('R', row_methods)};

static const char *const commands[] = {"%T",
                                       "%T",
                                       "%T",
                                       ":force %T",
                                       ":force",
                                       ":hypothesis %N",
                                       ":score %T ||| %T",
                                       ":open %F",
                                       ":open %F %F",
                                       ":next",
                                       ":prev",
                                       ":goto %N",
                                       ":attn %S",
                                       ":attn %S word",
                                       ":attn",
                                       ":heads %S",
                                       ":heads dec",
                                       ":token %N %S",
                                       ":token do cross",
                                       ":importance %S",
                                       ":gates",
                                       ":gates enc q %F by position",
                                       ":bleu %F %F",
                                       ":bleu --scored %F %F by %N group %N",
                                       ":bleu %F %F by source %N in %M current",
                                       ":compare %M %M %F %F group %N",
                                       ":ablate %F %F by layer,head %S or %S",
                                       ":ablate %F %F %S show %N",
                                       ":prune %F %F until %N %S",
                                       ":prune %F %F until %N %S show %N",
                                       ":compare before current %F %F",
                                       ":disable %S",
                                       ":disable %S",
                                       ":enable %S",
                                       ":enable",
                                       ":disabled",
                                       ":mask %S local %N",
                                       ":mask %S backward",
                                       ":pattern %S previous",
                                       ":entmax %S alpha 1.5",
                                       ":entmax %S alpha %N",
                                       ":pattern %S last word",
                                       ":reset",
                                       ":state %M",
                                       ":state %M",
                                       ":model %M",
                                       ":model %M",
                                       ":load tests/golden/%L.bin",
                                       ":beside before",
                                       ":beside %M %M",
                                       ":beside %M",
                                       ":set",
                                       ":set %P",
                                       ":set %P %V",
                                       ":set %P %V",
                                       ":export %D/out.%E %W",
                                       ":save %D/out.scope",
                                       ":source %X",
                                       ":source %F",
                                       ":translate %F",
                                       ":info",
                                       ":help %M",
                                       ":he",
                                       ":",
                                       ":zzz",
                                       ":attn 'unfinished",
                                       ":attn cross %S as %A",
                                       ":heads cross as %A",
                                       ":back",
                                       ":undo",
                                       ":undo",
                                       ":redo",
                                       ":show %W",
                                       ":head %S",
                                       ":head cross 1.1 %F %F",
                                       ":head cross 1.1 %F %F %G",
                                       ":align %F %F",
                                       ":align %F %F %G",
                                       ":align %F %F against contributions by layer",
                                       ":alti",
                                       ":alti %F %F",
                                       ":attribute %R",
                                       ":attribute %R against dog",
                                       ":attribute %R %F",
                                       ":faithful %R %F",
                                       ":faithful %R weights %F %F %G",
                                       ":lens",
                                       ":lens enc",
                                       ":lens dec %F %F",
                                       ":patch %T",
                                       ":patch %T ||| cross",
                                       ":patch %T ||| by gradient",
                                       ":stats %F %S",
                                       ":stats %F %F cross",
                                       ":stats %C enc by pos",
                                       ":importance %F by head",
                                       ":gates enc k %C by pos",
                                       ":ablate %F %F by gradient cross",
                                       ":prune %F %F until 1 by gradient",
                                       ":contrast %F %F %F",
                                       ":contrast %F %F %F",
                                       ":flips",
                                       ":merge %D/parts",
                                       ":export %D/all/ all %E"};

/* Our own generator: the lines are the same on every machine. */
static uint64_t random_state;

void random_seed(uint64_t seed)
{
    random_state = seed * 2 + 1;
}

size_t random_below(size_t count)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % count;
}

static const char *stands_for(char letter)
{
    if (letter == 'D')
        return folder;
    if (letter == 'X')
        return script;
    if (letter == 'G')
        return gold;
    if (letter == 'C')
        return conllu;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        if (pools[i].letter == letter)
            return pools[i].words[random_below(pools[i].count)];
    fail_msg("%%%c", letter);
    return NULL;
}

void random_line(char line[RANDOM_LINE_MOST])
{
    const char *pattern = commands[random_below(sizeof commands / sizeof *commands)];
    size_t used = 0;
    for (; *pattern; pattern++) {
        const char one[] = {*pattern, '\0'}, *text = *pattern == '%' ? stands_for(*++pattern) : one;
        used += (size_t)snprintf(line + used, RANDOM_LINE_MOST - used, "%s", text);
    }
}

/* Ctrl-C --------------------------------------------------------------------------------------- */

timer_t random_press_later(size_t nanoseconds)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGINT};
    struct itimerspec when = {.it_value = {0, 1000 + (long)random_below(nanoseconds)}};
    timer_t timer;
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &when, NULL), 0);
    return timer;
}

void random_let_go(timer_t timer)
{
    timer_delete(timer);
    interrupt_clear();
}

/* Files ---------------------------------------------------------------------------------------- */

const char *random_lines_folder(void)
{
    return folder;
}

/* Returns -1 if the file cannot be written. */
static int put(const char *name, const char *text, char path[96])
{
    snprintf(path, 96, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    const bool written = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && written ? 0 : -1;
}

int random_lines_open(void)
{
    strcpy(folder, "/tmp/random-commands-XXXXXX");
    return mkdtemp(folder) ? random_lines_write() : -1;
}

int random_lines_write(void)
{
    return put("source", "the dog\n\n  the cat 'sees \n:set beam 2\n", files[0]) |
           put("target", "one dog\ntwo\nthree\nfour\n", files[1]) |
           put("gold", "0-0\n0-0\n1-0 0?0\n0-0 1-0\n", gold) |
           put("conllu",
               "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n"
               "2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n",
               conllu) |
           put("script", "the dog\n:set beam 2\n:attn head 99\n:disable enc head 1\n:nothing\n",
               script);
}

/* Removes files of any name: a line typed next may have been taken as part of a name. */
int random_lines_close(void)
{
    return cli_remove(folder);
}
