/* Matrix products by cuBLAS; only gemm.cu calls it. */
#ifndef ATTNSCOPE_CUDA_GEMM_CUH
#define ATTNSCOPE_CUDA_GEMM_CUH

#include "gpu/cuda/device.cuh"

/* Allocates cuBLAS's workspace at once, so that nothing is allocated later. NULL on failure. */
struct products *products_open(struct device *device, struct status *status);
size_t products_version();                                             // of cuBLAS
void products_close(struct device *device, struct products *products); // NULL: nothing

/* y (rows, columns) = x wᵀ, or y += x wᵀ, of float32. x (rows, k) has the weight's type: float32,
 * or bfloat16 if the weight is narrow. columns: those of the weight, or more if other weights
 * directly follow it. With `back` x is (rows, n), and y (rows, k) = x w, or y += x w. */
struct product {
    void *y;
    const void *x;
    int ldy, ldx, rows;
    const struct weight *weight;
    int columns;
    bool accumulate;
    const void *bias;           // for product_finish: (columns) of the type of y, and
    enum activation activation; // applied to the sum with the bias
    bool narrow;                // for product_finish: y is bfloat16
    bool back;                  // for product_run
};
void product_run(struct device *device, const struct product *product);

/* True if cuBLAS may add biases and apply the activation within its product kernels. Its gelu is
 * the tanh approximation, as exact as the GPU's tanh, which suffices with rounded factors. */
bool product_finishes(const struct device *device, enum activation activation, bool narrow);
/* y = activation(x wᵀ + bias), without `accumulate`. False: cuBLAS has no such product and nothing
 * was done; from then on product_finishes returns false for that type, and `unfinished` tells
 * why. */
bool product_finish(struct device *device, const struct product *product);

#endif
