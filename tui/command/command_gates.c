/* `:gates`: how much context queries and keys take in, for the current sentence or over a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/report_gates.h"
#include "tui/report/parts_of_speech.h"
#include "tui/session/sentence_file.h"
#include "tui/terminal/interrupt.h"

/* Sentences whose lengths fall into the same ten belong together. */
enum { LENGTH_STEP = 10 };
enum { PLACES_MOST = 1 << 20 }; // of averages over a file: positions, layers, …
#define BOTH_STACKS "enc,dec"

/* Module and side come before the file, so that a file called "q" is ./q. */
static const char *const stack_choices[] = {"enc",     "dec",   BOTH_STACKS, "encoder",
                                            "decoder", "cross", NULL};
enum { STACK_BOTH = 2, STACK_ANY = 6 };
static const enum module stack_modules[] = {MODULE_ENCODER, MODULE_DECODER, MODULE_ENCODER,
                                            MODULE_ENCODER, MODULE_DECODER, MODULE_CROSS,
                                            MODULE_ENCODER};
static const char *const side_choices[] = {"q", "k", "qk", NULL};

enum { IN, STACK, SIDE, CORPUS, BY };
static const struct argument arguments[] = {
    [IN] = {.keyword = "in", .kind = ARGUMENT_FLAG, .anywhere = true, .hidden = true},
    [STACK] = {.kind = ARGUMENT_CHOICE, .choices = stack_choices, .aliases = 3},
    [SIDE] = {.kind = ARGUMENT_CHOICE, .choices = side_choices},
    [CORPUS] = {"FILE", .kind = ARGUMENT_FILE, .sources = true},
    [BY] = {.keyword = "by",
            .kind = ARGUMENT_CHOICE,
            .choices = gate_grouping_names,
            .needs = ARG(CORPUS)},
};

struct gates_request {
    bool module_given, side_given, both_stacks;
    enum module module;
    int side;         // GATES_BOTH: of a file
    const char *path; // NULL: the current sentence
    enum gate_grouping by;
};

static bool has_gates(const struct config *config, enum module module, int side)
{
    if (side == GATES_BOTH)
        return has_gates(config, module, SIDE_Q) && has_gates(config, module, SIDE_K);
    for (int i = 0; i < module_layers(config, module); i++)
        if (layer_has_gate(config, module, i, side))
            return true;
    return false;
}

/* Reads the words given. */
static bool read_request(const struct argument_values *given, struct gates_request *gates,
                         struct status *status)
{
    const int stack = argument_choice(given, STACK, STACK_ANY);
    *gates = (struct gates_request){
        .both_stacks = stack == STACK_BOTH,
        .module_given = stack != STACK_ANY && stack != STACK_BOTH,
        .module = stack_modules[stack],
        .side_given = argument_given(given, SIDE),
        .side = argument_choice(given, SIDE, SIDE_Q),
        .path = argument_text(given, CORPUS),
        .by = (enum gate_grouping)argument_choice(given, BY, BY_LAYER),
    };
    if (argument_given(given, IN) && stack == STACK_ANY)
        return status_fail(status, STATUS_INVALID, "in: expected enc or dec after it");
    if (gates->both_stacks && !gates->path)
        return status_fail(status, STATUS_INVALID,
                           BOTH_STACKS ": averages of both over a file, expected FILE after it");
    return gates->side != GATES_BOTH || gates->path ||
           status_fail(status, STATUS_INVALID,
                       "qk: averages of both over a file, expected FILE after it");
}

/* The file says what the words of the source are, not those of the translation that the decoder reads. */
static bool check_grouping(const struct gates_request *gates, struct status *status)
{
    return gates->by != BY_POS || (gates->module == MODULE_ENCODER && !gates->both_stacks) ||
           status_fail(status, STATUS_INVALID,
                       "by pos: FILE has no parts of speech of translations: expected enc");
}

