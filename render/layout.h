/* The layout of a figure: positions and sizes of all its parts on a page.
 *
 * Call order: layout_open; read the fields and draw; layout_close. Independent of drawing and file
 * formats. The typesetter is an argument, so that tests can use letters of known size.
 *
 * Units are pixels at the style's dpi; y points downwards from the page's top left corner. In
 * vector formats a pixel is a tenth of a point (VECTOR_DPI). Cells and colour bars are aligned to
 * whole pixels. No text box overlaps another text box, a matrix or a bar, or extends beyond the
 * page.
 */
#ifndef ATTNSCOPE_LAYOUT_H
#define ATTNSCOPE_LAYOUT_H

#include "render/figure.h"
#include "render/scale.h"

/* The largest page of a format, and the unit of sizes in messages. */
struct page_limits {
    const char *unit;  // of lengths in messages
    double per_unit;   // pixels
    double side, area; // most, in pixels
};
extern const struct page_limits pixel_limits, point_limits;

enum { VECTOR_DPI = 720 };

/* Setting text --------------------------------------------------------------------------------- */

/* A line of text ready to draw: without control characters, and shortened with an ellipsis if too
 * wide. Its box extends `left` to the left of its origin on the baseline, is `width` wide, and
 * reaches from `ascent` above the baseline to `descent` below it. */
struct text_line {
    char *text; // owned; UTF-8; NULL: nothing is drawn, and all sizes are 0
    double left, width, ascent, descent;
    bool clip; // its ink (stacked diacritics) is higher than the box and must be clipped
};

struct typesetter {
    void *context;
    /* Sets `text` (any bytes, or NULL) at `size` pixels, at most `most` wide. The caller frees
     * line->text. */
    bool (*set)(void *context, const char *text, double size, double most, struct text_line *line,
                struct status *status);
    /* Height of Latin letters above and below the baseline, as shares of the size. */
    double ascent, descent;
};

/* Result --------------------------------------------------------------------------------------- */

struct box {
    double x, y, width, height;
};

enum text_role {
    ROLE_TITLE,
    ROLE_PANEL_TITLE,
    ROLE_GRID_TITLE, // of a row or column of the grid
    ROLE_AXIS_TITLE, // of a matrix's rows or columns
    ROLE_ROW_LABEL,
    ROLE_COLUMN_LABEL,
    ROLE_TICK,
    ROLE_BAR_TITLE,
    ROLE_VALUE,  // in a cell
    ROLE_LEGEND, // a series' name
    ROLE_TOKEN,  // of an alignment
    ROLE_CELL,   // of a table, or a heading
    ROLE_NOTE    // below a plot, or at the end of a bar
};

struct placed_text {
    enum text_role role;
    struct text_line line; // owned by the layout
    double size;
    bool upright; // turned by 90 degrees, reads upwards
    bool light;   // white, on a dark cell; else black
    double x, y;  // the line's origin
    struct box box;
};

/* Cells are cell_width x cell_height (>= 1) each; layout_cell gives the whole pixels of one. */
struct placed_matrix {
    const struct figure_matrix *matrix;
    int x, y;
    double cell_width, cell_height;
    double divisor; // of its values (scale_divisor)
};

/* A colour bar with the scale's least value at the bottom and its tick labels to the right. */
struct placed_bar {
    int scale;
    int x, y, width, height;
    double ticks[TICKS_MOST]; // their y
    int tick_count;
};

/* Shapes of plots and alignments, drawn in order, before texts. */
enum shape_kind { SHAPE_BOX, SHAPE_LINE, SHAPE_CURVE, SHAPE_DOT, SHAPE_CORNERS };
enum { DASHES_MOST = 6 };
struct placed_shape {
    enum shape_kind kind;
    struct rgb colour;
    double width; // of a line or curve, with round ends; of a dot: its diameter
    double x[4],
        y[4]; // box: left top and right bottom; line: its ends; curve: of a cubic Bezier curve;
              // dot: its middle; corners: four of them, filled between
    double dashes[DASHES_MOST]; // (dash_count): alternating lengths of a line's dashes and gaps
    int dash_count;             // 0: a solid line
    double phase;               // offset into the dashes at which the line begins
};

struct figure_layout {
    int width, height; // of the page
    int line;          // width of frames (which lie around matrices and bars) and ticks
    int tick_length;
    struct placed_text *texts;
    size_t text_count, text_capacity;
    struct placed_shape *shapes;
    size_t shape_count, shape_capacity;
    struct box axes; // of lines and bars: the area of the values
    struct scale_range axis;
    struct placed_matrix *matrices;
    int matrix_count;
    struct placed_bar *bars;
    int bar_count;
    struct scale_range *ranges; // (scale_count)
};

/* The mapping from the values of a matrix row to colours. NaN has no colour. */
struct row_colours {
    const struct colormap *map;
    struct scale_range range;
    double divisor;
};
struct row_colours layout_row_colours(const struct figure *figure,
                                      const struct figure_layout *layout,
                                      const struct placed_matrix *matrix, int row);
struct rgb row_colour(const struct row_colours *colours, double value);

/* The whole pixels that a cell's colour fills: from floor(column * cell_width) to floor((column +
 * 1) * cell_width) right of the matrix's x; rows are analogous. 0 <= row <= rows, 0 <= column <=
 * columns.
 */
struct box layout_cell(const struct placed_matrix *matrix, int row, int column);

/* A cell's diagonal from lower left to upper right, shortened so that a stroke of that width stays
 * within the cell. */
struct stroke {
    double x1, y1, x2, y2;
};
struct stroke layout_stroke(struct box cell, double width);

/* Lays out a figure that figure_check accepted. The caller closes the layout, which borrows the
 * figure. NULL on failure; errors as figure_write's. */
struct figure_layout *layout_open(const struct figure *figure, const struct figure_style *style,
                                  const struct page_limits *limits,
                                  const struct typesetter *typesetter, struct status *status);
void layout_close(struct figure_layout *layout); // NULL: nothing

#endif
