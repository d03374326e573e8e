/* Putting the program's own texts on the canvas: in ASCII where the terminal takes nothing else.
 *
 * Short of memory nothing is drawn.
 */
#ifndef ATTNSCOPE_PUT_H
#define ATTNSCOPE_PUT_H

#include "tui/screen/state/state.h"

/* Puts a text from `column` on, cut to `columns`. Returns its width. */
int put_left(struct screen *screen, int row, int column, int columns, struct style style,
             const char *text);

/* Puts a text, cut to `columns`, so that it ends before column `end`. Returns where it begins. */
int put_right(struct screen *screen, int row, int end, int columns, struct style style,
              const char *text);

/* Puts a text over the rows of an area, broken as display_line does, and cut in the last row.
 * Returns the width of its widest row. */
int put_wrapped(struct screen *screen, struct area area, struct style style, const char *text);

#endif
