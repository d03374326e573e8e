/* What is sent to the terminal: bytes, the look of characters, rows of a canvas.
 *
 * For the surface alone (surface.h), after newterm; by one thread. Bytes are collected, so that few
 * writes are made: every function but sent_flush adds to them.
 */
#ifndef ATTNSCOPE_SENT_H
#define ATTNSCOPE_SENT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"

void sent_add(const char *text, size_t bytes);

/* Writes to standard output what was added. What cannot be written is dropped. */
void sent_flush(void);

/* Finds out how many colours there are (none under NO_COLOR) and how they are numbered. `direct`:
 * in the terminal description a colour is its own number. */
enum depth colours_open(bool direct);

/* Ends all attributes and colours of characters. */
void pen_plain(void);

/* Adds what changes the row `shown` of the terminal into `cells`; all of them where `shown` is
 * NULL. The terminal must not wrap.
 *
 * Terminals differ about the width of joined emoji, vowel signs and new characters. After each of
 * them the cursor is set, and what follows is sent again with it, so that no other column moves. */
void cell_row_send(int row, const struct cell *cells, const struct cell *shown, int columns);

/* Adds what moves the cursor. */
void cell_row_move(int row, int column);

#endif
