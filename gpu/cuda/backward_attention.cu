/* Derivatives of attention, by two kernels that take turns over parts of heads and rows. The first
 * has a warp for each row of a head: it computes the weights again, and the derivatives by weights,
 * gain and query. Weights (with the gain) and the derivatives by energies stay in scratch memory, a
 * column for each row of k and v. The second has a warp for each of these columns: it sums the
 * derivatives by a key and its value over the rows, in their order. */
#include "gpu/cuda/attention.cuh"
#include "gpu/cuda/entmax.cuh"
#include "gpu/cuda/ops.cuh"

struct attention_back_params {
    struct attention_params forward; // its weights are a'
    const float *dout;
    float *dq, *dk, *dv, *dgains; // dq, dk, dgains: NULL for absent
    float *weights, *energies;    // scratch: (heads, rows, keys)
    int row, rows, keys;          // rows of this part, from `row` on; rows of k and v
    bool relevance;
};

/* The share of a product's relevance that each factor gets. */
static __device__ __forceinline__ float half_of(const struct attention_back_params &p,
                                                const struct task &task)
{
    return p.relevance && is_learned(task) ? 0.5f : 1;
}

static __device__ __forceinline__ size_t scratch_row(const struct attention_back_params &p)
{
    return ((size_t)blockIdx.y * p.rows + blockIdx.x) * p.keys;
}

/* Of energies, the highest of which is given, the weights. A lane has the same keys in every
 * loop. */
static __device__ __forceinline__ void weigh_softmax(const struct task &task, float highest,
                                                     float *weights)
{
    float total = 0;
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES) {
        const int row = key_row(task, j);
        weights[row] = expf(weights[row] - reference(highest));
        total += weights[row];
    }
    total = warp_sum(total);
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES)
        weights[key_row(task, j)] /= total;
}

static __device__ __forceinline__ void weigh_entmax(const struct task &task, float highest,
                                                    float *weights)
{
    struct entmax_row row = entmax_row_of(task.head.entmax, highest);
    entmax_solve(&row, [&](const struct entmax_row &now, float *slope) {
        float total = 0, slopes = 0, own;
        for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES) {
            total += entmax_power(now, weights[key_row(task, j)], &own);
            slopes += own;
        }
        *slope = warp_sum(slopes);
        return warp_sum(total);
    });
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES)
        weights[key_row(task, j)] = entmax_weight(row, weights[key_row(task, j)]);
}

/* The weights of a learned head's keys. */
template <class T>
static __device__ __forceinline__ void weigh_learned(const struct attention_params &p,
                                                     const struct task &task, float *weights)
{
    float highest = -INFINITY;
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES) {
        const int row = key_row(task, j);
        weights[row] =
            p.cap > 0 ? score<false, T, true>(p, task, j, row) : score<false, T>(p, task, j, row);
        highest = fmaxf(highest, weights[row]);
    }
    highest = warp_max(highest);
    if (task.head.entmax > 0)
        weigh_entmax(task, highest, weights);
    else
        weigh_softmax(task, highest, weights);
}

/* energies: becomes o'·v_j of every key. Returns Σ a_j o'·v_j, the derivative of the gain. */
template <class T>
static __device__ __forceinline__ float value_dots(const struct attention_back_params &p,
                                                   const struct task &task, const float *weights,
                                                   float *energies)
{
    const float *const dout =
        p.dout + (size_t)task.m * p.forward.heads * p.forward.head_dim + task.v_column;
    float sum = 0;
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES) {
        const int row = key_row(task, j);
        const T *const value = (const T *)p.forward.v + (size_t)row * p.forward.ldv + task.v_column;
        energies[row] = dot<false>(0, dout, value, p.forward.head_dim);
        sum += weights[row] * energies[row];
    }
    return warp_sum(sum);
}

/* True if the head gives key j a weight. */
static __device__ __forceinline__ bool reaches(const struct attention_params &p,
                                               const struct task &task, int j)
{
    if (j < task.span.begin || j >= task.span.end)
        return false;
    if (is_learned(task) || task.head.unit != UNIT_WORD)
        return true;
    const int words = p.word[key_row(task, task.n - 1)] + 1, word = p.word[key_row(task, j)];
    const struct span span = pattern_span(task.head.pattern, task.i, words);
    return word >= span.begin && word < span.end;
}

