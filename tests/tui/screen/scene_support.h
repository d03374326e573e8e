/* Figures in characters for tests: a figure with random values, drawn on a canvas, and its
 * contents.
 *
 * drawn_scene_open, change the figure, scene_make, scene_draw as often as wanted,
 * drawn_scene_close. Every function fails the running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_SCENE_SUPPORT_H
#define ATTNSCOPE_TESTS_SCENE_SUPPORT_H

#include <stdint.h>

#include "tui/screen/picture/picture.h"

extern const struct screen_style truecolor, plain, ascii;

/* Returns a number from 0 to count - 1; `dice` is the seed. */
extern unsigned dice;
int roll(int count);

enum { PANELS_MOST = 64, LABELS_MOST = 1000 };

/* A figure whose panels are all of the same size, and the canvas on which it is drawn. Values are
 * in [0, 1), some are missing. Scales: viridis up to the maximum, bluered around 0. */
struct scene {
    struct figure figure;
    struct figure_scale scales[2];
    struct figure_panel panels[PANELS_MOST];
    float *values[PANELS_MOST];
    struct picture picture;
    struct canvas canvas;
    struct picture_cursor cursor;
};

void drawn_scene_open(struct scene *scene, int panel_rows, int panel_columns, int rows,
                      int columns);
void scene_make(struct scene *scene);
void scene_draw(struct scene *scene, const struct screen_style *screen_style, int rows, int columns,
                bool chosen);
void drawn_scene_close(struct scene *scene);

/* One panel of 4 x 4 with labels. */
extern const char *const small_rows[4], *const small_columns[4];
extern const float small_values[16];
void small_open(struct scene *scene, const float values[16]);

/* "a0", "b1", ..., "l999". */
extern const char *number_labels[LABELS_MOST];
void number_labels_make(void);

const char *scene_text(const struct scene *scene, int row, int column);
struct style scene_style(const struct scene *scene, int row, int column);
uint32_t scene_fill(const struct scene *scene, int row,
                    int column); // 0xRRGGBB; fails if there is none
void scene_row(const struct scene *scene, int row, char text[4096]);
/* Finds ASCII text; returns false if it is nowhere. */
bool scene_find(const struct scene *scene, const char *wanted, int *row, int *column);
/* True if any row contains the text. */
bool scene_has(const struct scene *scene, const char *wanted);

/* Returns the map's colour of a share, by the rule in its header. */
uint32_t map_entry(const char *map, double share);

#endif
