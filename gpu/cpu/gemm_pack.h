/* Packing rows of x into the layout that tiles read (gpu/cpu/kernel/gemm.h). */
#ifndef ATTNSCOPE_CPU_GEMM_PACK_H
#define ATTNSCOPE_CPU_GEMM_PACK_H

#include "gpu/cpu/kernel/gemm.h"

/* Transposes a block: out[i * rows + r] = x[r * ldx + i] for r < rows, i < width. out (width, rows) becomes `a` of a
 * tile. Never fails. */
void gemm_pack_block(const struct gemm_kernels *kernels, float *out, const float *x, size_t ldx,
                     size_t rows, size_t width);

#endif
