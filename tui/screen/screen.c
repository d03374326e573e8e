#include "tui/screen/screen.h"

#include <poll.h>
#include <unistd.h>

#include "terminal/captured_stderr.h"
#include "terminal/interrupt.h"
#include "terminal/text/display.h"
#include "tui/screen/action/act.h"
#include "tui/screen/action/letters.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/canvas/surface.h"
#include "tui/screen/draw/draw.h"
#include "tui/screen/frame/full_picture.h"
#include "tui/screen/line/line.h"
#include "tui/screen/state/state.h"

/* The loop's own state, besides what actions and drawing use. */
struct loop {
    struct screen screen;
    bool stale;   // the frame shown belongs to an earlier state,
    bool retried; // and a new one was requested
    struct full_picture picture;
};

/* Events --------------------------------------------------------------------------------------- */

/* Keys typed after the end of the line go to what has the focus then, as do those that turn out not
 * to belong to the line. */
static void on_text(struct screen *screen, const struct event *event)
{
    int used;
    if (!letters_take_line(screen, event, &used))
        used = line_feed(event->bytes, event->count);
    surface_give_back(event, event->count - used);
    typing_finish(screen);
}

static void on_event(struct loop *loop, const struct event *event)
{
    struct screen *screen = &loop->screen;
    if (full_picture_take(&loop->picture, event))
        return;
    switch (event->kind) {
    case EVENT_KEY:
        if (screen->typing == TYPING_NOTHING)
            letters_press(screen, event);
        else
            focus_line_key(screen, event);
        break;
    case EVENT_PASTE:
        letters_end(screen);
        screen->prefix = (struct key_prefix){0};
        typing_begin_prompt(screen);
        break;
    case EVENT_TEXT:
        on_text(screen, event);
        break;
    case EVENT_MOUSE:
        letters_end(screen);
        focus_mouse(screen, event);
        break;
    case EVENT_END:
        screen->quit = true;
        break;
    default:
        break;
    }
}

/* Presses the keys that were typed at the prompt. */
static void press_given(struct screen *screen)
{
    char *keys = screen->given;
    screen->given = NULL;
    for (const char *key = keys; key && *key && screen->typing == TYPING_NOTHING; key++)
        act_press(screen, (unsigned char)*key);
    free(keys);
}

static void read_events(struct loop *loop)
{
    struct screen *screen = &loop->screen;
    struct event event;
    do {
        bool line = screen->typing != TYPING_NOTHING;
        surface_read(line ? SURFACE_LINE : SURFACE_KEYS, line && line_pasting(), &event);
        on_event(loop, &event);
        press_given(screen);
    } while (event.kind != EVENT_NONE && !screen->quit);
}

/* Ctrl-C stops what runs; otherwise it clears the input line, and leaves an empty one that was
 * begun in the view. */
static void on_interrupt(struct loop *loop)
{
    struct screen *screen = &loop->screen;
    full_picture_hide(&loop->picture);
    letters_end(screen);
    if (screen->typing == TYPING_ANSWER) {
        worker_answer(screen->worker, false);
        typing_resume(screen);
    }
    bool doubted = screen->typing == TYPING_DOUBT;
    if (doubted)
        typing_edit_again(screen);
    if (request_stop(screen))
        return; // the worker clears the interrupt
    interrupt_clear();
    screen->prefix.count = 0;
    bool dropped = doubted || (screen->typing != TYPING_NOTHING && line_drop());
    if (!dropped && (screen->typing == TYPING_COMMAND || screen->typing == TYPING_SEARCH))
        screen->typing = TYPING_NOTHING;
    else if (!dropped)
        screen_say(screen, false, ":q or Ctrl-D ends the session");
}

/* Replies of the worker ------------------------------------------------------------------------ */

/* Keys typed while the terminal is asked go where they would have gone, not to the picture. */
static void show_picture(struct loop *loop, const struct terminal_picture *picture)
{
    struct status status;
    if (!picture->png)
        return;
    full_picture_ask(&loop->picture, picture);
    read_events(loop);
    if (!loop->screen.quit && !full_picture_show(&loop->picture, picture, &status))
        screen_say(&loop->screen, true, "%s", status.message);
}

/* After a stop, also says what will not run. */
static void say_reply(struct screen *screen, const struct reply *reply)
{
    const char *message = reply->message ? reply->message : "",
               *dropped = screen->dropped ? screen->dropped : "";
    if (*message || *dropped)
        screen_say(screen, reply->failed, "%s%s%s%s", message, *message && *dropped ? "; " : "",
                   *dropped ? "dropped " : "", dropped);
    free(screen->dropped);
    screen->dropped = NULL;
}

