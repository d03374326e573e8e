/* Full-screen programs under a shell in tmux, for tests of the state in which they leave the
 * terminal when they end or stop.
 *
 * Between cli_open and cli_close: shell_open; shell_run a command; shell_expect_end. Every function
 * fails the running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_SHELL_SUPPORT_H
#define ATTNSCOPE_TESTS_SHELL_SUPPORT_H

#include "tests/support/tmux_support.h"

#define SHELL_READY "ready>" // its prompt
/* The terminal's state that tmux knows, and its values under a shell. */
#define SHELL_STATE "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}"
#define SHELL_FOUND "0 1 0 0"

/* Opens a shell with job control; `arguments` in `spec` are ignored. The sanitizers leave the
 * handling of faults and failing allocations to the program. */
struct tmux shell_open(const struct tmux_spec *spec);

/* Types a command on an empty screen. The shell then prints the terminal's modes before and after
 * it. */
void shell_run(const struct tmux *tmux, const char *command);
/* True if the screen shows that the last one is done. */
bool shell_is_done(const struct tmux_screen *screen);
/* Has the shell print the modes while a program is stopped, and waits until it has. */
void shell_look(const struct tmux *tmux);

/* Waits for the end with this exit code, which the shell prints (128 + signal for a signal), and
 * checks that the terminal is restored. */
void shell_expect_end(const struct tmux *tmux, int code);
/* Checks that modes and state are as before, including bracketed paste. */
void shell_check_restored(const struct tmux *tmux);

#endif
