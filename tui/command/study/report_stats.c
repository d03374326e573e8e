#include "tui/command/study/report_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/heads/head_cluster.h"
#include "model/study/sentences/head_card.h"
#include "report/view_report.h"
#include "terminal/progress.h"

/* A requested head. */
struct place {
    enum module module;
    int index; // in module_stats
};

struct stats_report {
    struct report *report;
    const struct head_settings *settings;
    const struct stats_request *request;
    const struct head_stats_result *result;
    struct place *places; // (count): the requested heads, in order
    int count;
    bool one_module;
    bool by_script; // for the source's words
    bool entmax;    // some head has entmax
};

/* The heads ------------------------------------------------------------------------------------ */

#define SHARE(column, heading, measure)                                                            \
    {                                                                                              \
        .all = column, .title = heading, .type = COLUMN_PERCENT, .enter = " " measure              \
    }

static const struct column head_columns[] = {
    {.all = "module", .type = COLUMN_TEXT, .least = 7, .names_head = true},
    {.all = "layer", .type = COLUMN_INT, .names_head = true},
    {.all = "head", .type = COLUMN_INT, .names_head = true},
    {.all = "name", .type = COLUMN_TEXT, .names_head = true},
    {.key = "rows", .name = "rows", .type = COLUMN_INT},
    {.all = "entropy", .type = COLUMN_REAL, .digits = 2, .enter = " entropy"},
    SHARE("confidence", "max %", "confidence"),
    SHARE("confidence_no_eos", "no </s> %", "confidence_no_eos"),
    {.all = "distance", .type = COLUMN_REAL, .digits = 1, .enter = " distance"},
    {.all = "offset", .type = COLUMN_SIGNED, .enter = " offset_share"},
    SHARE("offset_share", "at offset %", "offset_share"),
    SHARE("eos", "</s> %", "eos"),
    SHARE("self", "self %", "self"),
    SHARE("punctuation", "punct %", "punctuation"),
    SHARE("within_word", "word %", "within_word"),
    SHARE("rare", "rare %", "rare"),
    /* These have no examples: Enter shows the head. */
    {.all = "nearest", .title = "nearest pattern", .type = COLUMN_TEXT, .names_head = true},
    {.all = "near", .title = "near %", .type = COLUMN_PERCENT, .names_head = true},
    {.key = "relations", .optional = true},
    /* Only if some head has entmax. */
    {.all = "alpha", .type = COLUMN_REAL, .digits = 2, .names_head = true},
    {.all = "zeros", .title = "zero %", .type = COLUMN_PERCENT, .names_head = true},
};
enum { ENTMAX_COLUMNS = 2 };

static const struct column relation_columns[] = {
    {.key = "relation"}, {.key = "direction"}, {.key = "accuracy"}, {.key = "baseline"}};

static int place_of(const struct stats_report *stats, const struct place *place)
{
    return stats->result->stats.modules[place->module].of[place->index];
}

static int layer_of(const struct stats_report *stats, const struct place *place)
{
    return place_of(stats, place) / stats->result->stats.modules[place->module].heads;
}

static int head_of(const struct stats_report *stats, const struct place *place)
{
    return place_of(stats, place) % stats->result->stats.modules[place->module].heads;
}

/* Returns SRC [TGT] as words of a command line. */
static const char *paths_text(struct report *report, const struct stats_request *request)
{
    const char *source = report_quoted(report, request->source);
    return request->target
               ? report_format(report, "%s %s", source, report_quoted(report, request->target))
               : source;
}

const char *report_head_kind(struct report *report, const struct head_stats_result *result,
                             enum module module, int index)
{
    const char *name = head_name(&result->stats, module, index);
    enum relation_direction direction;
    int relation;
    if (strcmp(name, "syntactic") != 0 ||
        !head_relation(&result->stats, index, &relation, &direction))
        return name;
    return report_format(report, "%s to %s", result->relations.text[relation],
                         relation_direction_names[direction]);
}

