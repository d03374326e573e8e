/* Canvases for tests: what stands where, and whether anything was drawn where it must not. Every
 * function fails the running test when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_CANVAS_SUPPORT_H
#define ATTNSCOPE_TESTS_CANVAS_SUPPORT_H

#include "tui/screen/canvas/canvas.h"

/* A canvas that is blank in the area, and full of a mark elsewhere; canvas_free frees. */
struct canvas canvas_with_canary(int rows, int columns, struct area area);
/* Outside of the area all is as it was, and no wide character there is halved. */
void canvas_check_canary(const struct canvas *canvas, struct area area);

/* Text of a row, blanks kept, until the next call. */
const char *canvas_text(const struct canvas *canvas, int row, int column, int columns);

#endif
