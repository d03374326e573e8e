#include "tui/screen/state/state.h"

#include <stdlib.h>
#include <string.h>

static bool covers(const struct frame *frame)
{
    return !frame->drawn && frame->kind != FRAME_EMPTY;
}

/* Keys may arrive before the next drawing, so the cursor is moved inside what is shown at once. */
static void settle(struct screen *screen)
{
    if (screen->frame->kind == FRAME_PICTURE)
        picture_settle(&screen->frame->picture, screen->layout.view, screen_cursor(screen));
    if (screen->frame->kind == FRAME_SHEET)
        screen->cursors.sheet = screen->frame->sheet_cursor;
    if (screen->frame->kind == FRAME_PAGE)
        screen->cursors.page = (struct page_scroll){0};
    screen->cursors.found = 0;
}

static bool is_list(const struct frame *frame)
{
    return frame_navigation(frame)->kind == VIEW_BESIDE_HEADS;
}

/* Below ---------------------------------------------------------------------------------------- */

static void remove_below(struct screen *screen, int index)
{
    memmove(screen->covered.frames + index, screen->covered.frames + index + 1,
            (size_t)(--screen->covered.count - index) * sizeof *screen->covered.frames);
}

static void drop_below(struct screen *screen, int index)
{
    frame_free(screen->covered.frames[index]);
    remove_below(screen, index);
}

/* Beyond COVERED_MOST, drops the table or text that has been covered longest; a picture lies below
 * it. */
static void put_below(struct screen *screen, struct frame *frame)
{
    if (screen->covered.count == COVERED_MOST)
        drop_below(screen, 1);
    screen->covered.frames[screen->covered.count++] = frame;
}

/* Drops all covered frames, or all but tables of test sets. */
static void clear_below(struct screen *screen, bool keep)
{
    for (int i = screen->covered.count - 1; i >= 0; i--)
        if (!keep || !screen->covered.frames[i]->report.of_testset)
            drop_below(screen, i);
}

/* Showing -------------------------------------------------------------------------------------- */

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
    before->sheet_cursor = screen->cursors.sheet;
    if (covers(before) && is_again(before, frame))
        frame_free(before);
    else
        put_below(screen, before);
}

static bool same_sentence_and_state(const struct frame *frame, const struct frame *other)
{
    return same_text(frame->name, other->name) && same_text(frame->off, other->off) &&
           same_text(frame->source, other->source) && same_text(frame->target, other->target);
}

/* Pictures of two states lie on the list of heads that they were opened from, and on what it
 * covers. */
static bool stays_on_list(const struct screen *screen, const struct frame *frame)
{
    const struct frame *before = screen->frame;
    int count = screen->covered.count;
    const struct frame *below = screen->from_table ? before
                                : count > 0        ? screen->covered.frames[count - 1]
                                                   : NULL;
    return frame_navigation(frame)->kind == VIEW_BESIDE && below && is_list(below) &&
           (below == before || frame_navigation(before)->kind == VIEW_BESIDE) &&
           same_sentence_and_state(before, frame);
}

static void replace_on_list(struct screen *screen)
{
    struct frame *before = screen->frame;
    before->sheet_cursor = screen->cursors.sheet;
    if (is_list(before))
        put_below(screen, before);
    else
        frame_free(before);
}

bool shown_is_away(const struct screen *screen)
{
    return screen->covered.count > 0 ? screen->covered.frames[0]->away : screen->frame->away;
}

bool shown_comes_home(const struct screen *screen)
{
    return covers(screen->frame) && screen->covered.count == 1 && shown_is_away(screen);
}

/* Tables of test sets stay covered while a sentence opened from them is shown. */
static void replace(struct screen *screen, struct frame *frame)
{
    struct frame *before = screen->frame;
    const struct frame *bottom = screen->covered.count > 0 ? screen->covered.frames[0] : before;
    bool opened = screen->from_table && before->report.of_testset;
    bool same = before->drawn && same_text(before->source, frame->source);
    frame->away = (opened && screen->opens && bottom->source) || ((opened || same) && bottom->away);
    clear_below(screen, opened || same);
    before->sheet_cursor = screen->cursors.sheet;
    if (opened)
        put_below(screen, before);
    else
        frame_free(before);
}

static void put_on_top(struct screen *screen, struct frame *frame)
{
    bool from_list = screen->from_table && is_list(screen->frame);
    if (covers(frame))
        cover(screen, frame);
    else if (stays_on_list(screen, frame))
        replace_on_list(screen);
    else
        replace(screen, frame);
    screen->frame = frame;
    if (from_list && frame->kind == FRAME_PICTURE)
        picture_to_largest(&frame->picture, screen_cursor(screen));
    settle(screen);
}

