/* The inner kernels of `linear` for 8-bit weights: one table of functions per instruction set.
 * gpu/cpu/gemm_integer.c calls them.
 *
 * Rows of x are quantised: q = round(x * by), ties to even, from -127 to 127. A tile multiplies a
 * few of them with one panel of GEMM_PART columns. Sums are exact integers, so no order, split or
 * instruction set changes them; every element is then
 *
 *     y = float(sum) * unquantise + (float(column sum) * unshift + bias)
 *
 * with each operation rounded separately.
 *
 * Pure functions: they allocate nothing, cannot fail, and any number of threads may call them.
 */
#ifndef ATTNSCOPE_CPU_KERNEL_INTEGER_H
#define ATTNSCOPE_CPU_KERNEL_INTEGER_H

#include "gpu/cpu/kernel/gemm.h"
#include "gpu/cpu/kernel/unroll.h"

enum {
    INTEGER_MOST = 127,      // of a quantised value
    INTEGER_ROWS_MAX = 12,   // of a tile
    INTEGER_K_MOST = 1 << 16 // so that 254 * 127 * k fits an int32
};

/* The scales that convert a row back. */
struct integer_row {
    float unquantise, unshift;
};

struct integer_tile {
    float *y;                      // (rows, GEMM_PART), ld ldy
    const unsigned char *a;        // (rows, k) quantised, lda bytes apart
    const int8_t *b;               // (k / step, GEMM_PART, step)
    const int32_t *column_sum;     // (GEMM_PART) Σ b
    const float *bias;             // (GEMM_PART), or NULL
    const struct integer_row *row; // (rows)
    size_t lda, ldy;
    int k;           // a multiple of the step
    bool shift;      // sums are of q + 127
    bool accumulate; // y is added last
    bool relu;       // applied after that
};

typedef void integer_tile_run(const struct integer_tile *tile);

struct integer_kernels {
    int step;  // adjacent values of one column
    int bytes; // of a quantised value
    int rows;  // most rows of a tile
    /* Quantises k values of x, followed by zeros up to a multiple of the step. */
    void (*quantise)(void *out, const float *x, float by, int k);
    integer_tile_run *tile[INTEGER_ROWS_MAX]; // [rows - 1]
};

#if defined(__x86_64__)
extern const struct integer_kernels integer_avx512vnni, integer_avxvnni, integer_avx2;
#endif
extern const struct integer_kernels integer_c;

/* Makes one function per number of rows from tile_run(tile, rows), which is always inlined. */
#define INTEGER_TILE(rows)                                                                         \
    static void tile_##rows(const struct integer_tile *tile)                                       \
    {                                                                                              \
        tile_run(tile, rows);                                                                      \
    }
#define INTEGER_TILES_6                                                                            \
    INTEGER_TILE(1) INTEGER_TILE(2) INTEGER_TILE(3) INTEGER_TILE(4) INTEGER_TILE(5) INTEGER_TILE(6)
#define INTEGER_TILES_12                                                                           \
    INTEGER_TILES_6 INTEGER_TILE(7) INTEGER_TILE(8) INTEGER_TILE(9) INTEGER_TILE(10)               \
        INTEGER_TILE(11) INTEGER_TILE(12)
#define INTEGER_NAMES_6 tile_1, tile_2, tile_3, tile_4, tile_5, tile_6
#define INTEGER_NAMES_12 INTEGER_NAMES_6, tile_7, tile_8, tile_9, tile_10, tile_11, tile_12

#endif
