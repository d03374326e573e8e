/* Shared by the two implementations of `linear`: outputs, and the steps after their sums. */
#ifndef ATTNSCOPE_CUDA_LINEAR_CUH
#define ATTNSCOPE_CUDA_LINEAR_CUH

#include "gpu/cuda/late.cuh"
#include "gpu/cuda/wide.cuh"

struct output {
    float *y;
    const void *weight; // (n, k), for the kernel of few rows
    const float *bias;  // NULL for absent
    void *cache;        // NULL for absent
    const int32_t *slot;
    const float *factor; // (rows, n), NULL for absent
    int ldy, n;
    int activation;
    bool accumulate;
    bool cached;  // only the cache is stored, not y
    bool narrow;  // the cache is bfloat16, otherwise float32
    bool rounded; // the bias is rounded to bfloat16 before it is added
};

struct linear_params {
    struct output outputs[LINEAR_MOST];
    int count, columns; // columns of all outputs together
    const float *x;
    int ldx, rows, k;
};

/* gelu is computed with erfc, and gelu_tanh as x sigmoid(2 z): 1 + erf and 1 + tanh would cancel if
 * they are small. */
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

/* Returns the value to store for the sum y. */
static __device__ __forceinline__ float finish(const struct output &output, int m, int n, float y)
{
    // All are loaded before any is used.
    const float bias = output.bias ? output.bias[n] : 0;
    const float factor = output.factor ? output.factor[(size_t)m * output.n + n] : 1;
    const int slot = output.cache ? output.slot[m] : -1;
    if (output.bias)
        y += output.rounded ? __bfloat162float(__float2bfloat16_rn(bias)) : bias;
    y = activated(y, output.activation);
    if (output.factor)
        y *= factor;
    if (!output.cached)
        output.y[(size_t)m * output.ldy + n] = y;
    if (slot >= 0)
        store_wide(output.cache, output.narrow, (size_t)slot * output.n + n, y);
    return y;
}

/* Returns the output of column `*column` of all outputs, and replaces *column with the column in
 * that output. */
static __device__ __forceinline__ int output_of(const struct linear_params &p, int *column)
{
    int i = 0;
    while (i + 1 < p.count && *column >= p.outputs[i].n)
        *column -= p.outputs[i++].n;
    return i;
}

/* For up to FEW_ROWS rows; `narrow` gives the type of the weights. norm: the norm that still has to
 * be computed for x; NULL: x is computed. */
void few_rows_start(struct device *device, const struct linear_params &params, bool narrow,
                    const struct norm_params *norm);

#endif
