/* A weight matrix (N, K) packed for `linear`; embeddings read it row by row.
 *
 * Layout: (panels, K, width). A panel holds `width` rows of the matrix (output columns of
 * `linear`), transposed so that the values of one k are adjacent. The device's kernels set the
 * width. Rows past N are zeros. Elements keep the type of the source, unless the device's precision
 * rounds float32 to 16 bits. That halves the memory traffic of products with few rows, and
 * converting back to float32 is exact.
 *
 * 8-bit integers are kept: (panels, K / step, width, step), with a width of one part and the step
 * of the device's kernels (gpu/cpu/kernel/integer.h). */
#ifndef ATTNSCOPE_CPU_WEIGHT_H
#define ATTNSCOPE_CPU_WEIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/cpu/kernel/gemm.h"

struct weight {
    int n, k;
    int width;  // columns of a panel
    int panels; // n / width, rounded up
    enum dtype dtype;
    size_t bytes;
    void *data;        // (panels, k, width) of dtype, aligned to 64 bytes
    gemm_widen *widen; // NULL for DTYPE_F32 and DTYPE_I8
    struct integer_spec integers;
    int32_t *column_sum; // for integers: (panels, width), after the data
};

/* Bytes of an element. */
static inline size_t weight_element(enum dtype dtype)
{
    return dtype == DTYPE_F32 ? sizeof(float) : dtype == DTYPE_I8 ? 1 : sizeof(uint16_t);
}

static inline bool weight_is_integer(const struct weight *weight)
{
    return weight->dtype == DTYPE_I8;
}

/* The number of parts in all panels. */
static inline int weight_parts(const struct weight *weight)
{
    return weight->panels * (weight->width / GEMM_PART);
}

/* The backend's `weight` and `forget` (gpu/backend.h). */
struct weight *cpu_weight(struct device *device, const struct weight_spec *spec,
                          struct status *status);
void cpu_forget(struct device *device, struct weight *weight);

/* Writes row `row` of the (N, K) matrix to `out` (K), as float32. 0 <= row < N. Never fails. */
void weight_row(const struct weight *weight, int row, float *out);

/* Rounds a float32 weight to 16 bits, for devices that store it so (enum precision in
 * gpu/backend.h): to nearest, ties to even, as in IEEE 754, including subnormals, infinities and
 * NaN. A value too large for the type becomes infinite. Uses integer arithmetic, so the bits are
 * the same on every machine. Never fails; thread-safe. `dtype`: DTYPE_F16 or DTYPE_BF16. */
uint16_t narrow(float value, enum dtype dtype);
/* True if `narrowed` is infinite although `value` is not. */
bool narrow_overflows(float value, uint16_t narrowed, enum dtype dtype);

#endif
