/* `:patch SENTENCE [||| I-J...] [||| SELECTOR]`: what the current translation's log-probability becomes when one head's
 * outputs are those that it has for another sentence (model/attribution/patching.h). */
#include "model/attribution/patching.h"

#include <ctype.h>
#include <limits.h>
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

#define PATCH_SYNTAX "SENTENCE [||| I-J...] [||| SELECTOR]"

struct patch_words {
    char *sentence;
    struct token_pair *pairs; // (pair_count)
    int pair_count;
    size_t pair_capacity;
    struct selector selector;
    char *pairs_text, *selector_text; // as they were typed; NULL: not given
};

static void words_free(struct patch_words *words)
{
    free(words->sentence);
    free(words->pairs);
    free(words->pairs_text);
    free(words->selector_text);
    selector_free(&words->selector);
}

/* Words ------------------------------------------------------------------------------------------ */

/* "3-4", tokens counted from 1. */
static bool add_pair(struct patch_words *words, const char *text, struct status *status)
{
    char *end, *last = NULL;
    long from = strtol(text, &end, 10), to = 0;
    bool number = isdigit((unsigned char)*text) && *end == '-' && isdigit((unsigned char)end[1]);
    if (number)
        to = strtol(end + 1, &last, 10);
    if (!number || *last || from < 1 || to < 1 || from > INT_MAX || to > INT_MAX)
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected pairs of tokens such as 1-1 2-3, of SENTENCE and of "
                           "the current sentence",
                           QUOTED(text));
    if (!memory_grow((void **)&words->pairs, &words->pair_capacity, (size_t)words->pair_count + 1,
                     sizeof *words->pairs, status))
        return false;
    words->pairs[words->pair_count++] = (struct token_pair){(int)from - 1, (int)to - 1};
    return true;
}

static bool parse_pairs(struct patch_words *words, const struct pieces *pieces,
                        struct status *status)
{
    for (int i = 0; i < pieces->count; i++)
        if (!add_pair(words, pieces->text[i], status))
            return false;
    return true;
}

static bool parse_selector(struct patch_words *words, const struct pieces *pieces,
                           struct status *status)
{
    const char **rest = memory_new((size_t)pieces->count + 1, sizeof *rest, status);
    int count = 0;
    bool ok = rest && selector_parse(pieces, HEADS_SINGLE, &words->selector, rest, &count, status);
    if (ok && count)
        ok = status_fail(status, STATUS_INVALID, "\"%s\": expected " PATCH_SYNTAX, QUOTED(rest[0]));
    free(rest);
    return ok;
}

/* A part behind a bar: pairs begin with a digit. */
static bool parse_part(struct patch_words *words, char *text, struct status *status)
{
    bool pairs = isdigit((unsigned char)*text);
    char **kept = pairs ? &words->pairs_text : &words->selector_text;
    struct pieces pieces = {0};
    if (!*text || *kept) {
        free(text);
        return status_fail(status, STATUS_INVALID, "expected " PATCH_SYNTAX);
    }
    *kept = text;
    bool ok =
        arguments_split(text, &pieces, status) &&
        (pairs ? parse_pairs(words, &pieces, status) : parse_selector(words, &pieces, status));
    pieces_free(&pieces);
    return ok;
}

static bool parse(const char *text, struct patch_words *words, struct status *status)
{
    const char *bar = arguments_bar(text);
    words->sentence = arguments_text(text, bar ? bar - text : (ptrdiff_t)strlen(text), status);
    if (!words->sentence)
        return false;
    if (!*words->sentence)
        return status_fail(status, STATUS_INVALID, "expected " PATCH_SYNTAX);
    while (bar) {
        const char *begin = bar + 3;
        bar = arguments_bar(begin);
        char *part = arguments_text(begin, bar ? bar - begin : (ptrdiff_t)strlen(begin), status);
        if (!part || !parse_part(words, part, status))
            return false;
    }
    return true;
}

/* Computing -------------------------------------------------------------------------------------- */

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
    if (words->pairs_text || !has_module(&words->selector, MODULE_ENCODER))
        return true;
    if (from->count != source->count)
        return status_fail(status, STATUS_INVALID,
                           "%d tokens, the current sentence has %d: expected as many, or pairs of "
                           "tokens (||| 1-1 2-3), or a SELECTOR of cross or dec (||| cross)",
                           from->count, source->count);
    for (int i = 0; i < source->count; i++) {
        if (!memory_grow((void **)&words->pairs, &words->pair_capacity,
                         (size_t)words->pair_count + 1, sizeof *words->pairs, status))
            return false;
        words->pairs[words->pair_count++] = (struct token_pair){i, i};
    }
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
           (any || status_fail(status, STATUS_INVALID,
                               "no module has such a layer and head: expected " PATCH_SYNTAX));
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

/* Report ----------------------------------------------------------------------------------------- */

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
            labels[taken++] = report_format(report, "%s %d", module_names[m], l + 1);
        }
    matrix->rows = (struct axis){.key = "rows", .title = "layer", .count = taken};
    matrix->rows.texts = matrix->rows.labels = labels;
}

static const char *typed_part(struct report *report, const char *text)
{
    return text ? report_format(report, " ||| %s", text) : "";
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
                   typed_part(report, words->pairs_text), typed_part(report, words->selector_text));
    report_origin(report, session, pair);
    report_json(report, "from", value_text(report_copy(report, words->sentence)));
    report_json(report, "logprob", value_real(patching->logprob));
    report_json(report, "from_logprob", value_real(patching->from_logprob));
    report_line(report, FOR_PEOPLE,
                " log-probability of the translation %.4f, after the other sentence %.4f",
                patching->logprob, patching->from_logprob);
    struct matrix *matrix = report_matrix(report, EVERYWHERE, effects->values);
    take_rows(report, &words->selector, config, effects, matrix);
    effects->values = NULL;
    matrix->key = matrix->name = "effects";
    matrix->columns = report_numbers_axis(report, "head", effects->columns);
    matrix->columns.key = "columns";
    matrix->scale = "change in log-probability";
    matrix->style = MATRIX_NUMBERS;
    matrix->range = RANGE_OF_CHANGES;
}

/* Running ---------------------------------------------------------------------------------------- */

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
              run_heads(&patching, &words->selector, config, &effects, status);
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
    if (!pair || (words->selector.module_given &&
                  !selector_check(&words->selector, session_config(session), status)))
        return false;
    if (!source_encode(session->loaded->checkpoint, &session->state.search.languages,
                       words->sentence, &from, status))
        return false;
    bool ok = compute(session, pair, words, &from, report, status);
    sentence_free(&from);
    return ok;
}

COMMAND(patch)
{
    struct patch_words words = {.sentence = NULL};
    bool ok = parse(request->text, &words, status) && patch_from(session, &words, report, status);
    words_free(&words);
    return ok;
}
