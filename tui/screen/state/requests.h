/* Command lines for the worker (worker.h), which runs them one after the other. Where none waits,
 * what is on the screen is their current view; otherwise it is what the lines before them show.
 *
 * Where too many wait already, a request is dropped and a message says so.
 */
#ifndef ATTNSCOPE_REQUESTS_H
#define ATTNSCOPE_REQUESTS_H

#include "tui/screen/state/state.h"

void request_command(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for a command that only shows something: it replaces such a request that has not begun,
 * since views that are passed by quickly need not be computed. */
void request_view(struct screen *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The view asked for last while the worker is busy, else `shown`. */
struct view requested_view(const struct screen *screen, struct view shown);
/* Likewise whether it is of words. */
bool requested_words(const struct screen *screen);

#endif
