/* Draws reports as figures: matrices side by side or in a grid, an alignment's curves, bars and
 * lines. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "report/labels.h"
#include "report/output/figures.h"
#include "report/output/typeset/typeset.h"

/* The form of figures -------------------------------------------------------------------------- */

void figure_form_make(struct figure_form *form, const struct figure_settings *settings)
{
    size_t bytes;
    double size = figure_font_size(settings->font, &bytes);
    form->style = figure_style_default();
    snprintf(form->family, sizeof form->family, "%.*s", (int)bytes, settings->font);
    form->style.font = form->family;
    form->style.font_pt = size > 0 ? size : form->style.font_pt;
    form->style.dpi = settings->dpi;
    form->style.width_mm = settings->width;
    form->style.height_mm = settings->height;
    form->style.values = settings->values;
}

/* Drawings ------------------------------------------------------------------------------------- */

static int count_panels(const struct drawing *drawing)
{
    int count = 0;
    for (int i = 0; i < drawing->figure.rows * drawing->figure.columns; i++)
        count += drawing->panels[i].kind == PANEL_MATRIX && drawing->panels[i].matrix.scale == 0;
    return count;
}

static void choose_scale(struct drawing *drawing, int choice)
{
    struct figure_scale *scale = &drawing->scales[0];
    switch ((enum figure_scale_setting)choice) {
    case SCALE_SHARED:
        if (scale->map->diverging && scale->range == RANGE_MAXIMUM)
            scale->range = RANGE_SYMMETRIC;
        break;
    case SCALE_UNIT:
        scale->range = RANGE_GIVEN;
        scale->least = 0;
        scale->most = 1;
        break;
    case SCALE_MATRIX:
        scale->range = RANGE_MAXIMUM;
        if (count_panels(drawing) > 1) {
            scale->range = RANGE_EACH;
            scale->title = "share of matrix maximum";
        }
        break;
    case SCALE_ROW:
        scale->range = RANGE_ROW;
        scale->title = "share of row maximum";
        break;
    case SCALE_LOG:
        scale->range = RANGE_LOG;
    }
}

const char *figure_form_title(const struct figure_settings *settings, const char *title)
{
    return strcmp(settings->title, FIGURE_TITLE_AUTO) == 0   ? title
           : strcmp(settings->title, FIGURE_TITLE_NONE) == 0 ? NULL
                                                             : settings->title;
}

/* Gives a drawing, which has the view's title, the title, labels and scale of the settings. */
static void figure_form_draw(struct drawing *drawing, const struct figure_settings *settings)
{
    drawing->figure.title = figure_form_title(settings, drawing->figure.title);
    choose_scale(drawing, settings->scale);
    for (int i = 0; !settings->labels && i < drawing->figure.rows * drawing->figure.columns; i++) {
        drawing->panels[i].matrix.row_labels = NULL;
        drawing->panels[i].matrix.column_labels = NULL;
        drawing->panels[i].plot.labels = NULL;
    }
}

/* Parts that figures of views are made of; the drawing (figures.h) keeps what they allocate. */

/* Keeps texts as long as the drawing. Takes them, also on failure. NULL is a failure. */
static const char *const *drawing_keep(struct drawing *drawing, char **owned, int count,
                                       struct status *status)
{
    if (!owned) {
        status_no_memory(status);
        return NULL;
    }
    drawing->texts[drawing->text_count].texts = owned;
    drawing->texts[drawing->text_count++].count = count;
    return (const char *const *)owned;
}

/* Returns `count` texts that `name` writes. */
static const char *const *drawing_names(struct drawing *drawing, int count,
                                        void (*name)(const void *view, int i, char *text,
                                                     size_t size),
                                        const void *view, struct status *status)
{
    char **names = calloc((size_t)count + 1, sizeof *names);
    for (int i = 0; names && i < count; i++) {
        char text[NAME_MAX + 8];
        name(view, i, text, sizeof text);
        names[i] = copy_text(text, status);
        if (!names[i]) {
            display_labels_free(names, i);
            return NULL;
        }
    }
    return drawing_keep(drawing, names, count, status);
}

