#include "report/view_report.h"

#include <math.h>
#include <stdlib.h>

#include "session/head_description.h"
#include "session/selector.h"

/* Titles and commands -------------------------------------------------------------------------- */

void report_head_title(struct report *report, const struct session *session,
                       const struct attention_view *attention, const char *after)
{
    const struct view *view = &attention->view;
    const struct head_settings *head_settings = session->state.head_settings;
    const char *module = module_names[view->module], *words = attention->words ? "  words" : "";
    int layer = view->layer + 1, layers = head_settings->layers[view->module],
        heads = head_settings->count[view->module];
    char what[64];
    describe_exception(&attention->head, what, sizeof what);
    const struct method_info *method = &method_table[view->as];
    const char *name =
        view->as == METHOD_WEIGHTS ? "" : report_format(report, "  %s", method->title);
    const char *until = method->joint ? "s 1-" : " ";
    if (!method->of_heads)
        report_title(report, "%s  layer%s%d/%d%s%s%s", module, until, layer, layers, name, words,
                     after);
    else if (view->head < 0)
        report_title(report, "%s  layer %d/%d  %s %d heads%s%s%s", module, layer, layers,
                     merged_of(view->head)->title, heads, name, words, after);
    else
        report_title(report, "%s  layer %d/%d  head %d/%d%s%s%s%s%s%s", module, layer, layers,
                     view->head + 1, heads, name, *what ? "  " : "", what,
                     attention->off ? "  off" : "", words, after);
}

void head_command_write(FILE *out, const char *name, const struct view *view, bool words)
{
    fprintf(out, "%s %s layer %d head ", name, module_names[view->module], view->layer + 1);
    if (view->head >= 0)
        fprintf(out, "%d", view->head + 1);
    else
        fputs(merged_of(view->head)->name, out);
    if (view->as != METHOD_WEIGHTS)
        fprintf(out, " as %s", method_table[view->as].name);
    fputs(words ? " word" : "", out);
}

const char *report_head_command(struct report *report, const char *name, const struct view *view,
                                bool words)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        head_command_write(out, name, view, words);
    return report_written(&writer);
}

const char *report_grid_text(struct report *report, const char *before,
                             const struct head_grid *grid, const char *gap, const char *after)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (!out)
        return report_written(&writer);
    fprintf(out, "%s%s%slayer ", before, module_names[grid->module], gap);
    number_list_write(out, grid->layers, grid->layer_count);
    fprintf(out, "%shead ", gap);
    number_list_write(out, grid->heads, grid->head_count);
    fputs(after, out);
    return report_written(&writer);
}

/* Fields --------------------------------------------------------------------------------------- */

void report_head_fields(struct report *report, const struct view *view)
{
    report_json(report, "module", value_text(module_names[view->module]));
    report_json(report, "layer", value_int(view->layer + 1));
    report_json(report, "head",
                view->head >= 0 ? value_int(view->head + 1)
                                : value_text(merged_of(view->head)->name));
    if (view->as != METHOD_WEIGHTS)
        report_json(report, "as", value_text(method_table[view->as].name));
}

/* Returns 0-based numbers as counted from 1. */
static struct value numbers_from_one(struct report *report, const int *numbers, int count)
{
    int *from_one = report_new(report, (size_t)count, sizeof *from_one);
    for (int i = 0; from_one && i < count; i++)
        from_one[i] = numbers[i] + 1;
    return from_one ? value_ints(from_one, count) : value_null();
}

static struct value list_off(struct report *report, const struct head_grid *grid)
{
    int layers = grid->layer_count, heads = grid->head_count;
    struct value *lists = report_new(report, (size_t)layers, sizeof *lists);
    struct value *cells = report_new(report, (size_t)layers * (size_t)heads, sizeof *cells);
    if (!lists || !cells)
        return value_null();
    for (int i = 0; i < layers * heads; i++)
        cells[i] = value_bool(grid->off[i]);
    for (int l = 0; l < layers; l++)
        lists[l] = value_list(cells + l * heads, heads);
    return value_list(lists, layers);
}

void report_grid_fields(struct report *report, const struct head_grid *grid)
{
    report_json(report, "module", value_text(module_names[grid->module]));
    report_json(report, "layers", numbers_from_one(report, grid->layers, grid->layer_count));
    report_json(report, "heads", numbers_from_one(report, grid->heads, grid->head_count));
    report_json(report, "off", list_off(report, grid));
}

void report_grid_arrays(struct report *report, const struct head_grid *grid)
{
    report_field(report, IN_ARRAYS, "layers", NULL,
                 numbers_from_one(report, grid->layers, grid->layer_count));
    report_field(report, IN_ARRAYS, "heads", NULL,
                 numbers_from_one(report, grid->heads, grid->head_count));
}

