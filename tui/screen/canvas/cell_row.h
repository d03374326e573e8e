/* One row of a canvas as ncurses takes it. For the surface alone. */
#ifndef ATTNSCOPE_CELL_ROW_H
#define ATTNSCOPE_CELL_ROW_H

#include "tui/screen/canvas/canvas.h"

/* Puts the cells, at most 2000, on a row of stdscr. False: there are no pairs of colours (colours.h). */
bool cell_row_show(int row, const struct cell *cells, int columns);

#endif
