#include "cublasLt.h"

#include <string.h>

#include "emulator.h"
#include "fault.h"
#include "memory.h"
#include "product.h"
#include "stream.h"

struct cublasLtContext {
    int unused;
};

using namespace cudaemu;

static bool refused; // find no algorithm

void cudaemu_refuse_epilogues(int refuse)
{
    refused = refuse != 0;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    device_lock lock(device_mutex);
    *handle = nullptr;
    if (spoils_capture())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasLtContext();
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasLtGetVersion()
{
    return 0; // no release of cuBLAS computes the same sums
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    delete handle;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t operation, cublasComputeType_t compute,
                                      cudaDataType_t scale)
{
    *operation = {compute, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, nullptr};
    return scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

/* Copies `value` to *to. */
template <class T> static cublasStatus_t set_value(T *to, const void *value, size_t bytes)
{
    if (bytes != sizeof *to)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes)
{
    switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
        return set_value(&operation->transa, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
        return set_value(&operation->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
        return set_value(&operation->bias, value, bytes);
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        uint64_t rows, uint64_t columns, int64_t ld)
{
    *layout = {type, rows, columns, ld};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference)
{
    *preference = {0, {256, 256, 256, 256}};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes)
{
    if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
        return set_value(&preference->workspace, value, bytes);
    return set_value(
        &preference->alignments[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value,
        bytes);
}

static bool same(const cublasLtMatrixLayoutOpaque_t &a, const cublasLtMatrixLayoutOpaque_t &b)
{
    return a.type == b.type && a.rows == b.rows && a.columns == b.columns && a.ld == b.ld;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    *found = 0;
    if (!handle || wanted < 1 || !same(*c, *d) || (operation->bias && (size_t)operation->bias % 4))
        return CUBLAS_STATUS_INVALID_VALUE;
    for (uint32_t alignment : preference->alignments)
        if (alignment > 16)
            fault("cuBLASLt: an alignment of %u bytes, which changes with the place of an "
                  "allocation, "
                  "expected 16 at most",
                  alignment);
    if (refused || (d->type != CUDA_R_32F && a->type != CUDA_R_16BF) ||
        operation->epilogue == CUBLASLT_EPILOGUE_DEFAULT)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    results[0] = {{*operation, {*a, *b, *d}, {}}, 0, CUBLAS_STATUS_SUCCESS, 1};
    memcpy(results[0].algo.alignments, preference->alignments, sizeof preference->alignments);
    *found = 1;
    return CUBLAS_STATUS_SUCCESS;
}

/* True if the algorithm was found for such a call. */
static bool is_for(const cublasLtMatmulAlgo_t &algorithm,
                   const cublasLtMatmulDescOpaque_t &operation,
                   const cublasLtMatrixLayoutOpaque_t *const layouts[3],
                   const void *const memory[4])
{
    bool fits = operation.compute == algorithm.operation.compute &&
                operation.transa == algorithm.operation.transa &&
                operation.epilogue == algorithm.operation.epilogue;
    for (int i = 0; i < 3; i++)
        fits &= same(*layouts[i], algorithm.layouts[i]);
    for (int i = 0; i < 4; i++)
        fits &= (size_t)memory[i] % algorithm.alignments[i] == 0;
    return fits;
}

static operand operand_of(const void *memory, const cublasLtMatrixLayoutOpaque_t &layout,
                          bool transposed)
{
    const int rows = (int)layout.rows, columns = (int)layout.columns;
    return {(char *)memory,
            layout.type,
            transposed,
            (int)layout.ld,
            0,
            transposed ? columns : rows,
            transposed ? rows : columns};
}

static epilogue epilogue_of(cublasLtEpilogue_t kind)
{
    return kind == CUBLASLT_EPILOGUE_RELU_BIAS   ? epilogue::relu
           : kind == CUBLASLT_EPILOGUE_GELU_BIAS ? epilogue::gelu
                                                 : epilogue::none;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t alayout,
                              const void *b, cublasLtMatrixLayout_t blayout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t clayout, void *d,
                              cublasLtMatrixLayout_t dlayout, const cublasLtMatmulAlgo_t *algorithm,
                              void *workspace, size_t bytes, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    const cublasLtMatrixLayoutOpaque_t *const layouts[] = {alayout, blayout, dlayout};
    const void *const memory[] = {a, b, c, d};
    if (!handle || !algorithm || !same(*clayout, *dlayout) || c != d || !operation->bias ||
        *(const float *)beta != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_for(*algorithm, *operation, layouts, memory))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    const operand left = operand_of(a, *alayout, operation->transa == CUBLAS_OP_T);
    const operand right = operand_of(b, *blayout, false), out = operand_of(d, *dlayout, false);
    if (left.rows != out.rows || right.columns != out.columns || left.columns != right.rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_allocated(workspace, bytes) || (size_t)workspace % 256)
        fault("cuBLASLt: the workspace is not within an allocation of device memory");
    return give_product({left, right, out, left.columns, 1, *(const float *)alpha, 0,
                         operation->compute == CUBLAS_COMPUTE_32F_FAST_TF32, operation->bias,
                         epilogue_of(operation->epilogue)},
                        stream, workspace);
}
