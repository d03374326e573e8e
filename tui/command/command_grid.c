/* `:heads`: the heads of all layers side by side. */
#include <stdlib.h>

#include "tui/command/command.h"
#include "tui/report/view_report.h"

enum { SELECTED, WORD };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .heads = HEADS_GRID},
    [WORD] = {.keyword = "word", .kind = ARGUMENT_FLAG},
};

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

static bool run_heads(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const struct selector *selector = &request->given->selector;
    struct heads_view heads = {.as = selector->method};
    const struct sentence_pair *pair = grid_choose(session, selector, &heads.grid, status)
                                           ? session_current(session, status)
                                           : NULL;
    enum module module = heads.grid.module;
    bool ok = pair &&
              view_heads(session, pair, argument_given(request->given, WORD), &heads, status) &&
              fill_report(session, pair, &heads, report, status);
    heads_view_free(&heads);
    if (ok) {
        session->view.module = module;
        session->view.overview = true;
    }
    return ok;
}

static const struct help_item meanings[] = {
    {"SELECTOR",
     "the heads (:help selector); by default all layers and heads of the module shown last"},
    {"as norms", "norms instead of weights (:help methods)"},
    WORD_ITEM,
    {NULL, NULL},
};
static const char *const notes[] = {
    "As text, each matrix is shaded relative to its own greatest weight, the number above it; on "
    "the screen all share one scale, in figures the one set by figure.scale. A matrix that is "
    "too large is shrunk: each character then shows the greatest weight of a block of cells.",
    NULL,
};
static const struct help help = {.arguments = meanings, .notes = notes};

const struct command command_heads = {
    .name = "heads",
    .summary = "attention of many heads as a grid of small matrices",
    .arguments = ARGUMENT_LIST(arguments),
    .help = &help,
    .examples =
        (const char *const[]){STARS, ":heads cross", ":heads enc layer 1-2 head 1-4 word", NULL},
    .run = run_heads,
    .group = GROUP_VIEWS,
    .view = true,
};
