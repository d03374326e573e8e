/* Lines and bars over points, with axes and a legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/axes.h"

/* Shares of the font size. */
#define PLOT_WIDTH 32
#define PLOT_HEIGHT 20
#define PLOT_SHAPE 0.62 // height, as a share of a given width
#define LEFT 6          // about the width of titles and numbers
#define LEAST_WIDTH 6   // least width left for the values
#define LEAST_HEIGHT 4
#define LABEL_SHARE 0.3 // share of the height for turned labels
#define LABEL_SPACE 0.6
#define MARK_ROOM 0.06 // share of the values' range for marks at the ends of bars
enum { TICKS = 7 };

static const struct rgb black = {0, 0, 0}, grid = {0xe4, 0xe4, 0xe4};

static double axis_line(const struct plan *plan)
{
    return plan->layout->line;
}

/* Values --------------------------------------------------------------------------------------- */

/* Makes as many ticks as there is room for. The range grows to whole steps, unless it is given. */
static void find_ticks(struct axes *axes, double height)
{
    struct scale_range range = axes->values;
    int most = (int)fmin(TICKS, fmax(2, floor(height / (2 * plan_line(axes->plan)))));
    axes->tick_count = scale_ticks(range, most, axes->ticks);
    if (!(axes->plot->least < axes->plot->most)) {
        double step = scale_step(range, most);
        range.least = floor(range.least / step + 1e-9) * step;
        range.most = ceil(range.most / step - 1e-9) * step;
        most = (int)lround((range.most - range.least) / step) + 1;
        axes->tick_count = scale_ticks(range, most, axes->ticks);
    }
    axes->range = range;
}

/* Axes ----------------------------------------------------------------------------------------- */

static void free_labels(struct axes *axes)
{
    for (int i = 0; axes->labels && i < axes->plot->points; i++)
        free(axes->labels[i].text);
    free(axes->labels);
    axes->labels = NULL;
}

static bool set_labels(struct axes *axes, double most, struct status *status)
{
    const struct figure_plot *plot = axes->plot;
    struct plan *plan = axes->plan;
    axes->ascent = plan->ascent;
    axes->descent = plan->descent;
    axes->widest = 0;
    free_labels(axes);
    if (!plot->labels)
        return true;
    if (!(axes->labels = memory_new((size_t)plot->points, sizeof *axes->labels, status)))
        return false;
    for (int i = 0; i < plot->points; i++) {
        struct text_line *line = &axes->labels[i];
        if (!axes_text(plan, plot->labels[i], most, line, status))
            return false;
        axes->widest = fmax(axes->widest, line->width);
        axes->ascent = fmax(axes->ascent, line->ascent);
        axes->descent = fmax(axes->descent, line->descent);
    }
    return true;
}

/* Some labels may be left out if all are numbers, or ranges of numbers. */
static bool are_numbers(const struct figure_plot *plot)
{
    for (int i = 0; i < plot->points; i++)
        if (plot->labels[i] && plot->labels[i][strspn(plot->labels[i], "0123456789-.")])
            return false;
    return true;
}

static bool has_text(const char *text)
{
    return text && *text;
}

/* Marks stand beyond the ends of bars, on either side of zero. */
static void leave_room_for_marks(struct axes *axes)
{
    double room = MARK_ROOM * (axes->values.most - axes->values.least);
    bool above = false, below = false;
    for (int i = 0; axes->plot->marks && i < axes->plot->points; i++) {
        bool marked = has_text(axes->plot->marks[i]);
        above |= marked && axes->plot->series[0].values[i] >= 0;
        below |= marked && axes->plot->series[0].values[i] < 0;
    }
    axes->values.most += above ? room : 0;
    axes->values.least -= below ? room : 0;
}

/* Reserves room for titles, numbers and ticks left of the values. */
static bool reserve_left(struct axes *axes, struct status *status)
{
    struct plan *plan = axes->plan;
    double numbers = 0, height = axes->box.height - 3 * plan_line(plan);
    axes->values = scale_plot_range(axes->plot);
    leave_room_for_marks(axes);
    for (int most = 0; most < 2; most++) { // fewer ticks may have longer numbers
        find_ticks(axes, most ? height : 0);
        for (int i = 0; i < axes->tick_count; i++) {
            struct text_line text;
            if (!axes_text(plan, axes->ticks[i].text, INFINITY, &text, status))
                return false;
            free(text.text);
            numbers = fmax(numbers, ceil(text.width));
        }
    }
    double left = numbers + plan->layout->tick_length + 2 * plan->gap + axis_line(plan);
    left += has_text(axes->plot->y_title) ? plan_line(plan) + plan->gap : 0;
    axes->box.x += left;
    axes->box.width -= left + plan->gap;
    return true;
}

