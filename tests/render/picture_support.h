/* Figures that were exported, read back by other software (ImageMagick), for tests. Every function
 * fails the running test when it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_PICTURE_SUPPORT_H
#define ATTNSCOPE_TESTS_PICTURE_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/colormap.h"

/* What a shell command prints, without its last line break; freed with free(). */
char *output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct picture {
    struct rgb *pixels; // (height, width), freed with free()
    int width, height;
};

/* Reads a file of the exports' folder and removes it. */
struct picture read_picture(const char *name);
struct rgb pixel_at(const struct picture *picture, int x, int y);
bool same_colour(struct rgb a, struct rgb b);

/* The inside of a frame. */
struct frame {
    int left, top, right, bottom; // the last two are outside
};

/* Frames of at least `least` pixels a side, from left to right, then downwards; returns their
 * number. Bars have one too, and are narrow. Where a map has black, no frame can be told. */
int find_frames(const struct picture *picture, int least, struct frame *frames, int most);

/* The centre of every cell has the colour of its value on a scale from `least` to `most`. */
void check_cells(const struct picture *picture, const struct frame *frame, const char *map_name,
                 const float *values, int rows, int columns, double least, double most);

/* The text of a note in a PNG file's content; freed with free(). */
char *note_of(const char *content, size_t bytes, const char *key);

#endif
