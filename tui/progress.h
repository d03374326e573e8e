/* A line on standard error for work that takes longer than half a second: how far, how fast, how long
 * still. Nothing is shown unless standard error is a terminal, or someone else shows it. */
#ifndef ATTNSCOPE_PROGRESS_H
#define ATTNSCOPE_PROGRESS_H

#include <stdbool.h>

#include "model/net/watch.h"

struct progress {
    const char *what;   // "translating"
    const char *unit;   // of `done`: "sentences"
    double total;       // what the bar measures, such as source tokens; 0: unknown
    double done;        // of total
    long count;         // units finished
    bool terminal;      // standard error is one
    bool shown;         // a line is on the screen
    double began, drew; // seconds of a steady clock
};

void progress_begin(struct progress *progress, const char *what, const char *unit, double total);
/* Draws when it is time; cheap otherwise. */
void progress_draw(struct progress *progress);
/* Takes the line away. */
void progress_end(struct progress *progress);

/* Who else shows lines of progress, "" when the work is over; NULL: they go to standard error. */
void progress_show_with(void (*show)(const char *line));

/* The same for work that is watched (watch.h); it stops at Ctrl-C. */
extern const struct watcher progress_watcher;
/* Stops at Ctrl-C as well, and shows nothing: for what is done in between. */
extern const struct watcher silent_watcher;

/* Seconds of a steady clock. */
double seconds_now(void);

#endif