/* Returns the relations that occur, for a head of the encoder. */
static struct value relations_value(const struct stats_report *stats, const struct place *place)
{
    const struct head_relations *relations = &stats->result->stats.relations;
    if (place->module != MODULE_ENCODER || !relations->count)
        return value_null();
    struct table *table =
        report_inner_table(stats->report, relation_columns, COUNT(relation_columns));
    for (int r = 0; r < stats->result->relations.count; r++)
        for (int d = 0; d < RELATION_DIRECTIONS; d++) {
            if (!relation_rows(relations, r, d))
                continue;
            table_add(table,
                      value_text(report_copy(stats->report, stats->result->relations.text[r])),
                      value_text(relation_direction_names[d]),
                      value_real(relation_accuracy(relations, r, d, place->index)),
                      value_real(relation_baseline(relations, r, d)));
        }
    return value_table(table);
}

/* A fixed head has no α. */
static void put_entmax(struct table *table, const struct stats_report *stats,
                       const struct place *place)
{
    const struct head *head = head_settings_head(stats->settings, place->module,
                                                 layer_of(stats, place), head_of(stats, place));
    table_put(table, value_real(head->energy == ENERGY_LEARNED ? head_alpha(head) : NAN));
    table_put(table, value_real(head_zeros(&stats->result->stats, place->module, place->index)));
}

static void put_head(struct table *table, const struct stats_report *stats,
                     const struct place *place, const char *paths)
{
    const struct head_stats *heads = &stats->result->stats;
    const enum module module = place->module;
    const int index = place->index, layer = layer_of(stats, place) + 1;
    const int head = head_of(stats, place) + 1;
    table_add(table, value_text(module_names[module]), value_int(layer), value_int(head),
              value_text(report_head_kind(stats->report, stats->result, module, index)),
              value_int(head_rows(heads, module, index)));
    for (int m = 0; m < MEASURE_COUNT; m++) {
        if (m == MEASURE_OFFSET)
            table_put(table, head_rows(heads, module, index)
                                 ? value_int(head_offset(heads, module, index))
                                 : value_null());
        table_put(table, value_real(head_mean(heads, module, index, m)));
    }
    double near;
    const int nearest = head_nearest(heads, module, index, &near);
    table_put(table, value_text(isnan(near) ? NULL : near_patterns[nearest].name));
    table_put(table, value_real(near));
    table_put(table, relations_value(stats, place));
    if (stats->entmax)
        put_entmax(table, stats, place);
    table_enter(table, ":stats %s %s layer %d head %d show", paths, module_names[module], layer,
                head);
    table_enter_head(table, module_names[module], layer - 1, head - 1, paths);
}

static void add_heads(const struct stats_report *stats, unsigned in)
{
    const int columns = COUNT(head_columns) - (stats->entmax ? 0 : ENTMAX_COLUMNS);
    struct table *table = report_table(stats->report, in, "heads", head_columns, columns);
    const char *paths = paths_text(stats->report, stats->request);
    for (int i = 0; i < stats->count; i++)
        put_head(table, stats, &stats->places[i], paths);
}

/* Distances ------------------------------------------------------------------------------------ */

static double distance_between(const struct stats_report *stats, int a, int b)
{
    const struct place *one = &stats->places[a], *other = &stats->places[b];
    return one->module == other->module
               ? head_distance(&stats->result->stats, one->module, one->index, other->index)
               : NAN;
}

/* Orders the heads of each module by clusters, module after module. */
static bool order_heads(const struct stats_report *stats, int *order, struct status *status)
{
    const size_t count = (size_t)stats->count;
    double *distances = memory_new(count * count, sizeof *distances, status);
    for (int first = 0, next; distances && first < stats->count; first = next) {
        next = first;
        while (next < stats->count && stats->places[next].module == stats->places[first].module)
            next++;
        for (int a = first; a < next; a++)
            for (int b = first; b < next; b++)
                distances[(a - first) * (next - first) + b - first] = distance_between(stats, a, b);
        if (!cluster_order(distances, next - first, order + first, status))
            break;
        for (int i = first; i < next; i++)
            order[i] += first;
        if (next == stats->count) {
            free(distances);
            return true;
        }
    }
    free(distances);
    return false;
}

static struct axis heads_axis(const struct stats_report *stats, const int *order, bool named)
{
    const char **texts = report_new(stats->report, (size_t)stats->count, sizeof *texts);
    for (int i = 0; texts && i < stats->count; i++) {
        const struct place *place = &stats->places[order[i]];
        texts[i] =
            report_head_name(stats->report, stats->one_module ? NULL : module_names[place->module],
                             layer_of(stats, place), head_of(stats, place));
    }
    return axis_of_names(named ? "heads" : NULL, "layer.head", texts, stats->count);
}

