/* A page as a PNG file, row by row: a page may be large, and none of it is kept. */
#ifndef ATTNSCOPE_PNG_FILE_H
#define ATTNSCOPE_PNG_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "render/figure.h"

struct page {
    int width, height, dpi;
    /* Row y: `width` pixels 0x00RRGGBB, valid until the next call. Asked for once each, from 0 down. NULL and a
     * status when it cannot be had. */
    const uint32_t *(*row)(void *context, int y, struct status *status);
    void *context;
};

/* Writes 8-bit sRGB with the resolution and the notes, and flushes. Errors as figure_write's. */
bool png_file_write(const struct page *page, const struct figure_note *notes, int note_count,
                    FILE *file, struct status *status);

#endif
