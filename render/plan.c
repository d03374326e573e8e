#include "render/plan.h"

#include <math.h>
#include <stdlib.h>

#define BAR 1.1 // a bar's width, as a share of the font size

const struct figure_panel *plan_panel(const struct plan *plan, int row, int column)
{
    const struct figure_panel *panel = &plan->figure->panels[row * plan->figure->columns + column];
    return panel->kind == PANEL_MATRIX ? panel : NULL;
}

double plan_line(const struct plan *plan)
{
    return plan->ascent + plan->descent;
}

double plan_label_line(const struct plan *plan)
{
    return plan->label_ascent + plan->label_descent;
}

double plan_bar_width(const struct plan *plan)
{
    return ceil(BAR * plan->em);
}

bool plan_fail_page(const struct plan *plan, double width, double height, struct status *status)
{
    const struct page_limits *limits = plan->limits;
    if (isinf(limits->area))
        return status_fail(status, STATUS_INVALID,
                           "a page of %.0f x %.0f %s, expected at most %.0f a side; a given width "
                           "makes it smaller",
                           width / limits->per_unit, height / limits->per_unit, limits->unit,
                           limits->side / limits->per_unit);
    return status_fail(status, STATUS_INVALID,
                       "a page of %.0f x %.0f %s at %d dpi, expected at most %.0f a side and %.0f "
                       "million in all; a lower dpi or a given width makes it smaller",
                       width, height, limits->unit, plan->style->dpi, limits->side,
                       floor(limits->area / 1e6));
}

double plan_track_before(const struct track *track)
{
    return track->grid_title + track->title + track->axis_title + track->labels;
}

/* Few letters have descenders: a gap below these would set all other labels too far off. */
double plan_label_foot(const struct plan *plan)
{
    return fmax(plan->gap, plan->label_descent + plan->layout->line);
}

bool plan_put(struct plan *plan, enum text_role role, struct text_line line, double size,
              bool upright, double x, double y, double align, struct status *status)
{
    struct figure_layout *layout = plan->layout;
    if (!line.text)
        return true;
    if (!memory_grow((void **)&layout->texts, &layout->text_capacity, layout->text_count + 1,
                     sizeof *layout->texts, status)) {
        free(line.text);
        return false;
    }
    double height = line.ascent + line.descent;
    struct placed_text text = {
        .role = role, .line = line, .size = size, .upright = upright, .x = x, .y = y};
    if (upright) {
        double low = y + align * line.width;
        text.y = low - line.left;
        text.box = (struct box){x - line.ascent, low - line.width, height, line.width};
    } else {
        double left = x - align * line.width;
        text.x = left + line.left;
        text.box = (struct box){left, y - line.ascent, line.width, height};
    }
    layout->texts[layout->text_count++] = text;
    return true;
}

bool plan_shape(struct plan *plan, const struct placed_shape *shape, struct status *status)
{
    struct figure_layout *layout = plan->layout;
    if (!memory_grow((void **)&layout->shapes, &layout->shape_capacity, layout->shape_count + 1,
                     sizeof *layout->shapes, status))
        return false;
    layout->shapes[layout->shape_count++] = *shape;
    return true;
}
