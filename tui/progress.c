#include "tui/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tui/display.h"
#include "tui/interrupt.h"

static const double PATIENCE = 0.5, REFRESH = 0.1; // seconds

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_begin(struct progress *progress, const char *what, const char *unit, double total)
{
    *progress = (struct progress){.what = what, .unit = unit, .total = total};
    progress->terminal = isatty(STDERR_FILENO);
    progress->began = seconds_now();
}

static void draw_bar(double share, int columns)
{
    int filled = (int)(share * columns);
    for (int i = 0; i < columns; i++)
        fputs(i < filled ? "█" : "░", stderr);
}

static void draw(struct progress *progress, double elapsed)
{
    double share = progress->total > 0 ? progress->done / progress->total : 0;
    fprintf(stderr, "\r\033[K%s ", progress->what);
    if (progress->total > 0 && display_columns(stderr) >= 70)
        draw_bar(share, 20);
    if (progress->total > 0)
        fprintf(stderr, " %3.0f%%", 100 * share);
    if (progress->count > 0)
        fprintf(stderr, "  %ld %s  %.1f/s", progress->count, progress->unit,
                (double)progress->count / elapsed);
    if (share > 0) {
        long left = (long)(elapsed / share * (1 - share) + 0.5);
        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    } else {
        fprintf(stderr, " %.1f s", elapsed);
    }
    fflush(stderr);
}

void progress_draw(struct progress *progress)
{
    double now = seconds_now();
    if (!progress->terminal || now - progress->began < PATIENCE || now - progress->drew < REFRESH)
        return;
    progress->drew = now;
    progress->shown = true;
    draw(progress, now - progress->began);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

/* Work that is watched goes one after the other: one line is enough. */
static bool watch(const char *what, double done, double total)
{
    static struct progress work; // `what` NULL: none is under way
    bool go_on = !interrupted();
    if (work.what != what || done < work.done) {
        progress_end(&work);
        progress_begin(&work, what, "", total);
    }
    work.done = done;
    if (go_on && done < total) {
        progress_draw(&work);
    } else {
        progress_end(&work);
        work.what = NULL;
    }
    return go_on;
}

const struct watcher progress_watcher = {watch};