static void take_reply(struct loop *loop, struct reply *reply)
{
    struct screen *screen = &loop->screen;
    if (reply->busy)
        pending_answered(&screen->pending, reply->id);
    request_stopped(screen, reply);
    if (reply->busy || letters_drop(screen, reply)) {
        if (reply->stops)
            say_reply(screen, &(struct reply){0});
        reply_free(reply);
        return;
    }
    // Words that the last change marked stay marked in views of the same translation.
    if (reply->frame && !reply->refreshed)
        frame_mark_as(reply->frame, screen->frame);
    screen->from_table = screen->pending.from_table && screen->pending.table_from == reply->id;
    screen->opens = screen->from_table && screen->pending.opens;
    if (reply->frame)
        shown_show(screen, reply->frame);
    screen->from_table = screen->opens = false;
    if (reply->frame)
        letters_follow(screen, reply);
    reply->frame = NULL;
    pending_answered(&screen->pending, reply->id);
    loop->stale = reply->stale;
    say_reply(screen, reply);
    screen->quit |= reply->quit;
    show_picture(loop, &reply->picture);
    reply_free(reply);
}

static void take_replies(struct loop *loop)
{
    struct reply reply;
    struct screen *screen = &loop->screen;
    while (worker_take(screen->worker, &reply))
        take_reply(loop, &reply);
    typing_name_model(screen);
    if (worker_waiting(screen->worker) == 0)
        pending_clear(&screen->pending);
    worker_look(screen->worker, &screen->work);
    const char *question = worker_question(screen->worker);
    if (question && screen->typing != TYPING_ANSWER)
        typing_ask(screen, question);
}

/* The loop ------------------------------------------------------------------------------------- */

static void draw(struct screen *screen)
{
    int row, column, rows, columns;
    struct status status;
    surface_size(&rows, &columns);
    if (!canvas_resize(&screen->canvas, rows, columns, &status))
        return;
    draw_screen(screen, &row, &column);
    surface_show(&screen->canvas, row, column);
}

/* While a command runs, its time is redrawn every tick. */
static void wait_for_news(struct screen *screen)
{
    enum { TICK = 100 }; // ms
    bool stopping = interrupted() && worker_waiting(screen->worker) > 0;
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = worker_file(screen->worker), .events = POLLIN},
                             {.fd = surface_file(), .events = POLLIN},
                             {.fd = captured_stderr_file(), .events = POLLIN},
                             {.fd = stopping ? -1 : interrupt_file(), .events = POLLIN}};
    poll(files, sizeof files / sizeof *files, worker_waiting(screen->worker) > 0 ? TICK : -1);
}

/* Shows what libraries wrote to standard error. */
static void take_captured_stderr(struct screen *screen)
{
    char line[400];
    while (captured_stderr_take(line, sizeof line))
        screen_say(screen, true, "%s", line);
}

/* Requests once what could not be shown after a change; if that fails, too, its message stays. */
static void show_stale(struct loop *loop)
{
    struct screen *screen = &loop->screen;
    if (!loop->stale || worker_waiting(screen->worker) > 0)
        return;
    loop->stale = false;
    if (!loop->retried)
        worker_run(screen->worker,
                   &(struct worker_lines){.lines = "", .columns = screen->canvas.columns - 1});
    loop->retried = !loop->retried;
}

static void run_loop(struct loop *loop)
{
    struct screen *screen = &loop->screen;
    while (!screen->quit) {
        if (!loop->picture.up)
            draw(screen);
        wait_for_news(screen);
        // In this order: the end of a stop clears the interrupt, so that one seen afterwards is
        // new. Nothing else clears it: one that comes later in this round is for the next.
        if (!worker_stopping(screen->worker) && interrupted())
            on_interrupt(loop);
        take_captured_stderr(screen);
        take_replies(loop);
        show_stale(loop);
        read_events(loop);
    }
}

static bool begin(struct screen *screen, struct program *program, struct status *status)
{
    encoding_choose();
    struct report nothing = {0};
    screen->frame = frame_make(program->session, &nothing, NULL, NULL, status);
    screen->worker = screen->frame ? worker_open(program, status) : NULL;
    return screen->worker && typing_open(screen, status);
}

bool screen_run(struct program *program, bool ascii, struct status *status)
{
    struct loop loop = {0};
    struct screen *screen = &loop.screen;
    struct surface_spec spec = {.ascii = ascii};
    bool ok = begin(screen, program, status) && surface_open(&spec, &screen->style, status);
    if (ok) {
        screen->canvas.ascii = ascii;
        request_command(screen, "%s", ""); // it shows the session as it is
        if (program->warnings)
            screen_say(screen, false, "%s", program->warnings);
        typing_begin_prompt(screen);
        run_loop(&loop);
        surface_close();
    }
    if (screen->worker)
        line_close();
    worker_close(screen->worker);
    screen_free(screen);
    return ok;
}
