/* Keys and clicks that move the focus between the prompt and the view, or that work in either.
 *
 * The first key at an empty prompt decides: text is text; ← → and Tab enter the view and act there,
 * as Esc and a click enter it from any line. A page up or down and the wheel scroll the view and
 * leave the focus where it is. A paste always goes to a line.
 */
#ifndef ATTNSCOPE_FOCUS_H
#define ATTNSCOPE_FOCUS_H

#include "tui/screen/canvas/event.h"
#include "tui/screen/state/state.h"

/* A key of EVENT_KEY that came while a line is typed. */
void focus_line_key(struct screen *screen, const struct event *event);
void focus_mouse(struct screen *screen, const struct event *event);

#endif
