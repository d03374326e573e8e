/* `:align`: source and translation of the current sentence, joined by cross-attention. */
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/report/view_report.h"
#include "tui/report/words.h"

/* The tokens of the chosen translation; a start token that another one precedes is predicted,
 * too. */
static struct token_list outputs_of(const struct sentence_pair *pair)
{
    const struct token_list all = pair_predicted(pair);
    int count = pair_hypothesis(pair)->count, before = all.count - count;
    return (struct token_list){SIDE_TARGET,      TOKENS_OF_TEXT,     all.texts + before,
                               all.ids + before, all.words + before, count};
}

static bool label(const struct checkpoint *checkpoint, const struct token_list *rows,
                  const struct token_list *columns, struct attention_view *out,
                  struct status *status)
{
    if (out->words)
        return words_merge(checkpoint, rows, columns, 1, &out->rows, &out->columns, &out->weights,
                           status);
    return labels_of_tokens(rows, &out->rows, status) &&
           labels_of_tokens(columns, &out->columns, status);
}

/* Each token of the translation gets the row that it was predicted with or, shifted, the next one,
 * in which it is read. End-of-sentence, which is never read, keeps its own. */
static void move_rows(struct attention_view *out, int starts, int rows, size_t columns)
{
    for (int t = 0; t < rows; t++) {
        int from = starts - 1 + t + (out->shifted && t + 1 < rows);
        memmove(out->weights + (size_t)t * columns, out->weights + (size_t)from * columns,
                columns * sizeof *out->weights);
        if (out->rest)
            out->rest[t] = out->rest[from];
    }
}

/* The weights of cross-attention under the tokens of the translation, end-of-sentence included.
 * out->words and shifted are filled in. */
static bool view_alignment(const struct session *session, const struct sentence_pair *pair,
                           const struct view *view, struct attention_view *out,
                           struct status *status)
{
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    struct token_list rows = outputs_of(pair), columns = pair_columns(pair, MODULE_CROSS);
    if (!view_matrix(session, pair, view, out, status))
        return false;
    move_rows(out, checkpoint->config->start.count, rows.count, (size_t)columns.count);
    return label(checkpoint, &rows, &columns, out, status);
}

/* In deep decoders the last layer but one aligns best (Garg et al. 2019), in those of two layers
 * the last one. DHICM weights the heads of a layer for each token, which their mean does not: other
 * layers come first. */
static int clearest_layer(const struct config *config)
{
    int layers = module_layers(config, MODULE_CROSS);
    int clearest = layers > 2 ? layers - 2 : layers - 1, layer = clearest;
    while (layer >= 0 && config->attention[MODULE_CROSS][layer].dhicm)
        layer--;
    return layer >= 0 ? layer : clearest;
}

/* The head that the model was trained to align with. A view shows one head or the mean of a layer:
 * of several named heads the mean of their layer is shown. */
static int named_head(const struct config *config, int layer)
{
    const struct id_list *heads = &config->alignment.heads;
    return heads->count == 1 && layer == config->alignment.layer ? heads->ids[0] : VIEW_MEAN;
}

/* Parts that are left out are those of the last view of cross-attention; without one, the head that
 * the model names, or the mean of one layer. */
bool align_choose(const struct session *session, const struct selector *given, struct view *view,
                  struct status *status)
{
    struct selector selected = *given; // its lists are borrowed
    const struct selector *selector = &selected;
    if (given->module_given && given->module != MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "source and translation meet in cross-attention: expected cross");
    selected.module = MODULE_CROSS;
    selected.module_given = true;
    if (!view_choose(session, selector, view, status))
        return false;
    if (session->view.module == MODULE_CROSS && !session->view.overview)
        return true;
    const struct config *config = session_config(session);
    const struct method_info *method = &method_table[view->as];
    if (selector->layer == PART_ABSENT && !method->joint)
        view->layer =
            config->alignment.heads.count ? config->alignment.layer : clearest_layer(config);
    if (selector->head == PART_ABSENT && method->of_heads)
        view->head = named_head(config, view->layer);
    return true;
}

/* Report --------------------------------------------------------------------------------------- */

enum { PLACES = 3 }; // source tokens that a row names

/* The columns that a row names: of its greatest weights, and at least half of the greatest. How
 * many: 0 in a row of zeros. */
static int find_named(const float *weights, int count, int places[PLACES])
{
    int most = count < PLACES ? count : PLACES, named = 0;
    strongest_places(weights, count, places, most);
    while (named < most && weights[places[named]] > 0 &&
           weights[places[named]] >= weights[places[0]] / 2)
        named++;
    return named;
}

