/* Draws the figures of render/figure.h on a canvas, in characters.
 *
 * Pure drawing; the only state is `struct picture_cursor`, which the caller keeps between calls. A
 * cell of a heatmap takes two columns and one row, or up to four times that if all cells fit. Row
 * labels are at the left; column labels run downwards above the cells, one grapheme per row.
 * Figures larger than the area scroll by whole cells. Panels side by side (two states and their
 * difference, both sides of a token) scroll together, and the cursor's panel is always visible. A
 * grid of several rows is an overview: panels are shrunk, so that a single strong cell stays
 * visible, and scroll as a whole.
 */
#ifndef ATTNSCOPE_PICTURE_H
#define ATTNSCOPE_PICTURE_H

#include "render/figure.h"
#include "render/scale.h"
#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"

/* The cursor in a figure, and the scroll position. */
struct picture_cursor {
    int panel;       // the cursor's: index into the figure's panels
    int row, column; // the cursor, in cells of that panel
    int top, left;   // first visible cell; in an overview first visible panel row and column
    bool whole;      // shows the whole heatmap: cells are small, or several are drawn as one
};

/* A figure with several rows, or with row or column titles, is an overview. */
enum picture_kind {
    PICTURE_MATRIX, // one heatmap, or several side by side
    PICTURE_GRID,   // an overview
    PICTURE_PLOT    // lines or bars; the cursor's row is a series, its column a point
};
enum picture_kind picture_kind(const struct figure *figure);

/* Sizes and tiles of a heatmap, computed once. */
struct picture_panel {
    double *divisors;            // (rows): the divisor of each row on its scale
    double most;                 // its greatest value; NaN: none
    int label_width;             // of its widest row label, in columns
    int label_height;            // of its tallest column label (display_rows)
    int label_across;            // of its widest column label, in columns
    double *tiles;               // (tile_rows, tile_columns), for overviews; NULL: none
    int tile_rows, tile_columns; // at most PICTURE_TILES_MOST each
    int tile_height, tile_width; // cells of a tile; the last ones may be smaller
};
enum { PICTURE_TILES_MOST = 64 };

/* A figure prepared for drawing: everything that depends on all values or labels is computed once.
 * A tile represents a block of cells by its most prominent position on the scale, in [0, 1]: the
 * greatest, or on a diverging map the one furthest from zero; NaN: the block has no value. */
struct picture {
    const struct figure *figure;  // borrowed
    struct scale_range *ranges;   // (scale_count)
    struct picture_panel *panels; // (rows, columns) of the figure
};
/* STATUS_INVALID: an alignment, which cannot be drawn in characters. On failure nothing needs to be
 * freed. */
bool picture_make(struct picture *picture, const struct figure *figure, struct status *status);
void picture_free(struct picture *picture); // leaves it empty

/* The rows and columns of heatmap cells drawn as one: enough to make it fit if `cursor` asks for
 * the whole heatmap; 1 for other pictures. The most prominent cell is shown. */
void picture_block(const struct picture *picture, struct area area,
                   const struct picture_cursor *cursor, int *rows, int *columns);

/* True if all columns of all heatmaps are visible. Overviews and plots fill any area and never
 * fit. */
bool picture_fits(const struct picture *picture, struct area area);

/* Clamps `cursor` to the figure, outside empty panels, and scrolls it into view, as drawing
 * does. */
void picture_settle(const struct picture *picture, struct area area, struct picture_cursor *cursor);

/* Moves `cursor` to the cell furthest from zero in the last panel with a diverging scale, if
 * any. */
void picture_to_largest(const struct picture *picture, struct picture_cursor *cursor);

/* In an overview: the panel that many drawn rows and columns from another. */
int picture_grid_move(const struct picture *picture, struct area area, int panel, int rows,
                      int columns);

/* Draws inside the area; `chosen`: shows the cursor, which in an overview is a panel. */
void picture_draw(const struct picture *picture, const struct screen_style *screen_style,
                  struct canvas *canvas, struct area area, struct picture_cursor *cursor,
                  bool chosen);

/* Finds what is drawn at (row, column) of the canvas, given that the picture was drawn in that area
 * with `cursor`: fills in panel, row and column of `found`; false: nothing. In an overview the cell
 * is the one that its block shows; for a header, the first cell. */
bool picture_find(const struct picture *picture, struct area area,
                  const struct picture_cursor *cursor, int row, int column,
                  struct picture_cursor *found);

/* The value at the cursor, unscaled. NaN: none, or the owner of an overview dropped its values (set
 * to NULL) after picture_make, because only tiles are drawn. */
double picture_value(const struct picture *picture, const struct picture_cursor *cursor);

/* Entropy in bits of the values divided by their sum, and greatest value (`at`: its index; -1: no
 * values), of the cursor's row or column. The entropy is NaN if the sum is 0, a value is negative
 * or the figure is not a heatmap. Cells without a value are skipped. */
struct line_numbers {
    double entropy, most;
    int at;
};
struct line_numbers picture_row(const struct picture *picture, const struct picture_cursor *cursor);
struct line_numbers picture_column(const struct picture *picture,
                                   const struct picture_cursor *cursor);

/* Draws the scale of the cursor's panel as a bar between its least and greatest value, at most
 * `columns` wide; nothing if that is too narrow, or for plots. */
void picture_legend(const struct picture *picture, const struct screen_style *screen_style,
                    struct canvas *canvas, int row, int column, int columns,
                    const struct picture_cursor *cursor);

#endif
