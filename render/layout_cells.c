/* Cell labels and the cells' size, which depend on each other. */
#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "render/plan.h"

/* Shares of the font size, unless a comment says otherwise. */
#define LABEL_SHARE                                                                                \
    0.3 // of a given page's width, for the row labels of all its panels; of its height
#define LABEL_SPACE 0.6 // between level column labels
#define SMALLEST 0.5
#define ROW_LINES 2.2 // highest cell of a given width, widest of a given height, in lines of label

#define MM_PER_INCH 25.4

/* Labels --------------------------------------------------------------------------------------- */

/* Returns the greatest width of a label: most of a given page's width, or height, is left to the
 * cells. */
static double label_width(const struct plan *plan, double page_mm, int panels)
{
    double page = page_mm / MM_PER_INCH * plan->style->dpi, most = LABEL_WIDTH * plan->em;
    return page > 0 ? fmin(most, LABEL_SHARE * page / panels) : most;
}

/* Sets the labels and widens the plan's label line to them. */
static bool set_labels(struct plan *plan, const char *const *texts, int count, double most,
                       struct text_line **lines, double *widest, struct status *status)
{
    const struct typesetter *typesetter = plan->typesetter;
    if (!texts)
        return true;
    // Fails before many labels are set in vain.
    double least = (plan->ascent + plan->descent) * count;
    if (plan->style->width_mm <= 0 && plan->style->height_mm <= 0 && least > plan->limits->side)
        return plan_fail_page(plan, least, least, status);
    if (!(*lines = memory_new(count, sizeof **lines, status)))
        return false;
    for (int i = 0; i < count; i++) {
        struct text_line *line = &(*lines)[i];
        if (!typesetter->set(typesetter->context, texts[i], plan->em, most, line, status))
            return false;
        plan->label_ascent = fmax(plan->label_ascent, line->ascent);
        plan->label_descent = fmax(plan->label_descent, line->descent);
        *widest = fmax(*widest, line->width);
        plan->labelled = true;
    }
    return true;
}

bool plan_labels(struct plan *plan, struct status *status)
{
    plan->label_em = plan->em;
    plan->label_ascent = plan->ascent;
    plan->label_descent = plan->descent;
    int count = plan->figure->rows * plan->figure->columns;
    for (int i = 0; i < count; i++) {
        const struct figure_matrix *matrix = &plan->figure->panels[i].matrix;
        struct cell_labels *labels = &plan->labels[i];
        if (plan->figure->panels[i].kind != PANEL_MATRIX)
            continue;
        if (!set_labels(plan, matrix->row_labels, matrix->rows,
                        label_width(plan, plan->style->width_mm, plan->figure->columns),
                        &labels->rows, &labels->widest_row, status) ||
            !set_labels(plan, matrix->column_labels, matrix->columns,
                        label_width(plan, plan->style->height_mm, plan->figure->rows),
                        &labels->columns, &labels->widest_column, status))
            return false;
    }
    return true;
}

static void free_lines(struct text_line *lines, int count)
{
    for (int i = 0; lines && i < count; i++)
        free(lines[i].text);
    free(lines);
}

void plan_labels_free(struct plan *plan)
{
    int count = plan->figure->rows * plan->figure->columns;
    for (int i = 0; i < count; i++) {
        free_lines(plan->labels[i].rows, plan->figure->panels[i].matrix.rows);
        free_lines(plan->labels[i].columns, plan->figure->panels[i].matrix.columns);
    }
}

static void scale_lines(struct text_line *lines, int count, double factor)
{
    for (int i = 0; lines && i < count; i++) {
        lines[i].left *= factor;
        lines[i].width *= factor;
        lines[i].ascent *= factor;
        lines[i].descent *= factor;
    }
}

/* Letters are not hinted, so all their sizes shrink alike. */
static void shrink_labels(struct plan *plan, double factor)
{
    int count = plan->figure->rows * plan->figure->columns;
    plan->label_em *= factor;
    plan->label_ascent *= factor;
    plan->label_descent *= factor;
    for (int i = 0; i < count; i++) {
        struct cell_labels *labels = &plan->labels[i];
        scale_lines(labels->rows, plan->figure->panels[i].matrix.rows, factor);
        scale_lines(labels->columns, plan->figure->panels[i].matrix.columns, factor);
        labels->widest_row *= factor;
        labels->widest_column *= factor;
    }
}

/* Tracks --------------------------------------------------------------------------------------- */

static void measure_labels(struct plan *plan)
{
    for (int r = 0; r < plan->figure->rows; r++)
        for (int c = 0; c < plan->figure->columns; c++) {
            const struct cell_labels *labels = &plan->labels[r * plan->figure->columns + c];
            double height = plan->upright ? ceil(labels->widest_column) + plan->gap
                                          : ceil(plan->label_ascent + plan_label_foot(plan));
            if (labels->widest_row > 0)
                plan->columns[c].labels =
                    fmax(plan->columns[c].labels, ceil(labels->widest_row) + plan->gap);
            if (labels->widest_column > 0)
                plan->rows[r].labels = fmax(plan->rows[r].labels, height);
        }
}

