/* Draws the whole screen from the frame and the state, without the session. */
#ifndef ATTNSCOPE_SCREEN_DRAW_H
#define ATTNSCOPE_SCREEN_DRAW_H

#include "tui/screen/state/state.h"

/* Lays out and draws the screen on its canvas; *row and *column: the position of the terminal's
 * cursor; row -1: hidden. Clamps cursors and scroll positions to what is shown. */
void draw_screen(struct screen *screen, int *row, int *column);

#endif
