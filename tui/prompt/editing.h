/* The line editor (readline), shared by the prompt and the screen.
 *
 * Set rl_getc_function and other hooks of the caller; call editing_open; read lines; call
 * editing_close. Only one caller at a time, because readline has global state. inputrc can set
 * bindings and variables for the name attnscope.
 */
#ifndef ATTNSCOPE_EDITING_H
#define ATTNSCOPE_EDITING_H

#include <stdbool.h>

#include "tui/prompt/complete.h"

/* Completes as complete() does (complete.h); false: not possible now. */
typedef bool line_completer(void *context, const char *line, size_t cursor,
                            struct completions *completions);

struct editing {
    line_completer *complete;
    /* Shows the words if Tab has several to offer. May take words out of `words`, which it then
     * owns. */
    void (*list)(void *context, struct strings *words);
    void *context;
};

/* Reads inputrc, binds Tab and loads the history of earlier sessions. Text is UTF-8, whatever the
 * locale says. */
void editing_open(const struct editing *editing);
void editing_close(void);

/* Discards the line being typed and any unfinished key sequence. */
void editing_drop(void);

#endif
