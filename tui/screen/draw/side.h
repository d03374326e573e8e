/* The panel at the right: the scale, numbers of the cursor's row and column, the map of heads. */
#ifndef ATTNSCOPE_SIDE_H
#define ATTNSCOPE_SIDE_H

#include "tui/screen/state/state.h"

/* Writes into the layout where the map is. */
void side_draw(struct screen *screen, struct area area);

#endif
