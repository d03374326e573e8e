#include "tui/screen/state/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pending_clear(struct pending *pending)
{
    pending->has_view = false;
    pending->from_table = false;
    pending->has_words = false;
    pending->switch_count = 0;
}

void pending_set_view(struct pending *pending, const struct view *view)
{
    pending->view = *view;
    pending->has_view = true;
}

void pending_set_words(struct pending *pending, bool words)
{
    pending->words = words;
    pending->has_words = true;
}

void pending_add_switch(struct pending *pending, struct head_switch added)
{
    struct head_switch *switches = pending->switches;
    if (pending->switch_count == SWITCHES_MOST)
        memmove(switches, switches + 1, (size_t)--pending->switch_count * sizeof *switches);
    switches[pending->switch_count++] = added;
}

void pending_forget_switches(struct pending *pending)
{
    pending->switch_count = 0;
}

bool pending_off(const struct pending *pending, enum module module, int layer, int head, bool now)
{
    for (int i = pending->switch_count - 1; i >= 0; i--) {
        const struct head_switch *last = &pending->switches[i];
        bool same_layer = last->module == module && last->layer == layer;
        if (last->layer < 0 || (same_layer && (last->head < 0 || last->head == head)))
            return last->off;
    }
    return now;
}

/* Requests ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 0))) static void request(struct screen *screen, bool passing,
                                                          const char *format, va_list arguments)
{
    char *lines = NULL;
    int columns = screen->canvas.columns - 1; // of the view
    if (vasprintf(&lines, format, arguments) < 0)
        lines = NULL;
    const char *visible = worker_waiting(screen->worker) == 0 ? shown_command(screen) : NULL;
    bool of_letters = screen->letters.count > 0;
    screen->letters.asked |= of_letters;
    const struct worker_lines asked = {lines, visible, columns, passing,
                                       of_letters ? screen->letters.id : 0};
    if (!lines || !worker_run(screen->worker, &asked))
        screen_say(screen, true, "too many commands queued: Ctrl-C stops them");
    free(lines);
}

void request_command(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    request(screen, false, format, arguments);
    va_end(arguments);
}

void request_view(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    request(screen, true, format, arguments);
    va_end(arguments);
}

struct view requested_view(const struct screen *screen, struct view shown)
{
    bool pending = screen->pending.has_view && worker_waiting(screen->worker) > 0;
    return pending ? screen->pending.view : shown;
}

bool requested_words(const struct screen *screen)
{
    bool pending = screen->pending.has_words && worker_waiting(screen->worker) > 0;
    return pending ? screen->pending.words : screen->frame->words;
}
