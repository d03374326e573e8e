/* The content of a plot between its axes: bars, lines, their mean; and the legend that names
 * them. */
#include <math.h>
#include <string.h>

#include "render/axes.h"

/* Shares of the font size. */
#define SWATCH 1.6
#define LINE_SWATCH 3 // long enough to show dashes
#define LEGEND_GAP 1.4
#define BAR_SHARE 0.72 // share of a point's room
enum {
    MARKED_MOST = 40, // up to so many points, each has a marker
    MARKERS = 12,     // markers on a longer line if there are several lines
    TICKS = 7
};

static const struct rgb grey = {0x80, 0x80, 0x80};

bool axes_text(const struct plan *plan, const char *text, double most, struct text_line *line,
               struct status *status)
{
    return plan->typesetter->set(plan->typesetter->context, text, plan->em, most, line, status);
}

bool axes_shape(struct plan *plan, enum shape_kind kind, struct rgb colour, double width, double x0,
                double y0, double x1, double y1, struct status *status)
{
    struct placed_shape shape = {
        .kind = kind, .colour = colour, .width = width, .x = {x0, x1}, .y = {y0, y1}};
    return plan_shape(plan, &shape, status);
}

/* Returns the number of points from one marker to the next; 0: no markers. */
static int marker_step(const struct figure_plot *plot)
{
    if (plot->points <= MARKED_MOST)
        return 1;
    return plot->series_count > 1 ? (plot->points + MARKERS - 1) / MARKERS : 0;
}

/* Legend --------------------------------------------------------------------------------------- */

static int entry_count(const struct figure_plot *plot)
{
    int count = plot->series_count + plot->has_mean;
    return count > 1 ? count : 0;
}

static const char *entry_name(const struct figure_plot *plot, int i)
{
    if (i == plot->series_count)
        return plot->mean_name ? plot->mean_name : "mean";
    const char *name = plot->series[i].name;
    return name && *name ? name : "values";
}

/* Draws the sample of a legend's entry: a line with its marker, a bar, or a line for the mean. */
static bool put_sample(struct axes *axes, int i, double x, double middle, struct status *status)
{
    struct plan *plan = axes->plan;
    double half = 0.32 * plan->em, end = x + axes->swatch, phase = 0;
    if (i == axes->plot->series_count)
        return axes_shape(plan, SHAPE_LINE, grey, plan_stroke_width(plan), x, middle, end, middle,
                          status);
    const struct figure_series *series = &axes->plot->series[i];
    if (axes->bars)
        return axes_shape(plan, SHAPE_BOX, series->colour, 0, x, middle - half, end, middle + half,
                          status);
    return plan_stroke(plan, series, (double[]){x, end}, (double[]){middle, middle}, &phase,
                       status) &&
           (!marker_step(axes->plot) || plan_marker(plan, series, (x + end) / 2, middle, status));
}

static bool put_entry(struct axes *axes, int i, struct text_line *line, double x, double y,
                      struct status *status)
{
    struct plan *plan = axes->plan;
    struct text_line taken = *line;
    line->text = NULL;
    return put_sample(axes, i, x, y + plan_line(plan) / 2, status) &&
           plan_put(plan, ROLE_LEGEND, taken, plan->em, false, x + axes->swatch + plan->gap,
                    y + plan->ascent, 0, status);
}

bool axes_legend(struct axes *axes, struct status *status)
{
    struct plan *plan = axes->plan;
    axes->swatch = (axes->bars || axes->plot->series_count == 1 ? SWATCH : LINE_SWATCH) * plan->em;
    double swatch = axes->swatch + plan->gap, right = axes->box.x + axes->box.width;
    double x = axes->box.x, y = axes->box.y;
    int count = entry_count(axes->plot);
    for (int i = 0; i < count; i++) {
        struct text_line line;
        if (!axes_text(plan, entry_name(axes->plot, i), axes->box.width - swatch, &line, status))
            return false;
        if (x > axes->box.x && x + swatch + line.width > right) {
            x = axes->box.x;
            y += plan_line(plan);
        }
        double width = line.width;
        if (!put_entry(axes, i, &line, x, y, status))
            return false;
        x += swatch + width + LEGEND_GAP * plan->em;
    }
    if (count) {
        y += plan_line(plan) + plan->gap;
        axes->box.height -= y - axes->box.y;
        axes->box.y = y;
    }
    return true;
}