/* What the derivative by an energy has for its key's weight: that of softmax; of entmax a power. */
static __device__ __forceinline__ float energy_slope(const struct task &task, float weight)
{
    if (!(task.head.entmax > 0))
        return weight;
    return weight <= 0 ? 0 : powf(weight, 1 - task.head.entmax);
}

/* The mean of a' by these slopes, where it is not Σ a a', which is given. */
static __device__ __forceinline__ float mean_by_slopes(const struct task &task, float given,
                                                       float share, const float *weights,
                                                       const float *energies)
{
    float total = 0, sum = 0;
    if (!is_learned(task) || !(task.head.entmax > 0))
        return given;
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES) {
        const int row = key_row(task, j);
        const float slope = energy_slope(task, weights[row]);
        total += slope;
        sum += slope * share * energies[row];
    }
    return warp_sum(sum) / warp_sum(total);
}

/* The slope of the cap at the energy of key j; 1: there is no cap. */
template <class T>
static __device__ __forceinline__ float cap_slope_of(const struct attention_back_params &p,
                                                     const struct task &task, int j, int row)
{
    return p.forward.cap > 0
               ? cap_slope(score<false, T>(p.forward, task, j, row), p.forward.cap, p.relevance)
               : 1;
}

/* Stores a' where it is wanted. From o'·v_j energies become scale e', and weights the shares of o'
 * that go to values. products: Σ a o'·v. */
template <class T>
static __device__ __forceinline__ void turn_back(const struct attention_back_params &p,
                                                 const struct task &task, float products,
                                                 float *weights, float *energies)
{
    const float share = task.gain * half_of(p, task);
    const float mean = mean_by_slopes(task, share * products, share, weights, energies);
    const bool moves = is_learned(task) && task.gain != 0;
    for (int j = (int)threadIdx.x; task.stored && j < p.forward.ldweights; j += LANES)
        task.stored[j] = reaches(p.forward, task, j) ? share * energies[key_row(task, j)] : 0;
    __syncwarp(ALL_LANES);
    for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES) {
        const int row = key_row(task, j);
        const float away = share * energies[row] - mean;
        energies[row] = moves ? p.forward.scale * half_of(p, task) *
                                    (away * energy_slope(task, weights[row])) *
                                    cap_slope_of<T>(p, task, j, row)
                              : 0;
        weights[row] *= share;
    }
}

template <class T>
static __device__ __forceinline__ void query_back(const struct attention_back_params &p,
                                                  const struct task &task, const float *energies)
{
    const size_t at = (size_t)task.m * p.forward.ldq + task.k_column;
    for (int c = (int)threadIdx.x; c < p.forward.head_dim; c += LANES) {
        float sum = 0;
        for (int j = task.span.begin; is_learned(task) && j < task.span.end; j++) {
            const size_t row = (size_t)key_row(task, j);
            sum += energies[row] *
                   wide(((const T *)p.forward.k)[row * p.forward.ldk + task.k_column + c]);
        }
        p.dq[at + c] = sum;
    }
}

/* blockIdx: x rows of the part, y heads. */
template <class T>
static __global__ void __launch_bounds__(LANES)
    attention_rows_kernel(struct attention_back_params p)
{
    grid_wait();
    const struct task task = task_of(p.forward, p.row + (int)blockIdx.x, (int)blockIdx.y);
    float *const weights = p.weights + scratch_row(p), *const energies =
                                                           p.energies + scratch_row(p);
    for (int row = (int)threadIdx.x; row < p.keys; row += LANES)
        weights[row] = energies[row] = 0;
    __syncwarp(ALL_LANES);
    if (is_learned(task))
        weigh_learned<T>(p.forward, task, weights);
    else
        for (int j = task.span.begin + (int)threadIdx.x; j < task.span.end; j += LANES)
            weights[key_row(task, j)] = fixed_weight(p.forward, task, j);
    const float slope = value_dots<T>(p, task, weights, energies);
    if (p.dgains && threadIdx.x == 0)
        p.dgains[(size_t)task.m * p.forward.heads + task.h] = slope;
    __syncwarp(ALL_LANES);
    turn_back<T>(p, task, slope, weights, energies);
    __syncwarp(ALL_LANES);
    if (p.forward.learned[blockIdx.y] >= 0)
        query_back<T>(p, task, energies);
}

