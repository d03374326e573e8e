/* Numbers in cells. */
#include <math.h>
#include <stdlib.h>

#include "render/plan.h"

/* Shares of the font size; of the cell's width. */
#define VALUE_SIZE 0.85
#define SMALLEST 0.5
#define VALUE_ROOM 0.88

enum { VALUES_MOST = 20000 }; // more take too long to set and nobody reads them

static bool set_value(const struct plan *plan, const struct figure_matrix *matrix, size_t cell,
                      double size, struct text_line *line, struct status *status)
{
    char text[40];
    scale_write(matrix->values[cell], scale_decimals(plan->layout->ranges[matrix->scale]), text,
                sizeof text);
    return plan->typesetter->set(plan->typesetter->context, text, size, INFINITY, line, status);
}

static bool measure_matrix(struct plan *plan, const struct figure_matrix *matrix,
                           struct status *status)
{
    for (size_t i = 0; i < (size_t)matrix->rows * matrix->columns; i++) {
        struct text_line line;
        if (isnan(matrix->values[i]))
            continue;
        if (!set_value(plan, matrix, i, plan->em, &line, status))
            return false;
        free(line.text);
        plan->value_width = fmax(plan->value_width, line.width);
    }
    return true;
}

bool plan_values(struct plan *plan, struct status *status)
{
    double cells = 0;
    if (!plan->style->values)
        return true;
    for (int i = 0; i < plan->figure->rows * plan->figure->columns; i++)
        if (plan->figure->panels[i].kind == PANEL_MATRIX)
            cells += (double)plan->figure->panels[i].matrix.rows *
                     plan->figure->panels[i].matrix.columns;
    if (cells > VALUES_MOST)
        return status_fail(status, STATUS_INVALID,
                           "numbers in %.0f cells, expected at most %d cells with numbers", cells,
                           VALUES_MOST);
    for (int i = 0; i < plan->figure->rows * plan->figure->columns; i++)
        if (plan->figure->panels[i].kind == PANEL_MATRIX &&
            !measure_matrix(plan, &plan->figure->panels[i].matrix, status))
            return false;
    plan->value_em = VALUE_SIZE * plan->em;
    return true;
}

double plan_value_side(const struct plan *plan)
{
    return plan->style->values ? ceil(VALUE_SIZE * plan->value_width / VALUE_ROOM) : 0;
}

bool plan_fit_values(struct plan *plan, struct status *status)
{
    double line = (plan->typesetter->ascent + plan->typesetter->descent) * plan->em;
    if (!plan->style->values || plan->value_width <= 0)
        return true;
    double fits = fmin(VALUE_ROOM * plan->cell_width / plan->value_width, plan->cell_height / line);
    if (fits < SMALLEST) {
        double mm = 25.4 / plan->style->dpi;
        return status_fail(status, STATUS_INVALID,
                           "cells of %.2f x %.2f mm, expected at least %.2f x %.2f mm for the "
                           "numbers in them at %g pt; a wider or higher figure or a smaller font "
                           "makes room",
                           plan->cell_width * mm, plan->cell_height * mm,
                           SMALLEST * plan->value_width / VALUE_ROOM * mm, SMALLEST * line * mm,
                           SMALLEST * plan->style->font_pt);
    }
    plan->value_em = fmin(VALUE_SIZE, fits) * plan->em;
    return true;
}

/* Returns the relative luminance of WCAG 2.1. */
static double luminance(struct rgb colour)
{
    const double weights[] = {0.2126, 0.7152, 0.0722};
    const uint8_t parts[] = {colour.red, colour.green, colour.blue};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double part = parts[i] / 255.0;
        sum += weights[i] * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

/* True if white has more contrast with the colour than black: (1 + 0.05) / (l + 0.05) > (l + 0.05)
 * / 0.05. */
static bool is_dark(struct rgb colour)
{
    double lifted = luminance(colour) + 0.05;
    return lifted * lifted < 1.05 * 0.05;
}

static bool put_value(struct plan *plan, const struct placed_matrix *placed, int row, int column,
                      const struct row_colours *colours, struct status *status)
{
    const struct figure_matrix *matrix = placed->matrix;
    size_t index = (size_t)row * matrix->columns + column;
    struct box cell = layout_cell(placed, row, column);
    struct text_line line;
    double value = matrix->values[index];
    if (isnan(value))
        return true;
    if (!set_value(plan, matrix, index, plan->value_em, &line, status))
        return false;
    double baseline = cell.y + (cell.height + line.ascent - line.descent) / 2;
    if (!plan_put(plan, ROLE_VALUE, line, plan->value_em, false, cell.x + cell.width / 2, baseline,
                  0.5, status))
        return false;
    struct figure_layout *layout = plan->layout;
    layout->texts[layout->text_count - 1].light = is_dark(row_colour(colours, value));
    return true;
}

bool plan_put_values(struct plan *plan, const struct placed_matrix *placed, struct status *status)
{
    for (int r = 0; plan->style->values && r < placed->matrix->rows; r++) {
        struct row_colours colours = layout_row_colours(plan->figure, plan->layout, placed, r);
        for (int c = 0; c < placed->matrix->columns; c++)
            if (!put_value(plan, placed, r, c, &colours, status))
                return false;
    }
    return true;
}
