#include "tui/screen/canvas/surface.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#include <ncurses.h>

#include "terminal/progress.h"
#include "terminal/terminal.h"
#include "terminal/text/display.h"
#include "tui/screen/canvas/description.h"
#include "tui/screen/canvas/keys.h"
#include "tui/screen/canvas/sent.h"

/* Milliseconds in which the rest of a key's bytes must arrive; the largest supported window. */
enum {
    ESCAPE_DELAY = 25,
    MOST_ROWS = 1000,
    MOST_COLUMNS = 2000,
    USUAL_ROWS = 24,
    USUAL_COLUMNS = 80
};

static struct {
    SCREEN *screen;
    struct description description;
    struct key_reader keys;
    struct canvas shown; // what the terminal shows
    enum surface_reading reading;
    bool anew, ended;
} surface;

static bool find_description(struct description *description, struct status *status)
{
    const char *term = getenv("TERM");
    if (description_find(description))
        return true;
    if (!term || !*term)
        return status_fail(status, STATUS_INVALID,
                           "TERM is not set: no full screen can be drawn; using line mode");
    return status_fail(status, STATUS_INVALID, "TERM=%s cannot draw a full screen; using line mode",
                       term);
}

bool surface_possible(struct status *status)
{
    struct description unused;
    *status = (struct status){0};
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && find_description(&unused, status);
}

void surface_size(int *rows, int *columns)
{
    struct winsize window = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0;
    *rows = known && window.ws_row > 0 ? window.ws_row : USUAL_ROWS;
    *columns = known && window.ws_col > 0 ? window.ws_col : USUAL_COLUMNS;
    *rows = *rows < MOST_ROWS ? *rows : MOST_ROWS;
    *columns = *columns < MOST_COLUMNS ? *columns : MOST_COLUMNS;
}

void surface_send(const char *text, size_t bytes)
{
    terminal_hold_stops(true);
    sent_add(text, bytes);
    sent_flush();
    terminal_hold_stops(false);
}

/* Signal handlers must know how to undo the modes before the modes are set. */
static void announce(enum surface_reading reading)
{
    char enter[TERMINAL_BYTES], leave[TERMINAL_BYTES];
    int rows, columns;
    surface_size(&rows, &columns);
    description_enter(&surface.description, reading == SURFACE_LINE, enter, sizeof enter);
    description_leave(&surface.description, rows, leave, sizeof leave);
    terminal_screen(enter, leave);
}

static void set_reading(enum surface_reading reading)
{
    surface.reading = reading;
    announce(reading);
    const char *modes = description_modes(&surface.description, reading == SURFACE_LINE);
    surface_send(modes, strlen(modes));
}

/* Keys are delivered at once and unchanged, except for those that raise signals. */
static void set_modes(void)
{
    struct termios modes;
    cbreak();
    noecho();
    nonl();
    typeahead(-1);
    if (tcgetattr(STDIN_FILENO, &modes) != 0)
        return;
    modes.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    modes.c_lflag |= ISIG | NOFLSH; // else Ctrl-C throws away what is on its way to the screen
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &modes);
    def_prog_mode();
}

bool surface_open(const struct surface_spec *spec, struct screen_style *screen_style,
                  struct status *status)
{
    encoding_choose();
    if (!find_description(&surface.description, status))
        return false;
    terminal_guard();
    announce(SURFACE_KEYS);
    use_env(false);
    use_tioctl(false); // ncurses 6.5 cannot open a terminal whose size is 0
    surface.screen = newterm(surface.description.name, stdout, stdin);
    if (!surface.screen) {
        terminal_screen(NULL, NULL);
        return status_fail(status, STATUS_IO, "TERM: %s: the screen cannot be opened",
                           surface.description.name);
    }
    int rows, columns;
    surface_size(&rows, &columns);
    resize_term(rows, columns);
    set_modes();
    terminal_watch_size();
    memset(&surface.keys, 0, sizeof surface.keys);
    description_keys(&surface.description, &surface.keys);
    surface.ended = false;
    surface.anew = true;
    screen_style->depth = colours_open(surface.description.direct);
    screen_style->ascii = spec->ascii;
    set_reading(SURFACE_KEYS);
    return true;
}

/* An earlier program, or a window that has grown since, may have left a region to which scrolling
 * is limited. Moves the cursor. */
static void reset_region(void)
{
    char region[DESCRIPTION_BYTES];
    description_whole_region(&surface.description, LINES, region, sizeof region);
    sent_add(region, strlen(region));
}

void surface_close(void)
{
    if (!surface.screen)
        return;
    const char *modes = surface.description.modes_off;
    surface_send(modes, strlen(modes));
    reset_region();
    cell_row_move(LINES - 1, 0); // without an alternate screen, the shell writes here
    sent_add(surface.description.erase, strlen(surface.description.erase));
    sent_flush();
    endwin();
    terminal_screen(NULL, NULL);
    delscreen(surface.screen);
    canvas_free(&surface.shown);
    surface.screen = NULL;
}