static bool must_turn(const struct axes *axes)
{
    return axes->labels && !are_numbers(axes->plot) &&
           axes->widest + LABEL_SPACE * axes->plan->em > axes_point_width(axes);
}

/* On a page of given height, labels that would be too long if turned are cut. They are turned or
 * level, whichever keeps more of them. */
static bool place_labels(struct axes *axes, struct status *status)
{
    const struct plan *plan = axes->plan;
    const double turned = LABEL_SHARE * axes->box.height;
    const double level = axes_point_width(axes) - LABEL_SPACE * plan->em;
    if (!set_labels(axes, LABEL_WIDTH * plan->em, status))
        return false;
    axes->upright = must_turn(axes);
    if (!axes->upright || plan->style->height_mm <= 0 || axes->widest <= turned)
        return true;
    axes->upright = level < turned;
    return set_labels(axes, fmax(level, turned), status);
}

/* Reserves room for ticks, labels and their title below the values, and for half of the highest
 * number above them. */
static bool reserve_below(struct axes *axes, struct status *status)
{
    struct plan *plan = axes->plan;
    double low = axis_line(plan) + plan->layout->tick_length;
    if (!place_labels(axes, status))
        return false;
    if (axes->labels)
        low += plan->gap + (axes->upright ? axes->widest : axes->ascent + axes->descent);
    low += has_text(axes->plot->x_title) ? plan_line(plan) + plan->gap : 0;
    low += has_text(axes->plot->note) ? plan_line(plan) : 0;
    double top = plan_line(plan) / 2;
    axes->box.y += top;
    axes->box.height -= top + ceil(low);
    find_ticks(axes, axes->box.height);
    return true;
}

static bool put_ticks(struct axes *axes, struct status *status)
{
    struct plan *plan = axes->plan;
    double line = axis_line(plan), left = axes->box.x, right = left + axes->box.width;
    for (int i = 0; i < axes->tick_count; i++) {
        double y = round(axes_y(axes, axes->ticks[i].value));
        double end = left - line - plan->layout->tick_length;
        struct text_line text;
        if (!axes_shape(plan, SHAPE_BOX, grid, 0, left, y - line / 2, right, y + line / 2,
                        status) ||
            !axes_shape(plan, SHAPE_BOX, black, 0, end, y - line / 2, left, y + line / 2, status) ||
            !axes_text(plan, axes->ticks[i].text, INFINITY, &text, status))
            return false;
        double baseline = y + (text.ascent - text.descent) / 2;
        if (!plan_put(plan, ROLE_TICK, text, plan->em, false, end - plan->gap, baseline, 1, status))
            return false;
    }
    return true;
}

/* True if the labels count the points from 1. */
static bool are_counted(const struct figure_plot *plot)
{
    for (int i = 0; i < plot->points; i++) {
        char number[20];
        snprintf(number, sizeof number, "%d", i + 1);
        if (!plot->labels[i] || strcmp(plot->labels[i], number) != 0)
            return false;
    }
    return true;
}

/* Returns the number of points from one label to the next. *first: the first point with a label.
 * Counts get labels at round numbers. */
static int label_step(const struct axes *axes, int *first)
{
    static const int steps[] = {1, 2, 5};
    double needs =
        axes->upright ? axes->ascent + axes->descent : axes->widest + LABEL_SPACE * axes->plan->em;
    int least = (int)fmax(1, ceil(needs / axes_point_width(axes) - 1e-9)), step = least;
    *first = 0;
    if (least == 1 || !are_counted(axes->plot))
        return step;
    for (int i = 0, power = 1; (step = steps[i] * power) < least;)
        if (++i == 3) {
            i = 0;
            power *= 10;
        }
    *first = step - 1;
    return step;
}

static bool put_labels(struct axes *axes, double y, struct status *status)
{
    struct plan *plan = axes->plan;
    int first = 0, step = axes->labels ? label_step(axes, &first) : 1;
    for (int i = first; axes->labels && i < axes->plot->points; i += step) {
        struct text_line line = axes->labels[i];
        double x = axes_x(axes, i), page = plan->layout->width - plan->padding / 2;
        axes->labels[i].text = NULL;
        x = axes->upright ? x + (axes->ascent - axes->descent) / 2
                          : fmin(x, page - line.width / 2); // the last one may be too wide
        if (!(axes->upright
                  ? plan_put(plan, ROLE_COLUMN_LABEL, line, plan->em, true, x, y, 1, status)
                  : plan_put(plan, ROLE_COLUMN_LABEL, line, plan->em, false, x, y + axes->ascent,
                             0.5, status)))
            return false;
    }
    return true;
}

