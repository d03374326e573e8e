/* What layout_open works with before there are boxes: sizes, in pixels. Private to render/layout*.c,
 * called in the order of this header. */
#ifndef ATTNSCOPE_PLAN_H
#define ATTNSCOPE_PLAN_H

#include "render/layout.h"

enum { BAR_TICKS_MOST = 7 };
#define BAR_LINES 3.6 // least height of a bar, in lines: two ticks with room between them

/* A panel's cell labels, set at the plan's label size. */
struct cell_labels {
    struct text_line *rows, *columns; // (matrix.rows), (matrix.columns); NULL: none
    double widest_row, widest_column;
};

/* A row or column of the grid: what stands before its cells (a column: left of them, a row: above),
 * the cells with room for titles along them, and what stands after. */
struct track {
    double start;
    double grid_title, title, axis_title, labels; // before, outermost first
    double core;
    double bars; // after; of columns
    int cells;   // of the largest matrix
};

/* Where the bar of a scale stands. */
struct bar_plan {
    bool shown;
    int column, first_row, last_row; // of the grid
    double offset;                   // from the column's core
    double tick_width;               // of the widest tick label
};

struct plan {
    const struct figure *figure;
    const struct figure_style *style;
    const struct page_limits *limits;
    const struct typesetter *typesetter;
    struct layout *layout;
    double em;              // size of text
    double ascent, descent; // of the highest title, tick or bar title
    double padding, gap, column_gap, row_gap;
    double label_em;                    // size of cell labels: em, or less
    double label_ascent, label_descent; // of the highest cell label
    double value_em, value_width; // size of numbers in cells; width of the widest at the size em
    double title_height;          // of the lines of the figure's title and what is below them
    bool labelled;                // any cell label or title of rows and columns
    bool upright;                 // column labels are turned
    double cell_width, cell_height;
    struct cell_labels *labels; // (panels)
    struct track *columns, *rows;
    struct bar_plan *bars; // (scale_count)
};

/* Panel (row, column) of the grid if it is a matrix, else NULL. */
const struct figure_panel *plan_panel(const struct plan *plan, int row, int column);
double plan_line(const struct plan *plan);       // height of a line of title
double plan_label_line(const struct plan *plan); // height of a line of cell label
double plan_label_foot(const struct plan *plan); // from cells up to where level column labels stand
double plan_bar_width(const struct plan *plan);
bool plan_fail_page(const struct plan *plan, double width, double height, struct status *status);

/* Sets every cell label. */
bool plan_labels(struct plan *plan, struct status *status);
void plan_labels_free(struct plan *plan);

/* Measures titles and bars; the tracks' sizes but for those that depend on cells. */
bool plan_titles(struct plan *plan, struct status *status);
bool plan_bars(struct plan *plan, struct status *status);

/* Measures the numbers in cells, where the style wants them. */
bool plan_values(struct plan *plan, struct status *status);

/* The cells' size, the labels' direction and size; may be called again when the title has grown. */
bool plan_cells(struct plan *plan, struct status *status);

/* Least side of cells of no given size that shows the numbers; 0: there are none. */
double plan_value_side(const struct plan *plan);

/* The numbers' size in cells as they are; an error where they would be too small. */
bool plan_fit_values(struct plan *plan, struct status *status);

/* Puts numbers into the cells of a matrix. */
bool plan_put_values(struct plan *plan, const struct placed_matrix *placed, struct status *status);

/* Widths and heights of tracks, without and with gaps. */
double plan_track_before(const struct track *track);
double plan_width(const struct plan *plan);
double plan_height(const struct plan *plan);

/* Puts everything but the figure's title on the page, the grid's left top corner at (x, y). */
bool plan_place(struct plan *plan, double x, double y, struct status *status);

/* Lines, bars, alignments: how large they want to be, and all but the figure's title in a part of the
 * page. The panel's title is not theirs. */
bool plan_plot_size(struct plan *plan, double *width, double *height, struct status *status);
bool plan_plot(struct plan *plan, struct box box, struct status *status);
bool plan_alignment_size(struct plan *plan, double *width, double *height, struct status *status);
bool plan_alignment(struct plan *plan, struct box box, struct status *status);

/* Appends a shape. */
bool plan_shape(struct plan *plan, const struct placed_shape *shape, struct status *status);

/* Appends a line, which is taken over (freed on failure too). Level text: `align` 0, 0.5, 1: x is its
 * left end, middle, right end, y its baseline. Upright text: y is its lower end, middle, upper end. */
bool plan_put(struct plan *plan, enum text_role role, struct text_line line, double size,
              bool upright, double x, double y, double align, struct status *status);

#endif
