/* Writing a PNG file row by row: a page may be large, so it is never held as a whole. Reading one
 * back as pixels. */
#ifndef ATTNSCOPE_PNG_FILE_H
#define ATTNSCOPE_PNG_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "render/figure.h"

struct png_page {
    int width, height, dpi;
    /* Row y: `width` pixels 0x00RRGGBB, valid until the next call. Asked for once each, from 0
     * down. NULL and a status when it cannot be had. */
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

/* Reads the size alone, or everything, of a file in memory. STATUS_INVALID: it is no PNG, or has
 * more than 64 million pixels. pixels_read's are freed with pixels_free. */
bool pixels_size(struct pixels *pixels, const void *png, size_t bytes, struct status *status);
bool pixels_read(struct pixels *pixels, const void *png, size_t bytes, struct status *status);
void pixels_free(struct pixels *pixels);

#endif
