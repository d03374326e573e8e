/* The terminal as it was found: put back whatever ends or stops the program while it is being changed.
 *
 * terminal_guard once, before anything changes the terminal; terminal_change(true) and (false) around
 * the time that it is changed, for the full screen terminal_screen instead.
 */
#ifndef ATTNSCOPE_TERMINAL_H
#define ATTNSCOPE_TERMINAL_H

#include <stdbool.h>

/* Remembers how standard input's terminal is set, and catches the signals that would end the program:
 * they still do, with the terminal restored, as exit() does. Signals that are ignored or caught already stay
 * so. */
void terminal_guard(void);
/* `paste`: it has also been asked to put brackets around what is pasted. */
void terminal_change(bool changed, bool paste);

/* A screen is up: what enters it and what leaves it, at most TERMINAL_BYTES each (both are copied), are sent when
 * the program goes on after it was stopped, and when it stops or ends. NULL: it is down again. The caller
 * enters and leaves itself, and changes the terminal's modes, before the last call: they come back too. Meanwhile
 * standard error is kept (stray.h). */
enum { TERMINAL_BYTES = 512 };
void terminal_screen(const char *enter, const char *leave);

/* Around what is sent in one piece, such as a picture: Ctrl-Z waits for its end. What restores the terminal would come in
 * the middle of a character or a sequence otherwise, and the other half when the program goes on. */
void terminal_hold_stops(bool on);

/* Puts the terminal back at once, for those who end the program without exit(): may be called in a signal's
 * handler. */
void terminal_restore(void);

/* Whether the program was stopped (Ctrl-Z, SIGSTOP) and goes on since the last call. A screen was entered again, and must
 * be drawn; otherwise the terminal is as it was found and must be changed again. */
bool terminal_resumed(void);

/* From now on SIGWINCH is ours; terminal_resized says whether the window's size changed since the last call. */
void terminal_watch_size(void);
bool terminal_resized(void);

/* For poll: readable when one of the two may have something to say, until terminal_resized is asked; -1: there
 * is none, poll passes over it. */
int terminal_file(void);

#endif
