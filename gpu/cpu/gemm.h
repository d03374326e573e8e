/* The inner kernels of `linear`, one set for each instruction set; gemm.c drives them.
 *
 * A tile is a few rows of y by one panel of the weight, over some of the k. Each of its elements
 * continues one chain of fused multiply-adds in the order of k. A chain may be cut between two
 * tiles: its value rests in y as the float32 that it is.
 */
#ifndef ATTNSCOPE_CPU_GEMM_H
#define ATTNSCOPE_CPU_GEMM_H

#include "gpu/cpu/weight.h"

enum { GEMM_ROWS_MAX = 12, GEMM_LINE = 64 };

struct gemm_tile {
    float *y;          // (rows, WEIGHT_PANEL), ld ldy
    const float *a;    // (k, rows): rows of x, k by k
    const void *b;     // (k, WEIGHT_PANEL) of the panel, aligned to 64 bytes
    const float *bias; // (WEIGHT_PANEL), or NULL
    // What to fetch for later: with every k the line here (beside a float32 panel the next line too),
    // then `ahead_step` bytes on. NULL: nothing.
    const char *ahead;
    size_t ldy, ahead_step;
    int k;
    bool accumulate; // chains begin with y, else with 0
    bool relu;       // after the bias
};

typedef void gemm_tile_run(const struct gemm_tile *tile);
/* count: a multiple of 16; narrow: aligned as WEIGHT_PANEL elements are, to 64 bytes. */
typedef void gemm_widen(const void *narrow, float *wide, size_t count);

struct gemm_kernels {
    int rows;                                           // the most of a tile
    gemm_tile_run *tile[DTYPE_BF16 + 1][GEMM_ROWS_MAX]; // [dtype of b][rows - 1]
    gemm_widen *widen[DTYPE_BF16 + 1];                  // [dtype], none for DTYPE_F32
};

#if defined(__x86_64__)
extern const struct gemm_kernels gemm_avx512, gemm_avx2;
#endif
extern const struct gemm_kernels gemm_c;

#endif