/* Queries if both stacks have gates of them, else keys. */
static bool choose_of_both(const struct config *config, struct gates_request *gates,
                           struct status *status)
{
    for (int side = 0; side <= GATES_BOTH; side++) {
        if ((gates->side_given && gates->side != side) ||
            !has_gates(config, MODULE_ENCODER, side) || !has_gates(config, MODULE_DECODER, side))
            continue;
        gates->side = side;
        return check_grouping(gates, status);
    }
    return status_fail(status, STATUS_INVALID, "encoder and decoder have no gates%s in common",
                       gates->side_given ? " of that side" : "");
}

/* By default the encoder if it has gates, else the decoder; queries if they have, else keys. */
static bool choose_gates(const struct config *config, struct gates_request *gates,
                         struct status *status)
{
    static const enum module modules[] = {MODULE_ENCODER, MODULE_DECODER};
    static const char *const sides[] = {
        [SIDE_Q] = " of queries", [SIDE_K] = " of keys", [GATES_BOTH] = " of queries and keys"};
    if (gates->both_stacks)
        return choose_of_both(config, gates, status);
    if (gates->module_given && gates->module == MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "cross-attention takes no context: expected enc or dec");
    for (int m = 0; m < 2; m++)
        for (int side = 0; side <= GATES_BOTH; side++) {
            if ((gates->module_given && gates->module != modules[m]) ||
                (gates->side_given && gates->side != side) || !has_gates(config, modules[m], side))
                continue;
            gates->module = modules[m];
            gates->side = side;
            return check_grouping(gates, status);
        }
    return status_fail(status, STATUS_INVALID, "%s has no gates%s",
                       gates->module_given ? module_titles[gates->module] : "the model",
                       gates->side_given ? sides[gates->side] : "");
}

/* Averages over a file ------------------------------------------------------------------------ */

/* Adds `count` gates to a group; groups before it come into being empty. All series of a place are neighbours. */
static bool add_to_group(struct gate_groups *out, int series, int place, double sum, int64_t count,
                         struct status *status)
{
    int index = place * GATE_SERIES_MOST + series;
    if (!memory_grow((void **)&out->groups, &out->capacity, (size_t)index + 1, sizeof *out->groups,
                     status))
        return false;
    out->count = out->count > index ? out->count : index + 1;
    out->groups[index].sum += sum;
    out->groups[index].count += count;
    return true;
}

/* parts: (rows), places of parts of speech if they are asked for. */
static int place_of(const struct gate_groups *out, const struct gates_view *gates, const int *parts,
                    int layer, int row)
{
    switch (out->by) {
    case BY_LAYER:
        return layer;
    case BY_POSITION:
        return row;
    case BY_POS:
        return parts[row];
    case BY_LENGTH:
        break;
    }
    return (gates->rows.texts.count - 1) / LENGTH_STEP;
}

/* Series, place, sum and number of the gates. */
enum { NUMBERS_OF_ROW = 4 };

static bool put_row(const struct gate_groups *asked, const struct gates_view *gates,
                    const int *parts, int layer, int row, struct sentence_numbers *out,
                    struct status *status)
{
    const struct gate_layer *values = &gates->layer[layer];
    int place = place_of(asked, gates, parts, layer, row);
    double sum = 0;
    if (place < 0)
        return true;
    for (int c = 0; c < values->columns; c++)
        sum += values->values[(size_t)row * values->columns + c];
    int series = (gates->module == MODULE_DECODER) * SIDE_COUNT + gates->side;
    const double numbers[NUMBERS_OF_ROW] = {series, place, sum, values->columns};
    for (int i = 0; i < NUMBERS_OF_ROW; i++)
        if (!sentence_numbers_put(out, numbers[i], status))
            return false;
    return true;
}

static bool put_gates(const struct gate_groups *asked, const struct gates_view *gates,
                      const int *parts, struct sentence_numbers *out, struct status *status)
{
    for (int layer = 0; layer < gates->layers; layer++)
        for (int row = 0; gates->layer[layer].values && row < gates->rows.texts.count; row++)
            if (!put_row(asked, gates, parts, layer, row, out, status))
                return false;
    return true;
}

