/* NumPy's .npy format, version 1.0: one array, little-endian, in C order. */
#ifndef ATTNSCOPE_NPY_H
#define ATTNSCOPE_NPY_H

#include <stdint.h>
#include <stdio.h>

#include "terminal/pace.h"

enum { NPY_DIMENSIONS_MOST = 8 };
#define NPY_FLOAT32 "<f4"

/* Writes the header; `type`: of an element, as numpy writes it. At most NPY_DIMENSIONS_MOST
 * dimensions. */
void npy_write_header(FILE *stream, const char *type, int dimensions, const size_t *shape);
/* Returns the number of elements of an array of that shape. */
size_t npy_count(int dimensions, const size_t *shape);

/* The same for `count` arrays of that shape, which become one with a dimension more in front; 0:
 * the first alone, as it is. */
bool npy_write_stack(FILE *stream, const float *const *parts, int count, int dimensions,
                     const size_t *shape, struct pace *pace);

/* float64 in one dimension. */
void npy_write_reals(FILE *stream, const double *values, int count);

/* Likewise int64. */
void npy_write_integers(FILE *stream, const int64_t *values, int dimensions, const size_t *shape);

/* Text as an array without dimensions (numpy's bytes). */
void npy_write_text(FILE *stream, const char *text);
/* Returns the text in the `bytes` of such a file, *length bytes that do not end in NUL; NULL: it is
 * no .npy file. */
const char *npy_text(const char *file, size_t bytes, size_t *length);

/* `count` texts in one dimension, all as long as the longest (numpy's str): UTF-8 as UTF-32, bytes
 * that are none as U+FFFD. */
void npy_write_texts(FILE *stream, const char *const *texts, int count);

#endif
