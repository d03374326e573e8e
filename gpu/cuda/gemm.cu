/* Products of matrices by cuBLAS. */
#include "gpu/cuda/gemm.cuh"

#include <cublas_v2.h>

#include <new>

#include "gpu/cuda/memory.cuh"

enum : size_t { WORKSPACE_BYTES = (size_t)32 << 20 };

struct products {
    cublasHandle_t handle;
    struct buffer workspace;
};

static bool products_take(struct device *device, struct products *products, struct status *status)
{
    if (!memory_take(device, &products->workspace, WORKSPACE_BYTES, status))
        return false;
    cublasStatus_t code = cublasCreate(&products->handle);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasSetStream(products->handle, device->stream);
    if (code == CUBLAS_STATUS_SUCCESS) // after the stream, which brings back the default workspace
        code = cublasSetWorkspace(products->handle, products->workspace.bytes, WORKSPACE_BYTES);
    if (code == CUBLAS_STATUS_ALLOC_FAILED)
        return status_fail(status, STATUS_MEMORY, "cuda:%d: no memory for cuBLAS", device->ordinal);
    return code == CUBLAS_STATUS_SUCCESS ||
           status_fail(status, STATUS_DEVICE, "cuda:%d: cuBLAS does not start (error %d)",
                       device->ordinal, (int)code);
}

struct products *products_open(struct device *device, struct status *status)
{
    struct products *products = new (std::nothrow) struct products();
    if (!products) {
        status_fail(status, STATUS_MEMORY, "cuda: no memory");
        return nullptr;
    }
    if (products_take(device, products, status))
        return products;
    products_close(device, products);
    return nullptr;
}

void products_close(struct device *device, struct products *products)
{
    if (!products)
        return;
    if (products->handle)
        cublasDestroy(products->handle);
    memory_give(device, &products->workspace);
    delete products;
}

/* cuBLAS counts by columns: our rows are its columns, so that it computes yᵀ (n, rows) = w xᵀ. */
void product_run(struct device *device, const struct product *product)
{
    const struct weight *weight = product->weight;
    const cudaDataType_t type = weight->narrow ? CUDA_R_16BF : CUDA_R_32F;
    const cublasComputeType_t compute =
        device->precision == PRECISION_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    const float one = 1, before = product->accumulate ? 1 : 0;
    cublasStatus_t code = cublasGemmEx(
        device->products->handle, CUBLAS_OP_T, CUBLAS_OP_N, product->columns, product->rows,
        weight->k, &one, weight->memory.bytes, type, weight->k, product->x, type, product->ldx,
        &before, product->y, CUDA_R_32F, product->ldy, compute, CUBLAS_GEMM_DEFAULT);
    if (code != CUBLAS_STATUS_SUCCESS)
        device_fail(device, STATUS_DEVICE, "cuBLAS: a product of %d x %d by %d fails (error %d)",
                    product->rows, weight->k, product->columns, (int)code);
    device->launches += !device->recording;
}
