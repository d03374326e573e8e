/* NumPy's .npy format, version 1.0: one array, little-endian, in C order. */
#ifndef ATTNSCOPE_NPY_H
#define ATTNSCOPE_NPY_H

#include <stdint.h>
#include <stdio.h>

#include "tui/pace.h"

enum { NPY_DIMENSIONS_MOST = 8 };

/* Writes an array of float32 of that shape; at most NPY_DIMENSIONS_MOST dimensions. Write errors stay with the stream
 * (ferror). False: `pace` stopped it. */
bool npy_write(FILE *stream, const float *values, int dimensions, const size_t *shape,
               struct pace *pace);

/* Likewise int64. */
void npy_write_integers(FILE *stream, const int64_t *values, int dimensions, const size_t *shape);

/* `count` texts in one dimension, all as long as the longest (numpy's str): UTF-8 as UTF-32, bytes that are none as
 * U+FFFD. */
void npy_write_texts(FILE *stream, const char *const *texts, int count);

#endif