static void name_group(struct gate_group *group, enum gate_grouping by)
{
    if (by == BY_POS)
        return; // it has its name from the file
    if (by == BY_LENGTH)
        snprintf(group->name, sizeof group->name, "%d-%d", group->place * LENGTH_STEP + 1,
                 (group->place + 1) * LENGTH_STEP);
    else
        snprintf(group->name, sizeof group->name, "%d", group->place + 1);
}

/* Names the groups, drops those without a gate, and puts queries before keys. */
static bool name_groups(struct gate_groups *out, struct status *status)
{
    struct gate_group *named = memory_new((size_t)out->count, sizeof *named, status);
    int kept = 0;
    for (int series = 0; named && series < GATE_SERIES_MOST; series++)
        for (int i = series; i < out->count; i += GATE_SERIES_MOST) {
            if (!out->groups[i].count)
                continue;
            struct gate_group *group = &named[kept++];
            *group = out->groups[i];
            group->module = series < SIDE_COUNT ? MODULE_ENCODER : MODULE_DECODER;
            group->side = series % SIDE_COUNT;
            group->place = i / GATE_SERIES_MOST;
            name_group(group, out->by);
        }
    if (!named)
        return false;
    free(out->groups);
    out->groups = named;
    out->count = kept;
    return true;
}

/* Averages of a file that are being made. */
struct averaging {
    const struct session *session;
    struct gate_groups *groups;
    const struct sentence_file *file;
};

/* Names groups while the file is there. */
static void name_parts(struct gate_groups *out, const struct conllu *conllu)
{
    for (int i = 0; i < out->count; i++)
        if (out->groups[i].count && !*out->groups[i].name)
            snprintf(out->groups[i].name, sizeof out->groups[i].name, "%s",
                     part_of_speech_name(conllu, i / GATE_SERIES_MOST));
}

static bool is_row(const double *numbers)
{
    return numbers[0] >= 0 && numbers[0] < GATE_SERIES_MOST && numbers[1] >= 0 &&
           numbers[1] < PLACES_MOST && numbers[3] >= 1 && numbers[3] < PLACES_MOST;
}

static bool add_sentence(void *context, const struct sentence_numbers *numbers,
                         struct status *status)
{
    const struct averaging *averaging = context;
    struct gate_groups *out = averaging->groups;
    for (int i = 0; i < numbers->count; i += NUMBERS_OF_ROW)
        if (i + NUMBERS_OF_ROW > numbers->count || !is_row(numbers->numbers + i))
            return status_fail(status, STATUS_INVALID, "no gates of a sentence");
    for (int i = 0; i < numbers->count; i += NUMBERS_OF_ROW) {
        const double *row = numbers->numbers + i;
        if (!add_to_group(out, (int)row[0], (int)row[1], row[2], (int)row[3], status))
            return false;
    }
    if (out->by == BY_POS)
        name_parts(out, &averaging->file->conllu);
    return true;
}

/* All gates of a sentence, of queries and keys as far as they are asked for. */
static bool measure_sentence(const struct state *state, const struct sentence_pair *pair,
                             void *context, struct sentence_numbers *numbers, struct status *status)
{
    const struct averaging *averaging = context;
    const struct gate_groups *out = averaging->groups;
    struct gates_view views[GATE_SERIES_MOST] = {{.layers = 0}};
    const struct sentence_file *file = averaging->file;
    int *parts =
        out->by == BY_POS ? memory_new((size_t)pair->source.count, sizeof *parts, status) : NULL;
    bool ok = out->by != BY_POS ||
              (parts && parts_of_speech(pair, &file->conllu, file->words, parts, status));
    (void)state;
    for (int i = 0; ok && i < GATE_SERIES_MOST; i++) {
        enum module module = i < SIDE_COUNT ? out->module : MODULE_DECODER;
        int side = i % SIDE_COUNT;
        if ((out->side == GATES_BOTH || out->side == side) && (i < SIDE_COUNT || out->both_stacks))
            ok = view_gates(averaging->session, pair, module, side, &views[i], status);
    }
    ok = ok && interrupt_check(status); // after Ctrl-C none are right
    for (int i = 0; i < GATE_SERIES_MOST; i++) {
        ok = ok && put_gates(out, &views[i], parts, numbers, status);
        gates_view_free(&views[i]);
    }
    free(parts);
    return ok;
}

