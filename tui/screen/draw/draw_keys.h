/* The line that names the keys of what is shown. */
#ifndef ATTNSCOPE_DRAW_KEYS_H
#define ATTNSCOPE_DRAW_KEYS_H

#include "tui/screen/state/state.h"

void draw_keys(struct screen *screen, struct area area);

#endif
