#include "tui/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/command.h"

#define VIEW_HELP                                                                                  \
    SELECTOR_HELP "What is absent is as last shown, at first the encoder's layer 1, head 1."
#define CHANGE_HELP                                                                                \
    SELECTOR_SINGLE_HELP                                                                           \
    "Without a module the encoder is meant, without a layer every layer, without\n"                \
    "a head every head."

#define WALK_HELP                                                                                  \
    "Other sentences may come between: the test set stays where it was. A blank line cannot be\n"  \
    "translated, it is passed with :next."
#define STATE_HELP                                                                                 \
    "A state is a model with what its heads do and the settings of its search. The file name\n"    \
    "of a model is one: as its file has it; \"before\" is the state before the last change,\n"     \
    "\"current\" the one now.\n"

#define UNDO_HELP                                                                                  \
    "Heads, masks and patterns, the settings of the search, the model: one step each time, as "    \
    "far\n"                                                                                        \
    "back as 200 changes; \"before\" is where the next :undo goes. The sentence at hand is "       \
    "translated\n"                                                                                 \
    "again. A new change forgets what was undone."

#define ACROSS_HELP "in A B...: the same in each of these states, side by side (:state lists them)."

#define SCORES_HELP                                                                                \
    "Groups of sentences by the tokens of the first reference, by source of the source: as many\n" \
    "groups of about as many sentences as bleu.groups says, or by 10,20,30 (by source "            \
    "10,20,30):\n"                                                                                 \
    "< 10, [10,20), [20,30), >= 30.\n"                                                             \
    "group N, group all: the sentences of a group too, the worst first, of two states those "      \
    "that\n"                                                                                       \
    "differ most; with :open and :goto their numbers lead to them. What was translated is not\n"   \
    "translated again.\n"                                                                          \
    "csv, tsv: the groups, or after group N the sentences. Figures: "

#define ABLATE_HELP                                                                                \
    SELECTOR_SINGLE_HELP                                                                           \
    "Of the heads selected (default: the encoder's) by head switches off one at a time, in "       \
    "every\n"                                                                                      \
    "layer; by layer one layer; by layer,head one head of one layer. Without by the heads of "     \
    "a\n"                                                                                          \
    "SELECTOR are off together, one ablation for each, as in: cross layer 1 or dec head 2;\n"      \
    "without a SELECTOR it is by head. Heads that are off already stay off in all.\n"              \
    "delta is BLEU less that without an ablation; p is of the paired bootstrap, as :compare "      \
    "has\n"                                                                                        \
    "it; adjusted by Holm's method, so that one false difference among all rows has that "         \
    "chance.\n"                                                                                    \
    "No p is below 1/(significance.resamples + 1): of many rows take more resamples.\n"            \
    "show N: of row N also the sentences whose BLEU differs most, as many as "                     \
    "compare.sentences.\n"                                                                         \
    "What was translated is not translated again, nor is what was tested tested again; what "      \
    "Ctrl-C\n"                                                                                     \
    "has stopped goes on, but show N opens what there is. csv, tsv: the rows, or after show N\n"   \
    "the sentences. Figures: a bar for each row."

#define PRUNE_HELP                                                                                 \
    SELECTOR_SINGLE_HELP                                                                           \
    "Each step tries every head that is selected (default: the encoder's) and on still, in "       \
    "every\n"                                                                                      \
    "layer for itself, and switches off the one without which BLEU is best, of several the\n"      \
    "first. The step that falls further than DELTA below the BLEU of all heads is the last\n"      \
    "one shown. The state itself stays as it is.\n"                                                \
    "show N: of step N also the sentences that the model translates otherwise without the heads\n" \
    "of it and all steps before, those whose BLEU differs most, as many as compare.sentences.\n"   \
    "Steps that were taken are not taken again: another DELTA or what Ctrl-C has stopped goes "    \
    "on\n"                                                                                         \
    "from there, and show N opens what there is.\n"                                                \
    "csv, tsv: the curve, a line for each step, or after show N the sentences. Figures: BLEU "     \
    "over\n"                                                                                       \
    "the heads that are left."

