/* Shows the progress of writing many numbers, and stops it at Ctrl-C.
 *
 *     struct pace pace = pace_begin("writing", numbers, status);
 *     bool ok = ... while pace_step(&pace, some) ...;
 *     return pace_end(&pace, ok);
 */
#ifndef ATTNSCOPE_PACE_H
#define ATTNSCOPE_PACE_H

#include <stddef.h>

#include "base/status.h"

struct pace {
    const char *what; // a constant: "writing"
    double done, total;
    struct status *status; // of the caller
    bool stopped;
};

/* Begins the progress of writing `total` numbers. */
struct pace pace_begin(const char *what, size_t total, struct status *status);
/* Call before writing the next `numbers` numbers, few enough to take less than a tenth of a second.
 * False: stop; the status is STATUS_CANCELLED. pace NULL: always true. */
bool pace_step(struct pace *pace, size_t numbers);
/* Call after the work. `ok`: true if it succeeded. Returns true if it succeeded and was not
 * stopped. */
bool pace_end(const struct pace *pace, bool ok);

#endif
