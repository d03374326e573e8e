/* A line on standard error for work that takes longer than half a second: the amount done, the
 * speed, and the time left. Shown only if standard error is a terminal or progress_show_with was
 * called. */
#ifndef ATTNSCOPE_PROGRESS_H
#define ATTNSCOPE_PROGRESS_H

#include <stdbool.h>

#include "base/watch.h"

struct progress {
    const char *what;   // "translating"
    int step;           // as in watch.h
    const char *unit;   // of `done`: "sentences"
    double total;       // the amount of work, such as source tokens; 0: unknown
    double done;        // of total
    double had;         // part of `done` before the work began
    long count;         // units finished
    bool terminal;      // standard error is one
    bool shown;         // a line is on the screen
    double began, drew; // times of a monotonic clock, in seconds
};

void progress_begin(struct progress *progress, const char *what, const char *unit, double total);
/* Draws the line if it is due. Cheap otherwise. */
void progress_draw(struct progress *progress);
/* Removes the line. */
void progress_end(struct progress *progress);

/* Shows nothing on standard error from now on. */
void progress_never(void);

/* Passes progress lines to `show`, with "" when the work is over. NULL: shows them on standard
 * error. The lines leave PROGRESS_STOPS_COLUMNS of the terminal free for the key that stops the
 * work. */
enum { PROGRESS_STOPS_COLUMNS = 16 };
void progress_show_with(void (*show)(const char *line));

/* Calls `run` whenever work asks these watches whether to continue, on the work's thread. `run`
 * shows no progress and is not re-entered. NULL: no calls. */
void progress_between(void (*run)(void));

/* Shows the progress of work that takes a watch (watch.h), and stops it at Ctrl-C. */
extern const struct watch progress_watch;
/* Stops work at Ctrl-C without showing anything: for short work in between. */
extern const struct watch silent_watch;
/* Removes the line of watched work before other output. The next report of that work draws it
 * again. */
void progress_hide(void);

/* The time of a monotonic clock, in seconds. */
double seconds_now(void);

#endif
