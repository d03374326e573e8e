/* The emulated cuBLAS compared with plain sums in double. */
#include <math.h>

#include <vector>

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include "tests/gpu/cuda/emulator_support.h"

enum { WORKSPACE = 4096 };

static cublasHandle_t handle;
static cublasLtHandle_t light;
static void *workspace;

static int open_handle(void **state)
{
    keep_faults(state);
    return cublasCreate(&handle) || cublasSetStream(handle, nullptr) ||
           cudaMalloc(&workspace, WORKSPACE) || cublasSetWorkspace(handle, workspace, WORKSPACE) ||
           cublasLtCreate(&light);
}

static int close_handle(void **)
{
    return cublasLtDestroy(light) || cublasDestroy(handle) || cudaFree(workspace);
}

static float number(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (float)(int32_t)state / 2147483648.0f;
}

/* A column-major matrix, and the places of the elements of op(matrix). */
struct matrix {
    cublasOperation_t op;
    int rows, columns, ld; // of op(matrix); ld of the matrix
    std::vector<float> values;
    float *device;

    matrix(cublasOperation_t op_, int rows_, int columns_, int pad, int batch)
        : op(op_), rows(rows_), columns(columns_), ld((op_ == CUBLAS_OP_N ? rows_ : columns_) + pad)
    {
        values.resize(stride() * (size_t)batch);
        for (float &value : values)
            value = number();
        assert_int_equal(cudaMalloc(&device, bytes()), cudaSuccess);
        cudaMemcpy(device, values.data(), bytes(), cudaMemcpyHostToDevice);
    }
    ~matrix()
    {
        cudaFree(device);
    }
    matrix(const matrix &) = delete;
    matrix &operator=(const matrix &) = delete;

    size_t stride() const
    {
        return (size_t)ld * (size_t)(op == CUBLAS_OP_N ? columns : rows);
    }
    size_t bytes() const
    {
        return values.size() * sizeof(float);
    }
    float at(int batch, int row, int column) const
    {
        int line = op == CUBLAS_OP_N ? column : row, place = op == CUBLAS_OP_N ? row : column;
        return values[(size_t)batch * stride() + (size_t)line * (size_t)ld + (size_t)place];
    }
};

static float as_is(float value)
{
    return value;
}

/* Rounds to 10 bits of mantissa, for numbers below 1; by scaling, without access to bits. */
static float to_tf32(float value)
{
    int exponent;
    float mantissa = frexpf(value, &exponent);
    return ldexpf(roundf(ldexpf(mantissa, 11)), exponent - 11);
}

static void expect_product(const matrix &a, const matrix &b, const matrix &c, int batch, float beta,
                           float (*rounded)(float))
{
    std::vector<float> got(c.values.size());
    cudaMemcpy(got.data(), c.device, c.bytes(), cudaMemcpyDeviceToHost);
    for (int i = 0; i < batch; i++)
        for (int n = 0; n < c.columns; n++)
            for (int m = 0; m < c.ld; m++) {
                double wanted = m < c.rows && beta != 0 ? (double)beta * (double)c.at(i, m, n) : 0;
                for (int k = 0; k < a.columns && m < c.rows; k++)
                    wanted += 0.5 * (double)rounded(a.at(i, m, k)) * (double)rounded(b.at(i, k, n));
                if (m >= c.rows) // nothing is written between columns
                    wanted = (double)c.at(i, m, n);
                float value = got[(size_t)i * c.stride() + (size_t)(n * c.ld + m)];
                if (!(fabs((double)value - wanted) <= 1e-6 * (1 + fabs(wanted))))
                    fail_msg("m %d n %d of %d x %d x %d, batch %d: %.9g, expected %.9g", m, n,
                             c.rows, c.columns, a.columns, i, (double)value, wanted);
            }
}

static cublasStatus_t multiply(const matrix &a, const matrix &b, const matrix &c, int batch,
                               float beta, cublasComputeType_t compute)
{
    const float half = 0.5f;
    return cublasGemmStridedBatchedEx(
        handle, a.op, b.op, c.rows, c.columns, a.columns, &half, a.device, CUDA_R_32F, a.ld,
        (long long)a.stride(), b.device, CUDA_R_32F, b.ld, (long long)b.stride(), &beta, c.device,
        CUDA_R_32F, c.ld, (long long)c.stride(), batch, compute, CUBLAS_GEMM_DEFAULT);
}

