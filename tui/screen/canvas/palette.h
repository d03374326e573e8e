/* xterm's palette of 256 colours: 16 that users choose, a cube of 6 levels, greys. Pure. */
#ifndef ATTNSCOPE_PALETTE_H
#define ATTNSCOPE_PALETTE_H

#include "render/colormap.h"
#include "tui/screen/canvas/canvas.h"

/* One of the fixed colours, 16 … 255. */
struct rgb palette_colour(int index);
/* The index of the nearest fixed colour in CIELAB. */
int palette_nearest(struct rgb colour);

/* The colours of values on terminals that cannot show a colour map exactly.
 *
 * A map's lightness (CIE L*) changes monotonically with the value; this is how readers rank cells.
 * Rounding every colour to the nearest of a small palette breaks this order, so these ramps are
 * chosen by lightness first:
 * - With 256 colours, a map has 16 steps, each lighter than the one before (darker on maps that
 *   begin with white). Of all such sequences of the fixed colours 16 ... 255 it has the least sum
 *   of 16 dL^2 + da^2 + db^2 to the map in CIELAB; neighbours differ by at least 1.5 in L*.
 * - Differences have a grey for zero and up to a twelfth of the scale around it, then 6 steps on
 *   each side, blues and reds of about equal lightness.
 * - With 8 or 16 colours, block characters mix two neighbours of black, blue, cyan and white: 13
 *   steps, whose order holds in the palettes of common terminals, on any background.
 *
 * Pure functions of constants. Positions are those of style_value: 0 ... 1.
 */

/* The colour of that position among the fixed ones of 256. */
struct rgb ramp_colour(const struct colormap *map, double position);

/* With 8 or 16 colours: the block character of that position, and its ink and ground. */
const char *ramp_shade(double position, struct style *style);

#endif
