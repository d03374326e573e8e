/* Draws a laid out figure with cairo, on raster and vector surfaces. */
#ifndef ATTNSCOPE_DRAW_H
#define ATTNSCOPE_DRAW_H

#include <cairo.h>

#include "render/layout.h"
#include "render/text.h"

/* Fills a page of layout->width x layout->height units with white and draws the figure. A cell is
 * one rectangle of exactly the colour of the map; on vector surfaces it extends under its right and
 * lower neighbours, so that viewers show no seams. What lies outside of cairo's clip is skipped.
 * Errors stay in `cairo`. `watch` (NULL: nobody) is called with a share of 0, as only the caller
 * knows how much of the page the clip is. Returns false where it stopped the drawing. */
bool draw_figure(cairo_t *cairo, const struct figure *figure, const struct figure_layout *layout,
                 struct text *text, const struct watch *watch);

#endif
