/* `:attn` and `:heads`: show one head of the current sentence, or all of them. */
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "report/view_report.h"
#include "tui/command/command.h"

enum { SELECTED, WORD };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .heads = HEADS_OR_MERGED},
    [WORD] = {.keyword = "word", .kind = ARGUMENT_FLAG},
};

static bool fill_attention(const struct session *session, const struct sentence_pair *pair,
                           struct attention_view *attention, struct report *report,
                           struct status *status)
{
    report_attention(report, session, pair, attention);
    report_keep(report, attention->weights, free);
    report_keep(report, attention->rest, free);
    attention->weights = attention->rest = NULL;
    return report_end(report, status);
}

bool attention_of_sentence(struct session *session, const struct view *view, bool words,
                           struct report *report, struct status *status)
{
    const struct sentence_pair *pair = session_current(session, status);
    struct attention_view attention = {0};
    bool ok = pair && view_attention(session, pair, view, words, &attention, status) &&
              fill_attention(session, pair, &attention, report, status);
    attention_view_free(&attention);
    if (ok)
        session->view = *view;
    return ok;
}

static bool run_attn(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct view view;
    return view_choose(session, &request->given->selector, &view, status) &&
           attention_of_sentence(session, &view, argument_given(request->given, WORD), report,
                                 status);
}

static const struct help_item meanings[] = {
    {"SELECTOR",
     "the attention (:help selector). Omitted parts keep their last value; the first view is "
     "layer 1, head 1 of the encoder"},
    {"head mean, max",
     "the mean or maximum over all heads of the layer, including heads that are off"},
    {"head importance",
     "the mean weighted by the head importance of DHICM, which is how the layer itself weights "
     "its heads for each token"},
    {"as METHOD", "other measures than weights, such as how much each source token contributes to "
                  "each prediction (as alti, in cross); see :help methods"},
    WORD_ITEM,
    {NULL, NULL},
};
static const char *const notes[] = {
    "Rows attend to columns. In dec, both are the tokens that the decoder reads, beginning with "
    "<s>. In cross, a row is named by the token that is predicted with its weights; after :set "
    "cross_rows input, by the token that the decoder reads there, the one before.",
    "Text without spaces between words, such as Japanese, stays in tokens. A piece after · "
    "continues its word; </s> is the end of the sentence.",
    "The line below shows the greatest weight, which has the darkest shade, where it is, and the "
    "mean entropy of the rows, in bits, where these are distributions.",
    NULL,
};

const struct command command_attn = {
    .name = "attn",
    .summary = "attention of one head as a heatmap",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .notes = notes,
    .examples =
        (const char *const[]){STARS, ":attn cross 2.7 word", ":attn enc layer 1 head mean", NULL},
    .run = run_attn,
    .group = GROUP_VIEWS,
    .view = true,
    .needs = NEEDS_SESSION,
};

/* `:heads`: the heads of all layers side by side ----------------------------------------------- */

static const struct argument of_heads[] = {
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

static const struct help_item meanings_of_heads[] = {
    {"SELECTOR", "the heads (:help selector); by default all layers and heads of the "
                 "module shown last"},
    {"as norms", "norms instead of weights (:help methods)"},
    WORD_ITEM,
    {NULL, NULL},
};
static const char *const notes_of_heads[] = {
    "As text, each matrix is shaded relative to its own greatest weight, the number above it; on "
    "the screen all share one scale, in figures the one set by figure.scale. A matrix that is "
    "too large is shrunk: each character then shows the greatest weight of a block of cells.",
    NULL,
};

const struct command command_heads = {
    .name = "heads",
    .summary = "attention of many heads as a grid of small matrices",
    .arguments = ARGUMENT_LIST(of_heads),
    .meanings = meanings_of_heads,
    .notes = notes_of_heads,
    .examples =
        (const char *const[]){STARS, ":heads cross", ":heads enc layer 1-2 head 1-4 word", NULL},
    .run = run_heads,
    .group = GROUP_VIEWS,
    .view = true,
    .needs = NEEDS_SESSION,
};
