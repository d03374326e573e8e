/* Operations of the context and of the combination of heads: gate, mix_heads. A warp a row. */
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/ops.cuh"

struct gate_params {
    float *q, *lambda; // lambda: NULL for absent
    const float *cu, *state, *context, *bias;
    int ldq, ldcu, rows, parts, size; // a row has `parts` gates over `size` elements each
    bool gated;                       // otherwise a sum
};

/* Returns λ of one gate in every lane. Yang et al. 2019, eq. 6. */
static __device__ __forceinline__ float gate_of(const struct gate_params &p, const float *q,
                                                const float *cu)
{
    float sum = 0;
    for (int c = (int)threadIdx.x % LANES; c < p.size; c += LANES)
        sum += q[c] * p.state[c] + cu[c] * p.context[c];
    sum = warp_sum(sum);
    if (p.bias)
        sum += p.bias[0];
    return 1 / (1 + expf(-sum));
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) gate_kernel(struct gate_params p)
{
    grid_wait();
    const int task = (int)blockIdx.x * (BLOCK / LANES) + (int)threadIdx.x / LANES;
    const int m = task / p.parts, part = task % p.parts, lane = (int)threadIdx.x % LANES;
    if (m >= p.rows)
        return;
    float *q = p.q + (size_t)m * p.ldq + (size_t)part * p.size;
    const float *cu = p.cu + (size_t)m * p.ldcu + (size_t)part * p.size;
    if (!p.gated) {
        for (int c = lane; c < p.size; c += LANES)
            q[c] += cu[c];
        return;
    }
    const float lambda = gate_of(p, q, cu);
    for (int c = lane; c < p.size; c += LANES)
        q[c] = (1 - lambda) * q[c] + lambda * cu[c];
    if (p.lambda && lane == 0)
        p.lambda[task] = lambda;
}

void cuda_gate(struct device *device, const struct gate_args *args)
{
    enum { BLOCK = block_size(128) };
    if (!device_ready(device) || args->rows <= 0)
        return;
    /* One gate for all heads is the gate of a single head that spans them. */
    const int parts = args->scope == GATE_HEAD ? args->heads : 1;
    const struct gate_params params = {tensor_floats(args->q),
                                       tensor_floats(args->lambda),
                                       tensor_floats(args->cu),
                                       tensor_floats(args->state),
                                       tensor_floats(args->context),
                                       tensor_floats(args->bias),
                                       args->ldq,
                                       args->ldcu,
                                       args->rows,
                                       parts,
                                       args->heads * args->head_dim / parts,
                                       args->scope != GATE_NONE};
    START(device, gate_kernel<BLOCK>, quotient_up(args->rows * parts, BLOCK / LANES), BLOCK,
          params);
}

struct mix_params {
    float *y, *importance; // importance: NULL for absent
    const float *o, *s;
    const float *gains;     // NULL for absent
    const int32_t *variant; // NULL for absent
    float scale;
    int rows, heads, size;
};

struct mix_row {
    const float *o, *s, *gains;
};

static __device__ __forceinline__ struct mix_row mix_row_of(const struct mix_params &p, int m)
{
    const size_t variant = p.variant ? (size_t)p.variant[m] : 0;
    return {p.o + (size_t)m * p.heads * p.size, p.s + (size_t)m * p.size,
            p.gains ? p.gains + variant * p.heads : nullptr};
}

/* Returns s_h of eq. 1 in every lane. */
static __device__ __forceinline__ float mix_score(const struct mix_params &p,
                                                  const struct mix_row &row, int h)
{
    float sum = 0;
    for (int c = (int)threadIdx.x % LANES; c < p.size; c += LANES)
        sum += row.o[(size_t)h * p.size + c] * row.s[c];
    return p.scale * warp_sum(sum);
}

static __device__ __forceinline__ float mix_gain(const struct mix_row &row, int h)
{
    return row.gains ? row.gains[h] : 1;
}

/* Returns the value subtracted from exponents: the highest score, or 0 if there is none. */
static __device__ __forceinline__ float mix_reference(float highest)
{
    return highest == -INFINITY ? 0 : highest;
}

static __device__ void store_importance(const struct mix_params &p, const struct mix_row &row,
                                        int m, float highest, float total)
{
    for (int h = 0; h < p.heads; h++) {
        const float gain = mix_gain(row, h);
        float share = 0;
        if (gain != 0)
            share = gain * expf(mix_score(p, row, h) - mix_reference(highest)) / total;
        if (threadIdx.x % LANES == 0)
            p.importance[(size_t)m * p.heads + h] = share;
    }
}

/* Heads are processed one after another: whenever a higher score appears, the sums so far are
 * scaled down. Heads with gain 0 are skipped. Each lane has CHANNELS columns; blockIdx.y counts
 * such parts. */
template <int BLOCK, int CHANNELS>
static __global__ void __launch_bounds__(BLOCK) mix_kernel(struct mix_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x * (BLOCK / LANES) + (int)threadIdx.x / LANES;
    const int first = (int)blockIdx.y * CHANNELS * LANES + (int)threadIdx.x % LANES;
    if (m >= p.rows)
        return;
    const struct mix_row row = mix_row_of(p, m);
    float highest = -INFINITY, total = 0, sum[CHANNELS] = {0};
    for (int h = 0; h < p.heads; h++) {
        const float gain = mix_gain(row, h);
        if (gain == 0)
            continue;
        const float score = mix_score(p, row, h), higher = fmaxf(highest, score);
        const float less = highest == -INFINITY ? 0 : expf(highest - higher);
        const float share = gain * expf(score - mix_reference(higher));
        total = total * less + share;
#pragma unroll
        for (int i = 0; i < CHANNELS; i++)
            if (first + i * LANES < p.size)
                sum[i] = sum[i] * less + share * row.o[(size_t)h * p.size + first + i * LANES];
        highest = higher;
    }
    /* If every gain is 0 the result is zero. Otherwise `total` is not 0: the highest score
     * contributes its gain. */
    bool live = false;
    for (int h = 0; h < p.heads; h++)
        live |= mix_gain(row, h) != 0;
#pragma unroll
    for (int i = 0; i < CHANNELS; i++)
        if (first + i * LANES < p.size)
            p.y[(size_t)m * p.size + first + i * LANES] = live ? sum[i] / total : 0;
    if (p.importance && blockIdx.y == 0)
        store_importance(p, row, m, highest, total);
}

void cuda_mix_heads(struct device *device, const struct mix_args *args)
{
    enum { BLOCK = block_size(128), CHANNELS = 4 };
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct mix_params params = {tensor_floats(args->y),
                                      tensor_floats(args->importance),
                                      tensor_floats(args->o),
                                      tensor_floats(args->s),
                                      tensor_floats(args->gains),
                                      tensor_ints(args->variant),
                                      args->scale,
                                      args->rows,
                                      args->heads,
                                      args->head_dim};
    const dim3 grid((unsigned)quotient_up(args->rows, BLOCK / LANES),
                    (unsigned)quotient_up(args->head_dim, CHANNELS * LANES));
    START(device, (mix_kernel<BLOCK, CHANNELS>), grid, BLOCK, params);
}
