/* A screenful of characters in memory, which views draw on and surface_show (surface.h) sends to
 * the terminal.
 *
 * canvas_resize makes it blank; then draw in any order; later drawing covers earlier drawing. Clips
 * to the canvas and to the given area. Texts are cleaned of control characters (display.h) and cut
 * between graphemes; a wide grapheme is never split.
 */
#ifndef ATTNSCOPE_CANVAS_H
#define ATTNSCOPE_CANVAS_H

#include <stdbool.h>

#include "base/status.h"
#include "render/colormap.h"

enum ink {
    INK_NORMAL, // the terminal's own colours
    INK_FAINT,  // lines, inactive parts
    INK_STRONG, // titles
    INK_ACCENT, // the chosen cell, row or text
    INK_WARN,   // errors, heads that are off
    INK_MARK,   // words that changed
    INK_RISE,   // differences above 0, if there are no fills
    INK_FALL,   // below 0
    INK_BLACK,  // shades of weights with 8 or 16 colours; the background of all shades
    INK_BLUE,
    INK_CYAN,
    INK_WHITE,
    INK_COUNT
};

struct style {
    enum ink ink;
    enum ink ground; // INK_NORMAL: the terminal's own; set with 8 or 16 colours only
    bool reverse, underline;
    bool filled; // the background is `fill`, and the ink black or white, whichever is more readable
    struct rgb fill;
};

enum { CELL_BYTES = 64 };
struct cell {
    /* A grapheme (only the beginning of one with dozens of marks); "": continues the one to the
     * left. */
    char text[CELL_BYTES];
    struct style style;
};

struct canvas {
    int rows, columns;
    struct cell *cells; // (rows, columns)
    bool ascii;         // cut texts end in "~"; set by the owner, kept by resizing
};

/* A part of a canvas, in its coordinates. */
struct area {
    int row, column, rows, columns;
};

/* A canvas begins as {0}; on failure it is unchanged. */
bool canvas_resize(struct canvas *canvas, int rows, int columns, struct status *status);
void canvas_free(struct canvas *canvas); // leaves it empty

/* NULL outside. */
struct cell *canvas_cell(const struct canvas *canvas, int row, int column);

/* Puts text on one row, cut with "…" to at most `columns`; returns the columns taken. A grapheme
 * partly outside the canvas leaves its visible columns blank. */
int canvas_put(struct canvas *canvas, int row, int column, int columns, struct style style,
               const char *text);

/* Repeats a character of one column. */
void canvas_repeat(struct canvas *canvas, int row, int column, int columns, struct style style,
                   const char *text);

/* Changes the style of existing cells. */
void canvas_restyle(struct canvas *canvas, struct area area, struct style style);

#endif
