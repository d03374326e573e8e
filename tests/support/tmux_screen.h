/* The contents of a tmux pane, cell by cell, from the text of `capture-pane -e -p`. Every function
 * fails the running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_TMUX_SCREEN_H
#define ATTNSCOPE_TESTS_TMUX_SCREEN_H

#include <stdbool.h>

#include "render/colormap.h"

/* A colour: the pane's own, one of the 256, or TMUX_RGB | 0xRRGGBB. */
enum { TMUX_DEFAULT = -1, TMUX_RGB = 1 << 24 };

struct tmux_cell {
    char text[64]; // a grapheme, " " if nothing was written; "": the right half of a wide one
    int ink, fill; // colours of character and background
    bool bold, faint, italic, underline, reverse;
};

struct tmux_screen {
    bool joins; // tmux is 3.4 or later: a following character can widen a cell
    int rows, columns;
    struct tmux_cell *cells; // (rows, columns)
    char *text;              // rows without blanks at their ends, each with a line break
};

/* Parses a capture, which has one line for each row. */
struct tmux_screen tmux_screen_parse(const char *capture, bool joins, int rows, int columns);
void tmux_screen_free(struct tmux_screen *screen);

/* Fails the test if the place is outside the screen. */
const struct tmux_cell *tmux_cell(const struct tmux_screen *screen, int row, int column);

/* Returns a colour in render/'s type; fails the test unless it is a TMUX_RGB. */
struct rgb tmux_rgb(int colour);

/* Finds `text` within one row, from row *row on; sets its row and the column of its first cell. */
bool tmux_find(const struct tmux_screen *screen, const char *text, int *row, int *column);

/* Returns the text of a row between two columns (the second is exclusive), with blanks; valid until
 * the next call. */
const char *tmux_row(const struct tmux_screen *screen, int row, int from, int to);

#endif
