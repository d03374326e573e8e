/* A picture on the whole screen until a key is pressed (`:show`).
 *
 * full_picture_ask, which leaves keys typed meanwhile to surface_read; then full_picture_show.
 * While `up`, nothing else is drawn, and events go to full_picture_take first.
 */
#ifndef ATTNSCOPE_FULL_PICTURE_H
#define ATTNSCOPE_FULL_PICTURE_H

#include "report/report.h"
#include "terminal/graphics.h"
#include "tui/screen/canvas/keys.h"

struct full_picture {
    bool up;
    struct graphics_terminal terminal;
};

void full_picture_ask(struct full_picture *full, const struct terminal_picture *picture);
/* On failure no picture is up, and the screen is redrawn. */
bool full_picture_show(struct full_picture *full, const struct terminal_picture *picture,
                       struct status *status);
/* Removes it, so that the next surface_show redraws the screen. Does nothing if none is up. */
void full_picture_hide(struct full_picture *full);

/* Hides the picture at a key, a click or a new size. True if this consumes the event; text typed
 * into a line is not consumed, so that none is lost. */
bool full_picture_take(struct full_picture *full, const struct event *event);

#endif
