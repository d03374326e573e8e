/* The part of cuBLASLt that the backend may use: one product with an epilogue in its own kernel.
 *
 * D = f(alpha op(A) op(B) + bias), of column-major matrices, with the sums of cublas_v2.h. The bias
 * has an element for each row of D. GELU is the one with tanh, whose last bits depend on the
 * hardware.
 *
 * If the factors are bfloat16, D may be as well, and then so is the bias.
 *
 * Stricter than cuBLASLt: beta must be 0, the epilogue must have a bias, and a workspace must be
 * given. An algorithm is valid for the shapes, the epilogue and the minimum alignments that it was
 * found for. No alignment over 16 bytes may be requested, because the choice of the product must
 * not depend on the address of an allocation. */
#ifndef CUDA_EMULATOR_CUBLASLT_H
#define CUDA_EMULATOR_CUBLASLT_H

#include <stdint.h>

#include "cublas_v2.h"

enum cublasLtEpilogue_t {
    CUBLASLT_EPILOGUE_DEFAULT = 1,
    CUBLASLT_EPILOGUE_BIAS = 4,
    CUBLASLT_EPILOGUE_RELU_BIAS = 6,
    CUBLASLT_EPILOGUE_GELU_BIAS = 36
};
enum cublasLtMatmulDescAttributes_t {
    CUBLASLT_MATMUL_DESC_TRANSA = 3,
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8
};
enum cublasLtMatmulPreferenceAttributes_t {
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8
};

typedef struct cublasLtContext *cublasLtHandle_t;

/* Allocated by callers, who must not access their members. */
struct cublasLtMatmulDescOpaque_t {
    cublasComputeType_t compute;
    cublasOperation_t transa;
    cublasLtEpilogue_t epilogue;
    const void *bias;
};
struct cublasLtMatrixLayoutOpaque_t {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t ld;
};
struct cublasLtMatmulPreferenceOpaque_t {
    uint64_t workspace;
    uint32_t alignments[4]; // of A, B, C, D
};
struct cublasLtMatmulAlgo_t {
    cublasLtMatmulDescOpaque_t operation;
    cublasLtMatrixLayoutOpaque_t layouts[3]; // of A, B, D
    uint32_t alignments[4];
};
struct cublasLtMatmulHeuristicResult_t {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
};
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;

size_t cublasLtGetVersion();
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);
cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t operation, cublasComputeType_t compute,
                                      cudaDataType_t scale);
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void *value, size_t bytes);
cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                        uint64_t rows, uint64_t columns, int64_t ld);
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference);
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void *value, size_t bytes);
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int *found);
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t alayout,
                              const void *b, cublasLtMatrixLayout_t blayout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t clayout, void *d,
                              cublasLtMatrixLayout_t dlayout, const cublasLtMatmulAlgo_t *algorithm,
                              void *workspace, size_t bytes, cudaStream_t stream);

#endif
