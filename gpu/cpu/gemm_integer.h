/* Chunks (gpu/cpu/gemm_chunk.h) for 8-bit weights. Their rows are quantised instead of packed,
 * separately for each product, as its scale requires. A strip is a panel.
 *
 * Call order: chunk_of; integer_place; integer_pack of every piece; integer_run for all strips,
 * including those of copies narrowed by chunk_columns.
 * A row with a non-finite value gives NaN, which integers cannot represent.
 */
#ifndef ATTNSCOPE_CPU_GEMM_INTEGER_H
#define ATTNSCOPE_CPU_GEMM_INTEGER_H

#include "gpu/cpu/gemm_chunk.h"

/* Bytes of `rows` quantised rows with their scales; SIZE_MAX on overflow. */
size_t integer_bytes(const struct device *device, const struct weight *weight, int rows);

/* Bytes of integer_peaks of `rows` rows, a multiple of 64. */
size_t integer_peak_bytes(int rows);
/* Computes the greatest absolute value of each row's group, for weights without their own
 * activation. peak: (args->rows); all products of one x share it. */
void integer_peaks(const struct linear_args *args, float *peak);

/* Places the chunk's quantised rows in `area`, which has integer_bytes for `rows`, from `row` on.
 * peak: that of the chunk's first row. */
void integer_place(struct chunk *chunk, void *area, int rows, int row, const float *peak);

int integer_pieces(const struct chunk *chunk);
void integer_pack(const struct chunk *chunk, int piece);
void integer_run(const struct chunk *chunk, int begin, int end);

#endif
