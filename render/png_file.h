/* A page of pixels as a PNG file. */
#ifndef ATTNSCOPE_PNG_FILE_H
#define ATTNSCOPE_PNG_FILE_H

#include <stdint.h>
#include <stdio.h>

#include "render/figure.h"

struct page {
    int width, height, dpi;
    const unsigned char *pixels; // rows of uint32_t 0x00RRGGBB
    int stride;                  // bytes from row to row
};

/* Writes 8-bit sRGB with the resolution and the notes, and flushes. Errors as figure_write_png's. */
bool png_file_write(const struct page *page, const struct figure_note *notes, int note_count,
                    FILE *file, struct status *status);

#endif
