/* The parts of drawing a picture (picture.h): values on their scales, the places of a heatmap's
 * panels, the functions of each kind.
 *
 * Pure functions of a picture that picture_make has filled in.
 */
#ifndef ATTNSCOPE_PICTURE_PARTS_H
#define ATTNSCOPE_PICTURE_PARTS_H

#include "base/minmax.h"
#include "tui/screen/picture/picture.h"

/* Values, and the arithmetic of scrolling: what all kinds of picture use. */

/* The first visible of `count` items, of which `seen` fit at once: as near to `first` as keeps
 * `cursor` visible. */
int picture_scroll(int first, int cursor, int seen, int count);

const struct figure_matrix *picture_matrix_of(const struct picture *picture, int panel);
const struct colormap *picture_map(const struct picture *picture, int panel);
struct scale_range picture_range(const struct picture *picture, int panel);

/* Returns the position of a cell's value on its scale, in [0, 1]; NaN: no value. */
double picture_position(const struct picture *picture, int panel, int row, int column);

/* True if `position` stands out more than `other` on that map: it is greater, or on a diverging map
 * further from zero. NaN never does. */
bool picture_stronger(const struct colormap *map, double position, double other);

/* Replaces the minus sign of scale.h by "-" where the terminal takes ASCII only. */
void picture_plain(const struct screen_style *screen_style, char *text);

/* Writes a number of that scale: with the decimals of figures, or with two significant digits where
 * those decimals would show zeros only. */
void picture_number(const struct screen_style *screen_style, struct scale_range range, double value,
                    char *text, size_t size);

/* The places of a heatmap's panels, one or several beside each other, in an area: for the heatmaps
 * of picture_matrix.c alone. */

enum {
    MATRIX_PLACES_MOST = 16, // panels seen at once
    PICTURE_CELL = 2         // columns of a cell that is not enlarged, and of what stands above it
};

/* The place of a panel. */
struct panel_place {
    int panel;
    int labels; // panel whose row labels it has
    int label;  // columns of them; 0: they are not drawn
    int start;  // first column of the canvas,
    int column; // and of the cells
    int cells;  // drawn across
    int end;    // column after all that is its
};

struct matrix_layout {
    struct panel_place places[MATRIX_PLACES_MOST];
    int count;
    int block_rows, block_columns; // cells of the figure that are drawn as one; 1: each by itself
    int cell, margin;              // columns
    int tall;                      // rows of a cell; above 1 all cells are seen
    int shift;                     // columns of a cell before what stands above it
    bool across;                   // column labels stand on one row
    int title, axes, labels;       // rows: 0 or 1, 0 or 1, and of the column labels
    int row, rows;                 // of the screen, for the cells
};

/* Lays out the heatmaps; the cursor's panel is always visible. */
struct matrix_layout matrix_layout_find(const struct picture *picture, struct area area,
                                        const struct picture_cursor *cursor);

/* Drawn rows and columns of a heatmap. */
int matrix_rows(const struct matrix_layout *layout, const struct figure_matrix *matrix);
int matrix_columns(const struct matrix_layout *layout, const struct figure_matrix *matrix);

/* True if all columns of all panels are seen. */
bool matrix_layout_whole(const struct picture *picture, struct area area);

/* The panel whose row labels this panel shares. */
int matrix_labels(const struct picture *picture, int panel);

/* The first visible drawn row and column of a panel. All panels scroll together, but none beyond its own
 * end. */
int matrix_top(const struct matrix_layout *layout, const struct figure_matrix *matrix,
               const struct picture_cursor *cursor);
int matrix_left(const struct matrix_layout *layout, const struct panel_place *place,
                const struct figure_matrix *matrix, const struct picture_cursor *cursor);

/* The functions of each kind of picture: a table for each, for picture.c. All are called with a
 * cursor whose panel, row and column are inside the figure, and on a panel that is drawn. */
struct picture_functions {
    /* Scrolls (`top` and `left`) so that the cursor is visible. */
    void (*settle)(const struct picture *picture, struct area area, struct picture_cursor *cursor);
    /* As picture_draw and picture_find, with a cursor that is settled. */
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
