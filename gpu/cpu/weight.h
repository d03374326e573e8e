/* A weight matrix packed for `linear`, which is also read by rows as a table.
 *
 * Layout: panels of WEIGHT_PANEL rows of the (N, K) matrix, that is, of output columns; within a
 * panel the K values of the panel's columns follow each other k by k: (panels, K, WEIGHT_PANEL).
 * Columns past N are zeros. Elements keep the type of the source: narrower ones halve the memory
 * traffic of a few rows, and their conversion to float32 is exact.
 */
#ifndef ATTNSCOPE_CPU_WEIGHT_H
#define ATTNSCOPE_CPU_WEIGHT_H

#include "gpu/backend.h"

enum { WEIGHT_PANEL = 32 };

struct weight {
    int n, k;
    int panels; // n / WEIGHT_PANEL, rounded up
    enum dtype dtype;
    size_t bytes;
    void *data; // (panels, k, WEIGHT_PANEL) of dtype, aligned to 64 bytes
    // gemm.h's gemm_widen; none for DTYPE_F32.
    void (*widen)(const void *narrow, size_t step, float *wide, size_t wide_step, size_t count);
};

/* Bytes of an element. */
static inline size_t weight_element(enum dtype dtype)
{
    return dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t);
}

/* The backend's `weight` and `forget`. */
struct weight *cpu_weight(struct device *device, const struct weight_spec *spec,
                          struct status *status);
void cpu_forget(struct device *device, struct weight *weight);

/* Writes row `row` of the (N, K) matrix to `out` (K), as float32. 0 <= row < N. */
void weight_row(const struct weight *weight, int row, float *out);

#endif