static bool add_distances(const struct stats_report *stats, unsigned in, struct status *status)
{
    const size_t count = (size_t)stats->count;
    int *order = report_new(stats->report, count, sizeof *order);
    float *values = memory_new(count * count, sizeof *values, status);
    if (!order || !values || !order_heads(stats, order, status)) {
        free(values);
        return order ? false : report_end(stats->report, status);
    }
    for (int a = 0; a < stats->count; a++)
        for (int b = 0; b < stats->count; b++)
            values[(size_t)a * count + (size_t)b] =
                (float)distance_between(stats, order[a], order[b]);
    report_group(stats->report, in, "distances");
    struct matrix *matrix = report_matrix(stats->report, in, values);
    matrix->key = "values";
    matrix->rows = heads_axis(stats, order, true);
    matrix->columns = heads_axis(stats, order, false);
    matrix->scale = "Jensen-Shannon distance";
    matrix->range = RANGE_OF_SHARES;
    report_group_end(stats->report);
    return true;
}

/* Examples ------------------------------------------------------------------------------------- */

bool report_examples_read(struct report *report, const char *source, const char *target,
                          const struct head_example *examples, int count,
                          struct example_texts *texts, struct status *status)
{
    char *read[2 * EXAMPLES_MOST][2] = {{NULL}};
    const bool ok =
        head_examples_read(source, target, &progress_watch, examples, count, read, status);
    for (int i = 0; i < count; i++) {
        texts[i] = (struct example_texts){report_copy(report, read[i][0]),
                                          report_copy(report, read[i][1])};
        free(read[i][0]);
        free(read[i][1]);
    }
    return ok;
}

void report_example_enter(struct table *table, const char *files, bool forced,
                          const struct head_example *example, const char *selector)
{
    table_enter(table, ":open%s\n:goto %d%s\n:attn %s", files, example->sentence,
                forced ? "\n:force" : "", selector);
}

static const struct column example_columns[] = {
    {.all = "shows", .title = "shows it", .type = COLUMN_TEXT},
    {.all = "sentence", .type = COLUMN_INT},
    {.all = "mean", .type = COLUMN_REAL, .digits = 4},
    {.all = "source", .type = COLUMN_SENTENCE},
    {.all = "target", .type = COLUMN_SENTENCE},
};

static void put_example(struct table *table, const struct stats_report *stats, bool most,
                        const struct head_example *example, const struct example_texts *texts)
{
    const struct place *place = &stats->places[0];
    struct report *report = stats->report;
    table_add(table, value_text(most ? "most" : "least"), value_int(example->sentence),
              value_real(example->mean), value_text(texts->source), value_text(texts->target));
    report_example_enter(table, report_format(report, " %s", paths_text(report, stats->request)),
                         stats->request->target != NULL, example,
                         report_format(report, "%s layer %d head %d", module_names[place->module],
                                       layer_of(stats, place) + 1, head_of(stats, place) + 1));
}

static bool add_examples(const struct stats_report *stats, struct status *status)
{
    const struct place *place = &stats->places[0];
    const struct head_examples *of =
        head_examples(&stats->result->stats, place->module, place->index, stats->request->measure);
    struct head_example examples[2 * EXAMPLES_MOST];
    struct example_texts texts[2 * EXAMPLES_MOST] = {{NULL, NULL}};
    for (int i = 0; i < of->count; i++) {
        examples[i] = of->most[i];
        examples[of->count + i] = of->least[i];
    }
    if (!report_examples_read(stats->report, stats->request->source, stats->request->target,
                              examples, 2 * of->count, texts, status))
        return false;
    report_json(stats->report, "measure", value_text(head_measure_names[stats->request->measure]));
    report_json(stats->report, "module", value_text(module_names[place->module]));
    report_json(stats->report, "layer", value_int(layer_of(stats, place) + 1));
    report_json(stats->report, "head", value_int(head_of(stats, place) + 1));
    struct column columns[COUNT(example_columns)];
    memcpy(columns, example_columns, sizeof columns);
    if (!stats->request->target)
        columns[COUNT(example_columns) - 1].in = FOR_PROGRAMS;
    struct table *table =
        report_table(stats->report, EVERYWHERE, "examples", columns, COUNT(example_columns));
    for (int i = 0; i < 2 * of->count; i++)
        put_example(table, stats, i < of->count, &examples[i], &texts[i]);
    return true;
}

