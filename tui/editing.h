/* The line editor (readline) as whoever lets the user type a line shares it: the prompt and the screen.
 *
 * editing_open, once rl_getc_function and what else is particular to the caller is set; lines; editing_close.
 * One at a time: readline is one for the whole program. Bindings and variables are those of inputrc under the
 * name attnscope.
 */
#ifndef ATTNSCOPE_EDITING_H
#define ATTNSCOPE_EDITING_H

#include <stdbool.h>

#include "tui/complete.h"

/* Completes as complete.h's function does; false: nothing now. */
typedef bool line_completer(void *context, const char *line, size_t cursor,
                            struct completions *completions);

struct editing {
    line_completer *complete;
    /* Tab has several words to offer; what it takes out of `words` it frees. */
    void (*list)(void *context, struct pieces *words);
    void *context;
};

/* Reads inputrc, binds Tab, and brings the history of former sessions. Text is UTF-8, whatever the locale
 * says. */
void editing_open(const struct editing *editing);
void editing_close(void);

/* Takes the line that is being typed away, and whatever key was half way. */
void editing_drop(void);

#endif
