/* Matrix products with cuBLAS. */
#include "gpu/cuda/gemm.cuh"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <stdio.h>

#include <new>

#include "gpu/cuda/memory.cuh"

enum : size_t { WORKSPACE_BYTES = (size_t)32 << 20 };

struct products {
    cublasHandle_t handle;
    cublasLtHandle_t finishing;
    struct buffer workspace;
};

static bool products_take(struct device *device, struct products *products, struct status *status)
{
    if (!memory_take(device, &products->workspace, WORKSPACE_BYTES, status))
        return false;
    cublasStatus_t code = cublasCreate(&products->handle);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasSetStream(products->handle, device->stream);
    if (code == CUBLAS_STATUS_SUCCESS) // must follow the stream, which resets the workspace
        code = cublasSetWorkspace(products->handle, products->workspace.bytes, WORKSPACE_BYTES);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasLtCreate(&products->finishing);
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

size_t products_version()
{
    return cublasLtGetVersion();
}

void products_close(struct device *device, struct products *products)
{
    if (!products)
        return;
    if (products->finishing)
        cublasLtDestroy(products->finishing);
    if (products->handle)
        cublasDestroy(products->handle);
    memory_give(device, &products->workspace);
    delete products;
}

static cublasComputeType_t compute_of(const struct device *device)
{
    return device->precision == PRECISION_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

/* cuBLAS stores matrices by columns: our rows are its columns, so that it computes yᵀ (n, rows) = w
 * xᵀ, or yᵀ (k, rows) = wᵀ xᵀ. */
void product_run(struct device *device, const struct product *product)
{
    const struct weight *weight = product->weight;
    const cudaDataType_t type = weight->narrow ? CUDA_R_16BF : CUDA_R_32F;
    const float one = 1, before = product->accumulate ? 1 : 0;
    const int summed = product->back ? weight->n : weight->k;
    cublasStatus_t code =
        cublasGemmEx(device->products->handle, product->back ? CUBLAS_OP_N : CUBLAS_OP_T,
                     CUBLAS_OP_N, product->columns, product->rows, summed, &one,
                     weight->memory.bytes, type, weight->k, product->x, type, product->ldx, &before,
                     product->y, CUDA_R_32F, product->ldy, compute_of(device), CUBLAS_GEMM_DEFAULT);
    if (code != CUBLAS_STATUS_SUCCESS)
        device_fail(device, STATUS_DEVICE, "cuBLAS: a product of %d x %d by %d fails (error %d)",
                    product->rows, summed, product->columns, (int)code);
    device->launches += !device->recording;
}

/* Products finished in their own kernel -------------------------------------------------------- */

bool product_finishes(const struct device *device, enum activation activation, bool narrow)
{
    const bool known = activation == ACTIVATION_NONE || activation == ACTIVATION_RELU ||
                       (activation == ACTIVATION_GELU_TANH && device->precision != PRECISION_FP32);
    return known && device->shortcuts[SHORTCUT_PRODUCT_EPILOGUES] && !device->unfinishing[narrow];
}

static cublasLtEpilogue_t epilogue_of(enum activation activation)
{
    return activation == ACTIVATION_RELU        ? CUBLASLT_EPILOGUE_RELU_BIAS
           : activation == ACTIVATION_GELU_TANH ? CUBLASLT_EPILOGUE_GELU_BIAS
                                                : CUBLASLT_EPILOGUE_BIAS;
}

/* The matrices as in product_run: a is the weight, b is x, d is y. */
struct finishing {
    cublasLtMatmulDescOpaque_t operation;
    cublasLtMatrixLayoutOpaque_t a, b, d;
    cublasLtMatmulPreferenceOpaque_t preference;
};

static cublasStatus_t describe_operation(const struct device *device, const struct product *product,
                                         cublasLtMatmulDesc_t operation)
{
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const cublasLtEpilogue_t epilogue = epilogue_of(product->activation);
    const struct {
        cublasLtMatmulDescAttributes_t name;
        const void *value;
        size_t bytes;
    } attributes[] = {
        {CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed},
        {CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue},
        {CUBLASLT_MATMUL_DESC_BIAS_POINTER, &product->bias, sizeof product->bias},
    };
    cublasStatus_t code = cublasLtMatmulDescInit(operation, compute_of(device), CUDA_R_32F);
    for (const auto &attribute : attributes)
        if (code == CUBLAS_STATUS_SUCCESS)
            code = cublasLtMatmulDescSetAttribute(operation, attribute.name, attribute.value,
                                                  attribute.bytes);
    return code;
}

static cublasStatus_t describe_matrices(const struct product *product, struct finishing *finishing)
{
    const struct weight *weight = product->weight;
    const cudaDataType_t type = weight->narrow ? CUDA_R_16BF : CUDA_R_32F;
    const uint64_t k = (uint64_t)weight->k, rows = (uint64_t)product->rows,
                   columns = (uint64_t)product->columns;
    cublasStatus_t code = cublasLtMatrixLayoutInit(&finishing->a, type, k, columns, weight->k);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasLtMatrixLayoutInit(&finishing->b, type, k, rows, product->ldx);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = cublasLtMatrixLayoutInit(&finishing->d, product->narrow ? CUDA_R_16BF : CUDA_R_32F,
                                        columns, rows, product->ldy);
    return code;
}

/* Returns a power of two, at most the 16 bytes of the widest access. Larger alignments depend on
 * the place of an allocation, which must not make cuBLAS choose a different product. */
static uint32_t alignment_of(const void *memory)
{
    uint32_t alignment = 1;
    while (alignment < 16 && (uintptr_t)memory % (2 * alignment) == 0)
        alignment *= 2;
    return alignment;
}

/* Otherwise cuBLAS assumes that all matrices are aligned to 256 bytes. */
static cublasStatus_t describe_memory(const struct product *product,
                                      cublasLtMatmulPreference_t preference)
{
    const uint64_t workspace = WORKSPACE_BYTES;
    const uint32_t a = alignment_of(product->weight->memory.bytes), b = alignment_of(product->x),
                   d = alignment_of(product->y);
    const struct {
        cublasLtMatmulPreferenceAttributes_t name;
        const void *value;
        size_t bytes;
    } attributes[] = {
        {CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &a, sizeof a},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &b, sizeof b},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &d, sizeof d},
        {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &d, sizeof d},
    };
    cublasStatus_t code = cublasLtMatmulPreferenceInit(preference);
    for (const auto &attribute : attributes)
        if (code == CUBLAS_STATUS_SUCCESS)
            code = cublasLtMatmulPreferenceSetAttribute(preference, attribute.name, attribute.value,
                                                        attribute.bytes);
    return code;
}

