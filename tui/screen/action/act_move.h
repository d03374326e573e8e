/* Moving the cursor, or the scroll position of a text, within what is shown. */
#ifndef ATTNSCOPE_ACT_MOVE_H
#define ATTNSCOPE_ACT_MOVE_H

#include "tui/screen/action/act.h"

act act_cell, act_arrow_cell; // h j k l, and the arrows that do the same
act act_page, act_first, act_last, act_line_end;

/* Moves by that many rows and columns, as far as there are some; in an overview by panels. */
void act_move(struct screen *screen, int rows, int columns);

#endif
