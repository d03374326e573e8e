/* `:importance FILE`: how much each head matters over a file, in layers that combine heads by dhicm.
 *
 * A token's importance is a distribution over the H heads of its layer. With N tokens, g[t][h] the importance of head h for
 * token t, and a[h] its mean over the tokens:
 *     entropy   the mean over t of H(g[t]), in bits: 0 where one head has all, log2(H) where all have the same
 *     uniform   log2(H) - entropy: the mean divergence D(g[t] || uniform)
 *     average   H(a) - entropy: the mean divergence D(g[t] || a), how much the heads depend on the token
 */
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/study/importance_pos.h"
#include "tui/report/parts_of_speech.h"
#include "tui/session/sentence_file.h"
#include "tui/terminal/interrupt.h"

enum rows_by { BY_HEAD, BY_LAYER, BY_POS };
static const char *const by_names[] = {"head", "layer", "pos", NULL};

enum { SELECTED, CORPUS, BY };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR},
    [CORPUS] = {"FILE", .kind = ARGUMENT_FILE, .sources = true},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = by_names, .needs = ARG(CORPUS)},
};

/* What the tokens of one layer have come to. */
struct layer_sums {
    double *importance; // (heads)
    int64_t *first;     // (heads): tokens for which the head is the most important one
    int64_t tokens;
    double entropy; // summed over the tokens
};

struct sums {
    const struct config *config;
    const struct selector *selector;
    struct layer_sums
        *layers[MODULE_COUNT]; // (layers); importance NULL: not asked for, or without importance
    int modules;               // that have importance
    enum rows_by by;
    struct importance_pos *parts; // (the encoder's layers), of BY_POS
    const struct sentence_file *file;
};

/* Sums --------------------------------------------------------------------------------------------- */

static bool has_importance(const struct sums *sums, enum module module, int layer)
{
    return (!sums->selector->module_given || sums->selector->module == module) &&
           (sums->by != BY_POS || module == MODULE_ENCODER) &&
           selector_has_layer(sums->selector, layer) &&
           sums->config->attention[module][layer].dhicm;
}

static bool has_any(const struct sums *sums, enum module module)
{
    for (int i = 0; i < module_layers(sums->config, module); i++)
        if (has_importance(sums, module, i))
            return true;
    return false;
}

static bool begin_sums(struct report *report, struct sums *sums, struct status *status)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        int layers = module_layers(sums->config, m), heads = module_heads(sums->config, m);
        sums->layers[m] = report_new(report, (size_t)layers, sizeof *sums->layers[m]);
        for (int i = 0; sums->layers[m] && i < layers; i++) {
            if (!has_importance(sums, m, i))
                continue;
            sums->layers[m][i].importance = report_new(report, (size_t)heads, sizeof(double));
            sums->layers[m][i].first = report_new(report, (size_t)heads, sizeof(int64_t));
        }
        sums->modules += has_any(sums, m);
    }
    return report_end(report, status) &&
           (sums->modules ||
            status_fail(status, STATUS_INVALID,
                        "no head importance there: no layer combines heads by dhicm"));
}

static double bits_of(double share)
{
    return share > 0 ? -share * log2(share) : 0;
}

/* Of several heads that are the most important the first counts. */
static void add_token(struct layer_sums *sums, const double *importance, int heads)
{
    int first = 0;
    for (int h = 0; h < heads; h++) {
        sums->importance[h] += importance[h];
        sums->entropy += bits_of(importance[h]);
        first = importance[h] > importance[first] ? h : first;
    }
    sums->first[first]++;
    sums->tokens++;
}

/* The tokens of each layer and, if they are asked for, the places of the source's parts of speech: first how many there
 * are, then each. */
static bool put_layer_numbers(const float *importance, int rows, int heads,
                              struct sentence_numbers *out, struct status *status)
{
    bool ok = sentence_numbers_put(out, rows, status);
    for (int i = 0; ok && i < rows * heads; i++)
        ok = sentence_numbers_put(out, importance[i], status);
    return ok;
}

static bool put_places(const struct sums *sums, const struct sentence_pair *pair,
                       struct sentence_numbers *out, struct status *status)
{
    const int count = pair->source.count;
    int *places = memory_new((size_t)count, sizeof *places, status);
    bool ok = places &&
              parts_of_speech(pair, &sums->file->conllu, sums->file->words, places, status) &&
              sentence_numbers_put(out, count, status);
    for (int i = 0; ok && i < count; i++)
        ok = sentence_numbers_put(out, places[i], status);
    free(places);
    return ok;
}