/* A table or text that appears again has the header of the one left: a sentence may have been
 * opened meanwhile. */
static void uncover(struct screen *screen)
{
    struct status unused;
    struct frame *left = screen->frame;
    screen->frame = screen->covered.frames[--screen->covered.count];
    if (covers(screen->frame))
        frame_follow(screen->frame, left, &unused); // if this fails, its header stays outdated
    frame_free(left);
    settle(screen);
}

bool shown_uncover(struct screen *screen)
{
    if (!covers(screen->frame) || screen->covered.count == 0)
        return false;
    uncover(screen);
    return true;
}

bool shown_return(struct screen *screen)
{
    struct status unused;
    struct frame *picture = screen->frame;
    if (covers(picture) || screen->covered.count == 0)
        return false;
    if (is_list(screen->covered.frames[screen->covered.count - 1])) {
        uncover(screen);
        return true;
    }
    screen->frame = screen->covered.frames[screen->covered.count - 1];
    memmove(screen->covered.frames + 1, screen->covered.frames,
            (size_t)(screen->covered.count - 1) * sizeof *screen->covered.frames);
    screen->covered.frames[0] = picture;
    frame_follow(screen->frame, picture, &unused); // if this fails, its header stays outdated
    settle(screen);
    return true;
}

/* True for a picture that was asked for before the table or text shown, which ran aside. */
static bool is_late(const struct screen *screen, const struct frame *frame)
{
    const struct frame *before = screen->frame;
    return covers(before) && !covers(frame) && screen->covered.count > 0 &&
           (int)(frame->asked - before->asked) <= 0;
}

/* Puts a late picture below what it would replace, whose header becomes that of the picture. */
static void put(struct screen *screen, struct frame *frame)
{
    struct status unused;
    if (!is_late(screen, frame)) {
        put_on_top(screen, frame);
        return;
    }
    struct frame *over = screen->frame;
    const struct cursors cursors = screen->cursors;
    screen->frame = screen->covered.frames[--screen->covered.count];
    settle(screen);
    put(screen, frame);
    screen->frame->sheet_cursor = screen->cursors.sheet;
    put_below(screen, screen->frame);
    screen->frame = over;
    screen->cursors.sheet = cursors.sheet;
    screen->cursors.page = cursors.page;
    screen->cursors.found = cursors.found;
    frame_follow(over, frame, &unused); // if this fails, its header stays outdated
}

void shown_show(struct screen *screen, struct frame *frame)
{
    struct status status;
    if (!screen->style.ascii || frame_in_ascii(frame, &status)) {
        put(screen, frame);
    } else {
        frame_free(frame);
        screen_say(screen, true, "%s", status.message);
    }
}

void shown_show_text(struct screen *screen, const char *title, char *text)
{
    struct status status;
    struct frame *frame = frame_of_text(screen->frame, title, text, &status);
    if (frame) {
        frame->asked = screen->pending.last;
        put_on_top(screen, frame);
    } else {
        screen_say(screen, true, "%s", status.message);
    }
}

const struct frame *shown_view(const struct screen *screen)
{
    const struct frame *frame = screen->frame;
    for (int i = screen->covered.count - 1; !frame->command && i >= 0; i--)
        frame = screen->covered.frames[i];
    return frame->command ? frame : NULL;
}

/* Marks ---------------------------------------------------------------------------------------- */

void shown_mark_set(struct screen *screen, struct shown_mark *mark)
{
    shown_mark_free(mark);
    *mark = (struct shown_mark){.frame = frame_hold(screen->frame),
                                .kind = screen->frame->kind,
                                .covered = screen->covered,
                                .cursors = screen->cursors,
                                .side = screen->side,
                                .single_head = screen->single_head};
    for (int i = 0; i < mark->covered.count; i++)
        frame_hold(mark->covered.frames[i]);
}

void shown_mark_return(struct screen *screen, struct shown_mark *mark)
{
    frame_free(screen->frame);
    for (int i = 0; i < screen->covered.count; i++)
        frame_free(screen->covered.frames[i]);
    screen->frame = mark->frame;
    screen->frame->kind = mark->kind;
    screen->covered = mark->covered;
    screen->cursors = mark->cursors;
    screen->side = mark->side;
    screen->single_head = mark->single_head;
    *mark = (struct shown_mark){0};
}
