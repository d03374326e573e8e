/* Keeps columns aligned on every terminal, although terminals disagree about the width of some
 * characters. */
#ifndef ATTNSCOPE_ALIGNED_H
#define ATTNSCOPE_ALIGNED_H

#include <stdio.h>

/* Writes lines of text whose columns were laid out with display_width; they begin in the first
 * column and may contain colour and attribute sequences ("ESC [ … m"). On a terminal that obeys
 * sequences (display_obeys) it positions the cursor after each grapheme of disputed width, except
 * beyond the terminal's width. */
void aligned_write(FILE *stream, const char *text);

#endif
