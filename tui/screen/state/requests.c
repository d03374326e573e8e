#include "tui/screen/state/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"

void pending_clear(struct pending *pending)
{
    pending->has_view = false;
    pending->from_table = false;
    pending->has_words = false;
    pending->switch_count = 0;
}

void pending_asked(struct pending *pending, unsigned request)
{
    pending->last = request;
    if (!pending->view_from)
        pending->view_from = request;
    if (!pending->table_from)
        pending->table_from = request;
    if (!pending->switches_from)
        pending->switches_from = request;
}

void pending_answered(struct pending *pending, unsigned request)
{
    pending->has_view &= pending->view_from != request;
    pending->has_words &= pending->words_from != request;
    pending->from_table &= pending->table_from != request;
    if (pending->switches_from == request)
        pending->switch_count = 0;
}

void pending_set_view(struct pending *pending, const struct view *view)
{
    pending->view = *view;
    pending->has_view = true;
    pending->view_from = 0;
}

void pending_set_words(struct pending *pending, bool words)
{
    pending->words = words;
    pending->has_words = true;
    pending->words_from = pending->last;
}

void pending_add_switch(struct pending *pending, struct head_switch added)
{
    struct head_switch *switches = pending->switches;
    if (pending->switch_count == SWITCHES_MOST)
        memmove(switches, switches + 1, (size_t)--pending->switch_count * sizeof *switches);
    switches[pending->switch_count++] = added;
    pending->switches_from = 0;
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

enum source { SOURCE_KEY, SOURCE_VIEW, SOURCE_ROW, SOURCE_LINE };

/* Takes `lines`; NULL: there was no memory for it. */
static bool request(struct screen *screen, enum source source, char *lines)
{
    const struct frame *view = worker_waiting(screen->worker) == 0 ? shown_view(screen) : NULL;
    bool of_letters = screen->letters.count > 0;
    screen->letters.asked |= of_letters;
    const bool visits = source == SOURCE_ROW && screen->frame->report.of_testset;
    const struct worker_lines asked = {.lines = lines,
                                       .visible = view ? view->command : NULL,
                                       .of_sentence = view && frame_stays(view),
                                       .columns = screen->canvas.columns - 1, // the view's
                                       .passing = source == SOURCE_VIEW,
                                       .typed = source == SOURCE_LINE,
                                       .visits = visits && !shown_is_away(screen),
                                       .letters = of_letters ? screen->letters.id : 0};
    unsigned id = lines ? worker_run(screen->worker, &asked) : 0;
    pending_asked(&screen->pending, id);
    if (!id)
        screen_say(screen, true, "too many commands queued: Esc in the view drops them");
    free(lines);
    return id;
}

bool request_line(struct screen *screen, const char *line)
{
    return request(screen, SOURCE_LINE, strdup(line));
}

/* NULL: out of memory. */
__attribute__((format(printf, 1, 0))) static char *print_line(const char *format, va_list arguments)
{
    char *line = NULL;
    return vasprintf(&line, format, arguments) < 0 ? NULL : line;
}

void request_command(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    request(screen, SOURCE_KEY, print_line(format, arguments));
    va_end(arguments);
}

void request_view(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    request(screen, SOURCE_VIEW, print_line(format, arguments));
    va_end(arguments);
}

void request_row(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    request(screen, SOURCE_ROW, print_line(format, arguments));
    va_end(arguments);
    screen->pending.from_table = screen->pending.opens = true;
    screen->pending.table_from = screen->pending.last;
}

/* Leaving and stopping ------------------------------------------------------------------------- */

void request_quit(struct screen *screen, bool now)
{
    if (now || screen->leaving || worker_waiting(screen->worker) == 0) {
        screen->quit = true;
        return;
    }
    screen->leaving = true;
    request_command(screen, ":quit");
    screen_say(screen, false, "leaves when the command is done; :q! or :quit again leaves now");
}

/* Returns lines of worker_queue, which it frees, in one: ":next, :bleu a b". */
static char *in_one(char *lines)
{
    struct written written;
    char *rest = lines, *line;
    FILE *out = lines ? written_open(&written) : NULL;
    const char *comma = "";
    while (out && (line = strsep(&rest, "\n")) && *line) {
        fprintf(out, "%s%s", comma, line);
        comma = ", ";
    }
    free(lines);
    return out ? written_close(&written) : NULL;
}

bool request_drop(struct screen *screen)
{
    char *lines = in_one(worker_queue(screen->worker));
    int dropped = worker_drop(screen->worker);
    if (dropped)
        screen_say(screen, false, "dropped %s", lines ? lines : "");
    if (dropped)
        pending_clear(&screen->pending);
    screen->leaving = screen->leaving && !dropped;
    free(lines);
    return dropped > 0;
}

void request_stopped(struct screen *screen, struct reply *reply)
{
    if (!reply->stops)
        return;
    screen->quit |= screen->leaving;
    free(screen->dropped);
    screen->dropped = in_one(reply->dropped);
    reply->dropped = NULL;
}

bool request_stop(struct screen *screen)
{
    if (worker_waiting(screen->worker) == 0)
        return false;
    screen->quit |= screen->leaving;
    free(screen->dropped);
    screen->dropped = in_one(worker_queue(screen->worker));
    worker_stop(screen->worker);
    if (worker_waiting(screen->worker) == 0 && screen->dropped && *screen->dropped)
        screen_say(screen, false, "dropped %s", screen->dropped); // no reply will say so
    return true;
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
