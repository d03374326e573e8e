/* `linear`: few rows by a kernel of our own, which is done in one launch; many by cuBLAS, and one launch
 * for what comes after the products. */
#include "gpu/cuda/gemm.cuh"
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/ops.cuh"

/* Up to so many rows a product is bound by reading the weight once, which a warp an output does best. */
enum { FEW_ROWS = 8, BLOCK_LINEAR = block_size(128), BLOCK_MANY = block_size(256) };

struct output {
    float *y;
    const void *weight; // (n, k), for the kernel of few rows
    const float *bias;  // NULL for absent
    float *cache;       // NULL for absent
    const int32_t *slot;
    const float *factor; // (rows, n), NULL for absent
    int ldy, n;
    int activation;
    bool accumulate;
};

struct linear_params {
    struct output outputs[LINEAR_MOST];
    int count, columns; // columns of all outputs side by side
    const float *x;
    int ldx, rows, k;
};

/* gelu is computed with erfc, and gelu_tanh as x sigmoid(2 z): 1 + erf and 1 + tanh would cancel where they are
 * small. */
static __device__ __forceinline__ float activated(float x, int activation)
{
    switch (activation) {
    case ACTIVATION_RELU:
        return x < 0 ? 0 : x;
    case ACTIVATION_GELU:
        return 0.5f * x * erfcf(-0.707106781f * x);
    case ACTIVATION_SWISH:
        return x / (1 + expf(-x));
    case ACTIVATION_GELU_TANH:
        return x / (1 + expf(-x * (1.59576912f + 0.0713548163f * x * x)));
    case ACTIVATION_GELU_SIGMOID:
        return x / (1 + expf(-1.702f * x));
    case ACTIVATION_TANH:
        return tanhf(x);
    case ACTIVATION_SIGMOID:
        return 1 / (1 + expf(-x));
    default:
        return x;
    }
}

static __device__ __forceinline__ void finish(const struct output &output, int m, int n, float y)
{
    if (output.bias)
        y += output.bias[n];
    y = activated(y, output.activation);
    if (output.factor)
        y *= output.factor[(size_t)m * output.n + n];
    output.y[(size_t)m * output.ldy + n] = y;
    if (output.cache && output.slot[m] >= 0)
        output.cache[(size_t)output.slot[m] * output.n + n] = y;
}

/* Column `column` of all outputs: that of its own output, whose number is in *column's place. */
static __device__ __forceinline__ int output_of(const struct linear_params &p, int *column)
{
    int i = 0;
    while (i + 1 < p.count && *column >= p.outputs[i].n)
        *column -= p.outputs[i++].n;
    return i;
}

/* Few rows --------------------------------------------------------------------------------------*/

template <class T, int N> struct __align__(sizeof(T) * N) vector
{
    T element[N];
};

static __device__ __forceinline__ float wide(float value)
{
    return value;
}

static __device__ __forceinline__ float wide(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}

/* x as a factor of weights of type T: as cuBLAS has it for many rows, where bfloat16 weights want bfloat16 factors. */
static __device__ __forceinline__ float factor_of(float x, float)
{
    return x;
}

static __device__ __forceinline__ float factor_of(float x, __nv_bfloat16)
{
    return __bfloat162float(__float2bfloat16_rn(x));
}

/* One warp computes one column: its lanes share out k, VECTOR elements at a time. */
template <int BLOCK, int ROWS, class T, int VECTOR>
static __global__ void __launch_bounds__(BLOCK) few_rows_kernel(struct linear_params p)
{
    const int lane = (int)threadIdx.x % LANES;
    int column = (int)blockIdx.x * (BLOCK / LANES) + (int)threadIdx.x / LANES;
    if (column >= p.columns)
        return;
    const struct output &output = p.outputs[output_of(p, &column)];
    const T *weight = (const T *)output.weight + (size_t)column * p.k;
    float sum[ROWS] = {0};
#pragma unroll 2
    for (int k = lane * VECTOR; k < p.k; k += LANES * VECTOR) {
        const vector<T, VECTOR> w = *(const vector<T, VECTOR> *)(weight + k);
#pragma unroll
        for (int m = 0; m < ROWS; m++) {
            if (m >= p.rows)
                break;
            const vector<float, VECTOR> x =
                *(const vector<float, VECTOR> *)(p.x + (size_t)m * p.ldx + k);
#pragma unroll
            for (int i = 0; i < VECTOR; i++)
                sum[m] += factor_of(x.element[i], w.element[i]) * wide(w.element[i]);
        }
    }
    const float total = warp_sums(sum, lane);
    const int lanes = LANES / ROWS, m = lane / lanes; // that have the sum of row m
    if (lane % lanes == 0 && m < p.rows)
        finish(output, m, column,
               output.accumulate ? output.y[(size_t)m * output.ldy + column] + total : total);
}

