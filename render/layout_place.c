/* Turns sizes into boxes. */
#include <math.h>
#include <stdlib.h>

#include "render/plan.h"

/* Sets a title in that size, at most `most` wide, and puts it. */
static bool put_sized(struct plan *plan, enum text_role role, const char *text, double size,
                      double most, bool upright, double x, double y, double align,
                      struct status *status)
{
    struct text_line line;
    const struct typesetter *typesetter = plan->typesetter;
    return typesetter->set(typesetter->context, text, size, most, &line, status) &&
           plan_put(plan, role, line, size, upright, x, y, align, status);
}

/* Returns the baseline that centres a line's height at `middle`. */
static double centred(double middle, double ascent, double descent)
{
    return middle + (ascent - descent) / 2;
}

/* Titles of one size --------------------------------------------------------------------------- */

/* Reduces a share of the size so that the title fits. */
static bool shrink(const struct plan *plan, const char *title, double most, double *share,
                   struct status *status)
{
    const double spare = 0.99; // widths are not quite in proportion to sizes
    const struct typesetter *typesetter = plan->typesetter;
    struct text_line line;
    if (!typesetter->set(typesetter->context, title, plan->em, INFINITY, &line, status))
        return false;
    free(line.text);
    if (line.width > most)
        *share = fmin(*share, spare * most / line.width);
    return true;
}

/* Returns the size, down to half. Titles that are still too wide are shortened. */
static double title_size(const struct plan *plan, double share)
{
    return fmax(share, 0.5) * plan->em;
}

/* Finds one size for the titles of all of the grid's columns, or rows. */
static bool find_grid_size(const struct plan *plan, const char *const *titles,
                           const struct track *tracks, int count, double *size,
                           struct status *status)
{
    double share = 1;
    for (int i = 0; i < count; i++)
        if (!shrink(plan, titles[i], tracks[i].core, &share, status))
            return false;
    *size = title_size(plan, share);
    return true;
}

/* Finds one size for the titles of all panels, and one for those of their axes. */
static bool find_panel_sizes(struct plan *plan, struct status *status)
{
    double share = 1, axis_share = 1;
    for (int r = 0; r < plan->figure->rows; r++)
        for (int c = 0; c < plan->figure->columns; c++) {
            const struct figure_panel *panel = plan_panel(plan, r, c);
            const double width = plan->columns[c].core, height = plan->rows[r].core;
            if (panel && (!shrink(plan, panel->title, width, &share, status) ||
                          !shrink(plan, panel->matrix.column_title, width, &axis_share, status) ||
                          !shrink(plan, panel->matrix.row_title, height, &axis_share, status)))
                return false;
        }
    plan->panel_em = title_size(plan, share);
    plan->axis_em = title_size(plan, axis_share);
    return true;
}

/* Matrices ------------------------------------------------------------------------------------- */

/* Returns the step between labels that have room: 2 draws every second label. */
static int label_step(const struct plan *plan, double cell)
{
    return (int)fmax(1, ceil(plan_label_line(plan) / cell - 1e-9));
}

/* Moves the line from the plan to the layout. */
static bool put_label(struct plan *plan, enum text_role role, struct text_line *line, double x,
                      double y, double align, struct status *status)
{
    struct text_line taken = *line;
    line->text = NULL;
    bool upright = role == ROLE_COLUMN_LABEL && plan->upright;
    return plan_put(plan, role, taken, plan->label_em, upright, x, y, align, status);
}

static bool put_row_labels(struct plan *plan, struct text_line *lines,
                           const struct placed_matrix *placed, struct status *status)
{
    int step = label_step(plan, placed->cell_height), count = placed->matrix->rows;
    for (int i = step / 2; lines && i < count; i += step) {
        double middle = placed->y + (i + 0.5) * placed->cell_height;
        if (!put_label(plan, ROLE_ROW_LABEL, &lines[i], placed->x - plan->gap,
                       centred(middle, plan->label_ascent, plan->label_descent), 1, status))
            return false;
    }
    return true;
}

