/* The plan of a page: sizes in pixels, before anything is placed. Private to render/layout*.c.
 *
 * plan.c computes what depends only on the struct. layout_open (layout_page.c) calls in this order:
 *     plan_labels, plan_titles, plan_bars, plan_values   measure texts
 *     plan_cells                                         chooses the cell size; called again if the
 *                                                        title needs more lines
 *     plan_place                                         appends texts, matrices and bars to the
 *                                                        layout
 * For a single plot, alignment or table: plan_plot_size and plan_plot, plan_alignment_size and
 * plan_alignment, plan_table_size and plan_table. Functions with a status fail as figure_write
 * does.
 */
#ifndef ATTNSCOPE_PLAN_H
#define ATTNSCOPE_PLAN_H

#include "render/layout.h"

/* Maximum width of labels of cells, points and tokens, as a multiple of the font size. */
#define LABEL_WIDTH 14

enum { BAR_TICKS_MOST = 7 };
#define BAR_LINES                                                                                  \
    3.6 // least height of a colour bar, in lines: two tick labels with space between them

/* A panel's cell labels, set at the plan's label size. */
struct cell_labels {
    struct text_line *rows, *columns; // (matrix.rows), (matrix.columns); NULL: none
    double widest_row, widest_column;
};

/* A row or column of the grid. From `start`, left to right (columns) or top to bottom (rows):
 * titles and labels, cells, colour bars. */
struct track {
    double start;
    double grid_title, title, axis_title, labels; // outermost first
    double core;                                  // the cells; wider if a title along them needs it
    double bars;                                  // of columns
    int cells;                                    // of the largest matrix
};

/* The place of a scale's colour bar. */
struct bar_plan {
    bool shown;
    int column, first_row, last_row; // of the grid
    double offset, end;              // from the end of the column's cells
    double tick_width;               // of the widest tick label
};

struct plan {
    const struct figure *figure;
    const struct figure_style *style;
    const struct page_limits *limits;
    const struct typesetter *typesetter;
    struct figure_layout *layout;
    double em;              // size of text
    double ascent, descent; // of the tallest title, tick or bar title
    double padding, gap, column_gap, row_gap;
    double panel_em, axis_em;           // size of the titles of panels, of axes: em, or less
    double label_em;                    // size of cell labels: em, or less
    double label_ascent, label_descent; // of the tallest cell label
    double value_em, value_width; // size of numbers in cells; width of the widest at the size em
    double title_height;          // of the lines of the figure's title and the space below them
    bool labelled;                // true if there are cell labels or titles of rows or columns
    bool upright;                 // column labels are turned
    double cell_width, cell_height;
    struct cell_labels *labels; // (panels)
    struct track *columns, *rows;
    struct bar_plan *bars; // (scale_count)
};

/* plan.c: */

/* Panel (row, column) of the grid if it is a matrix, else NULL. */
const struct figure_panel *plan_panel(const struct plan *plan, int row, int column);
double plan_line(const struct plan *plan);       // height of a line of titles
double plan_label_line(const struct plan *plan); // height of a line of cell labels
double plan_label_foot(
    const struct plan *plan); // from the cells up to the baseline of horizontal column labels
double plan_bar_width(const struct plan *plan);      // of a colour bar
double plan_track_before(const struct track *track); // the size of everything before the cells
/* Fails because a page of width x height is too large. */
bool plan_fail_page(const struct plan *plan, double width, double height, struct status *status);
/* Appends a shape to the layout. */
bool plan_shape(struct plan *plan, const struct placed_shape *shape, struct status *status);
/* Appends a line of text to the layout, which takes it (freed on failure). Horizontal text: x is
 * its left end, middle or right end for `align` 0, 0.5 or 1, and y its baseline. Upright text: x is
 * its baseline, and y its lower end, middle or upper end. */
bool plan_put(struct plan *plan, enum text_role role, struct text_line line, double size,
              bool upright, double x, double y, double align, struct status *status);

/* layout_values.c: numbers in cells */

/* Measures them, if the style shows them. */
bool plan_values(struct plan *plan, struct status *status);
/* Least side of square cells that fit the numbers; 0: the style shows no numbers. */
double plan_value_side(const struct plan *plan);
/* Chooses the numbers' font size for the plan's cell size; fails if it would be too small to
 * read. */
bool plan_fit_values(struct plan *plan, struct status *status);
/* Appends the numbers of a matrix. */
bool plan_put_values(struct plan *plan, const struct placed_matrix *placed, struct status *status);

/* layout_cells.c: */

/* Sets every cell label; plan_labels_free frees those not yet appended to the layout. */
bool plan_labels(struct plan *plan, struct status *status);
void plan_labels_free(struct plan *plan);
/* Chooses the cell size and the labels' direction and size; after plan_values. */
bool plan_cells(struct plan *plan, struct status *status);

/* layout_titles.c: */

/* Measures titles and tick labels, and sizes of tracks that do not depend on cells. */
bool plan_titles(struct plan *plan, struct status *status);
/* Reserves room for colour bars; after plan_titles. */
bool plan_bars(struct plan *plan, struct status *status);

/* layout_place.c: appends everything but the figure's title, with the top left corner of the grid
 * at (x, y). */
bool plan_place(struct plan *plan, double x, double y, struct status *status);

/* layout_marks.c: lines and markers of series */

double plan_stroke_width(const struct plan *plan);
/* Appends a line between two points. *phase: the length of the series' line so far, at which its
 * dashes continue; 0 at first. */
bool plan_stroke(struct plan *plan, const struct figure_series *series, const double x[2],
                 const double y[2], double *phase, struct status *status);
/* Appends the marker of a point. */
bool plan_marker(struct plan *plan, const struct figure_series *series, double x, double y,
                 struct status *status);

/* layout_plot.c, layout_alignment.c, layout_table.c: compute the panel's natural size, and append
 * it, without its title, in a box. */
bool plan_plot_size(struct plan *plan, double *width, double *height, struct status *status);
bool plan_plot(struct plan *plan, struct box box, struct status *status);
bool plan_alignment_size(struct plan *plan, double *width, double *height, struct status *status);
bool plan_alignment(struct plan *plan, struct box box, struct status *status);
bool plan_table_size(struct plan *plan, double *width, double *height, struct status *status);
bool plan_table(struct plan *plan, struct box box, struct status *status);

#endif
