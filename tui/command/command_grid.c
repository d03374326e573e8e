/* `:heads`: the heads of all layers side by side. */
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/report/view_report.h"

/* Checks and takes the words after the selector. */
static bool read_words(const struct selection *selection, bool *words, struct status *status)
{
    *words = selection->count > 0 && strcmp(selection->rest[0], "word") == 0;
    if (selection->count > *words)
        return status_fail(status, STATUS_INVALID,
                           "\"%s\": expected " SELECTOR_GRID_SYNTAX " [word]",
                           QUOTED(selection->rest[*words]));
    return true;
}

static bool fill_report(const struct session *session, const struct sentence_pair *pair,
                        struct heads_view *heads, struct report *report, struct status *status)
{
    const struct head_grid *grid = report_take_grid(report, &heads->grid);
    const struct method_info *method = &method_table[heads->as];
    bool weights = heads->as == METHOD_WEIGHTS;
    const char *rows = grid->module != MODULE_CROSS
                           ? ""
                           : report_format(report, "  rows: %s", labels_title(&heads->rows));
    report->title = report_grid_text(
        report, "", grid, "  ",
        report_format(report, "%s%s%s%s%s", weights ? "" : "  ", weights ? "" : method->title,
                      heads->words ? "  words" : "", rows,
                      report_unspaced(report, &heads->rows, &heads->columns)));
    report->command =
        report_grid_text(report, "heads ", grid, " ",
                         report_format(report, "%s%s%s", weights ? "" : " as ",
                                       weights ? "" : method->name, heads->words ? " word" : ""));
    report_origin(report, session, pair);
    report_grid_fields(report, grid);
    if (!weights)
        report_json(report, "as", value_text(method->name));
    report_cross_rows(report, grid->module, &heads->rows);
    report_json(report, "unit", value_text(heads->words ? "word" : "token"));
    struct matrix *matrix = report_matrix(report, EVERYWHERE, heads->weights);
    heads->weights = NULL;
    matrix->key = matrix->name = "weights";
    matrix->grid = grid;
    matrix->rows = report_axis(report, session->loaded, "rows", &heads->rows, heads->words);
    matrix->columns =
        report_axis(report, session->loaded, "columns", &heads->columns, heads->words);
    matrix->scale = method->scale;
    report->navigation = (struct navigation){
        .kind = VIEW_HEADS, .view = {.module = grid->module}, .words = heads->words, .grid = grid};
    return report_end(report, status);
}

COMMAND(heads)
{
    struct selection selection;
    struct heads_view heads = {0};
    bool words;
    if (!selection_parse(request, HEADS_GRID, &selection, status))
        return false;
    const struct sentence_pair *pair = NULL;
    if (read_words(&selection, &words, status) &&
        grid_choose(session, &selection.selector, &heads.grid, status))
        pair = session_current(session, status);
    heads.as = selection.selector.method;
    selection_free(&selection);
    enum module module = heads.grid.module;
    bool ok = pair && view_heads(session, pair, words, &heads, status) &&
              fill_report(session, pair, &heads, report, status);
    heads_view_free(&heads);
    if (ok) {
        session->view.module = module;
        session->view.overview = true;
    }
    return ok;
}
