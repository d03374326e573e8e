/* `:patch SENTENCE [||| I-J...] [||| SELECTOR] [||| by gradient] [||| against WORD...]`: how the
 * current translation's log-probability changes when one head's outputs are replaced by those for
 * another sentence (model/attribution/patching.h). */
#include "model/attribution/patching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/attribution/predictions.h"
#include "model/text/quote.h"
#include "report/view_report.h"
#include "session/selector.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"

enum { SENTENCE, PAIRS, SELECTED, BY, AGAINST };
static const char *const by_choices[] = {"gradient", NULL};
static const struct argument arguments[] = {
    [SENTENCE] = {"SENTENCE", .kind = ARGUMENT_SENTENCE, .required = true},
    [PAIRS] = {"I-J", .kind = ARGUMENT_PAIRS, .bar = true, .most = ARGUMENT_MANY,
               .expected =
                   "pairs of tokens such as 1-1 2-3, of SENTENCE and of the current sentence"},
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .bar = true},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = by_choices, .bar = true},
    [AGAINST] = {"WORD", "against", ARGUMENT_TEXT, .bar = true, .most = ARGUMENT_MANY},
};

/* The command's words. */
struct patch_words {
    const struct argument_values *given;
    const char *sentence;
    struct token_pair *pairs; // (pair_count)
    int pair_count;
    size_t pair_capacity;
    int *foils; // for the translation's tokens; NULL: no contrast
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

enum { STRONGEST = 10 }; // heads whose true effects are shown beside their estimates

struct effects {
    int rows, columns;          // layers of all modules, heads of the module with most
    float *values;              // (rows, columns); NaN: not selected, or no such head
    bool *wanted[MODULE_COUNT]; // (layers, heads): true if selected
    int heads;                  // how many are selected
    /* By gradient: */
    float *estimates[MODULE_COUNT]; // (layers, heads, positions)
    struct patch_estimate strongest[STRONGEST];
    int strongest_count;
};

static bool has_module(const struct selector *selector, enum module module)
{
    return !selector->module_given || selector->module == module;
}

/* Without pairs, each token is patched by the one at its position. */
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

/* Computes true effects, with a run of the model for each head, or sums up its estimates. */
static bool fill_heads(struct patching *patching, bool estimated, const struct config *config,
                       struct effects *out, struct status *status)
{
    struct work_progress progress = {.what = "patching", .unit = "heads", .total = out->heads};
    bool ok = true;
    int row = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int l = 0; l < module_layers(config, m); l++, row++)
            for (int h = 0; ok && h < module_heads(config, m); h++) {
                double effect;
                if (!out->wanted[m][l * module_heads(config, m) + h])
                    continue;
                progress.done = (double)++progress.count;
                if (estimated)
                    effect = patching_head_estimate(patching, out->estimates, m, l, h);
                else
                    ok = patching_effect(patching, m, l, h, PATCH_ALL, &effect, status) &&
                         watch_report(&progress_watch, &progress, status);
                if (ok)
                    out->values[row * out->columns + h] = (float)effect;
            }
    watch_fail(&progress_watch, progress.what, progress.total); // reports the end, also on success
    return interrupt_check(status) && ok;
}

static bool run_heads(struct patching *patching, bool estimated, const struct config *config,
                      struct effects *out, struct status *status)
{
    const bool *const wanted[MODULE_COUNT] = {out->wanted[0], out->wanted[1], out->wanted[2]};
    if (estimated && !patching_estimate(patching, out->estimates, status))
        return interrupt_check(status) && false;
    if (estimated)
        out->strongest_count = patching_strongest(patching, out->estimates, wanted, STRONGEST,
                                                  &progress_watch, out->strongest, status);
    return out->strongest_count >= 0 && fill_heads(patching, estimated, config, out, status);
}

static bool want_heads(const struct selector *selector, const struct config *config,
                       struct effects *out, struct status *status)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        const int layers = module_layers(config, m), heads = module_heads(config, m);
        bool *wanted = memory_new((size_t)layers * (size_t)heads, sizeof *wanted, status);
        out->wanted[m] = wanted;
        for (int i = 0; wanted && i < layers * heads; i++)
            out->heads += wanted[i] = has_module(selector, m) &&
                                      selector_has_layer(selector, i / heads) &&
                                      selector_has_head(selector, i % heads);
        if (!wanted)
            return false;
    }
    return out->heads > 0 ||
           status_fail(status, STATUS_INVALID, "no module has such a layer and head");
}

static bool effects_open(const struct selector *selector, const struct config *config,
                         struct effects *out, struct status *status)
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
    return out->values && want_heads(selector, config, out, status);
}

static void effects_close(struct effects *effects)
{
    free(effects->values);
    for (int m = 0; m < MODULE_COUNT; m++) {
        free(effects->wanted[m]);
        free(effects->estimates[m]);
    }
}

/* Report --------------------------------------------------------------------------------------- */

