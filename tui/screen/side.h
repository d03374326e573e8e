/* The panel at the right: the scale, the cursor's numbers, the map of heads. */
#ifndef ATTNSCOPE_SIDE_H
#define ATTNSCOPE_SIDE_H

#include "tui/screen/screen.h"

/* Remembers in the layout where the map is. */
void side_draw(struct screen *screen, struct area area);

/* The module that the map is of. */
enum module side_module(const struct screen *screen);

/* The head of the map at (row, column) of the screen; false: none. */
bool side_find(const struct screen *screen, int row, int column, int *layer, int *head);

#endif
