/* The prompt: lines typed at a terminal, with editing, history and completion (readline).
 *
 * prompt_open, prompt_read as often as wanted, prompt_close; one at a time. Between the calls of
 * prompt_read the terminal is as it was found, and whatever ends the program leaves it so.
 */
#ifndef ATTNSCOPE_PROMPT_H
#define ATTNSCOPE_PROMPT_H

#include "tui/session.h"

void prompt_open(const struct session *session);

/* What the user has typed, for the caller to free; several lines where that many were pasted. NULL: the
 * end, by Ctrl-D or because the terminal is gone. Ctrl-C drops what was typed and goes on. */
char *prompt_read(void);

/* Writes the prompt and a line as if it had been typed: the next one of several. */
void prompt_echo(const char *line);

/* Asks while a command runs. Only an answer that begins with y or Y is yes; Ctrl-C and Ctrl-D are no. */
bool prompt_confirm(const char *question);

void prompt_close(void);

#endif