/* Makes a grid of empty panels. */
static struct figure_panel *drawing_panels(struct drawing *drawing, int rows, int columns,
                                           struct status *status)
{
    drawing->panels = memory_new((size_t)rows * columns, sizeof *drawing->panels, status);
    drawing->figure.rows = rows;
    drawing->figure.columns = columns;
    drawing->figure.panels = drawing->panels;
    return drawing->panels;
}

_Static_assert((int)PLOT_SERIES_MOST == (int)FIGURE_COLOURS, "a colour for each series");

enum { MATRICES_MOST = 4 };

/* Weaker curves would be a grey mass of thin lines behind the strong ones. */
#define WEIGHT_LEAST 0.05

/* Matrices ------------------------------------------------------------------------------------- */

static int find_matrices(const struct blocks *blocks, const struct matrix **out, int count)
{
    for (int i = 0; i < blocks->count && count < MATRICES_MOST; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!(block->in & IN_FIGURE))
            continue;
        if (block->kind == BLOCK_MATRIX)
            out[count++] = block->matrix;
        else if (block->kind == BLOCK_GROUP)
            count = find_matrices(&block->group->blocks, out, count);
    }
    return count;
}

static bool same_axis(const struct axis *a, const struct axis *b)
{
    bool same = a->count == b->count;
    for (int i = 0; same && i < a->count; i++)
        same = strcmp(a->texts[i], b->texts[i]) == 0;
    return same;
}

static struct figure_panel panel_of(const float *values, int rows, int columns)
{
    return (struct figure_panel){.kind = PANEL_MATRIX,
                                 .matrix = {.values = values, .rows = rows, .columns = columns}};
}

/* True if its values have both signs. */
static bool is_signed(const struct matrix *matrix)
{
    return matrix->style == MATRIX_DIFFERENCE || matrix->range == RANGE_OF_CHANGES;
}

/* The first scale has the chosen colour map, the second is for differences. */
static void set_scale(struct drawing *drawing, const struct matrix *matrix)
{
    if (is_signed(matrix)) {
        drawing->scales[1] = (struct figure_scale){
            .map = colormap_find("bluered"), .range = RANGE_SYMMETRIC, .title = matrix->scale};
        drawing->figure.scale_count = 2;
        return;
    }
    drawing->scales[0].title = matrix->scale;
    if (matrix->range == RANGE_OF_SHARES) {
        drawing->scales[0].range = RANGE_GIVEN;
        drawing->scales[0].least = 0;
        drawing->scales[0].most = 1;
    }
}

/* True if, at a given width, columns of matrices side by side are narrower than a small label is
 * high. */
static bool is_narrow(const struct matrix *const *matrices, int count,
                      const struct figure_settings *settings)
{
    static const double around = 0.5, label_mm = 1.8; // titles, labels and bars; 5 pt
    int columns = 0;
    for (int i = 0; i < count; i++)
        columns += matrices[i]->columns.count;
    return count > 1 && settings->width > 0 && settings->height <= 0 &&
           columns * label_mm > around * settings->width;
}

/* Labels of rows hold for all panels beside each other, those of columns for all below each other:
 * if they are the same everywhere, only the first panel has them. */
