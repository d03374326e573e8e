/* A picture that takes the whole screen, until a key is pressed (`:show`).
 *
 * full_picture_ask, which leaves what is typed meanwhile to surface_read; then full_picture_show.
 * While `up`, nothing else is drawn, and events are given to full_picture_take first.
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
/* On failure none is up, and the screen is drawn anew. */
bool full_picture_show(struct full_picture *full, const struct terminal_picture *picture,
                       struct status *status);
/* Removes it, so that the next surface_show draws the screen as it was; nothing where none is
 * up. */
void full_picture_hide(struct full_picture *full);

/* Hides the picture at a key, a click or a new size. Whether the event is used up by that: text
 * that is typed into a line is not, so that none is lost. */
bool full_picture_take(struct full_picture *full, const struct event *event);

#endif
