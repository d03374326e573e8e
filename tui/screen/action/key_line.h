/* Clicks on the line of keys: a click types the key shown there. */
#ifndef ATTNSCOPE_KEY_LINE_H
#define ATTNSCOPE_KEY_LINE_H

#include "tui/screen/canvas/keys.h"
#include "tui/screen/state/state.h"

/* Returns the bytes that a terminal sends for the key shown at a column: the word there; in a word
 * of several keys ("hjkl", "←→") the character; in a description the last key before it. A static
 * string, or owned by the canvas; NULL: no key. */
const char *key_line_find(const struct canvas *canvas, int row, int column);

/* Types the key that was clicked, to be read next. False: the click is not on that line. */
bool key_line_click(const struct screen *screen, const struct event *event);

#endif
