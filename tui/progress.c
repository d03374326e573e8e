#include "tui/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tui/display.h"
#include "tui/interrupt.h"

static void (*shower)(const char *line);

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
    progress->terminal = shower || isatty(STDERR_FILENO);
    progress->began = seconds_now();
}

void progress_show_with(void (*show)(const char *line))
{
    shower = show;
}

static void draw_bar(FILE *stream, double share, int columns)
{
    int filled = (int)(share * columns);
    for (int i = 0; i < columns; i++)
        fputs(i < filled ? "█" : "░", stream);
}

static void draw(const struct progress *progress, double elapsed, FILE *stream)
{
    double share = progress->total > 0 ? progress->done / progress->total : 0;
    fprintf(stream, "%s ", progress->what);
    if (progress->total > 0 && (shower || display_columns(stream) >= 70))
        draw_bar(stream, share, 20);
    if (progress->total > 0)
        fprintf(stream, " %3.0f%%", 100 * share);
    if (progress->count > 0)
        fprintf(stream, "  %ld %s  %.1f/s", progress->count, progress->unit,
                (double)progress->count / elapsed);
    if (share > 0) {
        long left = (long)(elapsed / share * (1 - share) + 0.5);
        fprintf(stream, "  %ld:%02ld left", left / 60, left % 60);
    } else {
        fprintf(stream, " %.1f s", elapsed);
    }
}

static void show_elsewhere(const struct progress *progress, double elapsed)
{
    char *line = NULL;
    size_t size;
    FILE *stream = open_memstream(&line, &size);
    if (!stream)
        return;
    draw(progress, elapsed, stream);
    if (fclose(stream) == 0)
        shower(line);
    free(line);
}

void progress_draw(struct progress *progress)
{
    double now = seconds_now(), elapsed = now - progress->began;
    if (!progress->terminal || elapsed < PATIENCE || now - progress->drew < REFRESH)
        return;
    progress->drew = now;
    progress->shown = true;
    if (shower) {
        show_elsewhere(progress, elapsed);
        return;
    }
    fputs("\r\033[K", stderr);
    draw(progress, elapsed, stderr);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->shown && shower)
        shower("");
    else if (progress->shown)
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

static bool watch_silently(const char *what, double done, double total)
{
    (void)what, (void)done, (void)total;
    return !interrupted();
}

const struct watcher silent_watcher = {watch_silently};
