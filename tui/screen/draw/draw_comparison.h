/* Two translations one above the other, where else the translation stands. */
#ifndef ATTNSCOPE_DRAW_COMPARISON_H
#define ATTNSCOPE_DRAW_COMPARISON_H

#include "tui/screen/state/state.h"

/* Draws lines of both texts (edit_lines.h), or of the second alone, into the rows of an area in turns, their titles from
 * column `title` on. Where there are more lines than rows, those with the first difference are drawn, and "…" says that
 * there is more. */
void draw_comparison(struct screen *screen, const struct comparison *comparison, int texts_shown,
                     struct area area, int title);

#endif
