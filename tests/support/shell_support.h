/* Full-screen programs under a shell in tmux, for tests: what they leave of the terminal when they
 * end, or stop.
 *
 * Between cli_open and cli_close: shell_open; shell_run a command; shell_expect_end. Every function
 * fails the running test when it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_SHELL_SUPPORT_H
#define ATTNSCOPE_TESTS_SHELL_SUPPORT_H

#include "tests/support/tmux_support.h"

#define SHELL_READY "ready>" // its prompt
/* What tmux knows of the terminal's state, and what it is under a shell. */
#define SHELL_STATE "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}"
#define SHELL_FOUND "0 1 0 0"

/* A shell with job control; of `spec` the arguments are not used. The sanitizers leave it to the
 * program what its faults and failing allocations do. */
struct tmux shell_open(const struct tmux_spec *spec);

/* Types a command, on an empty screen; the shell then says what the terminal is like, before it and
 * after. */
void shell_run(const struct tmux *tmux, const char *command);
/* Types what says it of a program that has stopped, and waits until it is done. */
void shell_look(const struct tmux *tmux);

/* Waits for the end, as the shell says it: 128 + signal for a signal; then the terminal is
 * restored. */
void shell_expect_end(const struct tmux *tmux, int code);
/* Modes and state are as they were before, also whether pastes come in brackets. */
void shell_check_restored(const struct tmux *tmux);

#endif
