/* Long work says how far it is and asks whether to go on. */
#ifndef ATTNSCOPE_WATCH_H
#define ATTNSCOPE_WATCH_H

#include "gpu/status.h"

/* Who watches. */
struct watcher {
    /* `what` is being done, `done` of `total` so far; the two are equal at the end. It is called often
     * enough for an answer within a tenth of a second. False: the work is to stop. */
    bool (*proceed)(const char *what, double done, double total);
};

/* Asks a watcher; NULL: nobody watches. Fails with STATUS_CANCELLED where the work is to stop. */
static inline bool watch_proceed(const struct watcher *watcher, const char *what, double done,
                                 double total, struct status *status)
{
    return !watcher || watcher->proceed(what, done, total) ||
           status_fail(status, STATUS_CANCELLED, "interrupted");
}

/* Tells a watcher that the work ended before its end: it failed. Returns false. */
static inline bool watch_fail(const struct watcher *watcher, const char *what, double total)
{
    if (watcher)
        watcher->proceed(what, total, total);
    return false;
}

#endif
