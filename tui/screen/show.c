/* What is shown, and what it covers. */
#include <stdlib.h>

#include "tui/screen/screen.h"

static bool covers(const struct frame *frame)
{
    return !frame->drawn && frame->kind != FRAME_EMPTY;
}

static void forget(struct frame **frame)
{
    frame_free(*frame);
    *frame = NULL;
}

/* Keys may come before the next drawing: the cursor is inside what is shown, whatever that is. */
static void settle(struct screen *screen)
{
    if (screen->frame->kind == FRAME_PICTURE)
        picture_settle(&screen->frame->picture, screen->layout.view, screen_spot(screen));
}

bool screen_uncover(struct screen *screen)
{
    if (!screen->below)
        return false;
    frame_free(screen->frame);
    screen->frame = screen->below;
    screen->below = NULL;
    settle(screen);
    return true;
}

/* Tables and texts cover the last picture, which comes back; a new picture is of a session that may have
 * changed. */
static void show(struct screen *screen, struct frame *frame)
{
    if (covers(frame) && covers(screen->frame))
        forget(&screen->frame);
    else if (covers(frame))
        screen->below = screen->frame;
    else {
        forget(&screen->below);
        forget(&screen->frame);
    }
    screen->frame = frame;
    settle(screen);
    if (frame->kind == FRAME_SHEET)
        screen->places.sheet = (struct sheet_spot){0};
    if (frame->kind == FRAME_PAGE)
        screen->places.page = (struct page_spot){0};
    screen->places.found = 0;
}

void screen_show(struct screen *screen, struct frame *frame)
{
    struct status status;
    if (!screen->look.ascii || frame_in_ascii(frame, &status)) {
        show(screen, frame);
    } else {
        frame_free(frame);
        screen_say(screen, true, "%s", status.message);
    }
}

void screen_show_page(struct screen *screen, const char *title, char *text)
{
    struct status status;
    struct frame *frame = frame_of_text(screen->frame, title, text, &status);
    if (frame)
        show(screen, frame);
    else
        screen_say(screen, true, "%s", status.message);
}
