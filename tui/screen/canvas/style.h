/* The abilities of a terminal, and the drawing of values on it.
 *
 * In truecolor, cells are filled with the colour map's own colours, as in exported figures; with
 * 256 colours by a ramp of the palette (palette.h). With fewer they are shaded by block characters,
 * with `--ascii` by ASCII characters, on a black ground so that more is lighter on every terminal;
 * positive and negative differences have different inks, or without colours a sign before the
 * shade.
 */
#ifndef ATTNSCOPE_STYLE_H
#define ATTNSCOPE_STYLE_H

#include "render/colormap.h"
#include "tui/screen/canvas/canvas.h"

/* DEPTH_16: 8 or 16 colours, which the terminal's user chose. */
enum depth { DEPTH_NONE, DEPTH_16, DEPTH_256, DEPTH_TRUE };

struct screen_style {
    enum depth depth;
    bool ascii; // nothing but ASCII of ours: shades, lines, marks ("…" is "~")
};

/* Chooses between a text and its ASCII form, such as a line or a mark. */
const char *style_text(const struct screen_style *screen_style, const char *text,
                       const char *ascii);

/* Draws the value at `position` on the map's scale over `columns` cells: 0 is the least value, 1
 * the greatest, on a diverging map 0.5 is zero; NaN is an empty cell. Shades divide the scale into
 * equal parts: 13 with 8 or 16 colours, five without colours and on each side of zero, ten in
 * ASCII; the first of them is blank. `chosen`: the cursor is here; it is drawn as "[]" around the
 * cells (in one column "*"), on the fill or, without fills, in reverse video instead of the
 * shade. */
void style_value(const struct screen_style *screen_style, struct canvas *canvas, int row,
                 int column, int columns, const struct colormap *map, double position, bool chosen);

#endif
