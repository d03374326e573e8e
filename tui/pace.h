/* How far the writing of many numbers is: shown, and stopped at Ctrl-C.
 *
 *     struct pace pace = pace_begin("writing", numbers, status);
 *     bool ok = ... while pace_step(&pace, some) ...;
 *     return pace_end(&pace, ok);
 */
#ifndef ATTNSCOPE_PACE_H
#define ATTNSCOPE_PACE_H

#include <stddef.h>

#include "gpu/status.h"

struct pace {
    const char *what; // a constant: "writing"
    double done, total;
    struct status *status; // of the caller
    bool stopped;
};

/* `total` numbers will be written. */
struct pace pace_begin(const char *what, size_t total, struct status *status);
/* `numbers` are about to be written: few enough for an answer within a tenth of a second. False: the work
 * is to stop, the status has STATUS_CANCELLED. NULL: nobody watches. */
bool pace_step(struct pace *pace, size_t numbers);
/* After the work, which went well or not. Returns whether it did, and was not stopped. */
bool pace_end(const struct pace *pace, bool ok);

#endif
