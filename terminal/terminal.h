/* Restores the terminal to its original state, whatever ends or stops the program.
 *
 * Call terminal_guard once, before anything changes the terminal; then terminal_change(true) and
 * (false) around every change. For the full screen, call terminal_screen instead.
 */
#ifndef ATTNSCOPE_TERMINAL_H
#define ATTNSCOPE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Saves the settings of the terminal on standard input, and catches the signals that end the
 * program. They still end it, but the terminal is restored first; exit() restores it too. Signals
 * already ignored or caught stay so. */
void terminal_guard(void);
/* `paste`: bracketed paste is on as well. */
void terminal_change(bool changed, bool paste);

/* Declares that a screen is up. `leave` is sent when the program stops or ends, `enter` when it
 * continues after a stop; both are copied, at most TERMINAL_BYTES each. NULL: the screen is down
 * again. Before this call the caller enters or leaves the screen and changes the terminal's modes,
 * which are restored too. While the screen is up, standard error is captured
 * (captured_stderr.h). */
enum { TERMINAL_BYTES = 512 };
void terminal_screen(const char *enter, const char *leave);

/* Call around output that must be sent in one piece, such as a picture: Ctrl-Z then waits for its
 * end. Otherwise the sequences that restore the terminal could interrupt a character or another
 * sequence. */
void terminal_hold_stops(bool on);

/* Restores the terminal at once, for code that ends the program without exit(). May be called in a
 * signal handler. */
void terminal_restore(void);

/* True if the program was stopped (Ctrl-Z, SIGSTOP) and continued since the last call. If a screen
 * is up, it was entered again and must be drawn; otherwise the terminal is in its original state
 * and must be changed again. */
bool terminal_resumed(void);

/* Catches SIGWINCH from now on. terminal_resized: true if the window's size changed since its last
 * call. */
void terminal_watch_size(void);
bool terminal_resized(void);

/* A descriptor for poll, readable after a resize or a continuation until terminal_resized is
 * called. -1: none; poll ignores it. */
int terminal_file(void);

/* Bytes typed while something else was read from the terminal. The next reader of standard input
 * takes them first.
 *
 * One queue for the whole program, used only by the thread that reads the terminal.
 */

/* Appends; bytes that do not fit into the queue (4096 bytes) are lost, as in the kernel's. */
void typed_ahead_add(const unsigned char *bytes, size_t count);

/* Takes up to `count` bytes from the front; returns how many. */
size_t typed_ahead_take(unsigned char *bytes, size_t count);
bool typed_ahead_any(void);

#endif
