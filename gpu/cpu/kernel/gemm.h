/* The inner kernels of `linear`: one table of functions per instruction set. gpu/cpu/gemm_chunk.c
 * calls them.
 *
 * A weight is stored as panels of one part or two, of GEMM_PART columns each (gpu/cpu/weight.h). A
 * tile multiplies a few rows of x with one panel, or with a strip: some parts converted to float32,
 * for products of many rows. A tile covers a range of k. Each element of y is one chain of fused
 * multiply-adds in the order of k; when a product is split along k, y holds the chain's float32
 * value between two tiles, so the split does not change the result.
 *
 * Pure functions: they allocate nothing, cannot fail, and any number of threads may call them.
 */
#ifndef ATTNSCOPE_CPU_KERNEL_GEMM_H
#define ATTNSCOPE_CPU_KERNEL_GEMM_H

#include "gpu/backend.h"

enum {
    GEMM_PART = 16,             // columns of a part
    GEMM_PANEL = 2 * GEMM_PART, // columns of the widest panel
    GEMM_PARTS_MAX = 3,         // of a strip
    GEMM_ROWS_MAX = 12,         // of a tile
    GEMM_STRIP_MAX = 12288,     // elements of a strip's part of a slice
    GEMM_LINE = 64,             // bytes of a cache line
};

struct gemm_tile {
    float *y;          // (rows, columns of the panel or strip), ld ldy
    const float *a;    // (k, rows): packed rows of x; direct tiles: (rows, k), ld lda
    const void *b;     // (k, columns), each k aligned to its bytes, or to 64
    const float *bias; // (columns), or NULL
    // Prefetching: each k fetches the cache line at `ahead` (of a float32 panel of two parts the
    // next line too) and moves on by `ahead_step` bytes. NULL: no prefetching.
    const char *ahead;
    size_t lda, ldy, ahead_step;
    int k;
    bool accumulate; // chains start from y; otherwise from 0
    bool relu;       // applied after the bias
};

typedef void gemm_tile_run(const struct gemm_tile *tile);
/* Converts to float32: wide[i * wide_step + c] = narrow[i * step + c] for i < count, c < GEMM_PART.
 * Pointers and steps are multiples of GEMM_PART elements. */
typedef void gemm_widen(const void *narrow, size_t step, float *wide, size_t wide_step,
                        size_t count);
/* Transposes: out[i * strip_rows + r] = x[r * ldx + i] for r < strip_rows, i < width, a multiple of
 * GEMM_PART. */
typedef void gemm_pack(float *out, const float *x, size_t ldx, size_t width);

/* Transposes: out[i * columns + c] = x[c * ldx + i] for c < columns, the columns of a panel, and i
 * < GEMM_PART. */
typedef void gemm_transpose(float *out, const float *x, size_t ldx);

struct gemm_kernels {
    int panel_parts; // of a panel: one or two
    int slice;       // most k of a strip that is read for consecutive blocks of rows
    int rows;        // most rows of a tile of a panel
    gemm_tile_run *tile[DTYPE_BF16 + 1][GEMM_ROWS_MAX]; // [dtype of b][rows - 1]
    int strip_rows, strip_parts;                        // most rows and parts of a tile of a strip
    /* [rows - 1], of three parts; strips with as many parts as a panel use tile[DTYPE_F32]. */
    gemm_tile_run *strip[GEMM_ROWS_MAX];
    /* Tiles whose `a` is not packed: [0] of two parts, [1] of three. NULL: not available for this
     * instruction set. */
    gemm_tile_run *direct[2][GEMM_ROWS_MAX];
    gemm_widen *widen[DTYPE_BF16 + 1]; // [dtype]; NULL for DTYPE_F32
    gemm_pack *pack;                   // NULL: gemm_pack_block works without it
    gemm_transpose *transpose;         // NULL: the same
};

#if defined(__x86_64__)
extern const struct gemm_kernels gemm_avx512, gemm_avx2;
#endif
extern const struct gemm_kernels gemm_c;

#endif