static bool put_titles(struct axes *axes, double left, double bottom, struct status *status)
{
    struct plan *plan = axes->plan;
    const struct box *box = &axes->box;
    struct text_line line;
    double middle = box->x + box->width / 2, page = plan->layout->width - 2 * plan->padding;
    if (has_text(axes->plot->note)) {
        if (!axes_text(plan, axes->plot->note, page, &line, status))
            return false;
        double x = fmin(middle, plan->layout->width - plan->padding - line.width / 2);
        if (!plan_put(plan, ROLE_NOTE, line, plan->em, false, x, bottom - plan->descent, 0.5,
                      status))
            return false;
        bottom -= plan_line(plan);
    }
    return axes_text(plan, axes->plot->y_title, box->height, &line, status) &&
           plan_put(plan, ROLE_AXIS_TITLE, line, plan->em, true, left + plan->ascent,
                    box->y + box->height / 2, 0.5, status) &&
           axes_text(plan, axes->plot->x_title, box->width, &line, status) &&
           plan_put(plan, ROLE_AXIS_TITLE, line, plan->em, false, middle, bottom - plan->descent,
                    0.5, status);
}

/* Draws the axes below and left of the values, and one at zero if values have both signs. They are
 * drawn over the values, as bars stand on an axis. */
static bool put_axes(struct axes *axes, struct status *status)
{
    const struct box *box = &axes->box;
    struct plan *plan = axes->plan;
    double line = axis_line(plan), end = box->y + box->height, zero = round(axes_y(axes, 0));
    bool crossed = axes->range.least < 0 && axes->range.most > 0;
    return axes_shape(plan, SHAPE_BOX, black, 0, box->x - line, box->y, box->x, end + line,
                      status) &&
           axes_shape(plan, SHAPE_BOX, black, 0, box->x - line, end, box->x + box->width,
                      end + line, status) &&
           (!crossed || axes_shape(plan, SHAPE_BOX, black, 0, box->x, zero - line / 2,
                                   box->x + box->width, zero + line / 2, status));
}

/* All ------------------------------------------------------------------------------------------ */

/* Turned labels make the page higher. */
bool plan_plot_size(struct plan *plan, double *width, double *height, struct status *status)
{
    struct axes axes = {.plan = plan, .plot = &plan->figure->panels->plot};
    double given = plan->style->width_mm / 25.4 * plan->style->dpi;
    *width = PLOT_WIDTH * plan->em;
    *height = PLOT_HEIGHT * plan->em;
    if (given > 0)
        *height = fmin(1.3 * *height, PLOT_SHAPE * given);
    *height += has_text(axes.plot->note) ? plan_line(plan) : 0;
    axes.box.width = (given > 0 ? given : *width) - LEFT * plan->em;
    bool ok = set_labels(&axes, LABEL_WIDTH * plan->em, status);
    if (ok && must_turn(&axes))
        *height += axes.widest - plan_line(plan);
    free_labels(&axes);
    return ok;
}

static bool check_room(const struct axes *axes, struct status *status)
{
    const struct plan *plan = axes->plan;
    double width = axes->box.width / plan->em, height = axes->box.height / plan->em;
    if (width >= LEAST_WIDTH && height >= LEAST_HEIGHT)
        return true;
    double mm = 25.4 / plan->style->dpi;
    return status_fail(
        status, STATUS_INVALID,
        "a page of %.0f x %.0f mm, expected at least %.0f x %.0f mm for axes, labels "
        "and legend at %g pt",
        plan->layout->width * mm, plan->layout->height * mm,
        ceil((plan->layout->width + fmax(0, LEAST_WIDTH - width) * plan->em) * mm),
        ceil((plan->layout->height + fmax(0, LEAST_HEIGHT - height) * plan->em) * mm),
        plan->style->font_pt);
}

static bool fill_axes(struct axes *axes, struct status *status)
{
    struct plan *plan = axes->plan;
    double left = axes->box.x, bottom = axes->box.y + axes->box.height;
    if (!reserve_left(axes, status) || !axes_legend(axes, status) || !reserve_below(axes, status) ||
        !check_room(axes, status))
        return false;
    struct box *box = &axes->box;
    double labels = box->y + box->height + axis_line(plan) + plan->layout->tick_length + plan->gap;
    plan->layout->axes = *box;
    plan->layout->axis = axes->range;
    return put_ticks(axes, status) && axes_series(axes, status) && put_axes(axes, status) &&
           put_labels(axes, labels, status) && put_titles(axes, left, bottom, status);
}

bool plan_plot(struct plan *plan, struct box box, struct status *status)
{
    const struct figure_panel *panel = plan->figure->panels;
    struct axes axes = {
        .plan = plan, .plot = &panel->plot, .bars = panel->kind == PANEL_BARS, .box = box};
    axes.box.x = round(box.x);
    axes.box.width = floor(box.width);
    bool ok = fill_axes(&axes, status);
    free_labels(&axes);
    return ok;
}