static bool draw_matrices(struct drawing *drawing, const struct matrix *const *matrices, int count,
                          const struct figure_settings *settings, struct status *status)
{
    const bool stacked = is_narrow(matrices, count, settings);
    bool same = true;
    for (int i = 1; i < count; i++)
        same &= stacked ? same_axis(&matrices[0]->columns, &matrices[i]->columns)
                        : same_axis(&matrices[0]->rows, &matrices[i]->rows);
    if (!drawing_panels(drawing, stacked ? count : 1, stacked ? 1 : count, status))
        return false;
    for (int i = 0; i < count; i++) {
        const struct matrix *matrix = matrices[i];
        const bool labelled = i == 0 || !same;
        struct figure_panel *panel = &drawing->panels[i];
        *panel = panel_of(matrix->values, matrix->rows.count, matrix->columns.count);
        panel->title = matrix->title;
        panel->matrix.scale = is_signed(matrix);
        if (labelled || !stacked) {
            panel->matrix.column_labels = matrix->columns.labels;
            panel->matrix.column_title = matrix->columns.title;
        }
        if (labelled || stacked) {
            panel->matrix.row_labels = matrix->rows.labels;
            panel->matrix.row_title = matrix->rows.title;
        }
        set_scale(drawing, matrix);
    }
    return true;
}

static void name_layer(const void *view, int i, char *text, size_t size)
{
    const struct head_grid *grid = view;
    snprintf(text, size, "layer %d", grid->layers[i] + 1);
}

static void name_head(const void *view, int i, char *text, size_t size)
{
    const struct head_grid *grid = view;
    if (grid->titles)
        snprintf(text, size, "%s", grid->titles[i]);
    else
        snprintf(text, size, "head %d", grid->heads[i] + 1);
}

static bool draw_grid(struct drawing *drawing, const struct matrix *matrix, struct status *status)
{
    const struct head_grid *grid = matrix->grid;
    int rows = matrix->rows.count, columns = matrix->columns.count;
    struct figure_panel *panels =
        drawing_panels(drawing, grid->layer_count, grid->head_count, status);
    if (!panels)
        return false;
    for (int i = 0; i < grid->layer_count * grid->head_count; i++) {
        panels[i] = panel_of(matrix->values + (size_t)i * rows * columns, rows, columns);
        panels[i].title = grid->off[i] ? "off" : NULL;
    }
    set_scale(drawing, matrix);
    drawing->figure.row_titles =
        drawing_names(drawing, grid->layer_count, name_layer, grid, status);
    drawing->figure.column_titles =
        drawing->figure.row_titles
            ? drawing_names(drawing, grid->head_count, name_head, grid, status)
            : NULL;
    return drawing->figure.column_titles != NULL;
}

static bool draw_curves(struct drawing *drawing, const struct matrix *matrix, struct status *status)
{
    struct figure_panel *panel = drawing_panels(drawing, 1, 1, status);
    if (!panel)
        return false;
    panel->kind = PANEL_ALIGNMENT;
    panel->alignment = (struct figure_alignment){.upper = matrix->columns.labels,
                                                 .lower = matrix->rows.labels,
                                                 .upper_count = matrix->columns.count,
                                                 .lower_count = matrix->rows.count,
                                                 .weights = matrix->values,
                                                 .kinds = matrix->kinds,
                                                 .least = WEIGHT_LEAST,
                                                 .upper_title = matrix->columns.title,
                                                 .lower_title = matrix->rows.title};
    drawing->figure.scale_count = 0;
    return true;
}

/* Plots ---------------------------------------------------------------------------------------- */

static bool draw_plot(struct drawing *drawing, const struct plot *plot, struct status *status)
{
    struct figure_panel *panel = drawing_panels(drawing, 1, 1, status);
    if (!panel)
        return false;
    for (int s = 0; s < plot->series_count; s++)
        drawing->series[s] =
            (struct figure_series){.name = plot->series[s],
                                   .colour = figure_colours[plot->colours[s]],
                                   .values = plot->values + (size_t)s * plot->points,
                                   .pattern = plot->colours[s]};
    panel->kind = plot->kind == PLOT_BARS ? PANEL_BARS : PANEL_LINES;
    panel->plot = (struct figure_plot){.series = drawing->series,
                                       .series_count = plot->series_count,
                                       .points = plot->points,
                                       .labels = plot->labels,
                                       .x_title = plot->x_title,
                                       .y_title = plot->y_title,
                                       .most = plot->most,
                                       .without_zero = plot->without_zero,
                                       .mean = isnan(plot->mean) ? 0 : plot->mean,
                                       .has_mean = !isnan(plot->mean),
                                       .mean_name = plot->mean_name,
                                       .marks = plot->marks,
                                       .note = plot->note};
    drawing->figure.scale_count = 0;
    return true;
}

