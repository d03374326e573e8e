/* A PNG as sixels or half blocks (libchafa). Inside graphics*.c. */
#ifndef ATTNSCOPE_GRAPHICS_CELLS_H
#define ATTNSCOPE_GRAPHICS_CELLS_H

#include "render/png_file.h"

/* One sixel sequence of width x height pixels; half blocks of columns x rows, its lines separated by line breaks.
 * Returns a text to be freed with free(), or NULL and a status. */
char *cells_sixel(const struct pixels *pixels, int width, int height, struct status *status);
char *cells_blocks(const struct pixels *pixels, int columns, int rows, struct status *status);

#endif
