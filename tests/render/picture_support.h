/* Exported figures, read back by other software (ImageMagick), for tests. Every function fails the
 * running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_PICTURE_SUPPORT_H
#define ATTNSCOPE_TESTS_PICTURE_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/colormap.h"

/* Returns what a shell command prints, without its last line break; freed with free(). */
char *output_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct picture {
    struct rgb *pixels; // (height, width), freed with free()
    int width, height;
};

/* Reads a file of the export folder and removes it. */
struct picture read_picture(const char *name);
struct rgb pixel_at(const struct picture *picture, int x, int y);
bool same_colour(struct rgb a, struct rgb b);

/* The inside of a frame. */
struct frame {
    int left, top, right, bottom; // the last two are exclusive
};

/* Finds frames of at least `least` pixels a side, from left to right, then downwards; returns their
 * number. Colour bars have frames too, but narrow. Does not work for maps that contain black. */
int find_frames(const struct picture *picture, int least, struct frame *frames, int most);

/* Checks that the centre of every cell has the colour of its value on a scale from `least` to
 * `most`. */
void check_cells(const struct picture *picture, const struct frame *frame, const char *map_name,
                 const float *values, int rows, int columns, double least, double most);

/* Returns the text of a note in a PNG file's content; freed with free(). */
char *note_of(const char *content, size_t bytes, const char *key);

#endif
