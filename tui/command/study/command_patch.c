/* `:patch SENTENCE [||| I-J...] [||| SELECTOR]`: what the current translation's log-probability
 * becomes when one head's outputs are those that it has for another sentence
 * (model/attribution/patching.h). */
#include "model/attribution/patching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/report/view_report.h"
#include "tui/session/selector.h"
#include "tui/terminal/interrupt.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

enum { SENTENCE, PAIRS, SELECTED };
static const struct argument arguments[] = {
    [SENTENCE] = {"SENTENCE", .kind = ARGUMENT_SENTENCE, .required = true},
    [PAIRS] = {"I-J", .kind = ARGUMENT_PAIRS, .bar = true, .most = ARGUMENT_MANY,
               .expected =
                   "pairs of tokens such as 1-1 2-3, of SENTENCE and of the current sentence"},
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .bar = true},
};

/* The words of the command. */
struct patch_words {
    const struct argument_values *given;
    const char *sentence;
    struct token_pair *pairs; // (pair_count)
    int pair_count;
    size_t pair_capacity;
};

/* Words ---------------------------------------------------------------------------------------- */

static bool add_pair(struct patch_words *words, int from, int to, struct status *status)
{
    if (!memory_grow((void **)&words->pairs, &words->pair_capacity, (size_t)words->pair_count + 1,
                     sizeof *words->pairs, status))
        return false;
    words->pairs[words->pair_count++] = (struct token_pair){from, to};
    return true;
}

/* Tokens are counted from 1. */
static bool read_pairs(struct patch_words *words, struct status *status)
{
    for (int i = 0; i < words->given->each[PAIRS].count; i++) {
        int pair[2];
        if (!argument_pair(words->given, PAIRS, i, pair))
            return status_fail(status, STATUS_INVALID, "\"%s\": expected %s",
                               QUOTED(words->given->each[PAIRS].words[i]),
                               arguments[PAIRS].expected);
        if (!add_pair(words, pair[0] - 1, pair[1] - 1, status))
            return false;
    }
    return true;
}

/* Computing ------------------------------------------------------------------------------------ */

struct effects {
    int rows, columns; // layers of all modules, heads of the module with most
    float *values;     // (rows, columns); NaN: not selected, or there is no such head
};

static bool has_module(const struct selector *selector, enum module module)
{
    return !selector->module_given || selector->module == module;
}

/* Without pairs each token is patched by the one in its place. */
static bool default_pairs(struct patch_words *words, const struct sentence *source,
                          const struct sentence *from, struct status *status)
{
    if (argument_given(words->given, PAIRS) || !has_module(&words->given->selector, MODULE_ENCODER))
        return true;
    if (from->count != source->count)
        return status_fail(status, STATUS_INVALID,
                           "%d tokens, the current sentence has %d: expected as many, or pairs of "
                           "tokens (||| 1-1 2-3), or a SELECTOR of cross or dec (||| cross)",
                           from->count, source->count);
    for (int i = 0; i < source->count; i++)
        if (!add_pair(words, i, i, status))
            return false;
    return true;
}

static bool run_heads(struct patching *patching, const struct selector *selector,
                      const struct config *config, struct effects *out, struct status *status)
{
    struct work_progress progress = {.what = "patching", .unit = "heads"};
    bool ok = true, any = false;
    int row = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        progress.total += module_layers(config, m) * module_heads(config, m);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int l = 0; l < module_layers(config, m); l++, row++)
            for (int h = 0; ok && h < module_heads(config, m); h++) {
                double effect;
                progress.done = (double)progress.count++;
                if (!has_module(selector, m) || !selector_has_layer(selector, l) ||
                    !selector_has_head(selector, h))
                    continue;
                ok = patching_effect(patching, m, l, h, &effect, status) &&
                     watch_report(&progress_watch, &progress, status);
                out->values[row * out->columns + h] = (float)effect;
                any = true;
            }
    watch_fail(&progress_watch, progress.what, progress.total); // the end, in either case
    return interrupt_check(status) && ok &&
           (any || status_fail(status, STATUS_INVALID, "no module has such a layer and head"));
}

static bool effects_open(const struct config *config, struct effects *out, struct status *status)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        int heads = module_layers(config, m) ? module_heads(config, m) : 0;
        out->rows += module_layers(config, m);
        out->columns = heads > out->columns ? heads : out->columns;
    }
    size_t cells = (size_t)out->rows * (size_t)out->columns;
    out->values = memory_new(cells, sizeof *out->values, status);
    for (size_t i = 0; out->values && i < cells; i++)
        out->values[i] = NAN;
    return out->values != NULL;
}

/* Report --------------------------------------------------------------------------------------- */

