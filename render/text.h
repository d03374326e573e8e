/* Lines of text in any script with pango: setting, measuring and drawing. Characters missing from
 * the font come from other system fonts.
 *
 * Call order: text_open once for a figure; text_typesetter for its layout; text_draw and text_look;
 * text_close.
 */
#ifndef ATTNSCOPE_TEXT_H
#define ATTNSCOPE_TEXT_H

#include <cairo.h>

#include "render/layout.h"

/* Replaces what cannot be written. */
#define REPLACEMENT "\xef\xbf\xbd"

struct text;

/* NULL on failure; STATUS_INVALID: no such font family is installed. */
struct text *text_open(const char *family, struct status *status);
void text_close(struct text *text);

/* Collects the characters that no font has, from texts set from now on; NULL: stops collecting. */
void text_note_missing(struct text *text, struct figure_missing *missing);

/* Borrowed from `text`. */
struct typesetter text_typesetter(struct text *text);

/* The data that an SVG viewer needs to set a placed text at the same place. */
struct text_look {
    double advance;     // from the line's origin to where text would continue
    bool leftwards;     // the paragraph's direction
    char families[200]; // "'A', 'B'": those in use, the chosen one first; no other quotes, no < & >
};
void text_look(struct text *text, const struct placed_text *placed, struct text_look *look);

/* Draws in cairo's current colour. */
void text_draw(struct text *text, cairo_t *cairo, const struct placed_text *placed);

#endif
