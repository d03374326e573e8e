/* The parts of drawing a picture (picture.h): values on their scales, the layout of a heatmap's
 * panels, the functions of each kind.
 *
 * Pure functions of a picture made by picture_make.
 */
#ifndef ATTNSCOPE_PICTURE_PARTS_H
#define ATTNSCOPE_PICTURE_PARTS_H

#include "base/minmax.h"
#include "tui/screen/picture/picture.h"

/* Values and scrolling, for all kinds of picture. */

/* The first visible of `count` items, of which `seen` fit: as near to `first` as possible with
 * `cursor` visible. */
int picture_scroll(int first, int cursor, int seen, int count);

const struct figure_matrix *picture_matrix_of(const struct picture *picture, int panel);
const struct colormap *picture_map(const struct picture *picture, int panel);
struct scale_range picture_range(const struct picture *picture, int panel);

/* Returns the position of a cell's value on its scale, in [0, 1]; NaN: no value. */
double picture_position(const struct picture *picture, int panel, int row, int column);

/* True if `position` is more prominent than `other` on that map: greater, or on a diverging map
 * further from zero. NaN never is. */
bool picture_stronger(const struct colormap *map, double position, double other);

/* Replaces the minus sign of scale.h by "-" if the style is ASCII. */
void picture_plain(const struct screen_style *screen_style, char *text);

/* Writes a number of that scale: with the decimals of figures, or with two significant digits if
 * those decimals would show only zeros. */
void picture_number(const struct screen_style *screen_style, struct scale_range range, double value,
                    char *text, size_t size);

/* The layout of a heatmap's panels, one or several side by side, in an area. Only for
 * picture_matrix.c. */

enum {
    MATRIX_PLACES_MOST = 16, // panels visible at once
    PICTURE_CELL = 2         // columns of a cell that is not enlarged, and of what is above it
};

/* The place of a panel. */
struct panel_place {
    int panel;
    int labels; // the panel whose row labels it shows
    int label;  // their columns; 0: not drawn
    int start;  // first column of the canvas,
    int column; // and of the cells
    int cells;  // drawn across
    int end;    // column after the panel
};

struct matrix_layout {
    struct panel_place places[MATRIX_PLACES_MOST];
    int count;
    int block_rows, block_columns; // cells of the figure drawn as one; 1: each by itself
    int cell, margin;              // columns
    int tall;                      // rows of a cell; above 1 all cells are visible
    int shift;                     // columns of a cell before what is above it
    bool across;                   // column labels are on one row
    int title, axes, labels;       // rows: 0 or 1, 0 or 1, and of the column labels
    int row, rows;                 // of the screen, for the cells
};

/* Lays out the heatmaps; the cursor's panel is always visible. */
struct matrix_layout matrix_layout_find(const struct picture *picture, struct area area,
                                        const struct picture_cursor *cursor);

/* Drawn rows and columns of a heatmap. */
int matrix_rows(const struct matrix_layout *layout, const struct figure_matrix *matrix);
int matrix_columns(const struct matrix_layout *layout, const struct figure_matrix *matrix);

/* True if all columns of all panels are visible. */
bool matrix_layout_whole(const struct picture *picture, struct area area);

/* The panel whose row labels this panel shares. */
int matrix_labels(const struct picture *picture, int panel);

/* The first visible drawn row and column of a panel. All panels scroll together, but none beyond
 * its end. */
int matrix_top(const struct matrix_layout *layout, const struct figure_matrix *matrix,
               const struct picture_cursor *cursor);
int matrix_left(const struct matrix_layout *layout, const struct panel_place *place,
                const struct figure_matrix *matrix, const struct picture_cursor *cursor);

/* The functions of each kind of picture: a table for each, for picture.c. All are called with a
 * cursor inside the figure, on a drawn panel. */
struct picture_functions {
    /* Scrolls (`top` and `left`) so that the cursor is visible. */
    void (*settle)(const struct picture *picture, struct area area, struct picture_cursor *cursor);
    /* As picture_draw and picture_find, with a settled cursor. */
    void (*draw)(const struct picture *picture, const struct screen_style *screen_style,
                 struct canvas *canvas, struct area area, const struct picture_cursor *cursor,
                 bool chosen);
    bool (*find)(const struct picture *picture, struct area area,
                 const struct picture_cursor *cursor, int row, int column,
                 struct picture_cursor *found);
};

extern const struct picture_functions picture_matrix; // picture_matrix.c
extern const struct picture_functions picture_grid;   // picture_grid.c
extern const struct picture_functions picture_plot;   // picture_plot.c

#endif
