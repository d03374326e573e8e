/* Chunks (gpu/cpu/gemm_chunk.h) by weights of 8 bits: their rows are quantised, not packed, and
 * each product has its own, as its scale is. A strip is a panel.
 *
 * Call order: chunk_of; integer_place; integer_pack of every piece; integer_run for all strips, also
 * of copies that chunk_columns narrowed.
 * A row with a value that is not finite gives NaN, which no integer would show.
 */
#ifndef ATTNSCOPE_CPU_GEMM_INTEGER_H
#define ATTNSCOPE_CPU_GEMM_INTEGER_H

#include "gpu/cpu/gemm_chunk.h"

/* Bytes of `rows` quantised rows, with what they are converted back by; SIZE_MAX on overflow. */
size_t integer_bytes(const struct device *device, const struct weight *weight, int rows);

/* Bytes of integer_peaks of `rows` rows, a multiple of 64. */
size_t integer_peak_bytes(int rows);
/* The greatest absolute value of each row's group, for weights without an activation of their own;
 * peak: (args->rows). All products of one x have the same. */
void integer_peaks(const struct linear_args *args, float *peak);

/* Where the chunk's quantised rows are: from `row` on in `area`, memory of integer_bytes for
 * `rows`. peak: of the chunk's first row. */
void integer_place(struct chunk *chunk, void *area, int rows, int row, const float *peak);

int integer_pieces(const struct chunk *chunk);
void integer_pack(const struct chunk *chunk, int piece);
void integer_run(const struct chunk *chunk, int begin, int end);

#endif