/* Rows of modules that are not selected are left out. */
static void take_rows(struct report *report, const struct selector *selector,
                      const struct config *config, const struct effects *effects,
                      struct matrix *matrix)
{
    const char **labels = report_new(report, (size_t)effects->rows, sizeof *labels);
    size_t columns = (size_t)effects->columns;
    int row = 0, taken = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int l = 0; l < module_layers(config, m); l++, row++) {
            if (!labels || !has_module(selector, m) || !selector_has_layer(selector, l))
                continue;
            memmove(matrix->values + (size_t)taken * columns,
                    effects->values + (size_t)row * columns, columns * sizeof *matrix->values);
            labels[taken++] = report_head_name(report, module_names[m], l, -1);
        }
    matrix->rows = axis_of_names("rows", "layer", labels, taken);
}

static const char *typed_part(struct report *report, const struct argument_values *given, int index)
{
    return argument_given(given, index)
               ? report_format(report, " ||| %s", report_typed(report, given, index))
               : "";
}

/* As it is typed. */
static const char *typed_sentence(struct report *report, const char *sentence)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        arguments_quote_text(out, sentence);
    return report_written(&writer);
}

static void fill(struct report *report, const struct session *session,
                 const struct sentence_pair *pair, const struct patch_words *words,
                 const struct patching *patching, struct effects *effects)
{
    const struct config *config = session_config(session);
    report_title(report, "heads patched from \"%s\"", words->sentence);
    report_command(report, "patch %s%s%s", typed_sentence(report, words->sentence),
                   typed_part(report, words->given, PAIRS),
                   typed_part(report, words->given, SELECTED));
    report_origin(report, session, pair);
    report_json(report, "from", value_text(report_copy(report, words->sentence)));
    report_json(report, "logprob", value_real(patching->logprob));
    report_json(report, "from_logprob", value_real(patching->from_logprob));
    report_line(report, FOR_PEOPLE,
                " log-probability of the translation %.4f, after the other sentence %.4f",
                patching->logprob, patching->from_logprob);
    struct matrix *matrix = report_matrix(report, EVERYWHERE, effects->values);
    take_rows(report, &words->given->selector, config, effects, matrix);
    effects->values = NULL;
    matrix->key = matrix->name = "effects";
    matrix->columns = report_numbers_axis(report, "head", effects->columns);
    matrix->columns.key = "columns";
    matrix->scale = "change in log-probability";
    matrix->style = MATRIX_NUMBERS;
    matrix->range = RANGE_OF_CHANGES;
}

/* Running -------------------------------------------------------------------------------------- */

static bool compute(const struct session *session, const struct sentence_pair *pair,
                    struct patch_words *words, const struct sentence *from, struct report *report,
                    struct status *status)
{
    const struct config *config = session_config(session);
    const struct hypothesis *given = pair_hypothesis(pair);
    struct effects effects = {.rows = 0};
    struct patching patching;
    if (!default_pairs(words, &pair->source, from, status) ||
        !patching_open(&session->state, &pair->source, from, given->ids, given->count, words->pairs,
                       words->pair_count, &patching, status))
        return interrupt_check(status) && false;
    bool ok = effects_open(config, &effects, status) &&
              run_heads(&patching, &words->given->selector, config, &effects, status);
    if (ok)
        fill(report, session, pair, words, &patching, &effects);
    free(effects.values);
    patching_close(&patching);
    return ok && report_end(report, status);
}

static bool patch_from(struct session *session, struct patch_words *words, struct report *report,
                       struct status *status)
{
    const struct sentence_pair *pair = session_current(session, status);
    struct sentence from = {.count = 0};
    if (!pair || (words->given->selector.module_given &&
                  !selector_check(&words->given->selector, session_config(session), status)))
        return false;
    if (!source_encode(session->loaded->checkpoint, &session->state.search.languages,
                       words->sentence, &from, status))
        return false;
    bool ok = compute(session, pair, words, &from, report, status);
    sentence_free(&from);
    return ok;
}

static bool run_patch(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct patch_words words = {.given = request->given,
                                .sentence = argument_text(request->given, SENTENCE)};
    bool ok = read_pairs(&words, status) && patch_from(session, &words, report, status);
    free(words.pairs);
    return ok;
}

static const struct help_item meanings[] = {
    {"SENTENCE", "the other sentence; one that contains ||| is quoted: \"a ||| b\" ||| cross"},
    {"I-J", "token I of SENTENCE for token J of the current one, counted from 1, and no others"},
    {"SELECTOR", "the heads (:help selector); by default every head of every layer"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "The current translation is forced after the current sentence, with the outputs of one head "
    "replaced by those that it has after SENTENCE. Cells are the change in the log-probability "
    "of the translation.",
    "In the encoder, a token is patched by the one in its place; if the sentences differ in "
    "length, I-J pairs them. In the decoder and cross-attention all positions are patched.",
    NULL,
};

const struct command command_patch = {
    .name = "patch",
    .summary = "activation patching: the effect of a head's outputs from another sentence",
    .arguments = ARGUMENT_LIST(arguments),
    .takes_text = true,
    .meanings = meanings,
    .notes = notes,
    .examples =
        (const char *const[]){STARS, ":patch I have never seen so many dogs in the sky. ||| cross",
                              ":patch I see stars. ||| 1-1 2-2 ||| enc layer 1", NULL},
    .run = run_patch,
    .group = GROUP_VIEWS,
    .view = true,
};
