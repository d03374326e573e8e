/* Figures in characters: the description that render/ draws (render/figure.h), on a canvas.
 *
 * Pure drawing; nothing is kept but in `struct spot`, which the caller owns and keeps between calls.
 * Heatmaps have cells of two columns and one row, in large areas, where all are seen, up to four times that;
 * row labels at the left, column labels running downwards above the cells, one grapheme a row (two columns
 * wide). What is larger than the area scrolls by whole cells. Panels beside each other (two states and their
 * difference, both sides of a token) scroll in step; the cursor's panel is always in sight. A grid of several
 * rows is an overview: every panel small, shrunk so that a lone strong cell is still seen, scrolled by whole
 * panels.
 */
#ifndef ATTNSCOPE_PICTURE_H
#define ATTNSCOPE_PICTURE_H

#include "render/figure.h"
#include "render/scale.h"
#include "tui/screen/canvas.h"
#include "tui/screen/look.h"

/* Where one is in a figure. */
struct spot {
    int panel;       // the cursor's: index into the figure's panels
    int row, column; // the cursor, in cells of that panel
    int top, left;   // first cell that is seen; in an overview first panel row and column
};

/* A figure of several rows, or whose rows or columns have titles, is an overview. */
enum picture_kind {
    PICTURE_MATRIX, // one heatmap, or several beside each other
    PICTURE_GRID,   // an overview
    PICTURE_PLOT    // lines or bars; the cursor's row is a series, its column a point
};
enum picture_kind picture_kind(const struct figure *figure);

/* What of a heatmap is found once. */
struct picture_panel {
    double *divisors;            // (rows): what each row is divided by on its scale
    double most;                 // its greatest value; NaN: it has none
    int label_width;             // of its widest row label, in columns
    int label_height;            // of its tallest column label, in graphemes
    double *tiles;               // (tile_rows, tile_columns), of an overview; NULL: none
    int tile_rows, tile_columns; // at most PICTURE_TILES_MOST each
    int tile_height, tile_width; // cells of a tile; the last ones may be smaller
};
enum { PICTURE_TILES_MOST = 64 };

/* A figure made ready: all that asks for every value or label, found once. A tile is a block of cells, as
 * the position on the scale that stands out most among them: the greatest, of a diverging map the one
 * furthest from 0, in [0, 1]; NaN: there is no value. */
struct picture {
    const struct figure *figure;  // borrowed
    struct scale_range *ranges;   // (scale_count)
    struct picture_panel *panels; // (rows, columns) of the figure
};
/* STATUS_INVALID: an alignment, which has no picture in characters. On failure nothing needs to be freed. */
bool picture_make(struct picture *picture, const struct figure *figure, struct status *status);
void picture_free(struct picture *picture); // leaves it empty

/* Moves `spot` back inside the figure (past panels that are free places), and what is seen so that the cursor
 * is (drawing does it too). */
void picture_settle(const struct picture *picture, struct area area, struct spot *spot);

/* Draws, nothing outside the area; `chosen`: show the cursor. In an overview the cursor is a panel. */
void picture_draw(const struct picture *picture, const struct look *look, struct canvas *canvas,
                  struct area area, struct spot *spot, bool chosen);

/* What is under (row, column) of the canvas, as drawn in that area with `spot`: fills in panel, row and column
 * of `found` and returns true; false: nothing. In an overview the cell is the one that the block shows, of a
 * header the first. */
bool picture_find(const struct picture *picture, struct area area, const struct spot *spot, int row,
                  int column, struct spot *found);

/* The value under the cursor, before any scaling; NaN: none, or an overview whose owner has dropped its values (made
 * NULL) after picture_make: it shows tiles. */
double picture_value(const struct picture *picture, const struct spot *spot);

/* Entropy in bits, after the values are divided by their sum, and greatest value (with its index; -1: there
 * are no values) of the cursor's row, or column. Entropy of what sums to 0, has values below 0 or is no heatmap
 * is NaN. Cells without a value count for nothing. */
struct line_numbers {
    double entropy, most;
    int at;
};
struct line_numbers picture_row(const struct picture *picture, const struct spot *spot);
struct line_numbers picture_column(const struct picture *picture, const struct spot *spot);

/* The scale of the cursor's panel as a bar: its least, shades, its most. At most `columns` wide; nothing where
 * that is too narrow, and of plots, which have none. */
void picture_legend(const struct picture *picture, const struct look *look, struct canvas *canvas,
                    int row, int column, int columns, const struct spot *spot);

#endif