static bool measure_sentence(const struct state *state, const struct sentence_pair *pair,
                             void *context, struct sentence_numbers *out, struct status *status)
{
    const struct sums *sums = context;
    struct capture_request request = {.importance = true};
    struct capture capture;
    if (!pair_capture(state, pair, &request, &capture, status))
        return false;
    bool ok = interrupt_check(status);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; ok && i < module_layers(sums->config, m); i++)
            if (sums->layers[m][i].importance)
                ok = put_layer_numbers(capture.importance[m][i], pair_rows(pair, m).count,
                                       module_heads(sums->config, m), out, status);
    capture_free(&capture);
    return ok && (sums->by != BY_POS || put_places(sums, pair, out, status));
}

/* The next `count * width` numbers, and their count before them; NULL: they are not there. */
static const double *next_numbers(const struct sentence_numbers *numbers, int *at, int width,
                                  int *count)
{
    const int left = numbers->count - *at - 1;
    const double *given = numbers->numbers + *at;
    if (left < 0 || !(given[0] >= 0 && given[0] <= left / width))
        return NULL;
    *count = (int)given[0];
    *at += 1 + *count * width;
    return given + 1;
}

/* Adds the numbers of all layers; with `checked` false nothing is added: are they there? */
static bool add_layers(const struct sums *sums, const struct sentence_numbers *numbers, int *at,
                       bool checked)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(sums->config, m); i++) {
            const int heads = module_heads(sums->config, m);
            struct layer_sums *layer = &sums->layers[m][i];
            int rows;
            if (!layer->importance)
                continue;
            const double *tokens = next_numbers(numbers, at, heads, &rows);
            if (!tokens)
                return false;
            for (int row = 0; checked && row < rows; row++)
                add_token(layer, tokens + (size_t)row * (size_t)heads, heads);
        }
    return true;
}

/* Of a sentence, to the encoder's layers: the first numbers are theirs. */
static bool add_parts(struct sums *sums, const struct sentence_numbers *numbers,
                      const double *places, int count, struct status *status)
{
    const int heads = module_heads(sums->config, MODULE_ENCODER);
    int at = 0, rows = 0;
    for (int i = 0; i < module_layers(sums->config, MODULE_ENCODER); i++) {
        if (!sums->layers[MODULE_ENCODER][i].importance)
            continue;
        const double *tokens = next_numbers(numbers, &at, heads, &rows);
        if (!importance_pos_add(&sums->parts[i], &sums->file->conllu, tokens, places,
                                rows < count ? rows : count, heads, status))
            return false;
    }
    return true;
}

static bool are_places(const struct sums *sums, const double *places, int count)
{
    for (int i = 0; i < count; i++)
        if (!(places[i] >= -1 && places[i] < parts_of_speech_most(&sums->file->conllu)))
            return false;
    return true;
}

static bool add_sentence(void *context, const struct sentence_numbers *numbers,
                         struct status *status)
{
    struct sums *sums = context;
    const double *places = NULL;
    int at = 0, count = 0;
    bool good = add_layers(sums, numbers, &at, false);
    if (good && sums->by == BY_POS) {
        places = next_numbers(numbers, &at, 1, &count);
        good = places && are_places(sums, places, count);
    }
    if (!good || at != numbers->count)
        return status_fail(status, STATUS_INVALID, "no importance of a sentence");
    if (places && !add_parts(sums, numbers, places, count, status))
        return false;
    at = 0;
    return add_layers(sums, numbers, &at, true);
}

/* The report --------------------------------------------------------------------------------------- */

/* The last column is not shown: it names the points of the figure. */
static const struct column head_columns[] = {
    {.key = "module", .name = "module", .title = "module", .type = COLUMN_TEXT, .least = 7},
    {.key = "layer", .name = "layer", .title = "layer", .type = COLUMN_INT},
    {.key = "head", .name = "head", .title = "head", .type = COLUMN_INT},
    {.key = "importance",
     .name = "importance",
     .title = "importance",
     .type = COLUMN_REAL,
     .digits = 4},
    {.key = "first", .name = "first", .title = "first %", .type = COLUMN_PERCENT, .digits = 2},
    {.type = COLUMN_TEXT},
};

