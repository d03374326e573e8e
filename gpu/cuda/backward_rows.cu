/* Derivatives of operations on rows: norm, activation, sums, means, the recurrence,
 * log-probabilities. */
#include "gpu/cuda/cap.cuh"
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/linear.cuh"
#include "gpu/cuda/ops.cuh"

enum { BLOCK_BACK = block_size(256) };

/* Norms: a warp for each row ------------------------------------------------------------------- */

struct norm_back_params {
    float *dx;
    const float *dy, *z, *residual, *gamma; // residual: NULL for absent
    int lddy, columns;
    float eps;
    bool rms, relevance;
};

/* dx may be dy or the residual: the same lane reads an element before it writes it, and by then the
 * sums of the whole row are complete. */
static __global__ void __launch_bounds__(LANES) norm_back_kernel(struct norm_back_params p)
{
    grid_wait();
    const size_t row = (size_t)blockIdx.x * p.columns;
    const float *const z = p.z + row, *const dy = p.dy + (size_t)blockIdx.x * p.lddy;
    const float n = (float)p.columns;
    float total = 0, squares = 0, plain = 0, mixed = 0;
    for (int c = (int)threadIdx.x; c < p.columns; c += LANES)
        total += z[c];
    const float mean = p.rms ? 0 : warp_sum(total) / n;
    for (int c = (int)threadIdx.x; c < p.columns; c += LANES)
        squares += (z[c] - mean) * (z[c] - mean);
    const float factor = 1.0f / sqrtf(warp_sum(squares) / n + p.eps);
    for (int c = (int)threadIdx.x; c < p.columns; c += LANES) {
        const float g = dy[c] * p.gamma[c];
        plain += g;
        mixed += g * ((z[c] - mean) * factor);
    }
    plain = p.rms ? 0 : warp_sum(plain) / n;
    mixed = p.relevance ? 0 : warp_sum(mixed) / n;
    for (int c = (int)threadIdx.x; c < p.columns; c += LANES) {
        const float u = (z[c] - mean) * factor;
        const float dz = (dy[c] * p.gamma[c] - plain - u * mixed) * factor;
        p.dx[row + c] = p.residual ? dz + p.residual[row + c] : dz;
    }
}

void cuda_norm_backward(struct device *device, const struct norm_backward_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct norm_back_params params = {tensor_floats(args->dx),
                                            tensor_floats(args->dy),
                                            tensor_floats(args->z),
                                            tensor_floats(args->residual),
                                            tensor_floats(args->gamma),
                                            args->lddy,
                                            args->columns,
                                            args->eps,
                                            args->rms,
                                            args->relevance};
    START(device, norm_back_kernel, args->rows, LANES, params);
}

/* Activations: a thread for each element ------------------------------------------------------- */

/* The slope of x sigmoid(u) is s + x s (1 - s) u', with s = sigmoid(u). Where s (1 - s) is 0, x may
 * be so large that the rest is not a number. */
static __device__ __forceinline__ float product_slope(float x, float u, float inner)
{
    const float s = 1 / (1 + expf(-u)), slope = s * (1 - s);
    return slope > 0 ? s + x * inner * slope : s;
}

static __device__ __forceinline__ float slope_of(float x, int activation)
{
    float s;
    switch (activation) {
    case ACTIVATION_RELU:
        return x > 0 ? 1 : 0;
    case ACTIVATION_GELU:
        return 0.5f * erfcf(-0.707106781f * x) + x * (0.398942280f * expf(-0.5f * x * x));
    case ACTIVATION_SWISH:
        return product_slope(x, x, 1);
    case ACTIVATION_GELU_TANH:
        return product_slope(x, x * (1.59576912f + 0.0713548163f * x * x),
                             1.59576912f + 3 * 0.0713548163f * x * x);
    case ACTIVATION_GELU_SIGMOID:
        return product_slope(x, 1.702f * x, 1.702f);
    case ACTIVATION_TANH:
        s = tanhf(x);
        return 1 - s * s;
    case ACTIVATION_SIGMOID:
        s = 1 / (1 + expf(-x));
        return s * (1 - s);
    default:
        return 1;
    }
}