static void products_of_all_layouts_are_right(void **)
{
    static const int shapes[][3] = {{1, 1, 1}, {3, 1, 17}, {17, 33, 3}, {33, 5, 129}, {2, 3, 64}};
    static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T};
    for (auto &shape : shapes)
        for (int way = 0; way < 24; way++) {
            int pad = way & 4 ? 3 : 0, batch = 1 + way / 8;
            float beta = batch == 2 ? -2.0f : 0.0f;
            matrix a(ops[way & 1], shape[0], shape[2], pad, batch);
            matrix b(ops[way >> 1 & 1], shape[2], shape[1], pad, batch);
            matrix c(CUBLAS_OP_N, shape[0], shape[1], pad, batch);
            assert_int_equal(multiply(a, b, c, batch, beta, CUBLAS_COMPUTE_32F),
                             CUBLAS_STATUS_SUCCESS);
            expect_product(a, b, c, batch, beta, as_is);
            assert_int_equal(multiply(a, b, c, batch, 0, CUBLAS_COMPUTE_32F_FAST_TF32),
                             CUBLAS_STATUS_SUCCESS);
            expect_product(a, b, c, batch, 0, to_tf32);
        }
}

static void the_math_mode_turns_tf32_on(void **)
{
    matrix a(CUBLAS_OP_T, 5, 40, 0, 1), b(CUBLAS_OP_N, 40, 3, 0, 1), c(CUBLAS_OP_N, 5, 3, 0, 1);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    assert_int_equal(multiply(a, b, c, 1, 0, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_SUCCESS);
    expect_product(a, b, c, 1, 0, to_tf32);
    cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
    assert_int_equal(multiply(a, b, c, 1, 0, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_SUCCESS);
    expect_product(a, b, c, 1, 0, as_is);
}

/* 1 + 2^-7 + 2^-8 becomes 1 + 2^-6 in bfloat16 (a tie), 3 stays. */
static void bfloat16_is_multiplied_in_float(void **)
{
    const float one = 1, zero = 0, got_nothing = -1;
    float got = got_nothing, *c;
    __nv_bfloat16 host[2] = {__float2bfloat16_rn(1 + 3.0f / 256), __float2bfloat16_rn(3)}, *device;
    cudaMalloc(&device, sizeof host);
    cudaMalloc(&c, sizeof *c);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    assert_int_equal(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, 1, &one, device,
                                  CUDA_R_16BF, 1, device + 1, CUDA_R_16BF, 1, &zero, c, CUDA_R_32F,
                                  1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                     CUBLAS_STATUS_SUCCESS);
    cudaMemcpy(&got, c, sizeof got, cudaMemcpyDeviceToHost);
    assert_true(got == 3 * (1 + 1.0f / 64));
    cudaFree(device);
    cudaFree(c);
}

static void expect_refused(cublasStatus_t status, const char *what)
{
    assert_int_equal(status, CUBLAS_STATUS_EXECUTION_FAILED);
    expect_fault("cuBLAS", what);
}

static void operands_are_checked(void **)
{
    matrix a(CUBLAS_OP_T, 5, 40, 0, 1), b(CUBLAS_OP_N, 40, 3, 0, 1), c(CUBLAS_OP_N, 5, 3, 0, 1);
    const cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    float *device = b.device;
    b.device = device + 1; // the last element is beyond the end
    expect_refused(multiply(a, b, c, 1, 0, compute), "operand B, 40 x 3 with ld 40");
    b.device = b.values.data();
    expect_refused(multiply(a, b, c, 1, 0, compute), "operand B");
    b.device = device;
    device = c.device;
    c.device = a.device;
    expect_refused(multiply(a, b, c, 1, 0, compute), "C overlaps an operand");
    c.device = device;
    a.ld = 39;
    assert_int_equal(multiply(a, b, c, 1, 0, compute), CUBLAS_STATUS_INVALID_VALUE);
    a.ld = 40;
    cublasSetStream(handle, nullptr);
    expect_refused(multiply(a, b, c, 1, 0, compute), "no workspace");
}

/* cuBLASLt --------------------------------------------------------------------------------------*/

/* Computes c = f(aᵀ b + bias) with an algorithm that requires matrices aligned to `alignment`
 * bytes. */
static cublasStatus_t finish(const matrix &a, const matrix &b, const matrix &c, const matrix &bias,
                             cublasLtEpilogue_t epilogue, uint32_t alignment)
{
    const cublasOperation_t op = CUBLAS_OP_T;
    const float one = 1, zero = 0;
    const void *vector = bias.device;
    cublasLtMatmulDescOpaque_t operation;
    cublasLtMatrixLayoutOpaque_t layouts[3];
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtMatmulHeuristicResult_t best;
    int found;
    cublasLtMatmulDescInit(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatmulDescSetAttribute(&operation, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op);
    cublasLtMatmulDescSetAttribute(&operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                   sizeof epilogue);
    cublasLtMatmulDescSetAttribute(&operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &vector,
                                   sizeof vector);
    cublasLtMatrixLayoutInit(&layouts[0], CUDA_R_32F, (uint64_t)a.columns, (uint64_t)a.rows, a.ld);
    cublasLtMatrixLayoutInit(&layouts[1], CUDA_R_32F, (uint64_t)b.rows, (uint64_t)b.columns, b.ld);
    cublasLtMatrixLayoutInit(&layouts[2], CUDA_R_32F, (uint64_t)c.rows, (uint64_t)c.columns, c.ld);
    cublasLtMatmulPreferenceInit(&preference);
    for (int i = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
         i <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES; i++)
        cublasLtMatmulPreferenceSetAttribute(&preference, (cublasLtMatmulPreferenceAttributes_t)i,
                                             &alignment, sizeof alignment);
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(light, &operation, &layouts[0], &layouts[1], &layouts[2],
                                       &layouts[2], &preference, 1, &best, &found);
    if (status != CUBLAS_STATUS_SUCCESS || found != 1)
        return status;
    return cublasLtMatmul(light, &operation, &one, a.device, &layouts[0], b.device, &layouts[1],
                          &zero, c.device, &layouts[2], c.device, &layouts[2], &best.algo,
                          workspace, WORKSPACE, nullptr);
}

static double plain(double x)
{
    return x;
}

static double relu(double x)
{
    return fmax(x, 0);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

/* The tanh has 11 bits, like the GPU's own. */
static void epilogues_add_the_bias_and_apply_the_activation(void **)
{
    const struct {
        cublasLtEpilogue_t epilogue;
        double (*activation)(double), bound;
    } kinds[] = {{CUBLASLT_EPILOGUE_BIAS, plain, 1e-6},
                 {CUBLASLT_EPILOGUE_RELU_BIAS, relu, 1e-6},
                 {CUBLASLT_EPILOGUE_GELU_BIAS, gelu, 0x1p-11}};
    for (auto &kind : kinds) {
        matrix a(CUBLAS_OP_T, 17, 33, 3, 1), b(CUBLAS_OP_N, 33, 5, 0, 1);
        matrix c(CUBLAS_OP_N, 17, 5, 2, 1), bias(CUBLAS_OP_N, 17, 1, 0, 1);
        std::vector<float> got(c.values.size());
        assert_int_equal(finish(a, b, c, bias, kind.epilogue, 16), CUBLAS_STATUS_SUCCESS);
        cudaMemcpy(got.data(), c.device, c.bytes(), cudaMemcpyDeviceToHost);
        for (int n = 0; n < 5; n++)
            for (int m = 0; m < 17; m++) {
                double sum = (double)bias.at(0, m, 0);
                for (int k = 0; k < 33; k++)
                    sum += (double)a.at(0, m, k) * (double)b.at(0, k, n);
                const double wanted = kind.activation(sum);
                const float value = got[(size_t)(n * c.ld + m)];
                if (!(fabs((double)value - wanted) <= kind.bound * (1 + fabs(sum))))
                    fail_msg("epilogue %d, m %d n %d: %.9g, expected %.9g", kind.epilogue, m, n,
                             (double)value, wanted);
            }
    }
}

static void what_an_algorithm_was_not_found_for_is_refused(void **)
{
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_BIAS;
    matrix a(CUBLAS_OP_T, 5, 40, 0, 1), b(CUBLAS_OP_N, 40, 4, 0, 1), c(CUBLAS_OP_N, 5, 3, 0, 1);
    matrix bias(CUBLAS_OP_N, 5, 1, 0, 1), few(CUBLAS_OP_N, 4, 1, 0, 1);
    float *device = b.device;
    b.columns = 3;
    expect_refused(finish(a, b, c, bias, epilogue, 256), "an alignment of 256 bytes");
    b.device = device + 1; // aligned to 4 bytes
    assert_int_equal(finish(a, b, c, bias, epilogue, 16), CUBLAS_STATUS_NOT_SUPPORTED);
    b.device = device + 4; // aligned to 16 bytes
    assert_int_equal(finish(a, b, c, bias, epilogue, 16), CUBLAS_STATUS_SUCCESS);
    b.device = device;
    expect_refused(finish(a, b, c, few, epilogue, 16), "the bias of 5 rows is not within");
    cudaemu_refuse_epilogues(1);
    assert_int_equal(finish(a, b, c, bias, epilogue, 16), CUBLAS_STATUS_NOT_SUPPORTED);
    cudaemu_refuse_epilogues(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_all_layouts_are_right),
        cmocka_unit_test(the_math_mode_turns_tf32_on),
        cmocka_unit_test(bfloat16_is_multiplied_in_float),
        cmocka_unit_test(operands_are_checked),
        cmocka_unit_test(epilogues_add_the_bias_and_apply_the_activation),
        cmocka_unit_test(what_an_algorithm_was_not_found_for_is_refused),
    };
    return cmocka_run_group_tests(tests, open_handle, close_handle);
}
