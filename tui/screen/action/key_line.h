/* Clicks on the line of keys: what is written there is what is typed. */
#ifndef ATTNSCOPE_KEY_LINE_H
#define ATTNSCOPE_KEY_LINE_H

#include "tui/screen/canvas/keys.h"
#include "tui/screen/state/state.h"

/* The bytes that a terminal sends for the key that the line names at a column: the word there; in a
 * word of several keys ("hjkl", "←→") its character; in a description the key before it, of several
 * the last. A static string, or of the canvas; NULL: no key. */
const char *key_line_find(const struct canvas *canvas, int row, int column);

/* False: the click is not on that line. A key is read next, as if it had been typed. */
bool key_line_click(const struct screen *screen, const struct event *event);

#endif
