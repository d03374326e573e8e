/* Derivatives of a context's gate and of the combination of heads. */
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/ops.cuh"

/* Returns a·b in all lanes of the warp. */
static __device__ __forceinline__ float warp_dot(const float *a, const float *b, int size)
{
    float sum = 0;
    for (int c = (int)threadIdx.x; c < size; c += LANES)
        sum += a[c] * b[c];
    return warp_sum(sum);
}

/* Gates: a warp for each gate of a row --------------------------------------------------------- */

struct gate_back_params {
    float *dq, *dcu;
    const float *q, *cu, *state, *context, *bias; // bias: NULL for absent
    int lddq, ldq, size;                          // size: elements of a gate
    bool none, relevance;
};

static __global__ void __launch_bounds__(LANES) gate_back_kernel(struct gate_back_params p)
{
    grid_wait();
    const size_t row = blockIdx.x, part = (size_t)blockIdx.y * p.size;
    float *const dq = p.dq + row * p.lddq + part, *const dcu = p.dcu + row * p.lddq + part;
    const float *const q = p.q + row * p.ldq + part, *const cu = p.cu + row * p.ldq + part;
    if (p.none) {
        for (int c = (int)threadIdx.x; c < p.size; c += LANES)
            dcu[c] = dq[c];
        return;
    }
    const float own = warp_dot(q, p.state, p.size), other = warp_dot(cu, p.context, p.size);
    const float lambda = 1 / (1 + expf(-(own + other + (p.bias ? *p.bias : 0))));
    const float to_cu = warp_dot(dq, cu, p.size), to_q = warp_dot(dq, q, p.size);
    const float slope = p.relevance ? 0 : (to_cu - to_q) * (lambda * (1 - lambda));
    for (int c = (int)threadIdx.x; c < p.size; c += LANES) {
        const float dy = dq[c];
        dq[c] = (1 - lambda) * dy + slope * p.state[c];
        dcu[c] = lambda * dy + slope * p.context[c];
    }
}

void cuda_gate_backward(struct device *device, const struct gate_backward_args *args)
{
    const int all = args->heads * args->head_dim;
    /* One gate for all heads is the gate of a single head that spans them. */
    const int parts = args->scope == GATE_HEAD ? args->heads : 1;
    if (!device_ready(device) || args->rows <= 0 || all <= 0)
        return;
    const struct gate_back_params params = {tensor_floats(args->dq),
                                            tensor_floats(args->dcu),
                                            tensor_floats(args->q),
                                            tensor_floats(args->cu),
                                            tensor_floats(args->state),
                                            tensor_floats(args->context),
                                            tensor_floats(args->bias),
                                            args->lddq,
                                            args->ldq,
                                            all / parts,
                                            args->scope == GATE_NONE,
                                            args->relevance};
    START(device, gate_back_kernel, dim3((unsigned)args->rows, (unsigned)parts), LANES, params);
}

/* Heads that are mixed: a warp for each row ---------------------------------------------------- */

struct mix_back_params {
    float *dout, *ds, *dgains; // dgains: NULL for absent
    const float *dy, *o, *s;
    const float *gains;     // NULL for absent
    const int32_t *variant; // NULL for absent
    float scale;
    int heads, size;
    bool relevance;
};

/* Values that the heads of a row share. */
struct mixture {
    const float *o, *s, *dy, *gains;
    float highest, total, mean; // of s_h; Σ gain exp(s_h - highest); Σ G c
    bool any;                   // at least one head is on
};

static __device__ __forceinline__ float gain_of(const struct mixture &mixture, int h)
{
    return mixture.gains ? mixture.gains[h] : 1;
}

static __device__ __forceinline__ float weight_of(const struct mix_back_params &p,
                                                  const struct mixture &mixture, int h)
{
    return p.scale * warp_dot(mixture.o + (size_t)h * p.size, mixture.s, p.size);
}

/* Only heads that are on count for the greatest exponent and the sums. */
static __device__ __forceinline__ struct mixture mixture_of(const struct mix_back_params &p, int m)
{
    const size_t row = (size_t)m, variant = p.variant ? (size_t)p.variant[m] : 0;
    struct mixture mixture = {p.o + row * p.heads * p.size,
                              p.s + row * p.size,
                              p.dy + row * p.size,
                              p.gains ? p.gains + variant * p.heads : nullptr,
                              -INFINITY,
                              0,
                              0,
                              false};
    for (int h = 0; h < p.heads; h++)
        if (gain_of(mixture, h) != 0)
            mixture.highest = fmaxf(mixture.highest, weight_of(p, mixture, h));
    for (int h = 0; h < p.heads; h++) {
        if (gain_of(mixture, h) == 0)
            continue;
        const float share = gain_of(mixture, h) * expf(weight_of(p, mixture, h) - mixture.highest);
        mixture.any = true;
        mixture.total += share;
        mixture.mean += share * warp_dot(mixture.dy, mixture.o + (size_t)h * p.size, p.size);
    }
    if (mixture.any)
        mixture.mean /= mixture.total;
    return mixture;
}

static __global__ void __launch_bounds__(LANES) mix_back_kernel(struct mix_back_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x, lane = (int)threadIdx.x;
    const struct mixture mixture = mixture_of(p, m);
    float *const ds = p.ds + (size_t)m * p.size;
    for (int c = lane; c < p.size; c += LANES)
        ds[c] = 0;
    for (int h = 0; h < p.heads; h++) {
        const size_t at = (size_t)m * p.heads + h;
        const float *const o = mixture.o + (size_t)h * p.size;
        const float share =
            mixture.any ? expf(weight_of(p, mixture, h) - mixture.highest) / mixture.total : 0;
        const float away = warp_dot(mixture.dy, o, p.size) - mixture.mean;
        const float whole = gain_of(mixture, h) * share;
        const float slope = p.relevance || !mixture.any ? 0 : whole * away * p.scale;
        const bool on = mixture.any && gain_of(mixture, h) != 0;
        if (p.dgains && lane == 0)
            p.dgains[at] = mixture.any ? share * away : 0;
        for (int c = lane; c < p.size; c += LANES) {
            p.dout[at * p.size + c] = on ? whole * mixture.dy[c] + slope * mixture.s[c] : 0;
            if (on)
                ds[c] += slope * o[c];
        }
    }
}

void cuda_mix_backward(struct device *device, const struct mix_backward_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct mix_back_params params = {tensor_floats(args->dout),
                                           tensor_floats(args->ds),
                                           tensor_floats(args->dgains),
                                           tensor_floats(args->dy),
                                           tensor_floats(args->o),
                                           tensor_floats(args->s),
                                           tensor_floats(args->gains),
                                           tensor_ints(args->variant),
                                           args->scale,
                                           args->heads,
                                           args->head_dim,
                                           args->relevance};
    START(device, mix_back_kernel, args->rows, LANES, params);
}