static const struct column layer_columns[] = {
    {.key = "module", .name = "module", .title = "module", .type = COLUMN_TEXT, .least = 7},
    {.key = "layer", .name = "layer", .title = "layer", .type = COLUMN_INT},
    {.key = "tokens", .name = "tokens", .title = "tokens", .type = COLUMN_INT},
    {.key = "entropy", .name = "entropy", .title = "entropy", .type = COLUMN_REAL, .digits = 4},
    {.key = "uniform",
     .name = "uniform",
     .title = "from uniform",
     .type = COLUMN_REAL,
     .digits = 4},
    {.key = "average",
     .name = "average",
     .title = "from average",
     .type = COLUMN_REAL,
     .digits = 4},
    {.type = COLUMN_TEXT},
};

static void put_place(struct table *table, enum module module, int layer)
{
    table_row(table);
    table_put(table, value_text(module_names[module]));
    table_put(table, value_int(layer + 1));
    table_enter(table, ":importance %s layer %d", module_names[module], layer + 1);
}

/* "2.8", or "cross 2.8" where there are several modules. */
static void put_label(struct table *table, const struct sums *sums, enum module module, int layer,
                      int head)
{
    const char *name = sums->modules > 1 ? module_names[module] : "";
    const char *gap = *name ? " " : "";
    table_put(table,
              value_text(head < 0 ? report_format(table->report, "%s%s%d", name, gap, layer + 1)
                                  : report_format(table->report, "%s%s%d.%d", name, gap, layer + 1,
                                                  head + 1)));
}

static void put_heads(struct table *table, const struct sums *sums, enum module module, int layer)
{
    const struct layer_sums *of = &sums->layers[module][layer];
    for (int h = 0; h < module_heads(sums->config, module); h++) {
        put_place(table, module, layer);
        table_put(table, value_int(h + 1));
        table_put(table, value_real(of->importance[h] / (double)of->tokens));
        table_put(table, value_real((double)of->first[h] / (double)of->tokens));
        put_label(table, sums, module, layer, h);
    }
}

static void put_layer(struct table *table, const struct sums *sums, enum module module, int layer)
{
    const struct layer_sums *of = &sums->layers[module][layer];
    int heads = module_heads(sums->config, module);
    double average = 0, entropy = of->entropy / (double)of->tokens;
    for (int h = 0; h < heads; h++)
        average += bits_of(of->importance[h] / (double)of->tokens);
    put_place(table, module, layer);
    table_put(table, value_int(of->tokens));
    table_put(table, value_real(entropy));
    table_put(table, value_real(log2(heads) - entropy));
    table_put(table, value_real(average - entropy));
    put_label(table, sums, module, layer, -1);
}

static void report_sums(struct report *report, const struct sums *sums)
{
    bool by_layer = sums->by == BY_LAYER;
    if (sums->by == BY_POS) {
        importance_pos_report(report, sums->parts, module_layers(sums->config, MODULE_ENCODER));
        return;
    }
    const struct column *columns = by_layer ? layer_columns : head_columns;
    int count = by_layer ? COUNT(layer_columns) : COUNT(head_columns);
    struct table *table = report_table(report, FOR_PEOPLE | FOR_PROGRAMS,
                                       by_layer ? "layers" : "heads", columns, count);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(sums->config, m); i++)
            if (sums->layers[m][i].tokens)
                (by_layer ? put_layer : put_heads)(table, sums, m, i);
    struct plot *plot = report_plot_table(report, IN_FIGURE, PLOT_BARS, table, count - 1,
                                          by_layer ? (int[]){3, 5} : (int[]){3}, 1 + by_layer);
    plot->x_title = by_layer ? "layer" : "layer.head";
    plot->y_title = by_layer ? "bits" : "mean importance";
}

/* Command ------------------------------------------------------------------------------------------ */

static void describe(struct report *report, const struct session *session,
                     const struct sentence_file *file, enum rows_by by, const char *selector)
{
    const char *grouping = by == BY_HEAD ? "" : report_format(report, " by %s", by_names[by]);
    report_title(report, "importance of heads in %s%s%s%s", file->path, *grouping ? " " : "",
                 grouping, report_format(report, "%s%s", *selector ? "  " : "", selector));
    report_command(report, "importance %s%s%s%s", selector, *selector ? " " : "",
                   report_quoted(report, file->path), grouping);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(file->path));
    report_json(report, "by", value_text(by_names[by]));
    report_json(report, "sentences", value_int(file->sentences));
    report_json(report, "partial", value_bool(file->sentences < file->lines));
    if (file->sentences < file->lines)
        report_line(report, FOR_PEOPLE, " partial: the first %d of %d sentences", file->sentences,
                    file->lines);
}

