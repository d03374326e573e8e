#include "terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/strings.h"
#include "terminal/interrupt.h"
#include "terminal/text/display.h"

static void (*shower)(const char *line);
static bool never; // on standard error

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
    progress->terminal = shower || (!never && isatty(STDERR_FILENO));
    progress->began = seconds_now();
}

void progress_never(void)
{
    never = true;
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

/* details 2: " 11%  563 sentences  94.9/s  0:47 left"; 1: " 11%  0:47 left"; 0: "  0:47 left". */
static void write_numbers(const struct progress *progress, double share, double elapsed,
                          int details, char *out, size_t size)
{
    size_t used = 0;
    *out = '\0';
    if (details > 0 && progress->total > 0)
        used = (size_t)snprintf(out, size, " %3.0f%%", 100 * share);
    if (details > 1 && progress->count > 0)
        used += (size_t)snprintf(out + used, size - used, "  %ld %s  %.1f/s", progress->count,
                                 progress->unit, (double)progress->count / elapsed);
    const double since = progress->total > 0 ? progress->done - progress->had : 0;
    const long left =
        since > 0 ? (long)(elapsed / since * (progress->total - progress->done) + 0.5) : 0;
    if (since > 0)
        snprintf(out + used, size - used, "  %ld:%02ld left", left / 60, left % 60);
    else
        snprintf(out + used, size - used, " %.1f s", elapsed);
}

/* The bar uses the room that the numbers leave. A line that wraps cannot be erased, so narrow
 * terminals show fewer details. */
static void draw(const struct progress *progress, double elapsed, FILE *stream)
{
    enum { BAR_LEAST = 5, BAR_MOST = 20, NUMBERS_BYTES = 160, WHAT_BYTES = 80 };
    double share = progress->total > 0 ? progress->done / progress->total : 0;
    char numbers[NUMBERS_BYTES], what[WHAT_BYTES];
    if (progress->step)
        snprintf(what, sizeof what, "step %d, %s", progress->step, progress->what);
    else
        snprintf(what, sizeof what, "%s", progress->what);
    int columns =
        display_columns(stream) - (shower ? PROGRESS_STOPS_COLUMNS : 0) - (int)strlen(what) - 2;
    int details = 2;
    do
        write_numbers(progress, share, elapsed, details, numbers, sizeof numbers);
    while ((int)strlen(numbers) > columns && details-- > 0);
    int room = columns - (int)strlen(numbers);
    fprintf(stream, "%s ", what);
    if (progress->total > 0 && room >= BAR_LEAST)
        draw_bar(stream, share, room < BAR_MOST ? room : BAR_MOST);
    fputs(numbers, stream);
}

static void show_elsewhere(const struct progress *progress, double elapsed)
{
    struct written written;
    FILE *stream = written_open(&written);
    if (!stream)
        return;
    draw(progress, elapsed, stream);
    char *line = written_close(&written);
    if (line)
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

/* Only one piece of watched work runs at a time, so one line is enough. Work that counts items
 * contains other work, such as the layers of a pass for each sentence; only the progress of the
 * whole is shown. */
static struct progress watched; // `what` NULL: no work is running

static bool is_part_of_watched(const struct work_progress *progress)
{
    return watched.what && *watched.unit && !progress->unit &&
           strcmp(watched.what, progress->what) != 0; // else it is the whole's end
}

static bool is_other_work(const struct work_progress *progress)
{
    return !watched.what || strcmp(watched.what, progress->what) != 0 ||
           progress->done < watched.done;
}

static void (*between)(void);
static _Thread_local bool inside; // `between` is running

void progress_between(void (*run)(void))
{
    between = run;
}

static bool ask(void *unused, const struct work_progress *progress)
{
    (void)unused, (void)progress;
    if (between && !inside) {
        inside = true;
        between();
        inside = false;
    }
    return !interrupted();
}

static bool show(void *unused, const struct work_progress *progress)
{
    bool go_on = ask(unused, progress);
    if (inside || !progress->what || (go_on && is_part_of_watched(progress)))
        return go_on;
    if (is_other_work(progress)) {
        progress_end(&watched);
        progress_begin(&watched, progress->what, progress->unit ? progress->unit : "",
                       isinf(progress->total) ? 0 : progress->total);
    }
    watched.step = progress->step;
    watched.done = progress->done;
    watched.had = progress->had;
    watched.count = progress->unit ? progress->count : 0;
    if (go_on && progress->done < progress->total) {
        progress_draw(&watched);
    } else {
        progress_end(&watched);
        watched.what = NULL;
    }
    return go_on;
}

const struct watch progress_watch = {show, NULL};

const struct watch silent_watch = {ask, NULL};

void progress_hide(void)
{
    progress_end(&watched);
}
