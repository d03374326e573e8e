/* The terminal: full screen, colours, keys and the mouse (ncurses). One for the whole program.
 *
 * surface_open; surface_show and surface_read as often as wanted; surface_close. Whatever ends or stops the
 * program in between restores the terminal as it was found (terminal.h). All by one thread.
 *
 * Who waits polls standard input and surface_file(), then calls surface_read until it says EVENT_NONE: it may hold
 * bytes that it has read already.
 */
#ifndef ATTNSCOPE_SURFACE_H
#define ATTNSCOPE_SURFACE_H

#include "tui/screen/canvas.h"
#include "tui/screen/look.h"

struct surface_spec {
    bool ascii;
};

/* Whether there is a terminal that can do it: both ends are one, and TERM is known and can move its cursor. Where
 * TERM is all that is wrong, the status says so; else its message is empty. */
bool surface_possible(struct status *status);

/* Colours: truecolor where COLORTERM says truecolor or 24bit, or TERM is a *-direct description itself, and
 * a direct description of TERM (its own name, or without -256color or xterm-, with -direct) exists; NO_COLOR (not
 * empty): none. In truecolor the numbers 0 to 7 stand for the user's own colours: of the darkest blues green is 1
 * instead of 0. On failure the terminal is as it was. */
bool surface_open(const struct surface_spec *spec, struct look *look, struct status *status);
void surface_close(void); // nothing where none is open

/* Rows and columns of the terminal now; at most 1000 x 2000. */
void surface_size(int *rows, int *columns);

/* Shows the canvas; the terminal's cursor at (row, column), hidden where row < 0. Sends what changed. */
void surface_show(const struct canvas *canvas, int row, int column);
/* Everything anew, at the next surface_show (Ctrl-L; after another program had the terminal). */
void surface_refresh(void);

/* Sends text past the screen, such as OSC 52. */
void surface_send(const char *text, size_t bytes);

enum event_kind {
    EVENT_NONE,   // nothing is there
    EVENT_KEY,    // `key`
    EVENT_TEXT,   // raw: `bytes` of input, for readline
    EVENT_MOUSE,  // row, column, mouse
    EVENT_RESIZE, // the size changed, or the program goes on after Ctrl-Z: draw again
    EVENT_END     // the terminal is gone
};

enum mouse { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_UP, MOUSE_DOWN, MOUSE_LEFT, MOUSE_RIGHT };

/* Keys that are no characters. */
enum {
    KEY_BASE = 0x110000, // above Unicode
    KEY_ARROW_UP,
    KEY_ARROW_DOWN,
    KEY_ARROW_LEFT,
    KEY_ARROW_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_FIRST, // Home
    KEY_LAST,  // End
    KEY_TAB_BACK,
    KEY_OTHER // known to the terminal, not to us
};

struct event {
    enum event_kind kind;
    int key; // a Unicode character (Ctrl-A is 1, Enter '\r', Esc 27, Backspace 127), or one of KEY_…
    int row, column;
    enum mouse mouse;
    unsigned char bytes[256];
    int count; // of bytes
};

/* For poll: readable when the size changed, or the program goes on after Ctrl-Z; -1: there is none. */
int surface_file(void);

/* What came in; waits for nothing but, 25 ms, for the rest of a key after Esc. `raw`: bytes as they are, no keys
 * are recognised; the mouse is off and brackets around what is pasted are on. Ctrl-C, Ctrl-Z and Ctrl-\ are
 * signals. A second click on the same cell within 0.4 s is MOUSE_DOUBLE, after MOUSE_CLICK of the first; Shift
 * turns the wheel to the sides; other buttons and releases are nothing. */
void surface_read(bool raw, struct event *event);
/* The last `count` bytes of the EVENT_TEXT that was read last are read again. */
void surface_give_back(const struct event *event, int count);

#endif
