/* What is shown, and what it covers. */
#include <stdlib.h>
#include <string.h>

#include "tui/screen/screen.h"

static bool covers(const struct frame *frame)
{
    return !frame->drawn && frame->kind != FRAME_EMPTY;
}

/* Keys may come before the next drawing: the cursor is inside what is shown, whatever that is. */
static void settle(struct screen *screen)
{
    if (screen->frame->kind == FRAME_PICTURE)
        picture_settle(&screen->frame->picture, screen->layout.view, screen_spot(screen));
    if (screen->frame->kind == FRAME_SHEET)
        screen->places.sheet = screen->frame->place;
    if (screen->frame->kind == FRAME_PAGE)
        screen->places.page = (struct page_spot){0};
    screen->places.found = 0;
}

/* Below ------------------------------------------------------------------------------------------ */

static void remove_below(struct screen *screen, int index)
{
    memmove(screen->below + index, screen->below + index + 1,
            (size_t)(--screen->covered - index) * sizeof *screen->below);
}

static void drop_below(struct screen *screen, int index)
{
    frame_free(screen->below[index]);
    remove_below(screen, index);
}

/* Of too many the table or text that is covered the longest goes: a picture is the lowest. */
static void put_below(struct screen *screen, struct frame *frame)
{
    if (screen->covered == COVERED_MOST)
        drop_below(screen, 1);
    screen->below[screen->covered++] = frame;
}

/* All of it, or all but tables of studies. */
static void clear_below(struct screen *screen, bool keep)
{
    for (int i = screen->covered - 1; i >= 0; i--)
        if (!keep || !result_is_scores(&screen->below[i]->result))
            drop_below(screen, i);
}

/* Showing ---------------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_again(const struct frame *frame, const struct frame *other)
{
    return frame->kind == other->kind && same_text(frame->title, other->title) &&
           same_text(frame->command, other->command);
}

static void cover(struct screen *screen, struct frame *frame)
{
    struct frame *before = screen->frame;
    before->place = screen->places.sheet;
    if (covers(before) && is_again(before, frame))
        frame_free(before);
    else
        put_below(screen, before);
}

/* Tables of studies stay while one looks at a sentence that was opened from them. */
static void replace(struct screen *screen, const struct frame *frame)
{
    struct frame *before = screen->frame;
    bool opened = screen->opening && result_is_scores(&before->result);
    bool same = before->drawn && same_text(before->source, frame->source);
    clear_below(screen, opened || same);
    before->place = screen->places.sheet;
    if (opened)
        put_below(screen, before);
    else
        frame_free(before);
}

static void show(struct screen *screen, struct frame *frame)
{
    if (covers(frame))
        cover(screen, frame);
    else
        replace(screen, frame);
    screen->opening = false;
    screen->frame = frame;
    settle(screen);
}

bool screen_uncover(struct screen *screen)
{
    if (!covers(screen->frame) || screen->covered == 0)
        return false;
    frame_free(screen->frame);
    screen->frame = screen->below[--screen->covered];
    settle(screen);
    return true;
}

bool screen_return(struct screen *screen)
{
    struct status unused;
    struct frame *picture = screen->frame;
    if (covers(picture) || screen->covered == 0)
        return false;
    screen->frame = screen->below[screen->covered - 1];
    memmove(screen->below + 1, screen->below,
            (size_t)(screen->covered - 1) * sizeof *screen->below);
    screen->below[0] = picture;
    frame_follow(screen->frame, picture, &unused); // else it says what was when it was made
    settle(screen);
    return true;
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