/* Tables --------------------------------------------------------------------------------------- */

static bool draw_table(struct drawing *drawing, const struct report *report, struct status *status)
{
    struct figure_panel *panel = drawing_panels(drawing, 1, 1, status);
    if (!panel || !typeset_make(&drawing->table, report, TYPESET_MAIN, NULL, status))
        return false;
    panel->kind = PANEL_TABLE;
    panel->table = (struct figure_table){.rows = drawing->table.rows,
                                         .columns = drawing->table.columns,
                                         .headings = (const char *const *)drawing->table.headings,
                                         .cells = (const char *const *)drawing->table.cells,
                                         .numbers = drawing->table.numbers};
    drawing->figure.scale_count = 0;
    return true;
}

/* Scores without a plot are drawn as their table; others only if asked for. A report with a picture
 * on the screen stays a picture. */
static bool is_table(const struct report *report, const struct figure_settings *settings)
{
    const struct block *plot = report_find(report, BLOCK_PLOT, IN_FIGURE);
    return plot && !(plot->in & IN_SCREEN) && report_has_typeset(report) &&
           (plot->plot->kind == PLOT_TABLE || settings->kind == FIGURE_TABLE);
}

/* Reports -------------------------------------------------------------------------------------- */

static bool draw(struct drawing *drawing, const struct report *report,
                 const struct figure_settings *settings, struct status *status)
{
    const struct matrix *matrices[MATRICES_MOST];
    const struct block *plot = report_find(report, BLOCK_PLOT, IN_FIGURE);
    int count = find_matrices(&report->blocks, matrices, 0);
    if (is_table(report, settings))
        return draw_table(drawing, report, status);
    if (plot && plot->plot->points == 0)
        return status_fail(status, STATUS_INVALID, "nothing to draw: the file has no sentences");
    if (plot)
        return draw_plot(drawing, plot->plot, status);
    if (count == 1 && matrices[0]->grid)
        return draw_grid(drawing, matrices[0], status);
    if (count == 1 && matrices[0]->style == MATRIX_CURVES)
        return draw_curves(drawing, matrices[0], status);
    return draw_matrices(drawing, matrices, count, settings, status);
}

bool report_drawable(const struct report *report)
{
    return report_find(report, BLOCK_PLOT, IN_FIGURE) ||
           report_find(report, BLOCK_MATRIX, IN_FIGURE);
}

bool drawing_of_report(struct drawing *drawing, const struct report *report,
                       const struct figure_settings *settings, struct status *status)
{
    *drawing = (struct drawing){0};
    drawing->scales[0].map = colormap_find(figure_colormaps[settings->colormap]);
    drawing->figure.scales = drawing->scales;
    drawing->figure.scale_count = 1;
    const struct block *plot = report_find(report, BLOCK_PLOT, IN_FIGURE);
    const char *title = plot && plot->plot->title ? plot->plot->title : report->title;
    drawing->title = strdup(title ? title : "");
    drawing->figure.title = drawing->title;
    if (!drawing->title)
        status_no_memory(status);
    if (drawing->title && draw(drawing, report, settings, status)) {
        figure_form_draw(drawing, settings);
        return true;
    }
    drawing_free(drawing);
    return false;
}

void drawing_free(struct drawing *drawing)
{
    for (int i = 0; i < drawing->text_count; i++)
        display_labels_free(drawing->texts[i].texts, drawing->texts[i].count);
    typeset_free(&drawing->table);
    free(drawing->panels);
    free(drawing->title);
    *drawing = (struct drawing){0};
}
