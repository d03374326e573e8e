/* Text by pango: any bytes become a line that is set, measured and drawn, in whatever script, with
 * fonts of the system where the chosen one lacks characters.
 *
 * text_open once for a figure, then text_typesetter for its layout and text_draw, text_close.
 */
#ifndef ATTNSCOPE_TEXT_H
#define ATTNSCOPE_TEXT_H

#include <cairo.h>

#include "render/layout.h"

struct text;

/* STATUS_INVALID when no such font family is installed. NULL on failure. */
struct text *text_open(const char *family, struct status *status);
void text_close(struct text *text);

/* Borrowed from `text`. */
struct typesetter text_typesetter(struct text *text);

/* Draws in cairo's current colour. */
void text_draw(struct text *text, cairo_t *cairo, const struct placed_text *placed);

#endif
