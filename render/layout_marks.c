/* Strokes and markers that tell series apart where their colours do not: on grey paper, to
 * colour-blind readers. */
#include <math.h>

#include "render/plan.h"

/* Shares of the font size. */
#define STROKE 0.16
#define DOT 0.5
#define SQUARE 0.22   // half a side
#define TRIANGLE 0.32 // from the middle to a corner
#define DIAMOND 0.33
#define HOLE 0.26 // of a ring

static const struct rgb white = {255, 255, 255};

/* Lengths of dashes and gaps in turn, in stroke widths; round ends make a dash one width longer.
 * The first pattern is a solid line. */
static const struct {
    int count;
    double lengths[DASHES_MOST];
} dashes[FIGURE_COLOURS] = {
    {0, {0}},      {2, {4, 3}},
    {2, {0, 2.5}}, {4, {5, 2.5, 0, 2.5}},
    {2, {9, 3}},   {6, {5, 2.5, 0, 2.5, 0, 2.5}},
};

double plan_stroke_width(const struct plan *plan)
{
    return STROKE * plan->em;
}

bool plan_stroke(struct plan *plan, const struct figure_series *series, const double x[2],
                 const double y[2], double *phase, struct status *status)
{
    double width = plan_stroke_width(plan);
    struct placed_shape shape = {.kind = SHAPE_LINE,
                                 .colour = series->colour,
                                 .width = width,
                                 .x = {x[0], x[1]},
                                 .y = {y[0], y[1]},
                                 .dash_count = dashes[series->pattern].count,
                                 .phase = *phase};
    for (int i = 0; i < shape.dash_count; i++)
        shape.dashes[i] = dashes[series->pattern].lengths[i] * width;
    *phase += hypot(x[1] - x[0], y[1] - y[0]);
    return plan_shape(plan, &shape, status);
}

static bool put_dot(struct plan *plan, struct rgb colour, double size, double x, double y,
                    struct status *status)
{
    struct placed_shape dot = {
        .kind = SHAPE_DOT, .colour = colour, .width = size * plan->em, .x = {x}, .y = {y}};
    return plan_shape(plan, &dot, status);
}

/* Puts corners given as steps from the middle; downwards is positive. */
static bool put_corners(struct plan *plan, struct rgb colour, const double right[4],
                        const double down[4], double x, double y, struct status *status)
{
    struct placed_shape shape = {.kind = SHAPE_CORNERS, .colour = colour};
    for (int i = 0; i < 4; i++) {
        shape.x[i] = x + right[i] * plan->em;
        shape.y[i] = y + down[i] * plan->em;
    }
    return plan_shape(plan, &shape, status);
}

bool plan_marker(struct plan *plan, const struct figure_series *series, double x, double y,
                 struct status *status)
{
    const double wide = TRIANGLE * sqrt(3) / 2, low = TRIANGLE / 2;
    struct rgb colour = series->colour;
    switch (series->pattern) {
    case 1:
        return put_corners(plan, colour, (double[4]){-SQUARE, SQUARE, SQUARE, -SQUARE},
                           (double[4]){-SQUARE, -SQUARE, SQUARE, SQUARE}, x, y, status);
    case 2:
        return put_corners(plan, colour, (double[4]){-wide, 0, wide, wide},
                           (double[4]){low, -TRIANGLE, low, low}, x, y, status);
    case 3:
        return put_corners(plan, colour, (double[4]){-DIAMOND, 0, DIAMOND, 0},
                           (double[4]){0, -DIAMOND, 0, DIAMOND}, x, y, status);
    case 4:
        return put_corners(plan, colour, (double[4]){-wide, 0, wide, wide},
                           (double[4]){-low, TRIANGLE, -low, -low}, x, y, status);
    case 5:
        return put_dot(plan, colour, DOT, x, y, status) && put_dot(plan, white, HOLE, x, y, status);
    default:
        return put_dot(plan, colour, DOT, x, y, status);
    }
}
