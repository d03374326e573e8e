/* The inner kernels of `linear`, one set for each instruction set; gemm.c drives them.
 *
 * A tile is a few rows of y by one panel of the weight, over some of the k; or by a strip, columns of it that were
 * widened for many rows. Each of its elements continues one chain of fused multiply-adds in the order of k. A chain
 * may be cut between two tiles: its value rests in y as the float32 that it is.
 */
#ifndef ATTNSCOPE_CPU_GEMM_H
#define ATTNSCOPE_CPU_GEMM_H

#include "gpu/cpu/weight.h"

/* A part is half a panel. Strips have two parts or three. */
enum { GEMM_ROWS_MAX = 12, GEMM_LINE = 64, GEMM_PART = WEIGHT_PANEL / 2, GEMM_PARTS_MAX = 3 };

struct gemm_tile {
    float *y;          // (rows, columns of the panel or strip), ld ldy
    const float *a;    // (k, rows): rows of x, k by k; of a direct tile (rows, k), ld lda
    const void *b;     // (k, columns), aligned to 64 bytes
    const float *bias; // (columns), or NULL
    // What to fetch for later: with every k the line here (beside a float32 panel the next line too),
    // then `ahead_step` bytes on. NULL: nothing.
    const char *ahead;
    size_t lda, ldy, ahead_step;
    int k;
    bool accumulate; // chains begin with y, else with 0
    bool relu;       // after the bias
};

typedef void gemm_tile_run(const struct gemm_tile *tile);
/* wide[i * wide_step + c] = narrow[i * step + c] for i < count, c < GEMM_PART. Both are aligned to GEMM_PART
 * elements, and so are the steps. */
typedef void gemm_widen(const void *narrow, size_t step, float *wide, size_t wide_step,
                        size_t count);
/* out[i * strip_rows + r] = x[r * ldx + i] for r < strip_rows, i < width, a multiple of GEMM_PART. */
typedef void gemm_pack(float *out, const float *x, size_t ldx, size_t width);

struct gemm_kernels {
    int rows;                                           // the most of a tile by a panel
    gemm_tile_run *tile[DTYPE_BF16 + 1][GEMM_ROWS_MAX]; // [dtype of b][rows - 1]
    int strip_rows, strip_parts;                        // the most of a tile by a strip
    gemm_tile_run *strip[GEMM_ROWS_MAX]; // [rows - 1], three parts of float32; two: as a panel
    /* The same of rows that are not packed, by two parts and three; NULL: there are none. */
    gemm_tile_run *direct[2][GEMM_ROWS_MAX];
    gemm_widen *widen[DTYPE_BF16 + 1]; // [dtype], none for DTYPE_F32
    gemm_pack *pack;                   // NULL: plain C is as good
};

/* out (width, rows) from x (rows, width), ld ldx: what a tile's `a` is. */
void gemm_pack_block(const struct gemm_kernels *kernels, float *out, const float *x, size_t ldx,
                     size_t rows, size_t width);

#if defined(__x86_64__)
extern const struct gemm_kernels gemm_avx512, gemm_avx2;
#endif
extern const struct gemm_kernels gemm_c;

#endif
