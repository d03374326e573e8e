/* The prompt: lines typed at a terminal, with editing, history and completion (readline).
 *
 * Call prompt_open, prompt_read any number of times, prompt_close. There can be only one prompt at
 * a time. Between calls of prompt_read the terminal is in its original state, however the program
 * ends.
 */
#ifndef ATTNSCOPE_PROMPT_H
#define ATTNSCOPE_PROMPT_H

#include "session/session.h"

void prompt_open(const struct session *session);

/* Returns what the user typed; the caller frees it. It has several lines if several were pasted.
 * NULL: the end, by Ctrl-D or because the terminal is gone. Ctrl-C discards what was typed and
 * continues. */
char *prompt_read(void);

/* Writes the prompt and a line as if typed: for each further line of a pasted text. */
void prompt_echo(const char *line);

/* Asks a question. Returns the first letter of the answer, in lower case; NUL: no answer, Ctrl-C or
 * Ctrl-D. */
char prompt_choose(const char *question);
/* The same while a command runs. True: the answer begins with y or Y. */
bool prompt_confirm(const char *question);

void prompt_close(void);

#endif
