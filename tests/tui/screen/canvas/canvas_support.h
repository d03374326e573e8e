/* Canvases for tests: their contents, and whether anything was drawn outside the area. Every
 * function fails the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_CANVAS_SUPPORT_H
#define ATTNSCOPE_TESTS_CANVAS_SUPPORT_H

#include "tui/screen/canvas/canvas.h"

/* Returns a canvas that is blank inside the area and full of a mark outside; canvas_free frees
 * it. */
struct canvas canvas_with_canary(int rows, int columns, struct area area);
/* Checks that nothing changed outside the area, and that no wide character is cut in half there. */
void canvas_check_canary(const struct canvas *canvas, struct area area);

/* Returns the text of a row, with blanks; valid until the next call. */
const char *canvas_text(const struct canvas *canvas, int row, int column, int columns);

#endif
