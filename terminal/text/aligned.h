/* Columns that stay where they are on every terminal, although terminals differ about the width of
 * some characters. */
#ifndef ATTNSCOPE_ALIGNED_H
#define ATTNSCOPE_ALIGNED_H

#include <stdio.h>

/* Writes lines of text, whose columns were laid out with display_width; they begin in the first
 * column, and may have sequences that set colours and attributes ("ESC [ … m"). To a terminal that
 * obeys (display_obeys) it also writes, after a grapheme about whose width terminals differ, where
 * the next one belongs; not in the part of a line that is wider than the terminal. */
void aligned_write(FILE *stream, const char *text);

#endif