/* The report ----------------------------------------------------------------------------------- */

/* A cached result may have more heads than were requested. */
static bool take_places(struct stats_report *stats, struct status *status)
{
    const struct head_stats *all = &stats->result->stats;
    size_t count = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        count += (size_t)all->modules[m].count;
    stats->places = report_new(stats->report, count, sizeof *stats->places);
    for (int m = 0; stats->places && m < MODULE_COUNT; m++)
        for (int k = 0; k < all->modules[m].count; k++)
            if (stats->request->wanted[m][all->modules[m].of[k]])
                stats->places[stats->count++] = (struct place){m, k};
    stats->one_module =
        stats->count > 0 && stats->places[0].module == stats->places[stats->count - 1].module;
    return stats->places || report_end(stats->report, status);
}

static int64_t rows_of(const struct stats_report *stats)
{
    int64_t rows = 0;
    for (int i = 0; i < stats->count; i++)
        if (i == 0 || stats->places[i].module != stats->places[i - 1].module)
            rows += stats->result->stats.modules[stats->places[i].module].rows;
    return rows;
}

static const char *shown_words(struct report *report, const struct stats_request *request)
{
    return request->shown == SHOW_DISTANCES ? " distances"
           : request->shown == SHOW_EXAMPLES
               ? report_format(report, " show %s", head_measure_names[request->measure])
               : "";
}

static void describe(const struct stats_report *stats)
{
    static const char *const titles[] = {[SHOW_HEADS] = "heads",
                                         [SHOW_DISTANCES] = "distances of heads",
                                         [SHOW_EXAMPLES] = "examples"};
    const struct stats_request *request = stats->request;
    const struct head_stats_result *result = stats->result;
    struct report *report = stats->report;
    const char *gap = *request->selected ? " " : "", *shown = shown_words(report, request);
    report_title(report, "%s in %s%s%s%s%s", titles[request->shown], request->source,
                 *gap ? "  " : "", request->selected, request->shown == SHOW_EXAMPLES ? "  " : "",
                 request->shown == SHOW_EXAMPLES ? head_measure_names[request->measure] : "");
    report_command(report, "stats %s%s%s%s", paths_text(report, request), gap, request->selected,
                   shown);
    report->navigation.kind = VIEW_FILE;
    report_json(report, "file", value_text(report_copy(report, request->source)));
    report_json(report, "target", value_text(report_copy(report, request->target)));
    report_json(report, "sentences", value_int(result->stats.sentences));
    report_json(report, "rows", value_int(rows_of(stats)));
    report_json(report, "partial", value_bool(head_stats_partial(result)));
    if (stats->by_script)
        report_line(report, FOR_PEOPLE, " source: " WORDS_BY_SCRIPT);
    if (head_stats_partial(result))
        report_partial(report, FOR_PEOPLE, result->stats.sentences, 0, "sentences");
}

bool report_stats(struct report *report, const struct session *session,
                  const struct stats_request *request, const struct head_stats_result *result,
                  struct status *status)
{
    struct stats_report stats = {.report = report,
                                 .settings = session->state.head_settings,
                                 .request = request,
                                 .result = result,
                                 .entmax = head_settings_sparse(session->state.head_settings)};
    const unsigned people = FOR_PEOPLE | IN_TABLE;
    stats.by_script = tokenizer_unspaced(session->loaded->checkpoint->tokenizer[SIDE_SOURCE]);
    if (!take_places(&stats, status))
        return false;
    describe(&stats);
    report->origin.state = states_current(session);
    report->of_testset = request->shown != SHOW_DISTANCES;
    switch (request->shown) {
    case SHOW_HEADS:
        add_heads(&stats, people | IN_JSON | IN_ARRAYS);
        return add_distances(&stats, IN_JSON | IN_ARRAYS | IN_FIGURE, status);
    case SHOW_DISTANCES:
        return add_distances(&stats, EVERYWHERE, status);
    case SHOW_EXAMPLES:
    case SHOW_POS:
        break;
    }
    return add_examples(&stats, status);
}
