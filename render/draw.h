/* Draws a laid out figure with cairo: on pixels, and on pages of rectangles and text. */
#ifndef ATTNSCOPE_DRAW_H
#define ATTNSCOPE_DRAW_H

#include <cairo.h>

#include "render/layout.h"
#include "render/text.h"

/* On a page of layout->width x layout->height units, which becomes white first. A cell is one rectangle
 * of exactly the map's colour; where there are no pixels it reaches below its right and lower neighbours
 * as well. What lies outside of cairo's clip is skipped. Errors stay in `cairo`.
 * `watch` (NULL: nobody) is told a share of 0: how much of a page the clip is, the caller knows. False: it
 * stopped the drawing. */
bool draw_figure(cairo_t *cairo, const struct figure *figure, const struct layout *layout,
                 struct text *text, const struct figure_watch *watch);

#endif
