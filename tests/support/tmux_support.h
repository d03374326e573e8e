/* Programs in a real terminal emulator, for tests: keys in, cells out. Each has a tmux server of
 * its own, without the user's settings, that ends with it, or with the test program whatever ends
 * that.
 *
 * Between cli_open and cli_close (cli_support.h): tmux_open; keys, clicks and sizes, and
 * tmux_expect… for what they lead to; tmux_close. Nothing waits for a time: who expects waits for
 * it for a minute, then fails the running test and prints the screen. Every function fails the
 * running test when it cannot do its work. Rows and columns count from 0.
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
};

struct tmux_spec {
    int columns, rows;
    const char *term;               // TERM; NULL: tmux-256color. The pane obeys what tmux obeys
    const char *const *environment; // "NAME=VALUE" …, NULL at the end; NULL: none
    const char *const *arguments;   // the program and its arguments, NULL at the end
    const char *record;             // a file that all the program sends is added to; NULL: none
    bool one_screen;                // no alternate screen, as its users may have it
};

/* Starts a program in a pane of that size. COLORTERM and NO_COLOR are unset unless `environment`
 * has them; the rest is the test's own. */
struct tmux tmux_open(const struct tmux_spec *spec);
/* The same for ours (cli_program), whose `arguments` are without its name. */
struct tmux tmux_open_program(const struct tmux_spec *spec);
/* Ends the program, if it has not, and the server. */
void tmux_close(struct tmux *tmux);

/* Keys by their names, blanks between: "Escape", "C-c", "Up", "PageDown", "Enter", "x". */
void tmux_press(const struct tmux *tmux, const char *names);
/* Bytes as they are, such as text in UTF-8. */
void tmux_type(const struct tmux *tmux, const char *text);
void tmux_send(const struct tmux *tmux, const void *bytes, size_t count);
/* A click, or a turn of the wheel, in the protocol that the program has asked for; fails when it
 * wants no mouse. */
enum tmux_button { TMUX_LEFT = 0, TMUX_MIDDLE = 1, TMUX_RIGHT = 2, TMUX_UP = 64, TMUX_DOWN = 65 };
void tmux_click(const struct tmux *tmux, int row, int column, enum tmux_button button);
/* Waits until the program's terminal has it. */
void tmux_resize(const struct tmux *tmux, int columns, int rows);

/* What the pane shows now; tmux_screen_free frees. tmux 3.3 leaves the colour out of cells that
 * were erased in colour after the last one that was written on their row; a TERM without bce
 * (tmux-256color) erases none so. */
struct tmux_screen tmux_capture(const struct tmux *tmux);

/* Waits until the screen satisfies `holds`. `what`: for the message. */
typedef bool tmux_condition(const struct tmux_screen *screen, const void *context);
void tmux_expect_that(const struct tmux *tmux, tmux_condition *holds, const void *context,
                      const char *what);
/* Waits until a text stands on the screen, within a row; or nowhere; or until an extended regular
 * expression matches (^ and $ are a row's ends). */
void tmux_expect(const struct tmux *tmux, const char *text);
void tmux_expect_gone(const struct tmux *tmux, const char *text);
void tmux_expect_match(const struct tmux *tmux, const char *pattern);

/* A format of tmux, such as "#{alternate_on}", "#{cursor_flag} #{cursor_x} #{cursor_y}",
 * "#{mouse_any_flag}", "#{pane_pid}", "#{bracket_paste_flag}"; until the next call. */
const char *tmux_format(const struct tmux *tmux, const char *format);
/* Waits until it is that. */
void tmux_expect_format(const struct tmux *tmux, const char *format, const char *value);

pid_t tmux_pid(const struct tmux *tmux); // the program's
/* Waits for the end of the program: its exit code, or 256 + signal. The pane shows what was
 * left. */
int tmux_finish(const struct tmux *tmux);

/* What the program has copied (OSC 52), freed with free(); waits for it. */
char *tmux_copied(const struct tmux *tmux);

#endif
