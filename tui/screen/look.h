/* What a terminal can show, and how values look on it.
 *
 * Fills where it has 256 colours or more: the colour map's own colours, as in exported figures. With fewer a
 * cell of two columns is shaded by characters, `--ascii` with ASCII alone; differences are told apart by
 * ink, or without colours by a sign before the shade.
 */
#ifndef ATTNSCOPE_LOOK_H
#define ATTNSCOPE_LOOK_H

#include "render/colormap.h"
#include "tui/screen/canvas.h"

/* DEPTH_16: 8 or 16 colours, which the terminal's user chose. */
enum depth { DEPTH_NONE, DEPTH_16, DEPTH_256, DEPTH_TRUE };

struct look {
    enum depth depth;
    bool ascii; // nothing but ASCII of ours: shades, lines, marks ("…" is "~")
};

/* A character of `look`, such as a line or a mark: the ASCII one where it must. */
const char *look_text(const struct look *look, const char *text, const char *ascii);

/* Fills `columns` cells with the value at `position` on the map's scale: 0 its least, 1 its most;
 * of a diverging map 0.5 is zero. NaN: no value, an empty cell. Shades are equal shares of the scale: five, in
 * ASCII ten, of a diverging map on each side of zero; the first is blank. `chosen`: the cursor is on it, "[]"
 * around them (in one column "*") on the fill, or without fills in reverse instead of the shade. */
void look_value(const struct look *look, struct canvas *canvas, int row, int column, int columns,
                const struct colormap *map, double position, bool chosen);

/* The colour of the 256 that is shown for `colour`: index into xterm's fixed palette (16 … 255), the nearest
 * in CIELAB; and that palette. */
int look_nearest(struct rgb colour);
struct rgb look_palette(int index);

#endif