const struct command command_table[] = {
    {"translate", "FILE", "translate a file, one line each",
     "In the order of the lines; Ctrl-C stops, and what is finished up to there stays.", false,
     command_translate, .completes = {COMPLETE_FILE}, .group = GROUP_SENTENCES},
    {"force", "[TARGET]", "keep the source, show the model's attention for a given translation",
     "Without TARGET the reference of the test set's sentence (:open) is meant.\n"
     "Later views are of this pair, until another sentence is given.",
     true, command_force, .group = GROUP_SENTENCES},
    {"open", "SRC [REF]", "walk through a test set, from its first sentence on",
     "One sentence a line; REF has the reference of each, for :force.", false, command_open,
     .completes = {COMPLETE_FILE, COMPLETE_FILE}, .group = GROUP_SENTENCES},
    {"next", "", "the next sentence of the test set", WALK_HELP, false, command_next,
     .group = GROUP_SENTENCES},
    {"prev", "", "the sentence before", WALK_HELP, false, command_prev, .group = GROUP_SENTENCES},
    {"goto", "N", "sentence N of the test set", WALK_HELP, false, command_goto,
     .group = GROUP_SENTENCES},
    {"hypothesis", "[N]", "look at another hypothesis of the beam; without N list them",
     "Later views are of it, until the sentence is translated again; 1 is the best.", false,
     command_hypothesis, .group = GROUP_SENTENCES},
    {"attn", "[SELECTOR] [word]", "attention of one head as a heatmap",
     VIEW_HELP "\nhead mean and head max run over all heads of the layer, those that are off too.\n"
               "word: over words instead of tokens, columns summed, rows averaged.\n"
               "Rows look at columns. Rows of dec and cross are the decoder's input: with the\n"
               "weights of a row the model chooses the token after it.\n"
               "A piece after · continues its word; ⏎ is the end of the sentence.\n"
               "Below: the greatest weight, which is the darkest shade, where it is, and the mean\n"
               "of the rows' entropies.",
     false, command_attn, .completes = {COMPLETE_SELECTOR | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"heads", "[SELECTOR] [word]", "attention of many heads as a grid of small matrices",
     SELECTOR_SINGLE_HELP
     "Default: all layers and heads of the module last shown.\n"
     "Every matrix is shaded by the share of its greatest weight, which stands over\n"
     "it. What is too large is shrunk: a character is the greatest weight of a block.\n"
     "word: over words instead of tokens, columns summed, rows averaged.",
     false, command_heads, .completes = {COMPLETE_SELECTOR | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"token", "TEXT|N [SELECTOR]", "where every head looks from one word, and who looks at it",
     SELECTOR_SINGLE_HELP
     "Default: all layers and heads of the module last shown.\n"
     "TEXT is a word or a token of the sentence, or how one alone begins; N counts the\n"
     "tokens from 1: those of the rows, in cross-attention the target's first, then\n"
     "the source's. Of a word of several tokens rows are averaged, columns summed.",
     false, command_token,
     .completes = {COMPLETE_TOKEN | COMPLETE_SELECTOR, COMPLETE_SELECTOR | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"align", "[SELECTOR] [word]", "which source tokens each token of the translation goes back to",
     SELECTOR_HELP
     "Of cross-attention. What is absent is as last shown of it, else the mean of the heads\n"
     "of the last layer but one, where alignments show best (Garg et al. 2019).\n"
     "A token of the translation has the weights with which the model chose it: those of\n"
     ":attn cross, one row further up. Named are the token it looks at most and up to two more\n"
     "with at least half of that weight.\n"
     "word: over words instead of tokens, columns summed, rows averaged.\n"
     "As a figure two rows of tokens, joined by curves: the greater the weight, the thicker.\n"
     "Weights below 0.05 have none.",
     false, command_align, .completes = {COMPLETE_SELECTOR | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"importance", "[SELECTOR]", "importance of each head for each token (DHICM)",
     "Of [enc|dec|cross] [layer N]; default: the last layer that has one.", false,
     command_importance, .completes = {COMPLETE_SELECTOR | COMPLETE_MORE}, .group = GROUP_VIEWS,
     .view = true},
    {"gates", "[enc|dec] [q|k|qk] [FILE [by layer|pos|length]]",
     "gates of context-aware attention, or their averages over a file",
     "Default: the encoder if it has gates, else the decoder; queries if they have,\n"
     "else keys; qk: both, over a file. A column like 2.1 is layer 2, learned head 1.\n"
     "pos: by place in the sentence; length: by its tokens, ten lengths a group.",
     false, command_gates,
     .completes = {COMPLETE_STACK | COMPLETE_SIDE | COMPLETE_FILE | COMPLETE_GROUPING |
                   COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"score", "SRC ||| TGT", "log-probability of a translation, token by token", NULL, true,
     command_score, .group = GROUP_SENTENCES},
    {"disable", "SELECTOR", "switch heads off", CHANGE_HELP, false, command_disable,
     .completes = {COMPLETE_SELECTOR | COMPLETE_MORE}, .group = GROUP_HEADS},
    {"enable", "[SELECTOR]", "switch heads on again; all without a selector", CHANGE_HELP, false,
     command_enable, .completes = {COMPLETE_SELECTOR | COMPLETE_MORE}, .group = GROUP_HEADS},
    {"disabled", "", "list the heads that are off or changed", NULL, false, command_disabled,
     .group = GROUP_HEADS},
    {"mask", "SELECTOR global|local W|forward|backward", "replace what heads may look at",
     CHANGE_HELP
     "\nlocal W: at most W positions away; forward: itself and what follows; backward:\n"
     "itself and what comes before. The head must have queries and keys.",
     false, command_mask, .completes = {COMPLETE_SELECTOR | COMPLETE_MASK | COMPLETE_MORE},
     .group = GROUP_HEADS},
    {"pattern", "SELECTOR NAME [word]", "give heads a fixed pattern",
     CHANGE_HELP "\nNAME is current, previous, next, left_context, right_context, sentence_end,\n"
                 "sentence_start or last, as section 3.2 of Raganato et al. 2020 defines them;\n"
                 "table 4 there has sentence_end and sentence_start the other way round.\n"
                 "word: over words instead of tokens.",
     false, command_pattern,
     .completes = {COMPLETE_SELECTOR | COMPLETE_PATTERN | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_HEADS},
    {"reset", "", "all heads as the checkpoint has them, and on", NULL, false, command_reset,
     .group = GROUP_HEADS},
    {"state", "[NAME]", "name the current state, or list the states",
     STATE_HELP "A name that a state has already is given to the current one instead.", false,
     command_state, .completes = {COMPLETE_STATE}, .group = GROUP_SESSION},
    {"undo", "", "take the last change of state back", UNDO_HELP, false, command_undo,
     .group = GROUP_SESSION},
    {"redo", "", "do again what was undone", UNDO_HELP, false, command_redo,
     .group = GROUP_SESSION},
    {"beside", "A [B]", "two states side by side, with their difference",
     STATE_HELP
     "Without B the current state is meant. Shown are both translations and the head last\n"
     "shown, each over its own translation; their difference, b - a, is over that of A,\n"
     "forced in B, where the two differ. Mean and maximum are of all heads in each state;\n"
     "a head that is off is shown as it would attend.",
     false, command_beside, .completes = {COMPLETE_STATE, COMPLETE_STATE}, .group = GROUP_VIEWS,
     .view = true},
    {"bleu", "SRC|--scored HYP REF... [by [source] [LENGTHS]] [group N|all | in A B...]",
     "BLEU and chrF2 of a file's translations, by reference length",
     "As the sacreBLEU package computes them (settings bleu.*, chrf.*); --scored: of translations\n"
     "that are there already. " SCORES_HELP "bars of the groups, of several states\n"
     "lines.\n" ACROSS_HELP,
     false, command_bleu,
     .completes = {COMPLETE_FILE, COMPLETE_FILE | COMPLETE_GROUP | COMPLETE_ACROSS | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"compare", "A B SRC REF... [by [source] [LENGTHS]] [group N|all]",
     "two states' translations of a file: scores, tests, what differs most",
     STATE_HELP
     "Paired bootstrap: p, and where 95% of b - a lie; approximate randomisation: p. As sacreBLEU\n"
     "computes them, from settings significance.*. It does not count trials that tie with the "
     "true\n"
     "difference: where few sentences score differently p is too small, and a line says so.\n"
     "Without group compare.sentences are listed, those whose BLEU differs most.\n" SCORES_HELP
     "the gain of B in each group.",
     false, command_compare,
     .completes = {COMPLETE_STATE, COMPLETE_STATE, COMPLETE_FILE | COMPLETE_GROUP | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"ablate", "SRC REF... [by head|layer|layer,head] [SELECTOR [or SELECTOR]...] [show N]",
     "what heads contribute to BLEU: a file translated without each", ABLATE_HELP, false,
     command_ablate,
     .completes = {COMPLETE_FILE, COMPLETE_FILE,
                   COMPLETE_FILE | COMPLETE_SELECTOR | COMPLETE_ABLATION | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"prune", "SRC REF... until DELTA [SELECTOR [or SELECTOR]...] [show N]",
     "switch off head after head while BLEU does not fall by more than DELTA", PRUNE_HELP, false,
     command_prune,
     .completes = {COMPLETE_FILE, COMPLETE_FILE,
                   COMPLETE_FILE | COMPLETE_SELECTOR | COMPLETE_PRUNING | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"contrast",
     "FILE|FOLDER|SRC CORRECT INCORRECT... [[by type|sense|distance|frequency] [group N|all | in A "
     "B...] | ablate [by head|layer|layer,head] [SELECTOR [or SELECTOR]...] [show N]]",
     "accuracy of a contrastive suite, by type, distance, frequency",
     "FILE is JSON as of LingEval97, ContraWSD or MuCoW; FOLDER has src.LANG, correct.LANG and\n"
     "incorrect.LANG as of CoMMuTE, or folders with such; text files have a sentence a line.\n"
     "The reference must score better than what has an error: the sum of the log-probabilities\n"
     "of its tokens, or with :set contrast.normalize length their mean; a tie is wrong. An item\n"
     "with several errors is a decision for each; in text files, and of ambiguous words, one for\n"
     "all.\n"
     "by: one kind of groups alone. " ACROSS_HELP "\n"
     "group N, group all: the items behind it too, the least margin first. What was scored is not\n"
     "scored again. csv, tsv: a line for each candidate of all items, or of those of group N; of\n"
     "several states the groups. Figures: accuracy by distance or else another kind of group.\n"
     "ablate: which items heads decide. Of the heads selected, as in :ablate, each row has the\n"
     "decisions that are correct only without it off (lost) and only with it off (won), McNemar's\n"
     "p of the two and that adjusted by Holm's method. show N: of row N the items too.",
     false, command_contrast,
     .completes = {COMPLETE_FILE, COMPLETE_FILE | COMPLETE_CONTRAST | COMPLETE_SELECTOR |
                                      COMPLETE_ACROSS | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"flips", "", "items of the last suite that the run before decided otherwise",
     "The last run of :contrast beside that of the same suite in another state before it: with\n"
     "other heads off, or of another model. p: McNemar's exact test of lost against won.",
     false, command_flips, .group = GROUP_STUDY, .view = true},
    {"load", "FILE", "load a further model and go to it",
     "The sentence at hand is translated again. Those loaded before stay: :model goes back.", false,
     command_load, .completes = {COMPLETE_FILE}, .group = GROUP_SESSION},
    {"model", "[NAME]", "go to a model or to another state, or list them",
     STATE_HELP "The sentence at hand is translated again.", false, command_model,
     .completes = {COMPLETE_STATE}, .group = GROUP_SESSION},
    {"set", "[NAME [VALUE]]", "show or change settings", NULL, false, command_set,
     .completes = {COMPLETE_SETTING, COMPLETE_VALUE}, .group = GROUP_SESSION},
    {"info", "", "the model, its configuration, the device",
     "The CPU with its instruction set and threads; a GPU with its driver, the precision of its\n"
     "products and how much of its memory is free. With --json memory is what this program\n"
     "holds, in bytes; instruction_set is empty and threads 0 on a GPU, driver empty,\n"
     "memory_free and memory_total 0 on the CPU.",
     false, command_info, .group = GROUP_SESSION},
    {"export", "FILE.{png,pdf,svg,csv,tsv,npy,npz,json,safetensors} [VIEW] | FOLDER/ all [FORMAT]",
     "write the current view, or VIEW, as a figure or data; every head",
     "VIEW is a command that shows something, without its colon: attn cross layer 2.\n"
     "png, pdf, svg: a figure (settings figure.*); in pdf and svg text stays text and cells\n"
     "rectangles. csv, tsv: a table with labels; heads, token and\n"
     "beside a line for each weight. npy: the numbers alone, rows by columns; heads by layer,\n"
     "head, row, column; token by direction, layer, head, place; beside a, b, b - a, where\n"
     "their tokens are the same; gates that are not there are NaN.\n"
     "npz: the same arrays under names (weights, gates, from, to, a, b, difference), with their\n"
     "labels (rows, columns, layers, heads) and how they were made (provenance.json).\n"
     "json: what --json prints. Figures, npz and json say how they were made, and with\n"
     ":set export.comments on csv and tsv.\n"
     "safetensors: without VIEW, all that the sentence at hand makes the model compute:\n"
     "MODULE.I.weights (heads, rows, columns), MODULE.I.importance, MODULE.I.gate_q and\n"
     "gate_k, encoder.output, logprobs; MODULE is encoder, decoder or cross, I counts from 0.\n"
     "FOLDER/ all: every head of the sentence at hand as a file in FOLDER, which is made where\n"
     "there is none: encoder-layer1-head1.png, in FORMAT png, pdf, svg, csv, tsv, npy, npz\n"
     "or json.\n"
     "A file that is there is replaced once the new one is complete: at the prompt after a\n"
     "question, with the option --no-clobber never. What kills the program while it writes\n"
     "leaves the old file, and beside it .attnscope. and six letters, which may be removed.",
     false, command_export, .completes = {COMPLETE_FILE, COMPLETE_VIEW | COMPLETE_MORE},
     .group = GROUP_VIEWS},
    {"source", "FILE", "run the commands in a file, one a line",
     "A command that fails does not stop those after it. Ctrl-C stops the file.\n"
     "A file may run others, but not itself. A line that begins with \":#\" is a comment.",
     false, command_source, .completes = {COMPLETE_FILE}, .group = GROUP_SESSION},
    {"save", "FILE", "write a script that makes this session again with :source",
     "What is not as it was at the start: settings, heads, the sentence, the view. Of a\n"
     "\"beside before\" the head alone: no script brings the state before the last change back.\n"
     "For the same reason neither a \"compare before\" nor flips is among it.",
     false, command_save, .completes = {COMPLETE_FILE}, .group = GROUP_SESSION},
    {"help", "[COMMAND]", "this list, or more about one command", NULL, false, command_help,
     .completes = {COMPLETE_COMMAND}, .group = GROUP_SESSION},
    {"quit", "", "end the session", NULL, false, command_quit, .group = GROUP_SESSION},
};
const int command_count = sizeof command_table / sizeof *command_table;

const struct command sentence_command = {"sentence",
                                         "TEXT",
                                         "translate a line",
                                         "Type a blank before one that begins with \":\".",
                                         true,
                                         command_sentence,
                                         .group = GROUP_SENTENCES};

/* "disab" could be disable or disabled, but only the longer one has another way to be told: a name that
 * begins all the others is meant. */
const struct command *command_find(const char *name, struct status *status)
{
    const struct command *found = NULL;
    char candidates[200] = "";
    bool ambiguous = false;
    for (int i = 0; *name && i < command_count; i++) {
        const struct command *command = &command_table[i];
        if (!begins_with(command->name, name))
            continue;
        size_t used = strlen(candidates);
        snprintf(candidates + used, sizeof candidates - used, "%s:%s", used ? ", " : "",
                 command->name);
        if (!found)
            found = command;
        else if (!begins_with(command->name, found->name))
            ambiguous = true;
    }
    if (found && !ambiguous)
        return found;
    if (found)
        status_fail(status, STATUS_INVALID, "ambiguous command :%s: expected %s", QUOTED(name),
                    candidates);
    else if (!*name)
        status_fail(status, STATUS_INVALID, "a colon alone: `:help` lists the commands");
    else
        status_fail(
            status, STATUS_INVALID,
            "unknown command :%s: `:help` lists the commands; a blank before the colon makes it "
            "text",
            QUOTED(name));
    return NULL;
}

bool command_blank(const char *line)
{
    return !*skip_blanks(line);
}

bool command_comment(const char *line)
{
    return begins_with(line, ":#");
}

/* Length of the command's name in a line that begins with its colon. */
static size_t name_length(const char *line)
{
    size_t length = 0;
    while (line[1 + length] && !is_blank(line[1 + length]))
        length++;
    return length;
}

/* A name that no command has may be as long as one likes. */
static void copy_name(const char *line, char *name, size_t size)
{
    size_t length = name_length(line);
    snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), line + 1);
}

void command_name(const char *line, char *name, size_t size)
{
    struct status unused;
    if (*line != ':') {
        snprintf(name, size, "sentence");
        return;
    }
    copy_name(line, name, size);
    const struct command *command = command_find(name, &unused);
    if (command)
        snprintf(name, size, "%s", command->name);
}

static bool run_request(struct session *session, const struct command *command,
                        struct request *request, struct result *result, struct status *status)
{
    bool ok = true;
    if (!command->takes_text)
        ok = arguments_split(request->text, &request->words, status);
    ok = ok && command->run(session, request, result, status);
    pieces_free(&request->words);
    return ok;
}

/* Whether a view is of the sentence at hand: other sentences have it too, at once. */
static bool is_of_sentence(enum result_kind kind)
{
    return kind == RESULT_ATTENTION || kind == RESULT_ALIGNMENT || kind == RESULT_HEADS ||
           kind == RESULT_TOKEN || kind == RESULT_IMPORTANCE || kind == RESULT_GATES ||
           kind == RESULT_BESIDE;
}

static void take_text(char **text, char *copy)
{
    free(*text);
    *text = copy;
}

static bool remember_view(struct session *session, const char *view, enum result_kind kind,
                          struct status *status)
{
    char *shown = copy_text(view, status);
    char *looked_at = shown && is_of_sentence(kind) ? copy_text(view, status) : NULL;
    if (!shown || (is_of_sentence(kind) && !looked_at)) {
        free(shown);
        return false;
    }
    take_text(&session->shown, shown);
    if (looked_at)
        take_text(&session->looked_at, looked_at);
    return true;
}

bool command_run(struct session *session, const char *line, struct result *result,
                 struct status *status)
{
    *result = (struct result){.kind = RESULT_NONE};
    const struct command *command = &sentence_command;
    // Only a colon in the first place makes a command; after a blank it is text.
    bool is_sentence = *line != ':';
    char *trimmed = check_utf8(line, status) ? arguments_trim(line, status) : NULL;
    if (!trimmed)
        return false;
    struct request request = {.line = trimmed, .text = trimmed};
    if (!is_sentence) {
        char name[64];
        copy_name(trimmed, name, sizeof name);
        command = command_find(name, status);
        request.text = skip_blanks(trimmed + 1 + name_length(trimmed));
    }
    struct view last = session->view;
    bool ok = command && run_request(session, command, &request, result, status);
    if (ok && command->view && !remember_view(session, trimmed + 1, result->kind, status)) {
        // What cannot be exported or come back is not shown.
        session->view = last;
        result_free(result);
        ok = false;
    }
    free(trimmed);
    return ok;
}

/* "attn, importance or gates". */
static void list_views(char *list, size_t size)
{
    int last = command_count;
    while (last > 0 && !command_table[--last].view)
        continue;
    *list = '\0';
    for (int i = 0; i <= last; i++) {
        size_t used = strlen(list);
        const char *separator = !used ? "" : i == last ? " or " : ", ";
        if (command_table[i].view)
            snprintf(list + used, size - used, "%s%s", separator, command_table[i].name);
    }
}

static bool is_beginning(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (begins_with(command_table[i].name, name))
            return true;
    return false;
}

static const struct command *find_view(const char *line, struct status *status)
{
    char name[64], views[200];
    list_views(views, sizeof views);
    copy_name(line, name, sizeof name);
    const struct command *command = *name ? command_find(name, status) : NULL;
    if (command && command->view)
        return command;
    if (!is_beginning(name))
        status_fail(status, STATUS_INVALID, "unknown view \"%s\": expected %s", QUOTED(name),
                    views);
    else if (command)
        status_fail(status, STATUS_INVALID, ":%s is no view: expected %s", command->name, views);
    else if (!*name)
        status_fail(status, STATUS_INVALID, "expected a view: %s", views);
    return NULL;
}

bool command_view(struct session *session, const char *view, struct result *result,
                  struct status *status)
{
    struct view last = session->view;
    char *line = NULL;
    *result = (struct result){.kind = RESULT_NONE};
    if (asprintf(&line, ":%s", view) < 0)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    const struct command *command = find_view(line, status);
    struct request request = {.line = line, .text = skip_blanks(line + 1 + name_length(line))};
    bool ok = command && run_request(session, command, &request, result, status);
    session->view = last;
    free(line);
    return ok;
}

/* Shared by the commands ----------------------------------------------------------------------- */

bool selection_parse(const struct request *request, enum heads_allowed heads,
                     struct selection *selection, struct status *status)
{
    *selection = (struct selection){0};
    selection->rest = memory_new(request->words.count, sizeof *selection->rest, status);
    if (selection->rest && selector_parse(&request->words, heads, &selection->selector,
                                          selection->rest, &selection->count, status))
        return true;
    free(selection->rest);
    return false;
}

void selection_free(struct selection *selection)
{
    selector_free(&selection->selector);
    free(selection->rest);
}

bool no_more_words(const struct request *request, int most, struct status *status)
{
    return request->words.count <= most ||
           status_fail(status, STATUS_INVALID, "\"%s\": expected nothing more",
                       QUOTED(request->words.text[most]));
}

char *copy_text(const char *text, struct status *status)
{
    char *copy = strdup(text);
    if (!copy)
        status_fail(status, STATUS_MEMORY, "out of memory");
    return copy;
}

bool labels_of_tokens(const struct token_list *tokens, struct labels *labels, struct status *status)
{
    labels->side = tokens->side;
    for (int i = 0; i < tokens->count; i++)
        if (!pieces_add(&labels->texts, tokens->texts[i], strlen(tokens->texts[i]), status))
            return false;
    return true;
}
