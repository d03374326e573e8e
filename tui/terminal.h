/* The terminal as it was found: put back whatever ends or stops the program while it is being changed.
 *
 * terminal_guard once, before anything changes the terminal; terminal_change(true) and (false) around
 * the time that it is changed.
 */
#ifndef ATTNSCOPE_TERMINAL_H
#define ATTNSCOPE_TERMINAL_H

#include <stdbool.h>

/* Remembers how standard input's terminal is set, and catches the signals that would end the program:
 * they still do, with the terminal restored. Signals that are ignored or caught already stay so. */
void terminal_guard(void);
/* `paste`: it has also been asked to put brackets around what is pasted. */
void terminal_change(bool changed, bool paste);
/* Whether the program was stopped (Ctrl-Z) and goes on since the last call: the terminal is as it was found
 * and must be changed again. */
bool terminal_resumed(void);

#endif
