/* A screenful of characters before a terminal gets it: what the views draw on.
 *
 * canvas_resize makes it blank at a size; then draw in any order (later drawing covers earlier), then
 * surface_show (surface.h). Nothing here knows a terminal. What lies outside the canvas, or the area given,
 * is left out; texts are cleaned (display.h) and cut by graphemes, wide ones are never halved.
 */
#ifndef ATTNSCOPE_CANVAS_H
#define ATTNSCOPE_CANVAS_H

#include <stdbool.h>

#include "gpu/status.h"
#include "render/colormap.h"

enum ink {
    INK_NORMAL, // the terminal's own colours
    INK_FAINT,  // lines, what does not count now
    INK_STRONG, // titles
    INK_ACCENT, // what is chosen
    INK_WARN,   // errors, heads that are off
    INK_MARK,   // words that changed
    INK_RISE,   // differences above 0, where there are no fills
    INK_FALL,   // below 0
    INK_COUNT
};

struct style {
    enum ink ink;
    bool reverse, underline;
    bool filled; // the background is `fill`, and the ink black or white, whichever is read better
    struct rgb fill;
};

enum { CELL_BYTES = 32 };
struct cell {
    /* A grapheme (a longer one: its beginning); "": the right half of a wide one. */
    char text[CELL_BYTES];
    struct style style;
};

struct canvas {
    int rows, columns;
    struct cell *cells; // (rows, columns)
    bool ascii; // what is cut ends in "~" instead; whoever owns it sets it, resizing keeps it
};

/* A part of a canvas, in its coordinates. */
struct area {
    int row, column, rows, columns;
};

/* A canvas begins as {0}; on failure it stays as it was. */
bool canvas_resize(struct canvas *canvas, int rows, int columns, struct status *status);
void canvas_free(struct canvas *canvas); // leaves it empty

/* NULL outside. */
struct cell *canvas_cell(const struct canvas *canvas, int row, int column);

/* Puts text on one row, at most `columns` wide, cut with "…" where it is wider; returns the columns
 * that it took. Of a wide character with one half outside the canvas the other is blank. */
int canvas_put(struct canvas *canvas, int row, int column, int columns, struct style style,
               const char *text);

/* One character of one column, repeated. */
void canvas_repeat(struct canvas *canvas, int row, int column, int columns, struct style style,
                   const char *text);

/* Changes the style of what is there. */
void canvas_restyle(struct canvas *canvas, struct area area, struct style style);

#endif
