/* Captures standard error while the screen is up, because output of libraries would corrupt the
 * picture.
 *
 * Call captured_stderr_hold when the screen comes up, captured_stderr_take while it is up, and
 * captured_stderr_release when it is gone. If standard error is not a terminal, these calls do
 * nothing.
 */
#ifndef ATTNSCOPE_CAPTURED_STDERR_H
#define ATTNSCOPE_CAPTURED_STDERR_H

#include <stdbool.h>
#include <stddef.h>

/* Captures standard error from now on; output that does not fit into the buffer is lost. A second
 * call does nothing. After a first call elsewhere, it may be called in a signal handler. */
void captured_stderr_hold(void);
/* Restores standard error and writes untaken output to it. May be called in a signal handler. */
void captured_stderr_release(void);

/* Takes the next line written, cut to `size`. False: none yet. */
bool captured_stderr_take(char *line, size_t size);
/* A descriptor for poll, readable when captured_stderr_take may have a line. -1: nothing to wait
 * for. */
int captured_stderr_file(void);

#endif
