/* The part of cuBLAS that the backend may use: products of column-major matrices.
 *
 * C = alpha op(A) op(B) + beta C; if beta is 0, C is not read. Inputs are float or bfloat16; C and
 * the arithmetic are float32. With TF32 (CUBLAS_TF32_TENSOR_OP_MATH or
 * CUBLAS_COMPUTE_32F_FAST_TF32) float inputs are first rounded to 10 bits of mantissa, ties away
 * from zero.
 *
 * Each sum over k is made of eight sums: each adds the products whose k has the same remainder by
 * 8, in double and in the order of k. The eight are added in order, and the result is rounded to
 * float once. A GPU's sums are rounded differently. emulator.h has switches for sums in float, and
 * for factors that are cut off.
 *
 * Stricter than cuBLAS: a workspace in device memory must have been set (cublasSetStream resets it,
 * as cuBLAS documents), each operand must lie within one allocation, and C must not overlap A, B
 * or, in a batch, itself. */
#ifndef CUDA_EMULATOR_CUBLAS_V2_H
#define CUDA_EMULATOR_CUBLAS_V2_H

#include "cuda_runtime.h"

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasMath_t {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
};
enum cublasComputeType_t {
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_16BF = 14 };
typedef cudaDataType_t cudaDataType;

typedef struct cublasContext *cublasHandle_t;

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
const char *cublasGetStatusString(cublasStatus_t status);
const char *cublasGetStatusName(cublasStatus_t status);

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb,
                            int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType atype, int lda, const void *b, cudaDataType btype, int ldb,
                            const void *beta, void *c, cudaDataType ctype, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType atype, int lda, long long stridea, const void *b,
    cudaDataType btype, int ldb, long long strideb, const void *beta, void *c, cudaDataType ctype,
    int ldc, long long stridec, int batch, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);

#endif
