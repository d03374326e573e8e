/* One row of a canvas as bytes for the terminal (sent.h). For the surface alone, after newterm.
 *
 * Terminals differ about the width of joined emoji, vowel signs and new characters. After each of
 * them the cursor is set, and what follows is sent again with it, so that no other column moves.
 */
#ifndef ATTNSCOPE_CELL_ROW_H
#define ATTNSCOPE_CELL_ROW_H

#include "tui/screen/canvas/canvas.h"

/* Adds what changes the row `shown` of the terminal into `cells`; all of them where `shown` is
 * NULL. The terminal must not wrap. */
void cell_row_send(int row, const struct cell *cells, const struct cell *shown, int columns);

/* Adds what moves the cursor. */
void cell_row_move(int row, int column);

#endif