/* Showing -------------------------------------------------------------------------------------- */

void surface_refresh(void)
{
    surface.anew = true;
}

/* Returns false if memory runs out; then all rows are sent. */
static bool fit(const struct canvas *canvas)
{
    struct status unused;
    if (canvas->rows != LINES || canvas->columns != COLS)
        resize_term(canvas->rows, canvas->columns);
    if (canvas->rows != surface.shown.rows || canvas->columns != surface.shown.columns)
        surface.anew = true;
    return surface.shown.rows == canvas->rows && surface.shown.columns == canvas->columns
               ? true
               : canvas_resize(&surface.shown, canvas->rows, canvas->columns, &unused);
}

/* `known`: the terminal shows surface.shown. */
static void send_rows(const struct canvas *canvas, bool known)
{
    size_t bytes = (size_t)canvas->columns * sizeof *canvas->cells;
    for (int row = 0; row < canvas->rows; row++) {
        const struct cell *cells = canvas_cell(canvas, row, 0);
        struct cell *shown = known ? canvas_cell(&surface.shown, row, 0) : NULL;
        // If the terminal cannot be told not to wrap, writing the last corner would scroll it.
        bool corner = !*surface.description.wrap_off && row == canvas->rows - 1;
        cell_row_send(row, cells, shown, canvas->columns - corner);
        if (shown)
            memcpy(shown, cells, bytes);
    }
}

/* Clears the terminal of what other programs wrote. */
static void clear_all(const struct canvas *canvas)
{
    struct status unused;
    reset_region();
    sent_add(surface.description.clear, strlen(surface.description.clear));
    canvas_resize(&surface.shown, canvas->rows, canvas->columns, &unused);
}

void surface_show(const struct canvas *canvas, int row, int column)
{
    if (!surface.screen || canvas->rows < 1 || canvas->columns < 1)
        return;
    bool known = fit(canvas);
    const struct description *description = &surface.description;
    terminal_hold_stops(true);
    if (surface.anew) { // ncurses does not know whether others hid the cursor
        curs_set(row < 0);
        clear_all(canvas);
        surface.anew = false;
    }
    curs_set(row >= 0);
    sent_add(description->wrap_off, strlen(description->wrap_off));
    send_rows(canvas, known);
    pen_plain();
    sent_add(description->wrap_on, strlen(description->wrap_on));
    cell_row_move(row >= 0 ? row : canvas->rows - 1, row >= 0 ? column : canvas->columns - 1);
    sent_flush();
    terminal_hold_stops(false);
}

/* Reading -------------------------------------------------------------------------------------- */

int surface_file(void)
{
    return terminal_file();
}

static long now(void)
{
    return (long)(seconds_now() * 1000);
}

/* Reads what arrives within `delay` milliseconds; returns false if nothing does. */
static bool fill(int delay)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char bytes[KEYS_BYTES];
    int room = keys_room(&surface.keys);
    size_t typed = room > 0 ? typed_ahead_take(bytes, (size_t)room) : 0;
    if (typed > 0) {
        keys_add(&surface.keys, bytes, (int)typed);
        return true;
    }
    if (surface.ended || room == 0 || poll(&input, 1, delay) != 1)
        return false;
    ssize_t count = read(STDIN_FILENO, bytes, (size_t)room);
    surface.ended = count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN);
    if (count > 0)
        keys_add(&surface.keys, bytes, (int)count);
    return count > 0;
}

static bool next_event(bool pasting, bool whole, struct event *event)
{
    struct key_reader *keys = &surface.keys;
    return surface.reading == SURFACE_LINE ? keys_take(keys, pasting, whole, now(), event)
                                           : keys_next(keys, whole, now(), event);
}

static bool read_event(bool pasting, struct event *event)
{
    if (next_event(pasting, false, event) || (fill(0) && next_event(pasting, false, event)))
        return true;
    while (surface.keys.count > 0 && fill(ESCAPE_DELAY))
        if (next_event(pasting, false, event))
            return true;
    return next_event(pasting, true, event);
}

void surface_give_back(const struct event *event, int count)
{
    keys_give_back(&surface.keys, event, count);
}

void surface_read(enum surface_reading reading, bool pasting, struct event *event)
{
    *event = (struct event){.kind = EVENT_NONE};
    bool resized = terminal_resized(), resumed = terminal_resumed();
    if (resized || resumed) {
        announce(surface.reading);
        surface.anew = true;
        event->kind = EVENT_RESIZE;
        return;
    }
    if (reading != surface.reading)
        set_reading(reading);
    if (!read_event(pasting, event) && surface.ended)
        event->kind = EVENT_END;
}
