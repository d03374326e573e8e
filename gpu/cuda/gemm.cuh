/* Products of matrices by cuBLAS: gemm.cu is the one file that calls it. */
#ifndef ATTNSCOPE_CUDA_GEMM_CUH
#define ATTNSCOPE_CUDA_GEMM_CUH

#include "gpu/cuda/device.cuh"

/* Takes cuBLAS's workspace at once, so that nothing is allocated later. NULL and the status on failure. */
struct products *products_open(struct device *device, struct status *status);
void products_close(struct device *device, struct products *products); // NULL: nothing

/* y (rows, columns) = x wᵀ, or y += x wᵀ. x (rows, k) is of the weight's type: float32, or bfloat16 where the
 * weight is narrow. columns: those of the weight, or more where other weights lie right behind it. */
struct product {
    float *y;
    const void *x;
    int ldy, ldx, rows;
    const struct weight *weight;
    int columns;
    bool accumulate;
};
void product_run(struct device *device, const struct product *product);

#endif
