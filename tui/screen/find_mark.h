/* Marking on a canvas what is found in a text (find.h). */
#ifndef ATTNSCOPE_FIND_MARK_H
#define ATTNSCOPE_FIND_MARK_H

#include "tui/screen/canvas.h"

/* Every place of `search` (NULL, "": none) gets the style, in a text that is drawn on the first row of the area and
 * begins `left` columns before it. */
void find_mark(struct canvas *canvas, struct area area, const char *text, int left,
               const char *search, struct style style);

#endif