static bool put_column_labels(struct plan *plan, struct text_line *lines,
                              const struct placed_matrix *placed, struct status *status)
{
    int step = plan->upright ? label_step(plan, placed->cell_width) : 1;
    double y = placed->y - plan->gap;
    for (int i = step / 2; lines && i < placed->matrix->columns; i += step) {
        double middle = placed->x + (i + 0.5) * placed->cell_width;
        bool ok =
            plan->upright
                ? put_label(plan, ROLE_COLUMN_LABEL, &lines[i],
                            centred(middle, plan->label_ascent, plan->label_descent), y, 0, status)
                : put_label(plan, ROLE_COLUMN_LABEL, &lines[i], middle,
                            placed->y - plan_label_foot(plan), 0.5, status);
        if (!ok)
            return false;
    }
    return true;
}

/* Puts the title along the matrix' rows if it fits there, else from their top down. */
static bool put_row_title(struct plan *plan, const struct figure_matrix *matrix,
                          const struct track *row, double x, double y, struct status *status)
{
    struct text_line line;
    const struct typesetter *typesetter = plan->typesetter;
    if (!typesetter->set(typesetter->context, matrix->row_title, plan->axis_em, row->core, &line,
                         status))
        return false;
    double height = fmax(matrix->rows * plan->cell_height, line.width);
    return plan_put(plan, ROLE_AXIS_TITLE, line, plan->axis_em, true, x, y + height / 2, 0.5,
                    status);
}

/* Titles stand on the lines that the row reserves, so that they align with their neighbours'. */
static bool put_panel_titles(struct plan *plan, const struct figure_panel *panel,
                             const struct track *row, const struct track *column, double x,
                             double y, struct status *status)
{
    double middle = x + column->core / 2, top = y - row->labels - row->axis_title - row->title;
    double left = x - column->labels - column->axis_title;
    return put_sized(plan, ROLE_PANEL_TITLE, panel->title, plan->panel_em, column->core, false,
                     middle, top + plan->ascent, 0.5, status) &&
           put_sized(plan, ROLE_AXIS_TITLE, panel->matrix.column_title, plan->axis_em, column->core,
                     false, middle, top + row->title + plan->ascent, 0.5, status) &&
           put_row_title(plan, &panel->matrix, row, left + plan->ascent, y, status);
}

static bool place_matrix(struct plan *plan, int r, int c, struct status *status)
{
    const struct figure_panel *panel = plan_panel(plan, r, c);
    const struct track *row = &plan->rows[r], *column = &plan->columns[c];
    struct cell_labels *labels = &plan->labels[r * plan->figure->columns + c];
    if (!panel)
        return true;
    double x = column->start + plan_track_before(column), y = row->start + plan_track_before(row);
    double free_width = column->core - panel->matrix.columns * plan->cell_width;
    struct placed_matrix *placed = &plan->layout->matrices[plan->layout->matrix_count++];
    *placed = (struct placed_matrix){
        &panel->matrix,    (int)(x + floor(free_width / 2)),           (int)y, plan->cell_width,
        plan->cell_height, scale_divisor(plan->figure, &panel->matrix)};
    return put_panel_titles(plan, panel, row, column, x, y, status) &&
           put_row_labels(plan, labels->rows, placed, status) &&
           put_column_labels(plan, labels->columns, placed, status) &&
           plan_put_values(plan, placed, status);
}

/* Bars ----------------------------------------------------------------------------------------- */