/* Leaves out the rows of modules that are not selected. */
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
    const struct argument *argument = &arguments[index];
    return argument_given(given, index)
               ? report_format(report, " ||| %s%s%s", argument->keyword ? argument->keyword : "",
                               argument->keyword ? " " : "", report_typed(report, given, index))
               : "";
}

/* Returns the sentence as it is typed. */
static const char *typed_sentence(struct report *report, const char *sentence)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        arguments_quote_text(out, sentence);
    return report_written(&writer);
}

/* Returns the texts of tokens as people read them. */
static const char *const *token_texts(struct report *report, const struct session *session,
                                      const struct token_list *tokens, struct status *status)
{
    struct labels labels = {.words = false};
    const char *const *texts = NULL;
    if (labels_of_tokens(tokens, &labels, status))
        texts = report_axis(report, session->loaded, "tokens", &labels, false).labels;
    strings_free(&labels.texts);
    report->lacking |= !texts;
    return texts;
}

static void put_strongest(struct report *report, const struct session *session,
                          const struct sentence_pair *pair, const struct patching *patching,
                          const struct effects *effects, struct status *status)
{
    static const struct column columns[] = {
        {.all = "module", .type = COLUMN_TEXT, .least = 7, .names_head = true},
        {.all = "layer", .type = COLUMN_INT, .names_head = true},
        {.all = "head", .type = COLUMN_INT, .names_head = true},
        {.all = "estimate", .title = "by gradient", .type = COLUMN_SIGNED, .digits = 4},
        {.all = "effect", .type = COLUMN_SIGNED, .digits = 4},
        {.all = "position", .title = "at", .type = COLUMN_INT},
        {.all = "token"},
        {.all = "position_estimate", .title = "by gradient", .type = COLUMN_SIGNED, .digits = 4},
        {.all = "position_effect", .title = "effect", .type = COLUMN_SIGNED, .digits = 4},
    };
    const struct token_list read = pair_columns(pair, MODULE_CROSS), target = pair_predicted(pair);
    const char *const *texts[] = {token_texts(report, session, &read, status),
                                  token_texts(report, session, &target, status)};
    struct table *table =
        report_table(report, EVERYWHERE & ~IN_FIGURE, "strongest", columns, COUNT(columns));
    for (int i = 0; texts[0] && texts[1] && i < effects->strongest_count; i++) {
        const struct patch_estimate *one = &effects->strongest[i];
        const bool encoder = one->module == MODULE_ENCODER;
        const int token = encoder ? patching->pairs[one->position].to : one->position;
        table_add(table, value_text(module_names[one->module]), value_int(one->layer + 1),
                  value_int(one->head + 1), value_real(one->estimate), value_real(one->effect),
                  value_int(token + 1), value_text(texts[!encoder][token]),
                  value_real(one->position_estimate), value_real(one->position_effect));
        table_enter_head(table, module_names[one->module], one->layer, one->head, "");
    }
}

/* Puts the estimates of all positions, for programs. */
static void put_positions(struct report *report, const struct patching *patching,
                          const struct config *config, struct effects *effects)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        struct array *array = report_new(report, 1, sizeof *array);
        const size_t positions = (size_t)patching_positions(patching, m);
        if (!array || !positions || !module_layers(config, m))
            continue;
        *array = (struct array){
            effects->estimates[m],
            3,
            {(size_t)module_layers(config, m), (size_t)module_heads(config, m), positions},
            NULL};
        report_keep(report, effects->estimates[m], free);
        effects->estimates[m] = NULL;
        report_field(report, IN_JSON | IN_ARRAYS, module_names[m], NULL, value_array(array));
    }
}

static void put_matrix(struct report *report, const struct patch_words *words,
                       const struct config *config, struct effects *effects)
{
    const bool estimated = argument_given(words->given, BY);
    const char *what = argument_given(words->given, AGAINST) ? "contrast" : "log-probability";
    // On the screen, the table of the strongest heads comes first and the picture after it.
    struct matrix *matrix =
        report_matrix(report, estimated ? EVERYWHERE & ~IN_SCREEN : EVERYWHERE, effects->values);
    take_rows(report, &words->given->selector, config, effects, matrix);
    effects->values = NULL;
    matrix->key = matrix->name = estimated ? "estimates" : "effects";
    matrix->columns = report_numbers_axis(report, "head", effects->columns);
    matrix->columns.key = "columns";
    matrix->scale = report_format(report, "%schange in %s", estimated ? "estimated " : "", what);
    matrix->style = MATRIX_NUMBERS;
    matrix->range = RANGE_OF_CHANGES;
}

