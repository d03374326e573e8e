/* Makes one tile function per number of rows, so that the rows' accumulators are known at compile
 * time and stay in registers. Included by the kernels of one instruction set, which define
 * tile_run(tile, rows, dtype) as always inlined. */
#ifndef ATTNSCOPE_CPU_GEMM_TILES_H
#define ATTNSCOPE_CPU_GEMM_TILES_H

#include "gpu/cpu/kernel/unroll.h"

#define TILE(type, rows)                                                                           \
    static void tile_##type##_##rows(const struct gemm_tile *tile)                                 \
    {                                                                                              \
        tile_run(tile, rows, DTYPE_##type);                                                        \
    }

#define TILES_4(type) TILE(type, 1) TILE(type, 2) TILE(type, 3) TILE(type, 4)
#define TILES_6(type) TILES_4(type) TILE(type, 5) TILE(type, 6)
#define TILES_12(type)                                                                             \
    TILES_6(type)                                                                                  \
    TILE(type, 7)                                                                                  \
    TILE(type, 8) TILE(type, 9) TILE(type, 10) TILE(type, 11) TILE(type, 12)

/* The same for strip_run(tile, rows). */
#define STRIP(rows)                                                                                \
    static void strip_##rows(const struct gemm_tile *tile)                                         \
    {                                                                                              \
        strip_run(tile, rows);                                                                     \
    }
#define DIRECT(rows)                                                                               \
    static void pair_direct_##rows(const struct gemm_tile *tile)                                   \
    {                                                                                              \
        direct_run(tile, rows, 2);                                                                 \
    }                                                                                              \
    static void strip_direct_##rows(const struct gemm_tile *tile)                                  \
    {                                                                                              \
        direct_run(tile, rows, 3);                                                                 \
    }
#define DIRECTS_8 DIRECT(1) DIRECT(2) DIRECT(3) DIRECT(4) DIRECT(5) DIRECT(6) DIRECT(7) DIRECT(8)
#define DIRECT_NAMES_8(kind)                                                                       \
    kind##_direct_1, kind##_direct_2, kind##_direct_3, kind##_direct_4, kind##_direct_5,           \
        kind##_direct_6, kind##_direct_7, kind##_direct_8
#define STRIPS_8 STRIP(1) STRIP(2) STRIP(3) STRIP(4) STRIP(5) STRIP(6) STRIP(7) STRIP(8)
#define STRIP_NAMES_8 strip_1, strip_2, strip_3, strip_4, strip_5, strip_6, strip_7, strip_8

/* The same for widen(…, dtype). */
#define WIDENING(type)                                                                             \
    static void widen_##type(const void *narrow, size_t step, float *wide, size_t wide_step,       \
                             size_t count)                                                         \
    {                                                                                              \
        widen(narrow, step, wide, wide_step, count, DTYPE_##type);                                 \
    }
#define WIDENINGS WIDENING(F16) WIDENING(BF16)
#define WIDENING_NAMES                                                                             \
    {                                                                                              \
        [DTYPE_F16] = widen_F16, [DTYPE_BF16] = widen_BF16                                         \
    }

#define NAMES_4(type) tile_##type##_1, tile_##type##_2, tile_##type##_3, tile_##type##_4
#define NAMES_6(type) NAMES_4(type), tile_##type##_5, tile_##type##_6
#define NAMES_12(type)                                                                             \
    NAMES_6(type), tile_##type##_7, tile_##type##_8, tile_##type##_9, tile_##type##_10,            \
        tile_##type##_11, tile_##type##_12

#endif
