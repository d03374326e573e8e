#include "tui/screen/state/requests.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tui/screen/state/shown.h"

__attribute__((format(printf, 3, 0))) static void request(struct screen *screen, bool passing,
                                                          const char *format, va_list arguments)
{
    char *lines = NULL;
    int columns = screen->canvas.columns - 1; // of the view
    if (vasprintf(&lines, format, arguments) < 0)
        lines = NULL;
    const char *visible = worker_waiting(screen->worker) == 0 ? shown_command(screen) : NULL;
    if (!lines || !worker_run(screen->worker, lines, visible, columns, passing))
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
