/* Highlighting search matches on a canvas (find.h). */
#ifndef ATTNSCOPE_FIND_MARK_H
#define ATTNSCOPE_FIND_MARK_H

#include "tui/screen/canvas/canvas.h"

/* Gives the style to every match of `search` (NULL, "": none) in a text that is drawn on the first
 * row of the area, scrolled `left` columns to the left. */
void find_mark(struct canvas *canvas, struct area area, const char *text, int left,
               const char *search, struct style style);

#endif
