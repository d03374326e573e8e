#include "product.h"

#include <algorithm>
#include <math.h>
#include <vector>

#include "cuda_bf16.h"
#include "fault.h"
#include "memory.h"
#include "races.h"
#include "sanitizer.h"

namespace cudaemu
{

namespace
{

cudaemu_sums sums_are = CUDAEMU_SUMS_DOUBLE;
bool tf32_cut;

float round_tf32(float value)
{
    unsigned bits = __float_as_uint(value);
    if ((bits & 0x7f800000) == 0x7f800000)
        return value; // infinite or NaN
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

/* Adds `parts` pieces of k, each a chain in float; if there is only one, with fused products. */
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

/* Returns the number of pieces in which a product of this shape is summed; one more row may change
 * it. */
int parts_of(int m, int n, int k)
{
    return k < 8 ? 2 : 2 + (m + n / 3 + k) % 3;
}

/* Rows of op(A), or columns of op(B). */
struct lines {
    const float *first;
    size_t ld;
};

/* Returns them in place if each is contiguous and used unchanged; otherwise copies them to `room`,
 * one after another. */
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

/* Returns the bytes from the beginning to the end of the last one of the batch. */
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
    if (work.bias && !is_allocated(work.bias, (size_t)c.rows * c.element()))
        fault("cuBLAS: the bias of %d rows is not within an allocation of device memory", c.rows);
    size_t bytes = extent(c, work.batch);
    if (overlap(a, extent(a, work.batch), c, bytes) || overlap(b, extent(b, work.batch), c, bytes))
        fault("cuBLAS: C overlaps an operand");
    if (work.batch > 1 && (size_t)c.stride * c.element() < extent(c, 1))
        fault("cuBLAS: one C of the batch overlaps the next");
    return faulted() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_product(const product &work, const void *workspace)
{
    if (work.a.rows < 0 || work.b.columns < 0 || work.k < 0 || work.batch < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!shape_holds(work.a, work.batch) || !shape_holds(work.b, work.batch) ||
        !shape_holds(work.c, work.batch))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (work.a.type != work.b.type || (work.c.type != CUDA_R_32F && (!work.bias || work.beta != 0)))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!workspace)
        fault("cuBLAS: no workspace since cublasSetStream");
    return faulted() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

void expect_written(const operand &factor, int batch)
{
    const size_t lines = (size_t)(factor.transposed ? factor.rows : factor.columns);
    const size_t line = (size_t)(factor.transposed ? factor.columns : factor.rows);
    for (size_t i = 0; watching && i < lines * (size_t)batch; i++) {
        const size_t place = i / lines * (size_t)factor.stride + i % lines * (size_t)factor.ld;
        if (!is_written(factor.memory + place * factor.element(), line * factor.element()))
            fault("cuBLAS: line %zu of a factor was not written as a whole", i % lines);
    }
}

/* Applies the activation as GPUs do: gelu with tanh, of which the hardware's has 11 bits. */
float finished(float value, const product &work, size_t row)
{
    const bool narrow = work.c.type == CUDA_R_16BF;
    float x = value;
    if (work.bias)
        x += narrow ? __bfloat162float(((const __nv_bfloat16 *)work.bias)[row])
                    : ((const float *)work.bias)[row];
    if (work.after == epilogue::relu)
        return x < 0 ? 0 : x;
    if (work.after == epilogue::gelu)
        return 0.5f * x * (1 + round_tf32(tanhf(0.797884561f * x + 0.0356774081f * x * x * x)));
    return x;
}

} // namespace

void product::operator()() const
{
    static std::vector<float> arows, bcolumns; // kept, so that a product allocates nothing
    const int parts = sums_are == CUDAEMU_SUMS_CHAIN   ? 1
                      : sums_are == CUDAEMU_SUMS_SPLIT ? parts_of(c.rows, c.columns, k)
                                                       : 0;
    const float scale = sums_are == CUDAEMU_SUMS_WRONG ? 2 * alpha : alpha;
    counts.kernels++;
    watch_product();
    expect_written(a, batch);
    expect_written(b, batch);
    for (long long i = 0; i < batch; i++) {
        lines rows = lines_of(a, i, tf32, arows, true);
        lines columns = lines_of(b, i, tf32, bcolumns, false);
        char *out = c.memory + (size_t)(i * c.stride) * c.element();
        for (size_t n = 0; n < (size_t)c.columns; n++)
            for (size_t m = 0; m < (size_t)c.rows; m++) {
                const float *left = rows.first + m * rows.ld,
                            *right = columns.first + n * columns.ld;
                float sum = parts ? dot_float(left, right, k, parts) : dot_double(left, right, k);
                char *y = out + (n * (size_t)c.ld + m) * c.element();
                const float before = beta == 0 ? 0 : beta * *(const float *)y;
                const float value =
                    finished(beta == 0 ? scale * sum : scale * sum + before, *this, m);
                if (c.type == CUDA_R_16BF)
                    *(__nv_bfloat16 *)y = __float2bfloat16_rn(value);
                else
                    *(float *)y = value;
                mark_computed(y, c.element());
            }
    }
}

cublasStatus_t give_product(const product &work, cudaStream_t stream, const void *workspace)
{
    cublasStatus_t status = check_product(work, workspace);
    if (status != CUBLAS_STATUS_SUCCESS || work.c.rows == 0 || work.c.columns == 0 ||
        work.batch == 0)
        return status;
    status = work.k > 0 ? check_operands(work) : CUBLAS_STATUS_SUCCESS;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    cudaError_t error = give(stream, work_kind::kernel, work);
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // namespace cudaemu

void cudaemu_set_sums(enum cudaemu_sums sums)
{
    cudaemu::sums_are = sums;
}

void cudaemu_set_tf32_cut(int cut)
{
    cudaemu::tf32_cut = cut != 0;
}
