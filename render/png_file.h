/* Writes a PNG file row by row, so that a large page is never in memory as a whole. Reads one back
 * as pixels. */
#ifndef ATTNSCOPE_PNG_FILE_H
#define ATTNSCOPE_PNG_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "render/figure.h"

struct png_page {
    int width, height, dpi;
    /* Returns row y: `width` pixels 0x00RRGGBB, valid until the next call. Called once for each
     * row, from the top. NULL: failure, in `status`. */
    const uint32_t *(*row)(void *context, int y, struct status *status);
    void *context;
};

/* Writes 8-bit sRGB with the resolution and the notes, and flushes. Errors as figure_write's. */
bool png_file_write(const struct png_page *page, const struct figure_note *notes, int note_count,
                    FILE *file, struct status *status);

/* Reading -------------------------------------------------------------------------------------- */

/* 8-bit RGBA, (height, width). */
struct pixels {
    int width, height;
    uint8_t *values; // NULL: only the size is known
};

/* Read only the size, or everything, of a file in memory. STATUS_INVALID: not a PNG, or more than
 * 64 million pixels. Free the result of pixels_read with pixels_free. */
bool pixels_size(struct pixels *pixels, const void *png, size_t bytes, struct status *status);
bool pixels_read(struct pixels *pixels, const void *png, size_t bytes, struct status *status);
void pixels_free(struct pixels *pixels);

#endif
