/* Long work reports progress and asks whether to continue.
 *
 * The caller passes a watch; NULL: none. The work reports often enough to respond within a tenth of
 * a second. It also reports its end when it fails, so that a progress line can be removed.
 */
#ifndef ATTNSCOPE_WATCH_H
#define ATTNSCOPE_WATCH_H

#include <math.h>

#include "base/status.h"

/* The progress of a piece of work. */
struct work_progress {
    const char *what;   // "translating"; NULL: nothing to show, only asks whether to continue
    int step;           // of work that does this repeatedly, 1-based; 0: it is done once
    double done, total; // equal at the end; total INFINITY: unknown
    double had;         // the part of `done` that stopped work had done before
    long count;         // finished items
    const char *unit;   // what `count` counts: "sentences"; NULL: nothing
};

struct watch {
    /* Returns false to stop the work. Called on the thread that started the work. */
    bool (*proceed)(void *context, const struct work_progress *progress);
    void *context;
};

/* Reports to a watch. Fails with STATUS_CANCELLED if the work is to stop. */
static inline bool watch_report(const struct watch *watch, const struct work_progress *progress,
                                struct status *status)
{
    return !watch || watch->proceed(watch->context, progress) ||
           status_fail(status, STATUS_CANCELLED, "interrupted");
}

/* The same for work that does not count items. */
static inline bool watch_proceed(const struct watch *watch, const char *what, double done,
                                 double total, struct status *status)
{
    return watch_report(watch, &(struct work_progress){.what = what, .done = done, .total = total},
                        status);
}

/* Only asks whether to continue. */
static inline bool watch_ask(const struct watch *watch, struct status *status)
{
    return watch_report(watch, &(struct work_progress){.what = NULL}, status);
}

/* Reports the end of work that failed. Returns false. */
static inline bool watch_fail(const struct watch *watch, const char *what, double total)
{
    struct status unused;
    watch_proceed(watch, what, total, total, &unused);
    return false;
}

static inline bool watch_ask_outer(void *context, const struct work_progress *progress)
{
    struct status unused;
    (void)progress;
    return watch_ask(context, &unused);
}

/* A watch for inner work: asks `outer` whether to continue and reports nothing. `outer` must
 * outlive it. */
static inline struct watch watch_quietly(const struct watch *outer)
{
    return (struct watch){watch_ask_outer, (void *)outer};
}

#endif
