/* NumPy's .npy format, version 1.0: one array of little-endian float32 in C order. */
#ifndef ATTNSCOPE_NPY_H
#define ATTNSCOPE_NPY_H

#include <stdio.h>

#include "tui/pace.h"

enum { NPY_DIMENSIONS_MOST = 8 };

/* Writes an array of that shape; at most NPY_DIMENSIONS_MOST dimensions. Write errors stay with the stream
 * (ferror). False: `pace` stopped it. */
bool npy_write(FILE *stream, const float *values, int dimensions, const size_t *shape,
               struct pace *pace);

#endif