/* Series --------------------------------------------------------------------------------------- */

static bool put_bars(struct axes *axes, struct status *status)
{
    const struct figure_plot *plot = axes->plot;
    double width = BAR_SHARE * axes_point_width(axes) / plot->series_count;
    double zero = axes_y(axes, fmin(fmax(0, axes->range.least), axes->range.most));
    for (int s = 0; s < plot->series_count; s++)
        for (int i = 0; i < plot->points; i++) {
            double value = plot->series[s].values[i];
            double x = axes_x(axes, i) + (s - plot->series_count / 2.0) * width;
            double y = axes_y(axes, value);
            if (isfinite(value) && !axes_shape(axes->plan, SHAPE_BOX, plot->series[s].colour, 0, x,
                                               fmin(y, zero), x + width, fmax(y, zero), status))
                return false;
        }
    return true;
}

/* Puts a mark beyond the end of a bar, as far as the axes reach. */
static bool put_mark(struct axes *axes, int point, struct status *status)
{
    struct plan *plan = axes->plan;
    double value = axes->plot->series[0].values[point], end = axes_y(axes, value);
    struct text_line line;
    if (!isfinite(value))
        return true;
    if (!axes_text(plan, axes->plot->marks[point], INFINITY, &line, status))
        return false;
    double height = line.ascent + line.descent, top = value < 0 ? end : end - height;
    top = fmin(fmax(top, axes->box.y), axes->box.y + axes->box.height - height);
    return plan_put(plan, ROLE_NOTE, line, plan->em, false, axes_x(axes, point), top + line.ascent,
                    0.5, status);
}

static bool put_marks(struct axes *axes, struct status *status)
{
    const char *const *marks = axes->plot->marks;
    for (int i = 0; marks && i < axes->plot->points; i++)
        if (marks[i] && *marks[i] && !put_mark(axes, i, status))
            return false;
    return true;
}

static bool put_strokes(struct axes *axes, const struct figure_series *series,
                        struct status *status)
{
    const float *values = series->values;
    double phase = 0;
    for (int i = 1; i < axes->plot->points; i++)
        if (isfinite(values[i - 1]) && isfinite(values[i]) &&
            !plan_stroke(axes->plan, series, (double[]){axes_x(axes, i - 1), axes_x(axes, i)},
                         (double[]){axes_y(axes, values[i - 1]), axes_y(axes, values[i])}, &phase,
                         status))
            return false;
    return true;
}

/* A value without neighbours has no line: only its marker shows it. */
static bool put_markers(struct axes *axes, const struct figure_series *series,
                        struct status *status)
{
    const float *values = series->values;
    int points = axes->plot->points, step = marker_step(axes->plot);
    for (int i = 0; i < points; i++) {
        bool alone =
            (i == 0 || !isfinite(values[i - 1])) && (i + 1 == points || !isfinite(values[i + 1]));
        bool marked = alone || (step && i % step == step / 2);
        if (marked && isfinite(values[i]) &&
            !plan_marker(axes->plan, series, axes_x(axes, i), axes_y(axes, values[i]), status))
            return false;
    }
    return true;
}

static bool put_lines(struct axes *axes, struct status *status)
{
    const struct figure_plot *plot = axes->plot;
    for (int s = 0; s < plot->series_count; s++)
        if (!put_strokes(axes, &plot->series[s], status) ||
            !put_markers(axes, &plot->series[s], status))
            return false;
    return true;
}

static bool put_mean(struct axes *axes, struct status *status)
{
    double y = axes_y(axes, axes->plot->mean), half = plan_stroke_width(axes->plan) / 2;
    return !axes->plot->has_mean ||
           axes_shape(axes->plan, SHAPE_BOX, grey, 0, axes->box.x, y - half,
                      axes->box.x + axes->box.width, y + half, status);
}

bool axes_series(struct axes *axes, struct status *status)
{
    return axes->bars ? put_bars(axes, status) && put_mean(axes, status) && put_marks(axes, status)
                      : put_mean(axes, status) && put_lines(axes, status);
}
