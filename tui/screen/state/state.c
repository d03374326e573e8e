#include "tui/screen/state/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/manual/key_table.h"

void shown_mark_free(struct shown_mark *mark)
{
    frame_free(mark->frame);
    for (int i = 0; i < mark->covered.count; i++)
        frame_free(mark->covered.frames[i]);
    *mark = (struct shown_mark){0};
}

void screen_free(struct screen *screen)
{
    frame_free(screen->frame);
    while (screen->covered.count > 0)
        frame_free(screen->covered.frames[--screen->covered.count]);
    canvas_free(&screen->canvas);
    free(screen->message.text);
    free(screen->asked.text);
    free(screen->doubt.line);
    free(screen->doubt.command);
    free(screen->given);
    free(screen->dropped);
    shown_mark_free(&screen->letters.mark);
    free(screen->search.text);
}

void screen_say(struct screen *screen, bool failed, const char *format, ...)
{
    va_list arguments;
    struct message *message = &screen->message;
    free(message->text);
    message->text = NULL;
    va_start(arguments, format);
    if (vasprintf(&message->text, format, arguments) < 0)
        message->text = NULL;
    va_end(arguments);
    message->failed = failed;
}

static unsigned picture_context(enum view_kind kind)
{
    switch (kind) {
    case VIEW_HEAD:
        return IN_MATRIX;
    case VIEW_HEADS:
        return IN_GRID;
    case VIEW_TOKEN:
        return IN_TOKEN;
    default:
        return IN_OTHER;
    }
}

unsigned screen_context(const struct screen *screen)
{
    switch (screen->frame->kind) {
    case FRAME_PICTURE:
        return picture_context(frame_navigation(screen->frame)->kind);
    case FRAME_SHEET:
        return IN_SHEET;
    default:
        return IN_PAGE;
    }
}

unsigned screen_waiting(const struct screen *screen)
{
    const struct work *work = &screen->work;
    return work->seconds > 0 ? key_waiting(screen->frame->held && work->steady) : 0;
}

struct picture_cursor *screen_cursor(struct screen *screen)
{
    struct cursors *cursors = &screen->cursors;
    switch (screen_context(screen)) {
    case IN_MATRIX:
        return &cursors->matrix;
    case IN_GRID:
        return &cursors->grid;
    case IN_TOKEN:
        return &cursors->token;
    case IN_OTHER:
        return &cursors->other;
    default:
        return NULL;
    }
}
