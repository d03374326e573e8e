/* Times figures: a labelled heatmap of 60 x 60 and a grid of 6 x 8 such matrices, in every format,
 * with the fonts opened anew each time, as an export does. A plain loop is timed beside them, to
 * tell a slow machine from slow drawing. Every file is looked at before it is timed.
 *
 *   bench_render
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "render/figure.h"
#include "tests/bench/calibrate.h"

enum { SIDE = 60, ROWS = 6, COLUMNS = 8, RUNS = 5 };

static void stop(const char *what)
{
    fprintf(stderr, "bench_render: %s\n", what);
    exit(1);
}

/* Returns the processor time in milliseconds, so that other processes count less. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static float values[SIDE * SIDE];
static char texts[SIDE][16];
static const char *labels[SIDE];
static struct figure_panel panels[ROWS * COLUMNS];

static void fill(void)
{
    static const char *const tokens[] = {"the", "keeper", "Leuchtturm", "灯り", "."};
    unsigned seed = 1;
    for (int i = 0; i < SIDE * SIDE; i++) {
        seed = seed * 1664525 + 1013904223;
        values[i] = (float)(seed >> 8) / (1 << 24);
    }
    for (int i = 0; i < SIDE; i++) {
        snprintf(texts[i], sizeof texts[i], "%s", tokens[i % 5]);
        labels[i] = texts[i];
    }
    for (int i = 0; i < ROWS * COLUMNS; i++)
        panels[i] = (struct figure_panel){
            .kind = PANEL_MATRIX, .matrix = {.values = values, .rows = SIDE, .columns = SIDE}};
}

static const char *const beginnings[] = {"\x89PNG", "%PDF", "<?xml"};

static void write_once(const struct figure *figure, enum figure_format format, long *bytes)
{
    struct figure_style style = figure_style_default();
    struct status status;
    char begin[8] = "";
    FILE *file = tmpfile();
    if (!file)
        stop("no temporary file");
    if (!figure_write(figure, &style, format, NULL, 0, file, &status))
        stop(status.message);
    *bytes = ftell(file);
    rewind(file);
    if (fread(begin, 1, 5, file) != 5 ||
        strncmp(begin, beginnings[format], strlen(beginnings[format])) != 0)
        stop("not the format that was asked for");
    fclose(file);
}

static void bench(const char *name, const struct figure *figure)
{
    static const char *const formats[] = {"png 300 dpi", "pdf", "svg"};
    for (enum figure_format format = FIGURE_PNG; format <= FIGURE_SVG; format++) {
        double best = INFINITY;
        long bytes = 0;
        for (int i = 0; i < RUNS; i++) {
            double begin = now();
            write_once(figure, format, &bytes);
            best = fmin(best, now() - begin);
        }
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%-18s %-12s %8.1f ms %9ld bytes   %4ld MB at most so far\n", name, formats[format],
               best, bytes, usage.ru_maxrss / 1024);
    }
}

int main(void)
{
    struct figure_scale scale = {.map = colormap_find("viridis"), .title = "attention weight"};
    struct figure figure = {
        .rows = 1, .columns = 1, .panels = panels, .scales = &scale, .scale_count = 1};
    fill();
    calibrate_print();
    panels[0].matrix.row_labels = panels[0].matrix.column_labels = labels;
    bench("60 x 60, labelled", &figure);
    panels[0].matrix.row_labels = panels[0].matrix.column_labels = NULL;
    figure.rows = ROWS;
    figure.columns = COLUMNS;
    bench("6 x 8 of 60 x 60", &figure);
    return 0;
}
