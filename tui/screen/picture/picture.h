/* Figures in characters: draws the figures of render/figure.h on a canvas.
 *
 * Pure drawing; the only state is `struct picture_cursor`, which the caller keeps between calls. A
 * cell of a heatmap takes two columns and one row, or up to four times that if all cells fit. Row
 * labels stand at the left; column labels run downwards above the cells, one grapheme a row. What
 * is larger than the area scrolls by whole cells. Panels beside each other (two states and their
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

/* The cursor in a figure, and how far the figure is scrolled. */
struct picture_cursor {
    int panel;       // the cursor's: index into the figure's panels
    int row, column; // the cursor, in cells of that panel
    int top, left;   // first cell that is seen; in an overview first panel row and column
    bool whole;      // a heatmap is shown as a whole: cells are small, several are drawn as one
};

/* A figure of several rows, or whose rows or columns have titles, is an overview. */
enum picture_kind {
    PICTURE_MATRIX, // one heatmap, or several beside each other
    PICTURE_GRID,   // an overview
    PICTURE_PLOT    // lines or bars; the cursor's row is a series, its column a point
};
enum picture_kind picture_kind(const struct figure *figure);

/* Sizes and tiles of a heatmap, computed once. */
struct picture_panel {
    double *divisors;            // (rows): what each row is divided by on its scale
    double most;                 // its greatest value; NaN: it has none
    int label_width;             // of its widest row label, in columns
    int label_height;            // of its tallest column label (display_rows)
    int label_across;            // of its widest one, in columns
    double *tiles;               // (tile_rows, tile_columns), of an overview; NULL: none
    int tile_rows, tile_columns; // at most PICTURE_TILES_MOST each
    int tile_height, tile_width; // cells of a tile; the last ones may be smaller
};
enum { PICTURE_TILES_MOST = 64 };

/* A figure prepared for drawing: everything that depends on all values or labels is computed once.
 * A tile stands for a block of cells and holds the position on the scale, in [0, 1], that stands
 * out most among them: the greatest, or on a diverging map the one furthest from zero; NaN: the
 * block has no value. */
struct picture {
    const struct figure *figure;  // borrowed
    struct scale_range *ranges;   // (scale_count)
    struct picture_panel *panels; // (rows, columns) of the figure
};
/* STATUS_INVALID: an alignment, which has no picture in characters. On failure nothing needs to be
 * freed. */
bool picture_make(struct picture *picture, const struct figure *figure, struct status *status);
void picture_free(struct picture *picture); // leaves it empty

/* Cells of a heatmap that are drawn as one, beside and above one another: as many as make it fit
 * where `cursor` wants it as a whole; 1 of other pictures. They show what stands out most among
 * them. */
void picture_block(const struct picture *picture, struct area area,
                   const struct picture_cursor *cursor, int *rows, int *columns);

/* True if all columns of all heatmaps are in sight. Overviews and plots fill any area, and never
 * fit. */
bool picture_fits(const struct picture *picture, struct area area);

/* Moves `cursor` inside the figure, away from empty panels, and scrolls so that it is visible.
 * Drawing does so too. */
void picture_settle(const struct picture *picture, struct area area, struct picture_cursor *cursor);

/* Moves `cursor` to the cell that is furthest from zero, in the last panel with a diverging scale.
 * Without such a panel nothing changes. */
void picture_to_largest(const struct picture *picture, struct picture_cursor *cursor);

/* In an overview: the panel that is so many rows and columns from another, as they are drawn. */
int picture_grid_move(const struct picture *picture, struct area area, int panel, int rows,
                      int columns);

/* Draws inside the area; `chosen`: the cursor is shown. In an overview the cursor is a panel. */
void picture_draw(const struct picture *picture, const struct screen_style *screen_style,
                  struct canvas *canvas, struct area area, struct picture_cursor *cursor,
                  bool chosen);

/* Finds what is drawn at (row, column) of the canvas, if the picture was drawn in that area with
 * `cursor`: fills in panel, row and column of `found`; false: nothing is there. In an overview the
 * cell is the one that its block shows, for a header the first cell. */
bool picture_find(const struct picture *picture, struct area area,
                  const struct picture_cursor *cursor, int row, int column,
                  struct picture_cursor *found);

/* The value at the cursor, unscaled. NaN: there is none, or the owner of an overview dropped its
 * values (set them to NULL) after picture_make, since only tiles are drawn. */
double picture_value(const struct picture *picture, const struct picture_cursor *cursor);

/* Entropy in bits of the values divided by their sum, and greatest value (`at`: its index, -1:
 * there are no values), of the cursor's row or column. The entropy is NaN if the sum is 0, a value
 * is negative or the figure is no heatmap. Cells without a value are skipped. */
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
