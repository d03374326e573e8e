#include "tui/screen/screen.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "tui/encoding.h"
#include "tui/interrupt.h"
#include "tui/screen/act.h"
#include "tui/screen/line.h"
#include "tui/stray.h"

/* What keys do to the screen ----------------------------------------------------------------------- */

void screen_say(struct screen *screen, bool failed, const char *format, ...)
{
    va_list arguments;
    free(screen->message);
    screen->message = NULL;
    va_start(arguments, format);
    if (vasprintf(&screen->message, format, arguments) < 0)
        screen->message = NULL;
    va_end(arguments);
    screen->failed = failed;
}

__attribute__((format(printf, 3, 0))) static void send(struct screen *screen, bool passing,
                                                       const char *format, va_list arguments)
{
    char *lines = NULL;
    int columns = screen->canvas.columns - 1; // of the view
    if (vasprintf(&lines, format, arguments) < 0)
        lines = NULL;
    if (!lines || !worker_run(screen->worker, lines, columns, passing))
        screen_say(screen, true, "too much waits to be done: Esc stops it");
    free(lines);
}

void screen_send(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send(screen, false, format, arguments);
    va_end(arguments);
}

void screen_send_view(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    send(screen, true, format, arguments);
    va_end(arguments);
}

unsigned screen_place(const struct screen *screen)
{
    switch (screen->frame->kind) {
    case FRAME_PICTURE:
        return screen->frame->result.kind == RESULT_ATTENTION ? IN_MATRIX
               : screen->frame->result.kind == RESULT_HEADS   ? IN_GRID
               : screen->frame->result.kind == RESULT_TOKEN   ? IN_TOKEN
                                                              : IN_OTHER;
    case FRAME_SHEET:
        return IN_SHEET;
    default:
        return IN_PAGE;
    }
}

struct spot *screen_spot(struct screen *screen)
{
    struct places *places = &screen->places;
    switch (screen_place(screen)) {
    case IN_MATRIX:
        return &places->matrix;
    case IN_GRID:
        return &places->grid;
    case IN_TOKEN:
        return &places->token;
    case IN_OTHER:
        return &places->other;
    default:
        return NULL;
    }
}

/* Keys --------------------------------------------------------------------------------------------- */

static bool is_digit_of_count(const struct screen *screen, int key)
{
    return (key >= '1' && key <= '9') || (key == '0' && screen->count);
}

static void press(struct screen *screen, int key)
{
    enum { MOST_COUNT = 10000 };
    unsigned place = screen_place(screen);
    if (is_digit_of_count(screen, key)) {
        if (screen->count < MOST_COUNT)
            screen->count = 10 * screen->count + key - '0';
        return;
    }
    int count = screen->count;
    screen->count = 0;
    bool first = key == 'g' && screen->pending_g;
    screen->pending_g = key == 'g' && !first;
    if (screen->pending_g) {
        screen->count = count;
        return;
    }
    if (first) {
        act_first(screen, 'g', count);
        return;
    }
    const struct binding *found = binding_find(key, place);
    // What a key has to say takes the place of what was said before.
    if (found && key != '?')
        screen_say(screen, false, "%s", "");
    if (found)
        found->run(screen, key, count);
    else
        screen_say(screen, false, "no such key here: ? lists them");
}

static void on_event(struct screen *screen, const struct event *event)
{
    switch (event->kind) {
    case EVENT_KEY:
        press(screen, event->key);
        break;
    case EVENT_TEXT:
        // Keys behind the end of a line are the view's.
        surface_give_back(event, event->count - line_feed(event->bytes, event->count));
        screen_typed(screen);
        break;
    case EVENT_MOUSE:
        screen_mouse(screen, event);
        break;
    case EVENT_END:
        screen->quit = true;
        break;
    default:
        break;
    }
}

/* Ctrl-C: stops what runs, else takes away what is typed. */
static void on_interrupt(struct screen *screen)
{
    if (screen->typing == TYPING_ANSWER) {
        screen->typing = TYPING_NOTHING;
        worker_answer(screen->worker, false);
    }
    if (worker_waiting(screen->worker) > 0) {
        worker_stop(screen->worker);
        return;
    }
    interrupt_clear();
    screen->count = 0;
    if (screen->typing == TYPING_NOTHING)
        screen_say(screen, false, ":q or Ctrl-D ends the session");
    else if (!line_drop())
        screen->typing = TYPING_NOTHING;
}

