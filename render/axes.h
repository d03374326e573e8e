/* A plot during layout. Private to layout_plot.c, which places the axes, and layout_series.c, which
 * fills the area between them. Functions with a status fail as figure_write does. */
#ifndef ATTNSCOPE_AXES_H
#define ATTNSCOPE_AXES_H

#include <math.h>

#include "render/plan.h"

struct axes {
    struct plan *plan;
    const struct figure_plot *plot;
    bool bars;
    struct box box;                   // the rest of the page; finally the area of the values
    struct scale_range values, range; // required by the values; shown by the axis
    struct tick ticks[TICKS_MOST];
    int tick_count;
    struct text_line *labels;       // (points), or NULL
    double widest, ascent, descent; // of the labels
    double swatch;                  // width of the legend's samples
    bool upright;
};

/* The positions of a value and of a point, and the width available to a point. Valid once the box
 * and the range are known. */
static inline double axes_y(const struct axes *axes, double value)
{
    double share = fmin(fmax(scale_position(axes->range, value), 0), 1);
    return axes->box.y + axes->box.height * (1 - share);
}

static inline double axes_point_width(const struct axes *axes)
{
    return axes->box.width / axes->plot->points;
}

static inline double axes_x(const struct axes *axes, int point)
{
    return axes->box.x + (point + 0.5) * axes_point_width(axes);
}

/* Sets a text at the plan's size, at most `most` wide. */
bool axes_text(const struct plan *plan, const char *text, double most, struct text_line *line,
               struct status *status);
/* Appends a box or a line between two points. */
bool axes_shape(struct plan *plan, enum shape_kind kind, struct rgb colour, double width, double x0,
                double y0, double x1, double y1, struct status *status);

/* Appends the legend at the top of the box, from left to right, in as many lines as needed, and
 * shrinks the box. */
bool axes_legend(struct axes *axes, struct status *status);
/* Appends bars or lines, and the mean. */
bool axes_series(struct axes *axes, struct status *status);

#endif