static cublasStatus_t run_finishing(struct device *device, const struct product *product,
                                    struct finishing *finishing)
{
    const struct products *products = device->products;
    const float one = 1, zero = 0;
    cublasLtMatmulHeuristicResult_t best;
    int found = 0;
    const cublasStatus_t code = cublasLtMatmulAlgoGetHeuristic(
        products->finishing, &finishing->operation, &finishing->a, &finishing->b, &finishing->d,
        &finishing->d, &finishing->preference, 1, &best, &found);
    if (code != CUBLAS_STATUS_SUCCESS || found == 0)
        return code == CUBLAS_STATUS_SUCCESS ? CUBLAS_STATUS_NOT_SUPPORTED : code;
    return cublasLtMatmul(products->finishing, &finishing->operation, &one,
                          product->weight->memory.bytes, &finishing->a, product->x, &finishing->b,
                          &zero, product->y, &finishing->d, product->y, &finishing->d, &best.algo,
                          products->workspace.bytes, WORKSPACE_BYTES, device->stream);
}

bool product_finish(struct device *device, const struct product *product)
{
    struct finishing finishing;
    cublasStatus_t code = describe_operation(device, product, &finishing.operation);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = describe_matrices(product, &finishing);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = describe_memory(product, &finishing.preference);
    if (code == CUBLAS_STATUS_SUCCESS)
        code = run_finishing(device, product, &finishing);
    device->launches += code == CUBLAS_STATUS_SUCCESS && !device->recording;
    if (code == CUBLAS_STATUS_SUCCESS)
        return true;
    device->unfinishing[product->narrow] = true;
    snprintf(device->unfinished, sizeof device->unfinished,
             "cuBLAS has no product of %d x %d by %d with a bias%s (error %d)", product->rows,
             product->weight->k, product->columns, product->narrow ? " in bfloat16" : "",
             (int)code);
    return false;
}
