#include "tui/command/study/report_stats.h"

#include <stdlib.h>

#include "model/study/sentences/head_stats_pos.h"
#include "terminal/progress.h"

struct table *report_pos_table(struct report *report, const struct pos_titles *titles)
{
    const struct column columns[] = {
        {.all = "module", .type = COLUMN_TEXT, .least = 7},
        {.all = "layer", .type = COLUMN_INT},
        {.all = "head", .type = COLUMN_INT},
        {.key = "name", .name = "pos", .title = "part of speech", .type = COLUMN_TEXT, .least = 14},
        {.all = "count", .title = titles->count, .type = COLUMN_INT},
        {.all = "mean", .title = titles->mean, .type = COLUMN_REAL, .digits = 4},
    };
    return report_table(report, IN_SCREEN | FOR_PROGRAMS, "groups", columns, COUNT(columns));
}

void report_pos_head(struct table *table, const struct pos_sums *sums, int k, int layer, int head,
                     const char *enter)
{
    for (int place = 0; place < sums->places; place++) {
        if (!*sums->names[place])
            continue;
        const char *name = report_copy(table->report, sums->names[place]);
        table_row(table);
        table_enter(table, "%s", enter);
        table_put(table, value_text(module_names[MODULE_ENCODER]), value_int(layer + 1),
                  value_int(head + 1), value_shown(table->report, value_text(name), name, place),
                  value_int(pos_sums_rows(sums, place, k)),
                  value_real(pos_sums_mean(sums, place, k)));
    }
}

struct matrix *report_pos_matrix(struct report *report, const struct pos_sums *sums,
                                 const struct pos_titles *titles)
{
    const size_t heads = (size_t)sums->heads;
    const char **names = report_new(report, (size_t)sums->places, sizeof *names);
    float *values = malloc((size_t)sums->places * heads * sizeof *values);
    int rows = 0;
    if (!names || !values) {
        report->lacking = true;
        free(values);
        return NULL;
    }
    for (int place = 0; place < sums->places; place++) {
        if (!*sums->names[place])
            continue;
        names[rows] = report_copy(report, sums->names[place]);
        for (size_t k = 0; k < heads; k++)
            values[(size_t)rows * heads + k] = (float)pos_sums_mean(sums, place, (int)k);
        rows++;
    }
    struct matrix *matrix = report_matrix(report, IN_FIGURE | FOR_PEOPLE, values);
    matrix->style = MATRIX_NUMBERS;
    matrix->rows = axis_of_names(NULL, "part of speech", names, rows);
    matrix->scale = titles->scale;
    return matrix;
}

/* `:stats FILE by pos` ------------------------------------------------------------------------- */

static void describe(struct report *report, const struct session *session,
                     const struct stats_request *request, const struct study_walk *walk)
{
    const char *measure = head_measure_names[request->measure];
    const char *gap = *request->selected ? " " : "";
    report_title(report, "%s of heads by part of speech in %s%s%s", measure, request->source,
                 *gap ? "  " : "", request->selected);
    report_command(report, "stats %s%s%s by pos %s", report_quoted(report, request->source), gap,
                   request->selected, measure);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(report_copy(report, request->source)));
    report_json(report, "by", value_text("pos"));
    report_json(report, "measure", value_text(measure));
    report_sentences(report, walk->sentences, walk->lines);
}

static void add_heads(struct report *report, const struct stats_request *request,
                      const struct head_stats_pos *study)
{
    const char *measure = head_measure_names[request->measure];
    const int heads = module_heads(study->config, MODULE_ENCODER);
    const struct pos_titles titles = {"rows", "mean", report_format(report, "mean %s", measure)};
    const char **labels = report_new(report, (size_t)study->sums.heads, sizeof *labels);
    struct table *table = report_pos_table(report, &titles);
    for (int i = 0, k = 0; labels && k < study->sums.heads; i++) {
        if (!study->wanted[i])
            continue;
        const int layer = i / heads, head = i % heads;
        labels[k] = report_head_name(report, NULL, layer, head);
        report_pos_head(table, &study->sums, k++, layer, head,
                        report_format(report, ":stats %s enc layer %d head %d show %s",
                                      report_quoted(report, request->source), layer + 1, head + 1,
                                      measure));
    }
    struct matrix *matrix =
        labels && study->sums.places ? report_pos_matrix(report, &study->sums, &titles) : NULL;
    if (matrix)
        matrix->columns = axis_of_names(NULL, "layer.head", labels, study->sums.heads);
}

static bool has_any(const struct config *config, const bool *wanted)
{
    const int all = module_layers(config, MODULE_ENCODER) * module_heads(config, MODULE_ENCODER);
    bool any = false;
    for (int i = 0; i < all; i++)
        any |= wanted[i];
    return any;
}

bool stats_by_pos(struct session *session, const struct stats_request *request,
                  struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct head_stats_pos study = {.config = session_config(session),
                                   .wanted = request->wanted[MODULE_ENCODER],
                                   .measure = request->measure,
                                   .walk = {.path = request->source}};
    if (request->target)
        return status_fail(status, STATUS_INVALID,
                           "by pos: only what the encoder does with SRC is averaged: expected no "
                           "TGT");
    if (!has_any(study.config, study.wanted))
        return status_fail(status, STATUS_INVALID,
                           "by pos: FILE has no parts of speech of translations: expected enc");
    const bool ok = head_stats_pos_run(&context, &study, status);
    if (study_walk_found(&context, &study.walk, ok, status)) {
        describe(report, session, request, &study.walk);
        add_heads(report, request, &study);
    }
    head_stats_pos_free(&study);
    return ok;
}
