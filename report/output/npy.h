/* NumPy's .npy format, version 1.0: one array, little-endian, in C order. */
#ifndef ATTNSCOPE_NPY_H
#define ATTNSCOPE_NPY_H

#include <stdint.h>
#include <stdio.h>

#include "terminal/pace.h"

enum { NPY_DIMENSIONS_MOST = 8 };
#define NPY_FLOAT32 "<f4"

/* Writes the header; `type`: an element's type in numpy's notation. At most NPY_DIMENSIONS_MOST
 * dimensions. */
void npy_write_header(FILE *stream, const char *type, int dimensions, const size_t *shape);
/* Returns the number of elements of an array of that shape. */
size_t npy_count(int dimensions, const size_t *shape);

/* Writes `count` arrays of that shape as one with an additional leading dimension; 0: only the
 * first, in its own shape. */
bool npy_write_stack(FILE *stream, const float *const *parts, int count, int dimensions,
                     const size_t *shape, struct pace *pace);

/* float64 in one dimension. */
void npy_write_reals(FILE *stream, const double *values, int count);

/* The same for int64. */
void npy_write_integers(FILE *stream, const int64_t *values, int dimensions, const size_t *shape);

/* Writes text as a zero-dimensional array (numpy's bytes). */
void npy_write_text(FILE *stream, const char *text);
/* Returns the text in the `bytes` of such a file: *length bytes without a final NUL; NULL: not a
 * .npy file. */
const char *npy_text(const char *file, size_t bytes, size_t *length);

/* Writes `count` texts in one dimension, padded to the longest (numpy's str): UTF-8 as UTF-32,
 * invalid bytes as U+FFFD. */
void npy_write_texts(FILE *stream, const char *const *texts, int count);

#endif
