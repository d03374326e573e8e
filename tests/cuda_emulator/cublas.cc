#include "cublas_v2.h"

#include <algorithm>
#include <string.h>
#include <vector>

#include "cuda_bf16.h"
#include "fault.h"
#include "memory.h"
#include "races.h"
#include "sanitizer.h"
#include "stream.h"

struct cublasContext {
    cudaStream_t stream;
    void *workspace;
    size_t workspace_bytes;
    cublasMath_t math;
};

using namespace cudaemu;

namespace
{

struct operand {
    char *memory;
    cudaDataType type;
    bool transposed; // as it lies: rows and columns change places
    int ld;
    long long stride; // in elements, from one of the batch to the next
    int rows, columns;

    size_t element() const
    {
        return type == CUDA_R_32F ? 4 : 2;
    }
};

struct product {
    operand a, b, c; // c of (m, n), a of (m, k), b of (k, n)
    int k, batch;
    float alpha, beta;
    bool tf32;

    void operator()() const;
    void expect_written(const operand &factor) const;
};

cudaemu_sums sums_are = CUDAEMU_SUMS_DOUBLE;
bool tf32_cut;

float round_tf32(float value)
{
    unsigned bits = __float_as_uint(value);
    if ((bits & 0x7f800000) == 0x7f800000)
        return value; // infinite, or NaN
    return __uint_as_float((tf32_cut ? bits : bits + 0x1000) & ~0x1fffu);
}

float load(const operand &from, const char *matrix, int row, int column, bool tf32)
{
    size_t place = from.transposed ? (size_t)row * (size_t)from.ld + (size_t)column
                                   : (size_t)column * (size_t)from.ld + (size_t)row;
    if (from.type == CUDA_R_16BF)
        return __bfloat162float(((const __nv_bfloat16 *)matrix)[place]);
    float value = ((const float *)matrix)[place];
    return tf32 ? round_tf32(value) : value;
}

/* Its operands have been checked as a whole. */
#if CUDAEMU_ASAN
__attribute__((no_sanitize("address")))
#endif
float dot_double(const float *a, const float *b, int k)
{
    double sums[8] = {}, sum = 0;
    int i = 0;
    for (; i + 8 <= k; i += 8)
        for (int lane = 0; lane < 8; lane++)
            sums[lane] += (double)a[i + lane] * (double)b[i + lane];
    for (; i < k; i++)
        sums[i % 8] += (double)a[i] * (double)b[i];
    for (double part : sums)
        sum += part;
    return (float)sum;
}

/* `parts` pieces of k, each a chain of float; one part alone has fused products. */
#if CUDAEMU_ASAN
__attribute__((no_sanitize("address")))
#endif
float dot_float(const float *a, const float *b, int k, int parts)
{
    float total = 0;
    for (int part = 0; part < parts; part++) {
        const int begin = (int)((long long)k * part / parts);
        const int end = (int)((long long)k * (part + 1) / parts);
        float sum = 0;
        for (int i = begin; i < end; i++)
            sum = parts == 1 ? fmaf(a[i], b[i], sum) : sum + a[i] * b[i];
        total += sum;
    }
    return total;
}

/* How many pieces a product of this shape is summed in: another row may be another number. */
int parts_of(int m, int n, int k)
{
    return k < 8 ? 2 : 2 + (m + n / 3 + k) % 3;
}

/* Rows of op(A), or columns of op(B). */
struct lines {
    const float *first;
    size_t ld;
};

/* As they lie, if each is in one piece and is used as it is; else one behind the other in `room`. */
lines lines_of(const operand &from, long long index, bool tf32, std::vector<float> &room,
               bool by_rows)
{
    const char *matrix = from.memory + index * from.stride * (long long)from.element();
    if (from.type == CUDA_R_32F && !tf32 && from.transposed == by_rows)
        return {(const float *)matrix, (size_t)from.ld};
    int outer = by_rows ? from.rows : from.columns, inner = by_rows ? from.columns : from.rows;
    room.resize((size_t)outer * (size_t)inner);
    float *out = room.data();
    for (int i = 0; i < outer; i++)
        for (int j = 0; j < inner; j++)
            *out++ = load(from, matrix, by_rows ? i : j, by_rows ? j : i, tf32);
    return {room.data(), (size_t)inner};
}

void product::expect_written(const operand &factor) const
{
    const size_t lines = (size_t)(factor.transposed ? factor.rows : factor.columns);
    const size_t line = (size_t)(factor.transposed ? factor.columns : factor.rows);
    for (size_t i = 0; watching && i < lines * (size_t)batch; i++) {
        const size_t place = i / lines * (size_t)factor.stride + i % lines * (size_t)factor.ld;
        if (!is_written(factor.memory + place * factor.element(), line * factor.element()))
            fault("cuBLAS: line %zu of a factor was not written as a whole", i % lines);
    }
}

void product::operator()() const
{
    static std::vector<float> arows, bcolumns; // kept, so that a product allocates nothing
    const int parts = sums_are == CUDAEMU_SUMS_DOUBLE  ? 0
                      : sums_are == CUDAEMU_SUMS_CHAIN ? 1
                                                       : parts_of(c.rows, c.columns, k);
    counts.kernels++;
    expect_written(a);
    expect_written(b);
    for (long long i = 0; i < batch; i++) {
        lines rows = lines_of(a, i, tf32, arows, true);
        lines columns = lines_of(b, i, tf32, bcolumns, false);
        float *out = (float *)c.memory + i * c.stride;
        for (size_t n = 0; n < (size_t)c.columns; n++)
            for (size_t m = 0; m < (size_t)c.rows; m++) {
                const float *left = rows.first + m * rows.ld,
                            *right = columns.first + n * columns.ld;
                float sum = parts ? dot_float(left, right, k, parts) : dot_double(left, right, k);
                float *y = &out[n * (size_t)c.ld + m];
                *y = beta == 0 ? alpha * sum : alpha * sum + beta * *y;
                mark_written(y, sizeof *y);
            }
    }
}

/* Bytes from the beginning to the end of the last of the batch. */
size_t extent(const operand &of, int batch)
{
    size_t lines = (size_t)(of.transposed ? of.rows : of.columns);
    size_t line = (size_t)(of.transposed ? of.columns : of.rows);
    size_t one = (lines - 1) * (size_t)of.ld + line;
    return ((size_t)(batch - 1) * (size_t)of.stride + one) * of.element();
}

bool shape_holds(const operand &of, int batch)
{
    int line = of.transposed ? of.columns : of.rows;
    return of.ld >= std::max(1, line) && (batch == 1 || of.stride >= 0) &&
           (of.type == CUDA_R_32F || of.type == CUDA_R_16BF);
}

bool overlap(const operand &a, size_t abytes, const operand &b, size_t bbytes)
{
    return a.memory < b.memory + bbytes && b.memory < a.memory + abytes;
}

void check_operand(const char *name, const operand &of, int batch)
{
    if (!is_allocated(of.memory, extent(of, batch)))
        fault("cuBLAS: operand %s, %d x %d with ld %d, %d of them, is not within an allocation of "
              "device memory",
              name, of.rows, of.columns, of.ld, batch);
    if ((size_t)of.memory % of.element())
        fault("cuBLAS: operand %s is not aligned to its elements", name);
}

cublasStatus_t check_operands(const product &work)
{
    const operand &a = work.a, &b = work.b, &c = work.c;
    check_operand("A", a, work.batch);
    check_operand("B", b, work.batch);
    check_operand("C", c, work.batch);
    size_t bytes = extent(c, work.batch);
    if (overlap(a, extent(a, work.batch), c, bytes) || overlap(b, extent(b, work.batch), c, bytes))
        fault("cuBLAS: C overlaps an operand");
    if (work.batch > 1 && (size_t)c.stride * c.element() < extent(c, 1))
        fault("cuBLAS: one C of the batch overlaps the next");
    return faulted() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_product(cublasHandle_t handle, const product &work)
{
    if (work.a.rows < 0 || work.b.columns < 0 || work.k < 0 || work.batch < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!shape_holds(work.a, work.batch) || !shape_holds(work.b, work.batch) ||
        !shape_holds(work.c, work.batch))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (work.c.type != CUDA_R_32F || work.a.type != work.b.type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!handle->workspace)
        fault("cuBLAS: no workspace since cublasSetStream");
    return faulted() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

} // namespace

void cudaemu_set_sums(enum cudaemu_sums sums)
{
    sums_are = sums;
}

void cudaemu_set_tf32_cut(int cut)
{
    tf32_cut = cut != 0;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    device_lock lock(device_mutex);
    *handle = nullptr;
    if (spoils_capture())
        return CUBLAS_STATUS_NOT_INITIALIZED;
    *handle = new cublasContext();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete handle;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!handle || !is_stream(stream))
        return handle ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    handle->workspace = nullptr;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t bytes)
{
    device_lock lock(device_mutex);
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_allocated(workspace, bytes) || (size_t)workspace % 256)
        return CUBLAS_STATUS_INVALID_VALUE;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->math = mode;
    return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
        return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "CUBLAS_STATUS_NOT_SUPPORTED";
    }
    return "unknown";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb, int m, int n, int k,
    const void *alpha, const void *a, cudaDataType atype, int lda, long long stridea, const void *b,
    cudaDataType btype, int ldb, long long strideb, const void *beta, void *c, cudaDataType ctype,
    int ldc, long long stridec, int batch, cublasComputeType_t compute, cublasGemmAlgo_t)
{
    device_lock lock(device_mutex);
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                (compute == CUBLAS_COMPUTE_32F && handle->math == CUBLAS_TF32_TENSOR_OP_MATH);
    product work = {{(char *)a, atype, opa == CUBLAS_OP_T, lda, stridea, m, k},
                    {(char *)b, btype, opb == CUBLAS_OP_T, ldb, strideb, k, n},
                    {(char *)c, ctype, false, ldc, stridec, m, n},
                    k,
                    batch,
                    *(const float *)alpha,
                    *(const float *)beta,
                    tf32};
    cublasStatus_t status = check_product(handle, work);
    if (status != CUBLAS_STATUS_SUCCESS || m == 0 || n == 0 || batch == 0)
        return status;
    status = k > 0 ? check_operands(work) : CUBLAS_STATUS_SUCCESS;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    cudaError_t error = give(handle->stream, work_kind::kernel, work);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t opa, cublasOperation_t opb,
                            int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType atype, int lda, const void *b, cudaDataType btype, int ldb,
                            const void *beta, void *c, cudaDataType ctype, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    return cublasGemmStridedBatchedEx(handle, opa, opb, m, n, k, alpha, a, atype, lda, 0, b, btype,
                                      ldb, 0, beta, c, ctype, ldc, 0, 1, compute, algorithm);
}
