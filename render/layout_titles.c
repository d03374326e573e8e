/* Measures how much room titles and bars take beside and around the cells. */
#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "render/plan.h"

/* In units of the font size: titles make panels larger up to this. */
#define TITLE_ROOM 16

/* Widens *room to a text, and the plan's line height to it. */
static bool measure_title(struct plan *plan, const char *text, double most, double *room,
                          struct status *status)
{
    struct text_line line;
    if (!plan->typesetter->set(plan->typesetter->context, text, plan->em, INFINITY, &line, status))
        return false;
    free(line.text);
    plan->ascent = fmax(plan->ascent, line.ascent);
    plan->descent = fmax(plan->descent, line.descent);
    *room = fmax(*room, ceil(fmin(line.width, most * plan->em)));
    return true;
}

static bool has_text(const char *text)
{
    return text && *text;
}

/* Measures widths first: heights of lines are known only after all are measured. */
static bool measure_panel_titles(struct plan *plan, struct status *status)
{
    for (int r = 0; r < plan->figure->rows; r++)
        for (int c = 0; c < plan->figure->columns; c++) {
            const struct figure_panel *panel = plan_panel(plan, r, c);
            struct track *row = &plan->rows[r], *column = &plan->columns[c];
            if (!panel)
                continue;
            if (!measure_title(plan, panel->title, TITLE_ROOM, &column->core, status) ||
                !measure_title(plan, panel->matrix.column_title, TITLE_ROOM, &column->core,
                               status) ||
                !measure_title(plan, panel->matrix.row_title, TITLE_ROOM, &row->core, status))
                return false;
        }
    return true;
}

static bool measure_grid_titles(struct plan *plan, struct status *status)
{
    const struct figure *figure = plan->figure;
    double unused = 0;
    for (int c = 0; figure->column_titles && c < figure->columns; c++)
        if (!measure_title(plan, figure->column_titles[c], TITLE_ROOM, &plan->columns[c].core,
                           status))
            return false;
    for (int r = 0; figure->row_titles && r < figure->rows; r++)
        if (!measure_title(plan, figure->row_titles[r], TITLE_ROOM, &plan->rows[r].core, status))
            return false;
    return measure_title(plan, figure->title, TITLE_ROOM, &unused, status);
}

/* Scales --------------------------------------------------------------------------------------- */

static void find_place(const struct plan *plan, int scale, struct bar_plan *bar)
{
    const struct figure *figure = plan->figure;
    for (int r = 0; r < figure->rows; r++)
        for (int c = 0; c < figure->columns; c++) {
            const struct figure_panel *panel = plan_panel(plan, r, c);
            if (!panel || panel->matrix.scale != scale || figure->scales[scale].no_bar)
                continue;
            bar->first_row = bar->shown ? bar->first_row : r;
            bar->last_row = r;
            bar->column = bar->shown ? int_max(c, bar->column) : c;
            bar->shown = true;
        }
}

/* Measures the widest of the numbers that the bar may show at any height. */
static bool measure_ticks(struct plan *plan, struct scale_range range, struct bar_plan *bar,
                          struct status *status)
{
    struct tick ticks[TICKS_MOST];
    for (int most = 2; most <= BAR_TICKS_MOST; most++) {
        int count = scale_ticks(range, most, ticks);
        for (int i = 0; i < count; i++)
            if (!measure_title(plan, ticks[i].text, TITLE_ROOM, &bar->tick_width, status))
                return false;
    }
    return true;
}

static bool measure_scales(struct plan *plan, struct status *status)
{
    double unused = 0;
    for (int s = 0; s < plan->figure->scale_count; s++) {
        struct bar_plan *bar = &plan->bars[s];
        plan->layout->ranges[s] = scale_find_range(plan->figure, s);
        find_place(plan, s, bar);
        if (bar->shown &&
            (!measure_ticks(plan, plan->layout->ranges[s], bar, status) ||
             !measure_title(plan, plan->figure->scales[s].title, TITLE_ROOM, &unused, status)))
            return false;
    }
    return true;
}

/* Both ----------------------------------------------------------------------------------------- */

static void reserve_lines(struct plan *plan)
{
    double line = ceil(plan_line(plan)) + plan->gap;
    for (int r = 0; r < plan->figure->rows; r++)
        for (int c = 0; c < plan->figure->columns; c++) {
            const struct figure_panel *panel = plan_panel(plan, r, c);
            struct track *row = &plan->rows[r], *column = &plan->columns[c];
            if (!panel)
                continue;
            const struct figure_matrix *matrix = &panel->matrix;
            row->cells = int_max(matrix->rows, row->cells);
            column->cells = int_max(matrix->columns, column->cells);
            row->title = has_text(panel->title) ? line : row->title;
            row->axis_title = has_text(matrix->column_title) ? line : row->axis_title;
            column->axis_title = has_text(matrix->row_title) ? line : column->axis_title;
        }
    if (plan->figure->column_titles)
        plan->rows[0].grid_title = line;
    if (plan->figure->row_titles)
        plan->columns[0].grid_title = line;
}

bool plan_titles(struct plan *plan, struct status *status)
{
    if (!measure_panel_titles(plan, status) || !measure_grid_titles(plan, status) ||
        !measure_scales(plan, status))
        return false;
    reserve_lines(plan);
    return true;
}

/* Bars ----------------------------------------------------------------------------------------- */

/* Each cell takes at least a pixel. */
static double least_core(const struct track *track)
{
    return fmax(track->core, track->cells);
}

/* A bar must hold its title and two ticks: its last row grows if it does not. */
static bool make_room(struct plan *plan, const char *title, struct bar_plan *bar,
                      struct status *status)
{
    double least = ceil(BAR_LINES * plan_line(plan)), height = 0;
    if (!measure_title(plan, title, TITLE_ROOM, &least, status))
        return false;
    for (int r = bar->first_row; r <= bar->last_row; r++)
        height += least_core(&plan->rows[r]);
    struct track *last = &plan->rows[bar->last_row];
    if (height < least)
        last->core = least_core(last) + least - height;
    return true;
}

/* Returns where the earlier bars beside the same rows end. */
static double end_before(const struct plan *plan, int scale)
{
    const struct bar_plan *bar = &plan->bars[scale];
    double end = 0;
    for (int s = 0; s < scale; s++) {
        const struct bar_plan *other = &plan->bars[s];
        bool beside = bar->first_row <= other->last_row && other->first_row <= bar->last_row;
        if (other->shown && other->column == bar->column && beside)
            end = fmax(end, other->end);
    }
    return end;
}

bool plan_bars(struct plan *plan, struct status *status)
{
    for (int s = 0; s < plan->figure->scale_count; s++) {
        const struct figure_scale *scale = &plan->figure->scales[s];
        struct bar_plan *bar = &plan->bars[s];
        if (!bar->shown)
            continue;
        if (!make_room(plan, scale->title, bar, status))
            return false;
        struct track *column = &plan->columns[bar->column];
        bar->offset = end_before(plan, s) + 2 * plan->gap;
        bar->end = bar->offset + plan_bar_width(plan) + plan->layout->tick_length + plan->gap +
                   bar->tick_width;
        if (has_text(scale->title))
            bar->end += plan->gap + ceil(plan_line(plan));
        // Its title is not to look like one of the next panel's rows.
        if (bar->column + 1 < plan->figure->columns)
            bar->end += plan->column_gap;
        column->bars = fmax(column->bars, bar->end);
    }
    return true;
}