/* After Ctrl-C `groups` holds the averages of the lines before it, if there are any. */
static bool average(const struct session *session, struct gate_groups *groups,
                    struct status *status)
{
    struct status other;
    struct sentence_file file = {.path = groups->path,
                                 .what = "averaging gates",
                                 .words_for = groups->by == BY_POS ? "by pos" : NULL,
                                 .encoder =
                                     groups->module == MODULE_ENCODER && !groups->both_stacks};
    struct averaging averaging = {session, groups, &file};
    const struct sentence_work work = {measure_sentence, add_sentence, &averaging};
    char asked[80];
    snprintf(asked, sizeof asked, "%s%s %s %s", module_names[groups->module],
             groups->both_stacks ? " and decoder" : "", gates_side_name(groups->side),
             gate_grouping_names[groups->by]);
    file.asked = asked;
    bool ok = sentence_file_walk(session, &file, &work, status);
    groups->sentences = file.sentences;
    groups->lines = file.lines;
    bool found = (ok || status->code == STATUS_CANCELLED) && groups->count > 0;
    if (found && !name_groups(groups, &other)) {
        *status = other;
        return false;
    }
    return ok;
}

/* Groups finished before Ctrl-C are shown, and none after another failure. */
static bool gates_of_file(const struct session *session, const struct gates_request *gates,
                          struct report *report, struct status *status)
{
    struct status other;
    struct gate_groups groups = {.module = gates->module,
                                 .both_stacks = gates->both_stacks,
                                 .side = gates->side,
                                 .by = gates->by};
    groups.path = copy_text(gates->path, status);
    bool ok = groups.path && average(session, &groups, status);
    bool found = (ok && !shards_divided(session->shards)) ||
                 (status->code == STATUS_CANCELLED && groups.count > 0);
    if (found && !report_gate_groups(report, session, &groups, &other)) {
        *status = other;
        ok = false;
    }
    gate_groups_free(&groups);
    return ok;
}

static bool run_gates(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct gates_request wanted;
    if (!read_request(request->given, &wanted, status) ||
        !choose_gates(session_config(session), &wanted, status))
        return false;
    if (wanted.path)
        return gates_of_file(session, &wanted, report, status);
    const struct sentence_pair *pair = session_current(session, status);
    struct gates_view gates = {.layers = 0};
    bool ok = pair && view_gates(session, pair, wanted.module, wanted.side, &gates, status) &&
              report_gates(report, session, pair, &gates, status);
    gates_view_free(&gates);
    return ok;
}

static const struct help_item meanings[] = {
    {"enc, dec",
     "default: the encoder if it has gates, otherwise the decoder; enc,dec is for files: both "
     "are averaged"},
    {"q, k",
     "default: queries if they have gates, otherwise keys; qk is for files: both are averaged"},
    {"FILE", "one sentence a line"},
    {"by layer", "averages by layer, the default"},
    {"by position", "by position of the token in the sentence"},
    {"by length", "by length of the sentence in tokens, in groups of ten lengths"},
    {"by pos",
     "by part of speech, which needs the encoder and a CoNLL-U file. A token takes the part of "
     "speech of the word that holds most of its characters; special tokens such as "
     "end-of-sentence have none and are left out"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "A gate is the share of context in a query or a key: 0 is the token alone, 1 the context "
    "alone (Yang et al. 2019). Rows are tokens, columns layers; a column such as 2.1 is layer 2, "
    "learned head 1.",
    NULL,
};
static const struct help help = {.arguments = meanings, .notes = notes};

const struct command command_gates = {
    .name = "gates",
    .summary = "gates of context-aware attention, or their averages over a file",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples = (const char *const[]){":load samples/en-de-context.bin", STARS, ":gates enc k",
                                      ":gates enc qk samples/sentences.en by layer", NULL},
    .run = run_gates,
    .group = GROUP_VIEWS,
    .view = true,
};
