/* Tables as they are printed: a rule above and below, one under the headings, no lines between
 * columns. */
#include <math.h>
#include <stdlib.h>

#include "render/plan.h"

/* Shares of the font size. */
#define COLUMN_GAP 1.6
#define ROW_LEADING 0.35 // between lines
#define RULE 0.09        // above and below the table; half of it under the headings
#define CELL_WIDTH 30    // longer texts are cut
#define TITLE_ROOM 20    // a narrow table's page leaves this for the title

/* The table's texts, set, and the widths of its columns. */
struct table_plan {
    struct plan *plan;
    const struct figure_table *table;
    struct text_line *lines; // (rows + 1, columns), headings first
    double *widths;          // (columns)
};

static const struct rgb black = {0, 0, 0};

static double row_height(const struct plan *plan)
{
    return plan_line(plan) + ROW_LEADING * plan->em;
}

static double rules_height(const struct plan *plan)
{
    return 3 * ROW_LEADING * plan->em;
}

static void close_table(struct table_plan *own)
{
    for (int i = 0; own->lines && i < (own->table->rows + 1) * own->table->columns; i++)
        free(own->lines[i].text);
    free(own->lines);
    free(own->widths);
}

/* Sets the texts, each column at most `most` wide. */
static bool set_texts(struct table_plan *own, double most, struct status *status)
{
    const struct figure_table *table = own->table;
    const struct plan *plan = own->plan;
    size_t columns = (size_t)table->columns, count = ((size_t)table->rows + 1) * columns;
    own->lines = memory_new(count, sizeof *own->lines, status);
    own->widths = memory_new(columns, sizeof *own->widths, status);
    if (!own->lines || !own->widths)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *text = i < columns ? table->headings[i] : table->cells[i - columns];
        if (!plan->typesetter->set(plan->typesetter->context, text, plan->em, most, &own->lines[i],
                                   status))
            return false;
        double *width = &own->widths[i % columns];
        *width = fmax(*width, ceil(own->lines[i].width));
    }
    return true;
}

static double table_width(const struct table_plan *own)
{
    double width = COLUMN_GAP * own->plan->em * own->table->columns;
    for (int c = 0; c < own->table->columns; c++)
        width += own->widths[c];
    return width;
}

bool plan_table_size(struct plan *plan, double *width, double *height, struct status *status)
{
    struct table_plan own = {.plan = plan, .table = &plan->figure->panels->table};
    bool ok = set_texts(&own, CELL_WIDTH * plan->em, status);
    if (ok)
        *width = fmax(TITLE_ROOM * plan->em, ceil(table_width(&own)));
    *height = (own.table->rows + 1) * row_height(plan) + rules_height(plan);
    close_table(&own);
    return ok;
}

/* Placing -------------------------------------------------------------------------------------- */

static bool put_rule(struct plan *plan, struct box box, double y, double width,
                     struct status *status)
{
    struct placed_shape rule = {.kind = SHAPE_BOX,
                                .colour = black,
                                .x = {box.x, box.x + box.width},
                                .y = {y, y + fmax(1, round(width * plan->em))}};
    return plan_shape(plan, &rule, status);
}

static bool put_row(struct table_plan *own, int row, double left, double baseline,
                    struct status *status)
{
    double gap = COLUMN_GAP * own->plan->em, x = left + gap / 2;
    for (int c = 0; c < own->table->columns; c++) {
        struct text_line *line = &own->lines[row * own->table->columns + c], taken = *line;
        bool number = own->table->numbers[c];
        line->text = NULL;
        if (taken.text &&
            !plan_put(own->plan, ROLE_CELL, taken, own->plan->em, false,
                      number ? x + own->widths[c] : x, baseline, number ? 1 : 0, status))
            return false;
        x += own->widths[c] + gap;
    }
    return true;
}

static bool check_room(const struct table_plan *own, struct box box, struct status *status)
{
    const struct plan *plan = own->plan;
    double width = table_width(own), mm = 25.4 / plan->style->dpi;
    double height = (own->table->rows + 1) * row_height(plan) + rules_height(plan);
    if (width <= box.width + 1 && height <= box.height + 1)
        return true;
    return status_fail(
        status, STATUS_INVALID,
        "a page of %.0f x %.0f mm, expected at least %.0f x %.0f mm for the table at "
        "%g pt",
        plan->layout->width * mm, plan->layout->height * mm,
        ceil((plan->layout->width + fmax(0, width - box.width)) * mm),
        ceil((plan->layout->height + fmax(0, height - box.height)) * mm), plan->style->font_pt);
}

static bool put_rows(struct table_plan *own, struct box box, struct status *status)
{
    struct plan *plan = own->plan;
    double leading = ROW_LEADING * plan->em, y = box.y;
    if (!put_rule(plan, box, y, RULE, status))
        return false;
    for (int r = 0; r <= own->table->rows; r++) {
        y += leading;
        if (!put_row(own, r, box.x, y + plan->ascent, status))
            return false;
        y += plan_line(plan);
        if (r == 0) {
            y += leading;
            if (!put_rule(plan, box, y, RULE / 2, status))
                return false;
        }
    }
    return put_rule(plan, box, y + leading, RULE, status);
}

bool plan_table(struct plan *plan, struct box box, struct status *status)
{
    struct table_plan own = {.plan = plan, .table = &plan->figure->panels->table};
    bool ok = set_texts(&own, CELL_WIDTH * plan->em, status) && check_room(&own, box, status);
    if (ok) {
        double width = table_width(&own);
        box.x = round(box.x + fmax(0, (box.width - width) / 2));
        box.width = width;
        ok = put_rows(&own, box, status);
    }
    close_table(&own);
    return ok;
}
