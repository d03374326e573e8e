/* Products of matrices by cuBLAS: gemm.cu is the one file that calls it. */
#ifndef ATTNSCOPE_CUDA_GEMM_CUH
#define ATTNSCOPE_CUDA_GEMM_CUH

#include "gpu/cuda/device.cuh"

/* Takes cuBLAS's workspace at once, so that nothing is allocated later. NULL and the status on
 * failure. */
struct products *products_open(struct device *device, struct status *status);
size_t products_version();                                             // of cuBLAS
void products_close(struct device *device, struct products *products); // NULL: nothing

/* y (rows, columns) = x wᵀ, or y += x wᵀ, of float32. x (rows, k) is of the weight's type: float32,
 * or bfloat16 where the weight is narrow. columns: those of the weight, or more where other weights
 * lie right behind it. With `back` x is (rows, n), and y (rows, k) = x w, or y += x w. */
struct product {
    void *y;
    const void *x;
    int ldy, ldx, rows;
    const struct weight *weight;
    int columns;
    bool accumulate;
    const void *bias;           // of product_finish: (columns) of the type of y, and
    enum activation activation; // applied to the sum with the bias
    bool narrow;                // of product_finish: y is of bfloat16
    bool back;                  // of product_run
};
void product_run(struct device *device, const struct product *product);

/* True if cuBLAS may add biases and apply the activation in products' own kernels. Its gelu is the
 * one by tanh, as exact as the GPU's own tanh: enough beside factors that were rounded. */
bool product_finishes(const struct device *device, enum activation activation, bool narrow);
/* y = activation(x wᵀ + bias), without `accumulate`. False: cuBLAS has no such product, nothing was
 * done, and from now on product_finishes says no to those of that type, and `unfinished` why. */
bool product_finish(struct device *device, const struct product *product);

#endif
