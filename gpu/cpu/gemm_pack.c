/* Rows of x, packed for tiles. */
#include <string.h>

#include "gpu/cpu/gemm_pack.h"

typedef float quad __attribute__((vector_size(16)));

static inline quad quad_load(const float *from)
{
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Four rows by four k: out[i * rows + r] = x[r * ldx + i]. */
static inline void transpose_4x4(float *out, size_t rows, const float *x, size_t ldx)
{
    quad a = quad_load(x), b = quad_load(x + ldx);
    quad c = quad_load(x + 2 * ldx), d = quad_load(x + 3 * ldx);
    quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    quad columns[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                       __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
    for (size_t i = 0; i < 4; i++)
        memcpy(out + i * rows, &columns[i], sizeof columns[i]);
}

void gemm_pack_block(const struct gemm_kernels *kernels, float *out, const float *x, size_t ldx,
                     size_t rows, size_t width)
{
    size_t i = 0;
    if (kernels->pack && rows == (size_t)kernels->strip_rows) {
        i = width - width % GEMM_PART;
        kernels->pack(out, x, ldx, i);
    }
    for (; rows >= 4 && i + 4 <= width; i += 4) {
        for (size_t next = 0; next < rows; next += 4) {
            size_t r = next + 4 <= rows ? next : rows - 4; // the last rows: some a second time
            transpose_4x4(out + i * rows + r, rows, x + r * ldx + i, ldx);
        }
    }
    for (; i < width; i++)
        for (size_t r = 0; r < rows; r++)
            out[i * rows + r] = x[r * ldx + i];
}
