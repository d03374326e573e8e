/* Draws a laid-out figure with cairo, on raster and vector surfaces. */
#ifndef ATTNSCOPE_DRAW_H
#define ATTNSCOPE_DRAW_H

#include <cairo.h>

#include "render/layout.h"
#include "render/text.h"

/* Fills a page of layout->width x layout->height units with white and draws the figure. A cell is
 * one rectangle of exactly the colour of the map; on vector surfaces it extends under its right and
 * lower neighbours, so that viewers show no seams. Skips what lies outside cairo's clip. Errors
 * stay in `cairo`. Calls `watch` (NULL: none) with a share of 0, because only the caller knows what
 * share of the page the clip is. False: `watch` stopped the drawing. */
bool draw_figure(cairo_t *cairo, const struct figure *figure, const struct figure_layout *layout,
                 struct text *text, const struct watch *watch);

#endif