struct activation_back_params {
    float *dy, *factor; // factor: NULL for absent
    const float *x;
    size_t count;
    int activation;
    float cap;
    bool relevance;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    activation_back_kernel(struct activation_back_params p)
{
    grid_wait();
    const size_t at = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (at >= p.count)
        return;
    const float x = p.x[at], value = activated(x, p.activation);
    float dy = p.dy[at];
    if (p.factor) {
        const float share = p.relevance ? 0.5f : 1, factor = p.factor[at];
        p.factor[at] = value * dy * share;
        dy *= factor * share;
    }
    if (p.cap > 0)
        dy *= cap_slope(x, p.cap, p.relevance);
    else if (!p.relevance || p.activation == ACTIVATION_NONE)
        dy *= slope_of(x, p.activation);
    else
        dy *= x != 0 ? value / x : 0;
    p.dy[at] = dy;
}

void cuda_activation_backward(struct device *device, const struct activation_backward_args *args)
{
    const size_t count = (size_t)args->rows * (size_t)args->columns;
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct activation_back_params params = {
        tensor_floats(args->dy), tensor_floats(args->factor),
        tensor_floats(args->x),  count,
        args->activation,        args->cap,
        args->relevance};
    START(device, activation_back_kernel<BLOCK_BACK>, (int)((count + BLOCK_BACK - 1) / BLOCK_BACK),
          BLOCK_BACK, params);
}

/* Sums and means ------------------------------------------------------------------------------- */

struct add_params {
    float *y;
    const float *x;
    const int32_t *index; // NULL for absent
    int ldy, ldx, columns;
};

template <int BLOCK> static __global__ void __launch_bounds__(BLOCK) add_kernel(struct add_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x, from = p.index ? p.index[m] : m;
    for (int c = (int)threadIdx.x; c < p.columns; c += BLOCK)
        p.y[(size_t)m * p.ldy + c] += p.x[(size_t)from * p.ldx + c];
}

void cuda_add(struct device *device, const struct add_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct add_params params = {tensor_floats(args->y),
                                      tensor_floats(args->x),
                                      tensor_ints(args->index),
                                      args->ldy,
                                      args->ldx,
                                      args->columns};
    START(device, add_kernel<BLOCK_BACK>, args->rows, BLOCK_BACK, params);
}

/* The rows of a lane, each of which passes its derivative on to the previous one. A thread has one
 * column of all of them. */
struct chain {
    const int32_t *lane, *pos, *slot, *path;
    int positions, rows;
};

static struct chain chain_of(const struct row_args *rows)
{
    return {tensor_ints(rows->lane), tensor_ints(rows->pos), tensor_ints(rows->slot),
            tensor_ints(rows->path), rows->positions,        rows->rows};
}

/* The slot of the position before that of row m, which is not idle; -1: there is none. */
static __device__ __forceinline__ int slot_before(const struct chain &chain, int m)
{
    const int pos = chain.pos[m];
    return pos > 0 ? chain.path[(size_t)chain.lane[m] * chain.positions + pos - 1] : -1;
}

struct prefix_back_params {
    float *dx, *dsums;
    const float *dy;
    struct chain chain;
    int lddx, lddy, columns;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) prefix_back_kernel(struct prefix_back_params p)
{
    grid_wait();
    const int c = (int)blockIdx.x * BLOCK + (int)threadIdx.x;
    if (c >= p.columns)
        return;
    for (int m = p.chain.rows - 1; m >= 0; m--) {
        if (p.chain.lane[m] < 0)
            continue;
        const int before = slot_before(p.chain, m);
        float *const own = p.dsums + (size_t)p.chain.slot[m] * p.columns + c;
        const float sum = *own + p.dy[(size_t)m * p.lddy + c] / (float)(p.chain.pos[m] + 1);
        *own = sum;
        p.dx[(size_t)m * p.lddx + c] += sum;
        if (before >= 0)
            p.dsums[(size_t)before * p.columns + c] += sum;
    }
}

void cuda_prefix_mean_backward(struct device *device, const struct prefix_mean_backward_args *args)
{
    if (!device_ready(device) || args->rows.rows <= 0)
        return;
    const struct prefix_back_params params = {tensor_floats(args->dx),
                                              tensor_floats(args->dsums),
                                              tensor_floats(args->dy),
                                              chain_of(&args->rows),
                                              args->lddx,
                                              args->lddy,
                                              args->columns};
    START(device, prefix_back_kernel<BLOCK_BACK>, quotient_up(args->columns, BLOCK_BACK),
          BLOCK_BACK, params);
}

struct recurrence_back_params {
    float *dx, *dz, *dstates;
    const float *dy, *states, *x, *f;
    struct chain chain;
    int columns;
    bool relevance;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    recurrence_back_kernel(struct recurrence_back_params p)
{
    grid_wait();
    const int c = (int)blockIdx.x * BLOCK + (int)threadIdx.x;
    if (c >= p.columns)
        return;
    for (int m = p.chain.rows - 1; m >= 0; m--) {
        if (p.chain.lane[m] < 0)
            continue;
        const int before = slot_before(p.chain, m);
        const size_t own = (size_t)p.chain.slot[m] * p.columns + c, at = (size_t)m * p.columns + c;
        const size_t last = (size_t)max(before, 0) * p.columns + c;
        const float f = p.f[at], slope = p.dstates[own] + (p.states[own] > 0 ? p.dy[at] : 0);
        const float away = (before < 0 ? 0 : p.states[last]) - p.x[at];
        p.dx[at] = (1 - f) * slope;
        p.dz[at] = p.relevance ? 0 : slope * away * (f * (1 - f));
        if (before >= 0)
            p.dstates[last] += f * slope;
    }
}

void cuda_recurrence_backward(struct device *device, const struct recurrence_backward_args *args)
{
    if (!device_ready(device) || args->rows.rows <= 0)
        return;
    const struct recurrence_back_params params = {
        tensor_floats(args->dx), tensor_floats(args->dz),     tensor_floats(args->dstates),
        tensor_floats(args->dy), tensor_floats(args->states), tensor_floats(args->x),
        tensor_floats(args->f),  chain_of(&args->rows),       args->columns,
        args->relevance};
    START(device, recurrence_back_kernel<BLOCK_BACK>, quotient_up(args->columns, BLOCK_BACK),
          BLOCK_BACK, params);
}

/* Log-probabilities ---------------------------------------------------------------------------- */

struct logprob_back_params {
    float *logprobs;
    const float *total, *weight;
    const int32_t *row, *token;
    int rows, vocabulary, terms;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) logprob_back_kernel(struct logprob_back_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.vocabulary, BLOCK), m = (int)blockIdx.x / blocks;
    const int v = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (v >= p.vocabulary)
        return;
    float *const y = p.logprobs + (size_t)m * p.vocabulary + v;
    *y = -p.total[m] * expf(*y);
}

/* One thread for each row, because several terms may be for the same token. */
template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) terms_kernel(struct logprob_back_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x * BLOCK + (int)threadIdx.x;
    for (int t = 0; m < p.rows && t < p.terms; t++)
        if (p.row[t] == m)
            p.logprobs[(size_t)m * p.vocabulary + p.token[t]] += p.weight[t];
}

void cuda_logprob_backward(struct device *device, const struct logprob_backward_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct logprob_back_params params = {tensor_floats(args->logprobs),
                                               tensor_floats(args->total),
                                               tensor_floats(args->weight),
                                               tensor_ints(args->row),
                                               tensor_ints(args->token),
                                               args->rows,
                                               args->vocabulary,
                                               args->terms};
    START(device, logprob_back_kernel<BLOCK_BACK>,
          args->rows * quotient_up(args->vocabulary, BLOCK_BACK), BLOCK_BACK, params);
    START(device, terms_kernel<BLOCK_BACK>, quotient_up(args->rows, BLOCK_BACK), BLOCK_BACK,
          params);
}
