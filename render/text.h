/* Lines of text in any script with pango: setting, measuring and drawing. Characters that the font
 * lacks come from other fonts of the system.
 *
 * Call order: text_open once for a figure; text_typesetter for its layout; text_draw and text_look;
 * text_close.
 */
#ifndef ATTNSCOPE_TEXT_H
#define ATTNSCOPE_TEXT_H

#include <cairo.h>

#include "render/layout.h"

/* Stands for what may not be written. */
#define REPLACEMENT "\xef\xbf\xbd"

struct text;

/* STATUS_INVALID when no such font family is installed. NULL on failure. */
struct text *text_open(const char *family, struct status *status);
void text_close(struct text *text);

/* Adds what no font has of the texts that are set from now on; NULL: nothing. */
void text_note_missing(struct text *text, struct figure_missing *missing);

/* Borrowed from `text`. */
struct typesetter text_typesetter(struct text *text);

/* The data with which a viewer of SVG sets a placed text at the same place. */
struct text_look {
    double advance; // from the line's origin to where text would go on
    bool leftwards; // the paragraph's direction
    char
        families[200]; // "'A', 'B'": those in use, the chosen one first; no other quotes, nor < & >
};
void text_look(struct text *text, const struct placed_text *placed, struct text_look *look);

/* Draws in cairo's current colour. */
void text_draw(struct text *text, cairo_t *cairo, const struct placed_text *placed);

#endif
