/* The functions of each kind of picture: a table for each, for picture.c.
 *
 * All are called with a cursor whose panel, row and column are inside the figure, and on a panel
 * that is drawn.
 */
#ifndef ATTNSCOPE_PICTURE_KINDS_H
#define ATTNSCOPE_PICTURE_KINDS_H

#include "tui/screen/picture/picture.h"

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