/* y[c] (+)= Σ_m scratch[m][key] x[m][c] of a head's columns. */
static __device__ __forceinline__ void add_rows(const struct attention_back_params &p,
                                                const float *scratch, float *y, const float *x,
                                                size_t ldx)
{
    for (int c = (int)threadIdx.x; c < p.forward.head_dim; c += LANES) {
        float sum = p.row ? y[c] : 0;
        for (int m = 0; m < p.rows; m++)
            sum += scratch[(size_t)m * p.keys] * x[(size_t)m * ldx + c];
        y[c] = sum;
    }
}

/* blockIdx: x rows of k and v, y heads. */
static __global__ void __launch_bounds__(LANES)
    attention_keys_kernel(struct attention_back_params p)
{
    grid_wait();
    const struct attention_params &forward = p.forward;
    const size_t key = blockIdx.x, at = (size_t)blockIdx.y * p.rows * p.keys + key;
    const int size = forward.head_dim, h = forward.first + (int)blockIdx.y;
    const int place = forward.learned[blockIdx.y];
    const size_t columns = (size_t)forward.heads * size;
    add_rows(p, p.weights + at, p.dv + key * forward.ldv + (size_t)h * size,
             p.dout + (size_t)p.row * columns + (size_t)h * size, columns);
    if (place >= 0)
        add_rows(p, p.energies + at, p.dk + key * forward.ldk + (size_t)place * size,
                 forward.q + (size_t)p.row * forward.ldq + (size_t)place * size, forward.ldq);
}

/* Starting it -----------------------------------------------------------------------------------*/

static void start_heads(struct device *device, struct attention_back_params *params, int heads,
                        bool narrow)
{
    const int all = params->forward.rows;
    const size_t fit = SCRATCH_BYTES / (2 * sizeof(float)) / ((size_t)heads * params->keys);
    const int most = fit < (size_t)all ? (int)fit : all;
    for (params->row = 0; params->row < all; params->row += most) {
        params->rows = min(most, all - params->row);
        params->energies = params->weights + (size_t)heads * params->rows * params->keys;
        const dim3 rows((unsigned)params->rows, (unsigned)heads);
        if (narrow)
            START(device, attention_rows_kernel<__nv_bfloat16>, rows, LANES, *params);
        else
            START(device, attention_rows_kernel<float>, rows, LANES, *params);
        START(device, attention_keys_kernel, dim3((unsigned)params->keys, (unsigned)heads), LANES,
              *params);
    }
}

/* Heads that go together: as many as have all their rows in scratch memory, at least one. */
static int heads_together(const struct attention_back_params &params)
{
    const size_t one = (size_t)params.forward.rows * params.keys * 2 * sizeof(float);
    const size_t fit = SCRATCH_BYTES / one;
    return fit < 1 ? 1 : fit < HEADS_MOST ? (int)fit : (int)HEADS_MOST;
}

void cuda_attention_backward(struct device *device, const struct attention_backward_args *args)
{
    struct attention_back_params params = {};
    const bool narrow = args->forward.cached && device_narrows_caches(device);
    if (!device_ready(device) || args->forward.rows.rows <= 0 || args->key_rows <= 0)
        return;
    params.forward = attention_params_of(&args->forward);
    params.forward.weights = tensor_floats(args->dweights);
    params.dout = tensor_floats(args->dout);
    params.dq = tensor_floats(args->dq);
    params.dk = tensor_floats(args->dk);
    params.dv = tensor_floats(args->dv);
    params.dgains = tensor_floats(args->dgains);
    params.weights = (float *)device->scratch;
    params.keys = args->key_rows;
    params.relevance = args->relevance;
    const int most = heads_together(params), all = args->forward.heads;
    if ((size_t)params.keys * 2 * sizeof(float) > SCRATCH_BYTES) {
        device_fail(device, STATUS_MEMORY, "derivatives by %d keys are too many", params.keys);
        return;
    }
    for (params.forward.first = 0; params.forward.first < all; params.forward.first += most) {
        const int heads = min(most, all - params.forward.first);
        attention_places(&args->forward, heads, &params.forward);
        start_heads(device, &params, heads, narrow);
    }
}
