/* Output to the terminal: bytes, attributes of characters, rows of a canvas.
 *
 * Private to the surface (surface.h), after newterm; one thread. Bytes are collected for fewer
 * writes: every function except sent_flush only adds to them.
 */
#ifndef ATTNSCOPE_SENT_H
#define ATTNSCOPE_SENT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"

void sent_add(const char *text, size_t bytes);

/* Writes the added bytes to standard output. Bytes that cannot be written are dropped. */
void sent_flush(void);

/* Determines how many colours there are (none under NO_COLOR) and how they are numbered. `direct`:
 * the terminal description gives colours by value. */
enum depth colours_open(bool direct);

/* Ends all attributes and colours of characters. */
void pen_plain(void);

/* Adds the bytes that change the terminal's row `shown` into `cells`; the whole row if `shown` is
 * NULL. The terminal must not wrap.
 *
 * Terminals disagree about the width of joined emoji, vowel signs and new characters. After each of
 * them the cursor is positioned and the following cell is sent again, so that no other column
 * moves. A row that has or had one of them is sent whole. */
void cell_row_send(int row, const struct cell *cells, const struct cell *shown, int columns);

/* Adds the bytes that move the cursor. */
void cell_row_move(int row, int column);

#endif