/* "dog 0.2345  cat 0.1234": what stands beside the first. */
static const char *write_more(struct report *report, const float *weights,
                              const struct axis *columns, const int *places, int named)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int p = 1; out && p < named; p++)
        fprintf(out, "%s%s %.4f", p > 1 ? "  " : "", columns->labels[places[p]],
                weights[places[p]]);
    return report_written(&writer);
}

/* Enter leads to the matrix that the row is of. */
static void fill_table(struct report *report, const struct attention_view *attention,
                       const struct matrix *matrix)
{
    static const struct column titles[] = {
        {.title = "#", .type = COLUMN_INT},
        {.title = "target", .type = COLUMN_TEXT},
        {.title = "source", .type = COLUMN_TEXT},
        {.title = "weight", .type = COLUMN_REAL, .digits = 4},
        {.title = "also", .type = COLUMN_PARTS},
    };
    const char *command = report_head_command(report, "attn", &attention->view, attention->words);
    struct table *table = report_table(report, FOR_PEOPLE, NULL, titles, COUNT(titles));
    table->style = TABLE_FITTED;
    for (int r = 0; !report->lacking && r < matrix->rows.count; r++) {
        int places[PLACES], count = matrix->columns.count;
        const float *weights = matrix->values + (size_t)r * (size_t)count;
        int named = find_named(weights, count, places);
        table_row(table);
        table_enter(table, ":%s", command);
        table_put(table, value_int(r + 1));
        table_put(table, value_text(matrix->rows.labels[r]));
        table_put(table, value_text(named ? matrix->columns.labels[places[0]] : "-"));
        table_put(table, named ? value_real(weights[places[0]]) : value_null());
        table_put(table, named > 1 ? value_text(write_more(report, weights, &matrix->columns,
                                                           places, named))
                                   : value_null());
    }
}

/* The greatest weight of every row that has one. */
static void fill_links(struct report *report, const struct matrix *matrix)
{
    static const struct column keys[] = {{.key = "row"}, {.key = "column"}, {.key = "weight"}};
    struct table *table = report_table(report, IN_JSON, "links", keys, COUNT(keys));
    for (int r = 0; !report->lacking && r < matrix->rows.count; r++) {
        const float *weights = matrix->values + (size_t)r * (size_t)matrix->columns.count;
        int best;
        strongest_places(weights, matrix->columns.count, &best, 1);
        if (best < 0 || !(weights[best] > 0))
            continue;
        table_row(table);
        table_put(table, value_int(r + 1));
        table_put(table, value_int(best + 1));
        table_put(table, value_real(weights[best]));
    }
}

/* `word` is the last of its words, where keys add it and take it away. */
static const char *align_command(struct report *report, const struct attention_view *attention)
{
    return report_format(report, "%s%s%s",
                         report_head_command(report, "align", &attention->view, false),
                         attention->shifted ? " shifted" : "", attention->words ? " word" : "");
}

static bool fill_report(const struct session *session, const struct sentence_pair *pair,
                        struct attention_view *attention, struct report *report,
                        struct status *status)
{
    const struct view *view = &attention->view;
    const char *unspaced = report_unspaced(report, &attention->rows, &attention->columns);
    const char *shifted = attention->shifted ? ", shifted" : "";
    report_head_title(report, session, attention,
                      report_format(report, "  alignment%s%s", shifted, unspaced));
    report->command = align_command(report, attention);
    report->navigation =
        (struct navigation){.kind = VIEW_ALIGNMENT, .view = *view, .words = attention->words};
    report_origin(report, session, pair);
    report_head_fields(report, view);
    report_json(report, "unit", value_text(attention->words ? "word" : "token"));
    if (attention->shifted)
        report_json(report, "shift", value_bool(true));
    struct matrix *matrix =
        report_weights(report, FOR_PROGRAMS | IN_FIGURE, session->loaded, attention);
    matrix->style = MATRIX_CURVES;
    fill_links(report, matrix);
    fill_table(report, attention, matrix);
    report_keep(report, attention->weights, free);
    attention->weights = NULL;
    return report_end(report, status);
}

bool align_sentence(struct session *session, const struct selector *selector, bool shifted,
                    bool words, struct report *report, struct status *status)
{
    struct view view;
    struct attention_view attention = {.shifted = shifted, .words = words};
    const struct sentence_pair *pair =
        align_choose(session, selector, &view, status) ? session_current(session, status) : NULL;
    bool ok = pair && view_alignment(session, pair, &view, &attention, status) &&
              fill_report(session, pair, &attention, report, status);
    attention_view_free(&attention);
    if (ok)
        session->view = view;
    return ok;
}
