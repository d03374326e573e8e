/* Long work says how far it is and asks whether to go on.
 *
 * Whoever starts the work passes a watch; NULL: nobody watches. The work reports often enough for
 * an answer within a tenth of a second, and reports its end also when it fails, so that whoever
 * shows a line of progress takes it away.
 */
#ifndef ATTNSCOPE_WATCH_H
#define ATTNSCOPE_WATCH_H

#include <math.h>

#include "base/status.h"

/* The progress of a piece of work. */
struct work_progress {
    const char *what;   // "translating"; NULL: nothing to show, the question alone is asked
    double done, total; // equal at the end; total INFINITY: it is not known how much there is
    double had;         // of `done` what was done before, by work that was stopped
    long count;         // things that are finished
    const char *unit;   // what they are: "sentences"; NULL: they are not counted
};

struct watch {
    /* False: the work is to stop. Called on the thread that called the work. */
    bool (*proceed)(void *context, const struct work_progress *progress);
    void *context;
};

/* Asks a watch. Fails with STATUS_CANCELLED where the work is to stop. */
static inline bool watch_report(const struct watch *watch, const struct work_progress *progress,
                                struct status *status)
{
    return !watch || watch->proceed(watch->context, progress) ||
           status_fail(status, STATUS_CANCELLED, "interrupted");
}

/* The same for work that counts nothing. */
static inline bool watch_proceed(const struct watch *watch, const char *what, double done,
                                 double total, struct status *status)
{
    return watch_report(watch, &(struct work_progress){.what = what, .done = done, .total = total},
                        status);
}

/* The question alone: whether to go on. */
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

/* A watch for what is done in between: it asks `outer` whether to go on and reports nothing.
 * `outer` must outlive it. */
static inline struct watch watch_quietly(const struct watch *outer)
{
    return (struct watch){watch_ask_outer, (void *)outer};
}

#endif
