/* The whole screen, drawn from the frame and the state: nothing here asks the session. */
#ifndef ATTNSCOPE_SCREEN_DRAW_H
#define ATTNSCOPE_SCREEN_DRAW_H

#include "tui/screen/state/state.h"

/* Lays out and draws the screen on its canvas; *row and *column: where the terminal's cursor goes,
 * row -1: hidden. Moves cursors and scroll positions inside what is shown. */
void draw_screen(struct screen *screen, int *row, int *column);

#endif