const struct head_grid *report_take_grid(struct report *report, struct head_grid *grid)
{
    struct head_grid *taken = report_new(report, 1, sizeof *taken);
    if (!taken)
        return grid;
    *taken = *grid;
    *grid = (struct head_grid){.module = taken->module};
    report_keep(report, taken->layers, free);
    report_keep(report, taken->heads, free);
    report_keep(report, taken->off, free);
    report_keep(report, taken->titles, free);
    return taken;
}

const char *report_unspaced(struct report *report, const struct labels *rows,
                            const struct labels *columns)
{
    if (rows->by_script || columns->by_script) {
        report_json(report, "note", value_text(WORDS_BY_SCRIPT));
        return "  " WORDS_BY_SCRIPT;
    }
    if (!rows->unspaced && !columns->unspaced)
        return "";
    report_json(report, "note", value_text("no spaces between words: tokens are shown"));
    return "  no spaces between words: shown as tokens";
}

void report_cross_rows(struct report *report, enum module module, const struct labels *rows)
{
    if (module != MODULE_CROSS)
        return;
    const char *name =
        cross_rows_names[rows->role == TOKENS_READ ? CROSS_ROWS_INPUT : CROSS_ROWS_PREDICTED];
    report->origin.cross_rows = name;
    report_json(report, "cross_rows", value_text(name));
}

void report_cross_axes(struct report *report, enum module module, const struct labels *rows,
                       const char *columns)
{
    if (module == MODULE_CROSS)
        report_line(report, IN_TEXT, " %s ↓  %s →", labels_title(rows), columns);
}

/* Weights -------------------------------------------------------------------------------------- */

struct matrix *report_weights(struct report *report, unsigned in, const struct loaded *loaded,
                              const struct attention_view *attention)
{
    struct matrix *matrix = report_matrix(report, in, NULL);
    matrix->key = matrix->name = "weights";
    matrix->rows = report_axis(report, loaded, "rows", &attention->rows, attention->words);
    matrix->columns = report_axis(report, loaded, "columns", &attention->columns, attention->words);
    matrix->values = attention->weights;
    matrix->scale = method_table[attention->view.as].scale;
    return matrix;
}

void report_origin(struct report *report, const struct session *session,
                   const struct sentence_pair *pair)
{
    report->origin.pair = pair;
    report->origin.state = states_current(session);
}

/* Reports the shares that rows give to something other than the columns. Rows of words have none:
 * `rest` is by token. */
static void report_rest(struct report *report, const struct attention_view *attention)
{
    const struct method_info *method = &method_table[attention->view.as];
    enum module module = attention->view.module;
    struct array *array = report_new(report, 1, sizeof *array);
    if (method->joint && module != MODULE_ENCODER)
        report_json(report, "source_share",
                    isnan(attention->source_share) ? value_null()
                                                   : value_real(attention->source_share));
    if (!attention->rest || attention->words || !array)
        return;
    *array = (struct array){attention->rest, 1, {(size_t)attention->rows.texts.count}, NULL};
    if (method->joint && module != MODULE_ENCODER)
        report_field(report, IN_JSON | IN_ARRAYS, module == MODULE_CROSS ? "prefix" : "source",
                     NULL, value_array(array));
    else if (!method->joint && !method->of_heads && module == MODULE_CROSS)
        report_field(report, IN_JSON | IN_ARRAYS, "residual", NULL, value_array(array));
}

/* Returns the end of a title. */
static const char *title_end(struct report *report, const struct attention_view *attention)
{
    const char *unspaced = report_unspaced(report, &attention->rows, &attention->columns);
    bool joint = method_table[attention->view.as].joint;
    if (!joint || attention->view.module == MODULE_ENCODER || isnan(attention->source_share))
        return unspaced;
    return report_format(report, "  source %.3f%s", attention->source_share, unspaced);
}

void report_attention(struct report *report, const struct session *session,
                      const struct sentence_pair *pair, const struct attention_view *attention)
{
    const struct view *view = &attention->view;
    report_head_title(report, session, attention, title_end(report, attention));
    report->command = report_head_command(report, "attn", view, attention->words);
    report_origin(report, session, pair);
    report_head_fields(report, view);
    report_cross_rows(report, view->module, &attention->rows);
    report_json(report, "unit", value_text(attention->words ? "word" : "token"));
    report_cross_axes(report, view->module, &attention->rows, labels_title(&attention->columns));
    report_rest(report, attention);
    struct matrix *matrix = report_weights(report, EVERYWHERE, session->loaded, attention);
    report->navigation = (struct navigation){.kind = VIEW_HEAD,
                                             .view = *view,
                                             .words = attention->words,
                                             .rows = matrix->rows.count,
                                             .row_axis = &matrix->rows,
                                             .column_axis = &matrix->columns};
}

void strongest_places(const float *weights, int count, int *places, int place_count)
{
    for (int p = 0; p < place_count; p++) {
        places[p] = -1;
        for (int i = 0; i < count; i++) {
            bool taken = false;
            for (int q = 0; q < p; q++)
                taken |= places[q] == i;
            if (!taken && (places[p] < 0 || weights[i] > weights[places[p]]))
                places[p] = i;
        }
    }
}
