/* What the cursor is on, as one line. */
#ifndef ATTNSCOPE_SCREEN_DESCRIBE_H
#define ATTNSCOPE_SCREEN_DESCRIBE_H

#include "tui/screen/state/state.h"

enum { DETAIL_BYTES = 8000 };

/* The rows that describe_cursor needs: more than one for the texts of a table that are not whole in it. The same for
 * all of its rows, so that walking through them moves nothing. */
int describe_rows(const struct screen *screen);

/* Writes "shirt → blue  0.4120", or the text of a table's cell; "" where there is no cursor. Labels are cut beyond 40
 * columns; at most DETAIL_BYTES are written. Moves the cursor inside the picture first. */
void describe_cursor(struct screen *screen, char *text, size_t size);

#endif
