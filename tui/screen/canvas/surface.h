/* The terminal in full-screen mode: drawing, colours, keys and the mouse (ncurses). One for the
 * whole program.
 *
 * surface_open; surface_show and surface_read as often as needed; surface_close; all on one thread.
 * Whatever ends or stops the program in between restores the terminal (terminal.h).
 *
 * To wait for input, poll standard input and surface_file(), then call surface_read until
 * EVENT_NONE, because it buffers bytes.
 */
#ifndef ATTNSCOPE_SURFACE_H
#define ATTNSCOPE_SURFACE_H

#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/keys.h"
#include "tui/screen/canvas/style.h"

struct surface_spec {
    bool ascii;
};

/* True if standard input and output are a terminal that can show a full screen: TERM is known and
 * its cursor can be moved. If TERM is the only obstacle, the status says so; otherwise its message
 * is empty. */
bool surface_possible(struct status *status);

/* Opens the screen and fills in what the terminal can show. Colours: none if NO_COLOR is not empty;
 * truecolor if COLORTERM says truecolor or 24bit and terminfo has a direct description of TERM (its
 * name, or its name without -256color or xterm-, followed by -direct), or if TERM is such a
 * description; else as many as TERM has. In truecolor the numbers 0 to 7 mean the user's own
 * colours, so the darkest blues have 1 instead of 0 of green. On failure the terminal is
 * unchanged. */
bool surface_open(const struct surface_spec *spec, struct screen_style *screen_style,
                  struct status *status);
void surface_close(void); // none open: does nothing

/* Rows and columns of the terminal now; at most 1000 x 2000. */
void surface_size(int *rows, int *columns);

/* Shows the canvas, sending only changes; moves the terminal's cursor to (row, column), or hides it
 * if row < 0. */
void surface_show(const struct canvas *canvas, int row, int column);
/* Makes the next surface_show send everything (Ctrl-L; after another program used the terminal). */
void surface_refresh(void);

/* Sends text that is not part of the screen, such as OSC 52. */
void surface_send(const char *text, size_t bytes);

/* For poll: readable when the size has changed or the program continues after Ctrl-Z; -1: none. */
int surface_file(void);

/* How input is read: as keys or as a line. For a line the cursor is a bar, if terminfo has one
 * (Ss), and the keypad types digits. Mouse and bracketed paste are on in both cases. */
enum surface_reading { SURFACE_KEYS, SURFACE_LINE };

/* Reads the next event without waiting, except for 25 ms after Esc for the rest of a key:
 * keys_next, or for a line keys_take with `pasting` (keys.h). Ctrl-C, Ctrl-Z and Ctrl-\ are
 * signals. With Shift the wheel scrolls sideways; other buttons and releases are ignored. */
void surface_read(enum surface_reading reading, bool pasting, struct event *event);
/* Puts back the last `count` bytes of the latest EVENT_TEXT, to be read again. */
void surface_give_back(const struct event *event, int count);

#endif
