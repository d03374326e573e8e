/* Figures for tests of render/, and pictures as ImageMagick reads them.
 *
 * Every function fails the running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_RENDER_SUPPORT_H
#define ATTNSCOPE_TESTS_RENDER_SUPPORT_H

#include "render/figure.h"
#include "render/layout.h"

/* Examples ------------------------------------------------------------------------------------- */

/* A figure and all that it points to. example_open(i) for 0 <= i < EXAMPLES builds figures like
 * those that the program shows, with labels that are hard to place; example_close frees them. */
struct example {
    const char *name;
    struct figure figure;
    struct figure_scale scales[2];
    struct figure_panel *panels;
    char **labels;
    int label_count;
    const char **row_titles, **column_titles;
    float *values[64];
};
enum { EXAMPLES = 13 };
void example_open(struct example *example, int index);
void example_close(struct example *example);

/* A row of cells; the values are borrowed. */
struct strip {
    struct figure_scale scale;
    struct figure_panel panel;
    struct figure figure;
};
/* The range, if it is RANGE_GIVEN, is 0 to 1. */
void strip_fill(struct strip *strip, const char *map, enum figure_range range, const float *values,
                int count);

/* Returns the layout of a PNG; the caller closes it. */
struct figure_layout *figure_layout(const struct figure *figure, const struct figure_style *style);

/* Pictures ------------------------------------------------------------------------------------- */

struct picture {
    char path[40];
    int width, height;
    unsigned char *pixels; // (height, width, 3)
};

/* Writes the figure to a file and reads it back with `convert`; picture_close removes the file. */
struct picture picture_open(const struct figure *figure, const struct figure_style *style,
                            const struct figure_note *notes, int note_count);
void picture_close(struct picture *picture);

/* 0xRRGGBB. */
unsigned picture_pixel(const struct picture *picture, int x, int y);

/* Writes the figure to a new file and its name to `path`; the caller removes the file. */
enum { FIGURE_PATH = 40 };
void figure_save(const struct figure *figure, const struct figure_style *style,
                 enum figure_format format, const struct figure_note *notes, int note_count,
                 char path[FIGURE_PATH]);

/* Renders a PDF or SVG figure with poppler or librsvg. */
struct picture picture_render(const struct figure *figure, const struct figure_style *style,
                              enum figure_format format, int dpi);

/* Returns what a program prints; freed with free(). `arguments` ends with NULL. */
char *program_output(const char *const *arguments, size_t *size);

#endif