static void describe(struct report *report, const struct session *session,
                     const struct sentence_pair *pair, const struct patch_words *words,
                     const struct patching *patching)
{
    const struct argument_values *given = words->given;
    const struct strings against = argument_texts(given, AGAINST);
    report_title(report, "heads patched from \"%s\"%s%s", words->sentence,
                 argument_given(given, BY) ? "  by gradient" : "",
                 against.count
                     ? report_format(report, "  against %s", report_joined(report, &against, " "))
                     : "");
    report_command(report, "patch %s%s%s%s%s", typed_sentence(report, words->sentence),
                   typed_part(report, given, PAIRS), typed_part(report, given, SELECTED),
                   typed_part(report, given, BY), typed_part(report, given, AGAINST));
    report_origin(report, session, pair);
    report_json(report, "from", value_text(report_copy(report, words->sentence)));
    if (against.count)
        report_json(report, "against", value_text(report_joined(report, &against, " ")));
    report_json(report, "logprob", value_real(patching->logprob));
    report_json(report, "from_logprob", value_real(patching->from_logprob));
    report_line(report, FOR_PEOPLE,
                " log-probability of the translation%s %.4f, after the other "
                "sentence %.4f",
                against.count ? " less that of the other one" : "", patching->logprob,
                patching->from_logprob);
}

/* Running -------------------------------------------------------------------------------------- */

static bool compute(const struct session *session, const struct sentence_pair *pair,
                    struct patch_words *words, const struct sentence *from, struct report *report,
                    struct status *status)
{
    const struct config *config = session_config(session);
    const struct hypothesis *given = pair_hypothesis(pair);
    const bool estimated = argument_given(words->given, BY);
    struct effects effects = {.rows = 0};
    struct patching patching;
    if (!default_pairs(words, &pair->source, from, status) ||
        !patching_open(&session->state, &pair->source, from, given->ids, words->foils, given->count,
                       words->pairs, words->pair_count, &patching, status))
        return interrupt_check(status) && false;
    bool ok = effects_open(&words->given->selector, config, &effects, status) &&
              run_heads(&patching, estimated, config, &effects, status);
    if (ok) {
        describe(report, session, pair, words, &patching);
        put_matrix(report, words, config, &effects);
        if (estimated) {
            put_strongest(report, session, pair, &patching, &effects, status);
            put_positions(report, &patching, config, &effects);
        }
    }
    effects_close(&effects);
    patching_close(&patching);
    return ok && report_end(report, status);
}

/* Reads the foils of `against`. */
static bool read_foils(struct patch_words *words, const struct sentence_pair *pair,
                       struct report *report, struct status *status)
{
    const struct strings against = argument_texts(words->given, AGAINST);
    return !against.count || foils_of_text(pair->checkpoint, report_joined(report, &against, " "),
                                           pair_hypothesis(pair)->count, &words->foils, status);
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
    bool ok = read_foils(words, pair, report, status) &&
              compute(session, pair, words, &from, report, status);
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
    free(words.foils);
    return ok;
}

static const struct help_item column_meanings[] = {
    {"by gradient", "the estimate"},
    {"effect", "the true effect"},
    {"at", "the position with the greatest estimate, counted from 1, and its token"},
    {NULL, NULL},
};
static const struct help_item meanings[] = {
    {"SENTENCE", "the other sentence; one that contains ||| is quoted: \"a ||| b\" ||| cross"},
    {"I-J", "token I of SENTENCE for token J of the current one, counted from 1, and no others"},
    {"SELECTOR", "the heads (:help selector); by default every head of every layer"},
    {"by gradient",
     "estimates instead of effects, of all heads and positions from one backward pass (attribution "
     "patching: Nanda 2023; Kramár et al. 2024), and beside the strongest heads their effects"},
    {"against WORD...",
     "what changes is the log-probability of each token less that of WORD, which is one token, or "
     "of the tokens of another translation of the same length. They are the last words of the "
     "line"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "The current translation is forced after the current sentence, with the outputs of one head "
    "replaced by those that it has after SENTENCE. Cells are the change in the log-probability "
    "of the translation.",
    "In the encoder, a token is patched by the one in its place; if the sentences differ in "
    "length, I-J pairs them. In the decoder and cross-attention all positions are patched.",
    "An estimate is the change of the head's outputs times their derivatives, summed over its "
    "positions; \"at\" is the position with the greatest one, beside it the effect of patching "
    "that "
    "one alone. Positions of the decoder are named by the token that is predicted there. Where the "
    "two sentences differ much, estimates may have the wrong sign: the effects count. .npz and "
    "--json have all positions.",
    NULL,
};

const struct command command_patch = {
    .name = "patch",
    .summary = "activation patching: the effect of a head's outputs from another sentence",
    .arguments = ARGUMENT_LIST(arguments),
    .takes_text = true,
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){STARS, ":patch I have never seen so many dogs in the sky. ||| cross",
                              ":patch I see stars. ||| 1-1 2-2 ||| enc layer 1",
                              ":patch I have never seen so many dogs in the sky. ||| by gradient",
                              NULL},
    .run = run_patch,
    .group = GROUP_VIEWS,
    .view = true,
};
