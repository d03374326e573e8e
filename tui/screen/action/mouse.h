/* The mouse: clicks on cells, heads and rows; the wheel. */
#ifndef ATTNSCOPE_MOUSE_H
#define ATTNSCOPE_MOUSE_H

#include "tui/screen/canvas/event.h"
#include "tui/screen/state/state.h"

/* Does what an EVENT_MOUSE says. */
void mouse_handle(struct screen *screen, const struct event *event);

#endif
