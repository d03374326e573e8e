/* Where everything of a figure lies: from the sizes of its texts to boxes on a page.
 *
 * layout_open, read the fields, draw, layout_close. It draws nothing and knows no file format. What
 * sets text is handed in, so that a test can do it with letters of known size.
 *
 * Units are pixels at the style's dpi, y downwards from the page's top left corner. A format without
 * pixels has them of a tenth of a point (VECTOR_DPI). Cells and bars lie on whole pixels; no box of a text
 * overlaps another box, a matrix or a bar, or leaves the page.
 */
#ifndef ATTNSCOPE_LAYOUT_H
#define ATTNSCOPE_LAYOUT_H

#include "render/figure.h"
#include "render/scale.h"

/* How large a page may be, and how a message says it. */
struct page_limits {
    const char *unit;  // of lengths in messages
    double per_unit;   // pixels
    double side, area; // most, in pixels
};
extern const struct page_limits pixel_limits, point_limits;

enum { VECTOR_DPI = 720 };

/* Setting text ---------------------------------------------------------------------------------- */

/* A line of text as it will be drawn: cleaned, and shortened with an ellipsis where it had to be.
 * Its box, from its origin on the baseline: `left` to the left, `width` wide in all, `ascent` up and
 * `descent` down. */
struct text_line {
    char *text; // owned; UTF-8; NULL: nothing is drawn, and all sizes are 0
    double left, width, ascent, descent;
    bool clip; // its ink (piled up marks) is higher than the box and must be cut
};

struct typesetter {
    void *context;
    /* Sets `text` (any bytes, or NULL) at `size` pixels, at most `most` wide. */
    bool (*set)(void *context, const char *text, double size, double most, struct text_line *line,
                struct status *status);
    /* Height of usual letters above and below the baseline, as shares of the size. */
    double ascent, descent;
};

/* Result ---------------------------------------------------------------------------------------- */

struct box {
    double x, y, width, height;
};

enum text_role {
    ROLE_TITLE,
    ROLE_PANEL_TITLE,
    ROLE_GRID_TITLE, // of a row or column of the grid
    ROLE_AXIS_TITLE, // what a matrix' rows or columns are
    ROLE_ROW_LABEL,
    ROLE_COLUMN_LABEL,
    ROLE_TICK,
    ROLE_BAR_TITLE,
    ROLE_VALUE,  // in a cell
    ROLE_LEGEND, // a series' name
    ROLE_TOKEN   // of an alignment
};

struct placed_text {
    enum text_role role;
    struct text_line line; // owned by the layout
    double size;
    bool upright; // turned by 90 degrees, read from below
    bool light;   // white, on a dark cell; else black
    double x, y;  // the line's origin
    struct box box;
};

/* Cells are cell_width x cell_height (>= 1) each, on the whole pixels that layout_cell says. */
struct placed_matrix {
    const struct figure_matrix *matrix;
    int x, y;
    double cell_width, cell_height;
    double divisor; // of its values (scale_divisor)
};

/* A colour bar, its scale's least value at the bottom; ticks stand right of it. */
struct placed_bar {
    int scale;
    int x, y, width, height;
    double ticks[TICKS_MOST]; // their y
    int tick_count;
};

/* What lines, bars and alignments are made of; drawn in their order, before texts. */
enum shape_kind { SHAPE_BOX, SHAPE_LINE, SHAPE_CURVE, SHAPE_DOT };
struct placed_shape {
    enum shape_kind kind;
    struct rgb colour;
    double width; // of a line or curve, with round ends; of a dot: its diameter
    double x[4],
        y[4]; // box: left top and right bottom; line: its ends; curve: of a cubic Bezier curve;
              // dot: its middle
};

struct layout {
    int width, height; // of the page
    int line;          // width of frames (which lie around matrices and bars) and ticks
    int tick_length;
    struct placed_text *texts;
    size_t text_count, text_capacity;
    struct placed_shape *shapes;
    size_t shape_count, shape_capacity;
    struct box axes; // of lines and bars: what the values lie in
    struct scale_range axis;
    struct placed_matrix *matrices;
    int matrix_count;
    struct placed_bar *bars;
    int bar_count;
    struct scale_range *ranges; // (scale_count)
};

/* How the values of a matrix' row become colours; not for NaN, which has none. */
struct row_colours {
    const struct colormap *map;
    struct scale_range range;
    double divisor;
};
struct row_colours layout_row_colours(const struct figure *figure, const struct layout *layout,
                                      const struct placed_matrix *matrix, int row);
struct rgb row_colour(const struct row_colours *colours, double value);

/* The pixels of a cell, 0 <= row <= rows, 0 <= column <= columns: from floor(column * cell_width) to
 * floor((column + 1) * cell_width) right of the matrix' x, and so on. All of them have its colour. */
struct box layout_cell(const struct placed_matrix *matrix, int row, int column);

/* From where to where a stroke of that width goes through a cell without staining others: from the lower left
 * corner to the upper right one. */
struct stroke {
    double x1, y1, x2, y2;
};
struct stroke layout_stroke(struct box cell, double width);

/* Lays the figure out, after figure_check. NULL on failure; errors as figure_write's. */
struct layout *layout_open(const struct figure *figure, const struct figure_style *style,
                           const struct page_limits *limits, const struct typesetter *typesetter,
                           struct status *status);
void layout_close(struct layout *layout);

#endif