/* What the worker found ---------------------------------------------------------------------------- */

static void take_replies(struct screen *screen)
{
    struct reply reply;
    while (worker_take(screen->worker, &reply)) {
        // Marks of the last change stay while one walks through heads.
        if (reply.frame && !reply.refreshed)
            frame_mark_as(reply.frame, screen->frame);
        if (reply.frame)
            screen_show(screen, reply.frame);
        reply.frame = NULL;
        screen->stale = reply.stale;
        if (reply.message)
            screen_say(screen, reply.failed, "%s", reply.message);
        screen->quit |= reply.quit;
        reply_free(&reply);
    }
    if (worker_waiting(screen->worker) == 0) {
        screen->aimed = false;
        screen->opening = false;
        screen->switches.count = 0;
    }
    const char *question = worker_question(screen->worker);
    if (question && screen->typing != TYPING_ANSWER)
        screen_ask(screen, question);
}

/* The loop ----------------------------------------------------------------------------------------- */

static void draw(struct screen *screen)
{
    int row, column, rows, columns;
    struct status status;
    surface_size(&rows, &columns);
    if (!canvas_resize(&screen->canvas, rows, columns, &status))
        return;
    screen_draw(screen, &row, &column);
    surface_show(&screen->canvas, row, column);
}

/* While something runs its time is shown; what the last key had to offer needs no time. */
static void wait_for_news(struct screen *screen)
{
    enum { TICK = 100 }; // ms
    bool stopping = interrupted() && worker_waiting(screen->worker) > 0;
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = worker_file(screen->worker), .events = POLLIN},
                             {.fd = surface_file(), .events = POLLIN},
                             {.fd = stray_file(), .events = POLLIN},
                             {.fd = stopping ? -1 : interrupt_file(), .events = POLLIN}};
    poll(files, sizeof files / sizeof *files, worker_waiting(screen->worker) > 0 ? TICK : -1);
}

/* What a library had to say to standard error. */
static void take_strays(struct screen *screen)
{
    char line[400];
    while (stray_take(line, sizeof line))
        screen_say(screen, true, "%s", line);
}

static void read_events(struct screen *screen)
{
    struct event event;
    do {
        surface_read(screen->typing != TYPING_NOTHING, &event);
        on_event(screen, &event);
    } while (event.kind != EVENT_NONE && !screen->quit);
}

/* Once: what fails again is said, and left. */
static void show_stale(struct screen *screen)
{
    if (!screen->stale || worker_waiting(screen->worker) > 0)
        return;
    screen->stale = false;
    if (!screen->retried)
        worker_run(screen->worker, "", screen->canvas.columns - 1, false);
    screen->retried = !screen->retried;
}

static void loop(struct screen *screen)
{
    while (!screen->quit) {
        draw(screen);
        wait_for_news(screen);
        if (interrupted() && !screen->stopped)
            on_interrupt(screen);
        take_strays(screen);
        take_replies(screen);
        // What was to stop has; a signal may also have come between two lines.
        if (interrupted() && worker_waiting(screen->worker) == 0)
            interrupt_clear();
        screen->stopped = interrupted();
        show_stale(screen);
        read_events(screen);
    }
}

static bool begin(struct screen *screen, struct status *status)
{
    encoding_choose();
    struct result nothing = {.kind = RESULT_NONE};
    screen->frame = frame_make(screen->program->session, &nothing, NULL, NULL, status);
    screen->worker = screen->frame ? worker_open(screen->program, status) : NULL;
    return screen->worker != NULL;
}

static void end(struct screen *screen)
{
    worker_close(screen->worker);
    frame_free(screen->frame);
    while (screen->covered > 0)
        frame_free(screen->below[--screen->covered]);
    canvas_free(&screen->canvas);
    free(screen->message);
    free(screen->search);
}

bool screen_run(struct program *program, bool ascii, struct status *status)
{
    struct screen screen = {.program = program};
    struct surface_spec spec = {.ascii = ascii};
    bool ok = begin(&screen, status) && screen_open_line(&screen, status);
    if (ok && surface_open(&spec, &screen.look, status)) {
        screen.canvas.ascii = ascii;
        screen_send(&screen, "%s", "");
        screen_type(&screen, "", -1);
        loop(&screen);
        surface_close();
    } else {
        ok = false;
    }
    if (screen.worker)
        line_close();
    end(&screen);
    return ok;
}
