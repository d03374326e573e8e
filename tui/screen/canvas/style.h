/* A terminal's capabilities, and drawing values on it.
 *
 * In truecolor, cells have the colour map's own colours, as in exported figures; with 256 colours
 * they have a ramp of the palette (palette.h). With fewer colours they are shaded with block
 * characters, with `--ascii` with ASCII characters, on a black background so that more is lighter
 * on every terminal. Positive and negative differences have different inks or, without colours, a
 * sign before the shade.
 */
#ifndef ATTNSCOPE_STYLE_H
#define ATTNSCOPE_STYLE_H

#include "render/colormap.h"
#include "tui/screen/canvas/canvas.h"

/* DEPTH_16: 8 or 16 colours, which the terminal's user chose. */
enum depth { DEPTH_NONE, DEPTH_16, DEPTH_256, DEPTH_TRUE };

struct screen_style {
    enum depth depth;
    bool ascii; // our own shades, lines and marks are ASCII ("…" is "~")
};

/* Chooses between a text and its ASCII form, such as a line or a mark. */
const char *style_text(const struct screen_style *screen_style, const char *text,
                       const char *ascii);

/* Draws the value at `position` on the map's scale over `columns` cells: 0 is the least value, 1
 * the greatest; on a diverging map 0.5 is zero; NaN is an empty cell. Shades divide the scale into
 * equal parts: 13 with 8 or 16 colours, five without colours and on each side of zero, ten in
 * ASCII; the first is blank. `chosen`: draws the cursor as "[]" around the cells ("*" in one
 * column), on the fill or, without fills, in reverse video instead of the shade. */
void style_value(const struct screen_style *screen_style, struct canvas *canvas, int row,
                 int column, int columns, const struct colormap *map, double position, bool chosen);

#endif
