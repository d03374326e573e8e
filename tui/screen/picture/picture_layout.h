/* The places of a heatmap's panels, one or several beside each other, in an area.
 *
 * Pure functions of picture and area. For the heatmaps of picture_matrix.c alone.
 */
#ifndef ATTNSCOPE_PICTURE_LAYOUT_H
#define ATTNSCOPE_PICTURE_LAYOUT_H

#include "tui/screen/picture/picture.h"

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
    int cells;  // seen across
    int end;    // column after all that is its
};

struct matrix_layout {
    struct panel_place places[MATRIX_PLACES_MOST];
    int count;
    int cell, margin;        // columns
    int tall;                // rows of a cell; above 1 all cells are seen
    int shift;               // columns of a cell before what stands above it
    bool across;             // column labels stand on one row
    int title, axes, labels; // rows: 0 or 1, 0 or 1, and of the column labels
    int row, rows;           // of the screen, for the cells
};

/* Lays out the heatmaps; `panel`: the one with the cursor, which is always visible. */
struct matrix_layout matrix_layout_find(const struct picture *picture, struct area area, int panel);

/* True if all columns of all panels are seen. */
bool matrix_layout_whole(const struct picture *picture, struct area area);

/* The panel whose row labels this panel shares. */
int matrix_labels(const struct picture *picture, int panel);

/* The first visible row and column of a panel. All panels scroll together, but none beyond its own
 * end. */
int matrix_top(const struct matrix_layout *layout, const struct figure_matrix *matrix,
               const struct picture_cursor *cursor);
int matrix_left(const struct panel_place *place, const struct figure_matrix *matrix,
                const struct picture_cursor *cursor);

#endif
