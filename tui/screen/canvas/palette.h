/* The palette of terminals with 256 colours, as xterm has it: 16 that users choose, a cube of 6
 * levels, greys. Pure. */
#ifndef ATTNSCOPE_PALETTE_H
#define ATTNSCOPE_PALETTE_H

#include "render/colormap.h"

/* One of the fixed colours, 16 … 255. */
struct rgb palette_colour(int index);
/* The index of the nearest of them in CIELAB. */
int palette_nearest(struct rgb colour);

#endif