template <class T, int VECTOR>
static void start_few(struct device *device, const struct linear_params &params)
{
    const int blocks = quotient_up(params.columns, BLOCK_LINEAR / LANES);
    if (params.rows == 1)
        START(device, (few_rows_kernel<BLOCK_LINEAR, 1, T, VECTOR>), blocks, BLOCK_LINEAR, params);
    else if (params.rows <= 4)
        START(device, (few_rows_kernel<BLOCK_LINEAR, 4, T, VECTOR>), blocks, BLOCK_LINEAR, params);
    else
        START(device, (few_rows_kernel<BLOCK_LINEAR, FEW_ROWS, T, VECTOR>), blocks, BLOCK_LINEAR,
              params);
}

template <class T>
static void start_few_of(struct device *device, const struct linear_params &params)
{
    const bool aligned =
        params.k % 4 == 0 && params.ldx % 4 == 0 && (uintptr_t)params.x % (4 * sizeof(float)) == 0;
    if (aligned)
        start_few<T, 4>(device, params);
    else
        start_few<T, 1>(device, params);
}

/* Many rows -------------------------------------------------------------------------------------*/

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) finish_kernel(struct linear_params p)
{
    const int blocks = quotient_up(p.columns, BLOCK), m = (int)blockIdx.x / blocks;
    int column = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (column >= p.columns)
        return;
    const struct output &output = p.outputs[output_of(p, &column)];
    finish(output, m, column, output.y[(size_t)m * output.ldy + column]);
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    narrow_kernel(__nv_bfloat16 *y, const float *x, int ldx, int columns, int rows)
{
    const size_t at = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (at < (size_t)rows * columns)
        y[at] = __float2bfloat16_rn(x[at / columns * ldx + at % columns]);
}

/* The products of rows first … first+rows-1, of x as the weights are stored. */
static void run_products(struct device *device, const struct linear_args *args, int count,
                         int first, int rows)
{
    const struct weight *weight = args[0].weight;
    const float *x = tensor_floats(args[0].x) + (size_t)first * args[0].ldx;
    struct product product = {nullptr, x, 0, args[0].ldx, rows, nullptr, false};
    if (weight->narrow) {
        const int blocks = (int)(((size_t)rows * weight->k + BLOCK_MANY - 1) / BLOCK_MANY);
        START(device, narrow_kernel<BLOCK_MANY>, blocks, BLOCK_MANY,
              (__nv_bfloat16 *)device->scratch, x, args[0].ldx, weight->k, rows);
        product.x = device->scratch;
        product.ldx = weight->k;
    }
    for (int i = 0; i < count; i++) {
        product.y = tensor_floats(args[i].y) + (size_t)first * args[i].ldy;
        product.ldy = args[i].ldy;
        product.weight = args[i].weight;
        product.accumulate = args[i].accumulate;
        product_run(device, &product);
    }
}

static void run_many(struct device *device, const struct linear_args *args, int count,
                     const struct linear_params &params)
{
    int most = params.rows;
    bool finished = true;
    if (args[0].weight->narrow) // as many as have room in the scratch memory
        most = (int)(SCRATCH_BYTES / sizeof(__nv_bfloat16) / (size_t)params.k);
    if (most < 1) {
        device_fail(device, STATUS_MEMORY, "a row of %d elements is too long", params.k);
        return;
    }
    for (int first = 0; first < params.rows; first += most)
        run_products(device, args, count, first,
                     params.rows - first < most ? params.rows - first : most);
    for (int i = 0; i < count; i++)
        finished &= !params.outputs[i].bias && !params.outputs[i].cache &&
                    !params.outputs[i].factor && args[i].activation == ACTIVATION_NONE;
    if (!finished)
        START(device, finish_kernel<BLOCK_MANY>,
              params.rows * quotient_up(params.columns, BLOCK_MANY), BLOCK_MANY, params);
}

void cuda_linear(struct device *device, const struct linear_args *args, int count)
{
    struct linear_params params = {};
    if (!device_ready(device) || count <= 0 || args[0].rows <= 0)
        return;
    for (int i = 0; i < count; i++) {
        params.outputs[i] = {tensor_floats(args[i].y),
                             args[i].weight->memory.bytes,
                             tensor_floats(args[i].bias),
                             tensor_floats(args[i].cache),
                             tensor_ints(args[i].slot),
                             tensor_floats(args[i].factor),
                             args[i].ldy,
                             args[i].weight->n,
                             args[i].activation,
                             args[i].accumulate};
        params.columns += args[i].weight->n;
    }
    params.count = count;
    params.x = tensor_floats(args[0].x);
    params.ldx = args[0].ldx;
    params.rows = args[0].rows;
    params.k = args[0].weight->k;
    if (params.rows > FEW_ROWS)
        run_many(device, args, count, params);
    else if (args[0].weight->narrow)
        start_few_of<__nv_bfloat16>(device, params);
    else
        start_few_of<float>(device, params);
}
