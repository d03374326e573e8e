/* Programs in a real terminal emulator, for tests: keys in, cells out. Each has its own tmux
 * server, without the user's settings. The server ends with the program, or with the test program
 * however that ends.
 *
 * Between cli_open and cli_close (cli_support.h): tmux_open; keys, clicks and sizes, and
 * tmux_expect… for what they lead to; tmux_close. Nothing waits for a fixed time: tmux_expect…
 * waits for up to a minute, then prints the screen and fails the running test. Every function fails
 * the running test if it cannot do its work. Rows and columns count from 0.
 */
#ifndef ATTNSCOPE_TESTS_TMUX_SUPPORT_H
#define ATTNSCOPE_TESTS_TMUX_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tests/support/tmux_screen.h"

struct tmux {
    char socket[64]; // the server's, in cli_folder()
    pid_t server;
    struct tmux_control *control; // a client that runs commands
};

struct tmux_spec {
    int columns, rows;
    const char *term; // TERM; NULL: tmux-256color. The pane understands what tmux does
    const char *const *environment; // "NAME=VALUE" …, ends with NULL; NULL: none
    const char *const *arguments;   // the program and its arguments, ends with NULL
    const char *record; // a file to which all output of the program is appended; NULL: none
    bool one_screen;    // no alternate screen, as some users of tmux configure it
};

/* Starts a program in a pane of that size. COLORTERM and NO_COLOR are unset unless `environment`
 * has them; the rest of the environment is the test's own. */
struct tmux tmux_open(const struct tmux_spec *spec);
/* The same for our program (cli_program); `arguments` come without its name. */
struct tmux tmux_open_program(const struct tmux_spec *spec);
/* Ends the server, and the program if it still runs. */
void tmux_close(struct tmux *tmux);

/* Presses keys by name, separated by blanks: "Escape", "C-c", "Up", "PageDown", "Enter", "x". */
void tmux_press(const struct tmux *tmux, const char *names);
/* Types bytes as they are, such as text in UTF-8. */
void tmux_type(const struct tmux *tmux, const char *text);
void tmux_send(const struct tmux *tmux, const void *bytes, size_t count);
/* A click, or a turn of the wheel, in the protocol that the program has asked for; fails if it has
 * not asked for the mouse. */
enum tmux_button { TMUX_LEFT = 0, TMUX_MIDDLE = 1, TMUX_RIGHT = 2, TMUX_UP = 64, TMUX_DOWN = 65 };
void tmux_click(const struct tmux *tmux, int row, int column, enum tmux_button button);
/* Resizes the pane and waits until the program's terminal has the new size. */
void tmux_resize(const struct tmux *tmux, int columns, int rows);

/* Waits until the program waits for input and has written its screen. */
void tmux_settle(const struct tmux *tmux);
/* Returns what the pane shows when the program has written what it was writing; tmux_screen_free
 * frees it. tmux 3.3 loses the colour of cells
 * that were erased in colour after the last written one of their row. With a TERM without bce
 * (tmux-256color) no cells are erased that way. */
struct tmux_screen tmux_capture(const struct tmux *tmux);

/* Waits until the screen satisfies `holds`. `what` is for the message. */
typedef bool tmux_condition(const struct tmux_screen *screen, const void *context);
void tmux_expect_that(const struct tmux *tmux, tmux_condition *holds, const void *context,
                      const char *what);
/* Wait until a text is on the screen, within a row; until it is nowhere; until an extended regular
 * expression matches (^ and $ are a row's ends). */
void tmux_expect(const struct tmux *tmux, const char *text);
void tmux_expect_gone(const struct tmux *tmux, const char *text);
void tmux_expect_match(const struct tmux *tmux, const char *pattern);

/* Returns the value of a tmux format, such as "#{alternate_on}", "#{cursor_flag} #{cursor_x}
 * #{cursor_y}", "#{mouse_any_flag}", "#{pane_pid}", "#{bracket_paste_flag}"; valid until the next
 * call. */
const char *tmux_format(const struct tmux *tmux, const char *format);
/* Waits until the format has that value. */
void tmux_expect_format(const struct tmux *tmux, const char *format, const char *value);

pid_t tmux_pid(const struct tmux *tmux); // the program's
/* Waits for the end of the program; returns its exit code, or 256 + signal. The pane shows its last
 * screen. */
int tmux_finish(const struct tmux *tmux);

/* Waits until the program copies something (OSC 52) and returns it; freed with free(). */
char *tmux_copied(const struct tmux *tmux);

#endif