static void clear_labels(struct plan *plan)
{
    for (int c = 0; c < plan->figure->columns; c++)
        plan->columns[c].labels = 0;
    for (int r = 0; r < plan->figure->rows; r++)
        plan->rows[r].labels = 0;
}

/* True if not all labels of the figure fit their cells unturned. */
static bool must_turn(const struct plan *plan)
{
    int count = plan->figure->rows * plan->figure->columns;
    double widest = 0;
    for (int i = 0; i < count; i++)
        widest = fmax(widest, plan->labels[i].widest_column);
    return widest > 0 && widest + LABEL_SPACE * plan->label_em > plan->cell_width;
}

static int most_cells(const struct track *tracks, int count)
{
    int most = 0;
    for (int i = 0; i < count; i++)
        most = int_max(tracks[i].cells, most);
    return most;
}

/* Sizes ---------------------------------------------------------------------------------------- */

static double pixels_of(const struct plan *plan, double mm)
{
    return mm * plan->style->dpi / MM_PER_INCH;
}

/* Returns the side of square cells: at least the height of a label; without labels, as large as
 * makes a small panel. */
static double natural_side(const struct plan *plan)
{
    double side = pixels_of(plan, plan->style->cell_mm);
    if (plan->labelled) {
        side = ceil(fmax(side, plan_label_line(plan)));
    } else {
        int rows = most_cells(plan->rows, plan->figure->rows);
        int columns = most_cells(plan->columns, plan->figure->columns);
        side = round(pixels_of(plan, plan->style->panel_mm) / int_max(rows, columns));
    }
    return fmax(1, fmax(side, plan_value_side(plan)));
}

/* Divides the width or height that labels, titles and bars leave among the cells along it. */
static bool divide(const struct plan *plan, const struct track *tracks, int count, double page_mm,
                   double taken, const char *what, double *side, struct status *status)
{
    double cells = 0;
    for (int i = 0; i < count; i++) {
        taken += plan_track_before(&tracks[i]) + tracks[i].bars;
        cells += tracks[i].cells;
    }
    *side = (pixels_of(plan, page_mm) - taken) / cells;
    return *side >= 1 ||
           status_fail(status, STATUS_INVALID, "a %s of %g mm, expected at least %.0f mm for %s",
                       what, page_mm, ceil((taken + cells + 1) / pixels_of(plan, 1)),
                       tracks == plan->columns ? "these columns" : "these rows");
}

static bool divide_page(struct plan *plan, struct status *status)
{
    const struct figure *figure = plan->figure;
    double width = plan->style->width_mm, height = plan->style->height_mm;
    double gaps_across = 2 * plan->padding + plan->column_gap * (figure->columns - 1);
    double gaps_down =
        2 * plan->padding + 1 + plan->title_height + plan->row_gap * (figure->rows - 1);
    clear_labels(plan);
    measure_labels(plan);
    if (width > 0 && !divide(plan, plan->columns, figure->columns, width, gaps_across, "width",
                             &plan->cell_width, status))
        return false;
    if (height > 0 && !divide(plan, plan->rows, figure->rows, height, gaps_down, "height",
                              &plan->cell_height, status))
        return false;
    // Cells are square. But if they are few, and so large, only the given side grows.
    double most = plan->labelled
                      ? ceil(fmax(ROW_LINES * plan_label_line(plan), plan_value_side(plan)))
                      : INFINITY;
    if (!(width > 0))
        plan->cell_width = fmax(1, fmin(most, floor(plan->cell_height)));
    if (!(height > 0))
        plan->cell_height = fmin(most, plan->cell_width);
    return true;
}

/* Turns labels, then shrinks them, if they do not fit. Turned column labels take height from the
 * cells; shrunk labels give some back. */
static bool spread_cells(struct plan *plan, struct status *status)
{
    if (!divide_page(plan, status))
        return false;
    plan->upright = must_turn(plan);
    if (!divide_page(plan, status))
        return false;
    double shrink = fmin(plan->cell_width, plan->cell_height) / plan_label_line(plan);
    double least = SMALLEST * plan->em / plan->label_em;
    if (plan->labelled && shrink < 1 && least < 1) {
        shrink_labels(plan, fmax(shrink, least));
        if (!divide_page(plan, status))
            return false;
    }
    if (plan->style->height_mm <= 0)
        plan->upright = must_turn(plan);
    return true;
}

static bool is_given(const struct plan *plan)
{
    return plan->style->width_mm > 0 || plan->style->height_mm > 0;
}

bool plan_cells(struct plan *plan, struct status *status)
{
    if (is_given(plan)) {
        if (!spread_cells(plan, status))
            return false;
    } else {
        plan->cell_width = plan->cell_height = natural_side(plan);
        plan->upright = must_turn(plan);
    }
    clear_labels(plan);
    measure_labels(plan);
    for (int c = 0; c < plan->figure->columns; c++) {
        struct track *column = &plan->columns[c];
        double cells = column->cells * plan->cell_width;
        column->core = plan->style->width_mm > 0 ? cells : fmax(column->core, cells);
    }
    for (int r = 0; r < plan->figure->rows; r++) {
        struct track *row = &plan->rows[r];
        double cells = row->cells * plan->cell_height;
        row->core = plan->style->height_mm > 0 ? cells : fmax(row->core, ceil(cells));
    }
    return plan_fit_values(plan, status);
}