static bool average(const struct session *session, const struct argument_values *given,
                    enum rows_by by, struct importance_pos *parts, struct report *report,
                    struct status *status)
{
    const char *selector = report_typed(report, given, SELECTED);
    struct sentence_file file = {.path = report_copy(report, argument_text(given, CORPUS)),
                                 .words_for = by == BY_POS ? "by pos" : NULL,
                                 .what = "averaging importance"};
    struct sums sums = {.config = session_config(session),
                        .selector = &given->selector,
                        .by = by,
                        .parts = parts,
                        .file = &file};
    if (!selector_check(sums.selector, sums.config, status) || !begin_sums(report, &sums, status))
        return false;
    file.encoder = sums.modules == 1 && has_any(&sums, MODULE_ENCODER);
    const struct sentence_work work = {measure_sentence, add_sentence, &sums};
    file.asked = selector;
    if (by == BY_POS)
        file.asked = report_format(report, "%s by pos", file.asked);
    bool ok = sentence_file_walk(session, &file, &work, status);
    if (shards_divided(session->shards))
        return ok && report_end(report, status);
    if (!ok && (status->code != STATUS_CANCELLED || file.sentences == 0))
        return false;
    describe(report, session, &file, by, selector);
    report_sums(report, &sums);
    return (ok || report->lacking) && report_end(report, status) && ok;
}

/* By part of speech each layer of the encoder has sums beside the others. */
static bool average_selected(const struct session *session, const struct argument_values *given,
                             struct report *report, struct status *status)
{
    const enum rows_by by = argument_choice(given, BY, BY_HEAD);
    int layers = module_layers(session_config(session), MODULE_ENCODER);
    struct importance_pos *parts = memory_new((size_t)layers, sizeof *parts, status);
    const struct selector *selector = &given->selector;
    bool ok = parts != NULL;
    if (by == BY_POS && selector->module_given && selector->module != MODULE_ENCODER)
        ok = status_fail(status, STATUS_INVALID,
                         "by pos: FILE has no parts of speech of translations: expected enc");
    ok = ok && average(session, given, by, parts, report, status);
    for (int i = 0; parts && i < layers; i++)
        importance_pos_free(&parts[i]);
    free(parts);
    return ok;
}

/* Without FILE it is the importance in the current sentence. */
static bool run_importance(struct session *session, const struct request *request,
                           struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    if (given->selector.head != PART_ABSENT)
        return status_fail(
            status, STATUS_INVALID,
            "shows every head of a layer: expected no head, [enc|dec|cross] [layer N]");
    return argument_given(given, CORPUS)
               ? average_selected(session, given, report, status)
               : importance_of_sentence(session, &given->selector, report, status);
}

static const struct help_item meanings[] = {
    {"SELECTOR",
     "[enc|dec|cross] [layer LIST]. For the current sentence, one layer is shown: by default the "
     "last one that has importance"},
    {"FILE", "one sentence a line"},
    {"by head",
     "the default: the mean importance of each head, and for which share of the tokens it is the "
     "most important head of its layer"},
    {"by layer",
     "the mean entropy of a token's importance in bits; how far it is from uniform, that is log2 "
     "of the number of heads less the entropy; and how far from its own average, that is the "
     "entropy of the mean importance less the mean entropy, which is near 0 where the same heads "
     "matter for every token"},
    {"by pos",
     "the mean importance of each head of the encoder for the tokens of each part of speech, of "
     "a CoNLL-U file (see :help gates)"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "Figures show bars; by pos, matrices.",
    NULL,
};
static const struct help help = {.arguments = meanings, .notes = notes};

const struct command command_importance = {
    .name = "importance",
    .summary = "importance of each head for each token, or its averages over a file (DHICM)",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples =
        (const char *const[]){":load samples/en-de-dhicm.bin", STARS, ":importance dec layer 2",
                              ":importance samples/sentences.en by layer", NULL},
    .run = run_importance,
    .group = GROUP_VIEWS,
    .view = true,
};
