/* `:gates`: how much context queries and keys take in, for the current sentence or over a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/report_gates.h"
#include "tui/terminal/progress.h"

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
        if (gate_columns(config, module, i, side))
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

/* Running ---------------------------------------------------------------------------------------- */

static bool gates_of_file(struct session *session, const struct gates_request *gates,
                          struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct gates_study study = {.config = session_config(session),
                                .module = gates->module,
                                .both_stacks = gates->both_stacks,
                                .side = gates->side,
                                .by = gates->by,
                                .walk = {.path = gates->path}};
    struct status other;
    bool ok = gates_run(&context, &study, status);
    if (study_walk_found(&context, &study.walk, ok, status) &&
        !report_gate_groups(report, session, &study, &other)) {
        *status = other;
        ok = false;
    }
    gates_free(&study);
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