static bool put_ticks(struct plan *plan, struct placed_bar *bar, struct status *status)
{
    struct tick ticks[TICKS_MOST];
    struct scale_range range = plan->layout->ranges[bar->scale];
    double room = bar->height / (BAR_LINES / 2 * plan_line(plan));
    bar->tick_count = scale_ticks(range, (int)fmin(fmax(2, floor(room)), BAR_TICKS_MOST), ticks);
    for (int i = 0; i < bar->tick_count; i++) {
        double share = scale_position(range, ticks[i].value);
        bar->ticks[i] = bar->y + (1 - share) * bar->height;
        double x = bar->x + bar->width + plan->layout->tick_length + plan->gap;
        struct text_line line;
        if (!plan->typesetter->set(plan->typesetter->context, ticks[i].text, plan->em, INFINITY,
                                   &line, status) ||
            !plan_put(plan, ROLE_TICK, line, plan->em, false, x,
                      centred(bar->ticks[i], line.ascent, line.descent), 0, status))
            return false;
    }
    return true;
}

static bool place_bar(struct plan *plan, int scale, struct status *status)
{
    const struct bar_plan *from = &plan->bars[scale];
    if (!from->shown)
        return true;
    const struct track *column = &plan->columns[from->column];
    const struct track *first = &plan->rows[from->first_row], *last = &plan->rows[from->last_row];
    double x = column->start + plan_track_before(column) + column->core + from->offset;
    double y = first->start + plan_track_before(first);
    double end = last->start + plan_track_before(last) + last->core;
    struct placed_bar *bar = &plan->layout->bars[plan->layout->bar_count++];
    *bar = (struct placed_bar){.scale = scale, .x = (int)x, .y = (int)y, .height = (int)(end - y)};
    bar->width = (int)plan_bar_width(plan);
    double title = x + bar->width + plan->layout->tick_length + 2 * plan->gap + from->tick_width;
    return put_ticks(plan, bar, status) &&
           put_sized(plan, ROLE_BAR_TITLE, plan->figure->scales[scale].title, plan->em, bar->height,
                     true, title + plan->ascent, bar->y + bar->height / 2.0, 0.5, status);
}

/* The grid ------------------------------------------------------------------------------------- */

static void place_tracks(struct track *tracks, int count, double start, double gap)
{
    for (int i = 0; i < count; i++) {
        tracks[i].start = start;
        start += plan_track_before(&tracks[i]) + tracks[i].core + tracks[i].bars + gap;
    }
}

static bool put_grid_titles(struct plan *plan, struct status *status)
{
    const struct figure *figure = plan->figure;
    double size;
    if (figure->column_titles &&
        !find_grid_size(plan, figure->column_titles, plan->columns, figure->columns, &size, status))
        return false;
    for (int c = 0; figure->column_titles && c < figure->columns; c++) {
        const struct track *column = &plan->columns[c];
        double middle = column->start + plan_track_before(column) + column->core / 2;
        if (!put_sized(plan, ROLE_GRID_TITLE, figure->column_titles[c], size, column->core, false,
                       middle, plan->rows[0].start + plan->ascent, 0.5, status))
            return false;
    }
    if (figure->row_titles &&
        !find_grid_size(plan, figure->row_titles, plan->rows, figure->rows, &size, status))
        return false;
    for (int r = 0; figure->row_titles && r < figure->rows; r++) {
        const struct track *row = &plan->rows[r];
        double middle = row->start + plan_track_before(row) + row->core / 2;
        if (!put_sized(plan, ROLE_GRID_TITLE, figure->row_titles[r], size, row->core, true,
                       plan->columns[0].start + plan->ascent, middle, 0.5, status))
            return false;
    }
    return true;
}

bool plan_place(struct plan *plan, double x, double y, struct status *status)
{
    const struct figure *figure = plan->figure;
    place_tracks(plan->columns, figure->columns, x, plan->column_gap);
    place_tracks(plan->rows, figure->rows, y, plan->row_gap);
    if (!find_panel_sizes(plan, status))
        return false;
    for (int r = 0; r < figure->rows; r++)
        for (int c = 0; c < figure->columns; c++)
            if (!place_matrix(plan, r, c, status))
                return false;
    for (int s = 0; s < figure->scale_count; s++)
        if (!place_bar(plan, s, status))
            return false;
    return put_grid_titles(plan, status);
}
