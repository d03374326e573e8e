#include <math.h>
#include <string.h>

#include "gpu/cpu/kernel/integer.h"

enum { STEP = 2 };

static void quantise(void *out, const float *x, float by, int k)
{
    const float least = -INTEGER_MOST, most = INTEGER_MOST;
    int16_t *to = out;
    for (int i = 0; i < k; i++) {
        float value = x[i] * by;
        value = value > least ? value : least; // NaN, too
        to[i] = (int16_t)lrintf(value < most ? value : most);
    }
    if (k % STEP)
        to[k] = 0;
}

static void row_sums(const struct integer_tile *tile, int row, int32_t sum[GEMM_PART])
{
    const int8_t *b = tile->b;
    for (int c = 0; c < GEMM_PART; c++)
        sum[c] = tile->shift ? INTEGER_MOST * tile->column_sum[c] : 0;
    for (int k = 0; k < tile->k; k += STEP, b += GEMM_PART * STEP) {
        int16_t a[STEP];
        memcpy(a, tile->a + (size_t)row * tile->lda + (size_t)k * sizeof *a, sizeof a);
        for (int c = 0; c < GEMM_PART; c++)
            sum[c] += a[0] * b[STEP * c] + a[1] * b[STEP * c + 1];
    }
}

static inline __attribute__((always_inline)) void tile_run(const struct integer_tile *tile,
                                                           const int rows)
{
    for (int r = 0; r < rows; r++) {
        int32_t sum[GEMM_PART];
        float *y = tile->y + (size_t)r * tile->ldy;
        row_sums(tile, r, sum);
        for (int c = 0; c < GEMM_PART; c++) {
            const float shift = (float)tile->column_sum[c] * tile->row[r].unshift;
            float value = (float)sum[c] * tile->row[r].unquantise +
                          (tile->bias ? shift + tile->bias[c] : shift);
            if (tile->accumulate)
                value = y[c] + value;
            y[c] = tile->relu && 0 > value ? 0 : value; // NaN stays NaN
        }
    }
}

INTEGER_TILE(1)
INTEGER_TILE(2)
INTEGER_TILE(3)
INTEGER_TILE(4)

const struct integer_kernels integer_c = {.step = STEP,
                                          .bytes = sizeof(int16_t),
                                          .rows = 4,
                                          .quantise = quantise,
                                          .tile = {tile_1, tile_2, tile_3, tile_4}};
