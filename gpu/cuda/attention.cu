/* Attention: one kernel for a module. A warp computes one head of one row: scores, mask or pattern,
 * softmax, the weights where they are stored, the weighted sum of values, and the gain.
 *
 * Keys come in tiles of one a lane. A lane scores its own key; then the lanes share out the columns of the
 * values, and take each other's weights and places. The softmax goes along: whenever a tile has a higher
 * score, what there is so far is scaled down. So any number of keys needs the same few registers, and
 * nothing is kept in memory. Weights that are stored are computed a second time, when their sum is known.
 * A head's weights are zero outside of one span of its keys; nothing outside of the span is read. */
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"
#include "gpu/cuda/patterns.cuh"

/* Heads of one launch, as their places travel in the kernel's parameters; modules with more take several
 * launches. */
enum { HEADS_MOST = 256 };

struct attention_params {
    float *o;
    __nv_bfloat16 *twin; // of o, too; NULL: none
    const float *q, *k, *v;
    int ldq, ldk, ldv, heads, head_dim, rows;
    const int32_t *lane, *pos, *path; // KEYS_PATH; lane NULL: KEYS_RANGE
    int positions;
    const int32_t *begin, *end; // KEYS_RANGE
    const int32_t *position;
    const struct head *table;
    const float *gains;     // NULL for absent
    const int32_t *variant; // NULL for absent
    const int32_t *word, *row_word;
    float *weights; // NULL for absent
    int ldweights;
    float scale;
    const float *bias; // (heads, 2*distance + 1), NULL for absent
    int distance;
    int first; // head of blockIdx.y 0
    int16_t learned[HEADS_MOST], captured[HEADS_MOST];
};

/* One head of one row. */
struct task {
    int m, h;
    struct head head;
    int n, i;            // keys; the row's own position, or word
    const int32_t *path; // key j is row path[j] of k, v and word; NULL: row first + j
    int first;
    struct span span; // of the keys; words: all
    const float *q, *k, *v;
    const float *bias; // of distance 0; NULL
    float *stored;     // NULL
    float gain;
};

static __device__ __forceinline__ int key_row(const struct task &task, int j)
{
    return task.path ? task.path[j] : task.first + j;
}

static __device__ __forceinline__ void take_keys(const struct attention_params &p,
                                                 struct task *task)
{
    const int m = task->m;
    if (p.lane) {
        const int lane = p.lane[m];
        task->n = lane < 0 ? 0 : p.pos[m] + 1;
        task->path = p.path + (lane < 0 ? 0 : (size_t)lane * p.positions);
        task->first = 0;
    } else {
        task->first = p.begin[m];
        task->n = max(p.end[m] - task->first, 0);
        task->path = nullptr;
    }
}

static __device__ __forceinline__ struct task task_of(const struct attention_params &p, int m,
                                                      int place)
{
    struct task task;
    const int h = p.first + place;
    const size_t line = (p.variant ? (size_t)p.variant[m] : 0) * p.heads + h;
    task.m = m;
    task.h = h;
    task.head = p.table[line];
    task.gain = p.gains ? p.gains[line] : 1;
    take_keys(p, &task);
    const bool learned = task.head.energy == ENERGY_LEARNED;
    const bool words = !learned && task.head.unit == UNIT_WORD;
    task.i = words ? p.row_word[m] : p.position[m];
    task.span = learned ? mask_span(&task.head, task.i, task.n)
                : words ? span_within(0, task.n, task.n)
                        : pattern_span(task.head.pattern, task.i, task.n);
    const size_t column = (size_t)p.learned[place] * p.head_dim;
    task.q = learned ? p.q + (size_t)m * p.ldq + column : nullptr;
    task.k = learned ? p.k + column : nullptr;
    task.v = p.v + (size_t)h * p.head_dim;
    task.bias = p.bias ? p.bias + h * (2 * (size_t)p.distance + 1) + p.distance : nullptr;
    task.stored = nullptr;
    if (p.weights && p.captured[place] >= 0)
        task.stored = p.weights + ((size_t)p.captured[place] * p.rows + m) * p.ldweights;
    return task;
}

/* Scores ----------------------------------------------------------------------------------------*/

template <bool VECTOR>
static __device__ __forceinline__ float dot(const float *a, const float *b, int size)
{
    float sum = 0;
    if constexpr (VECTOR) {
#pragma unroll 4
        for (int c = 0; c < size; c += 4) {
            const float4 x = *(const float4 *)(a + c), y = *(const float4 *)(b + c);
            sum += x.x * y.x + x.y * y.y + (x.z * y.z + x.w * y.w);
        }
    } else {
        for (int c = 0; c < size; c++)
            sum += a[c] * b[c];
    }
    return sum;
}

template <bool VECTOR>
static __device__ __forceinline__ float score(const struct attention_params &p,
                                              const struct task &task, int j, int row)
{
    const float energy = p.scale * dot<VECTOR>(task.q, task.k + (size_t)row * p.ldk, p.head_dim);
    if (!task.bias)
        return energy;
    return energy + task.bias[max(-p.distance, min(j - task.i, p.distance))];
}

/* What exponents are taken from: the highest score, but a number where there is none. */
static __device__ __forceinline__ float reference(float highest)
{
    return highest == -INFINITY ? 0 : highest;
}

/* Patterns --------------------------------------------------------------------------------------*/

/* A word's weight is shared equally by its tokens among the row's keys, which are side by side. */
static __device__ float word_weight(const struct attention_params &p, const struct task &task,
                                    int j)
{
    const int words = p.word[key_row(task, task.n - 1)] + 1, here = p.word[key_row(task, j)];
    const struct cubic cubic = cubic_of(task.head.pattern, task.i, words);
    int begin = j, end = j + 1;
    if (here < cubic.span.begin || here >= cubic.span.end)
        return 0;
    while (begin > 0 && p.word[key_row(task, begin - 1)] == here)
        begin--;
    while (end < task.n && p.word[key_row(task, end)] == here)
        end++;
    return (float)(cubic_weight(&cubic, here) / (end - begin));
}

/* Of a key in the span. */
static __device__ __forceinline__ float fixed_weight(const struct attention_params &p,
                                                     const struct task &task, int j)
{
    if (task.head.unit == UNIT_WORD)
        return word_weight(p, task, j);
    const struct cubic cubic = cubic_of(task.head.pattern, task.i, task.n);
    return (float)cubic_weight(&cubic, j);
}

/* Sums ------------------------------------------------------------------------------------------*/

/* Keys whose values are fetched before the first is used. */
enum { AHEAD = 8 };

/* sum += the values of the key that lane t has, times its weight. */
template <int CHANNELS>
static __device__ __forceinline__ void add_value(const struct attention_params &p,
                                                 const struct task &task, int first, float weight,
                                                 int row, int t, float *sum)
{
    const float share = __shfl_sync(ALL_LANES, weight, t);
    const float *values = task.v + (size_t)__shfl_sync(ALL_LANES, row, t) * p.ldv;
#pragma unroll
    for (int i = 0; i < CHANNELS; i++)
        if (first + i * LANES < p.head_dim)
            sum[i] += share * values[first + i * LANES];
}

/* The same of all the keys of a tile that `wanted`, which is the same in all lanes, has a bit for. Whole
 * groups go without a branch, as fetches do not move across one. */
template <int CHANNELS>
static __device__ __forceinline__ void add_values(const struct attention_params &p,
                                                  const struct task &task, int first, float weight,
                                                  int row, unsigned wanted, float *sum)
{
    const unsigned group = (1u << AHEAD) - 1;
    for (int t = 0; t < LANES; t += AHEAD) {
        if ((wanted >> t & group) == group) {
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                add_value<CHANNELS>(p, task, first, weight, row, t + u, sum);
            continue;
        }
#pragma unroll 1
        for (int u = t; u < t + AHEAD; u++)
            if (wanted >> u & 1)
                add_value<CHANNELS>(p, task, first, weight, row, u, sum);
    }
}

/* The weighted sum of a fixed head. */
template <int CHANNELS>
static __device__ __forceinline__ void sum_fixed(const struct attention_params &p,
                                                 const struct task &task, int first, float *sum)
{
    for (int tile = task.span.begin; tile < task.span.end; tile += LANES) {
        const int j = tile + (int)threadIdx.x % LANES;
        const bool live = j < task.span.end;
        const float weight = live ? fixed_weight(p, task, j) : 0;
        const unsigned wanted = __ballot_sync(ALL_LANES, weight != 0);
        add_values<CHANNELS>(p, task, first, weight, live ? key_row(task, j) : 0, wanted, sum);
    }
}

/* That of a learned head, before it is divided by *total; *highest is the highest score. */
template <int CHANNELS, bool VECTOR>
static __device__ __forceinline__ void sum_learned(const struct attention_params &p,
                                                   const struct task &task, int first, float *sum,
                                                   float *highest, float *total)
{
    *highest = -INFINITY;
    *total = 0;
    for (int tile = task.span.begin; tile < task.span.end; tile += LANES) {
        const int j = tile + (int)threadIdx.x % LANES;
        const bool live = j < task.span.end;
        const int row = live ? key_row(task, j) : 0;
        const float energy = live ? score<VECTOR>(p, task, j, row) : -INFINITY;
        const float higher = fmaxf(*highest, warp_max(energy));
        const float less = *highest == -INFINITY ? 0 : expf(*highest - higher);
        const float weight = live ? expf(energy - reference(higher)) : 0;
        *total = *total * less + weight;
#pragma unroll
        for (int i = 0; i < CHANNELS; i++)
            sum[i] *= less;
        add_values<CHANNELS>(p, task, first, weight, row, __ballot_sync(ALL_LANES, live), sum);
        *highest = higher;
    }
    *total = warp_sum(*total);
}

/* All columns of a stored row, zeros outside of the span. */
template <bool VECTOR>
static __device__ __forceinline__ void
store_weights(const struct attention_params &p, const struct task &task, float highest, float total)
{
    for (int j = (int)threadIdx.x % LANES; j < p.ldweights; j += LANES) {
        float weight = 0;
        if (j >= task.span.begin && j < task.span.end)
            weight =
                task.head.energy == ENERGY_LEARNED
                    ? expf(score<VECTOR>(p, task, j, key_row(task, j)) - reference(highest)) / total
                    : fixed_weight(p, task, j);
        task.stored[j] = weight;
    }
}

/* blockIdx: x rows, a warp each; y heads; z parts of a head's columns, CHANNELS a lane. Adjacent rows
 * often have the same keys, so that those of a block are of one head. */
template <int BLOCK, int CHANNELS, bool VECTOR>
static __global__ void __launch_bounds__(BLOCK, 512 / BLOCK)
    attention_kernel(struct attention_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x * (BLOCK / LANES) + (int)threadIdx.x / LANES;
    const int first = (int)blockIdx.z * CHANNELS * LANES + (int)threadIdx.x % LANES;
    if (m >= p.rows)
        return;
    const struct task task = task_of(p, m, (int)blockIdx.y);
    const bool learned = task.head.energy == ENERGY_LEARNED;
    float highest = -INFINITY, total = 1, sum[CHANNELS] = {0};
    if (task.gain != 0 || task.stored) {
        if (learned)
            sum_learned<CHANNELS, VECTOR>(p, task, first, sum, &highest, &total);
        else
            sum_fixed<CHANNELS>(p, task, first, sum);
    }
    const size_t place = ((size_t)m * p.heads + task.h) * p.head_dim;
    const bool zero = task.gain == 0 || task.span.begin >= task.span.end;
#pragma unroll
    for (int i = 0; i < CHANNELS; i++)
        if (first + i * LANES < p.head_dim) {
            const float o = zero ? 0 : sum[i] / total * task.gain;
            p.o[place + first + i * LANES] = o;
            if (p.twin)
                p.twin[place + first + i * LANES] = __float2bfloat16_rn(o);
        }
    if (task.stored && blockIdx.z == 0)
        store_weights<VECTOR>(p, task, highest, total);
}

/* Starting it -----------------------------------------------------------------------------------*/

template <int CHANNELS, bool VECTOR>
static void start_heads(struct device *device, const struct attention_params &params, int heads)
{
    enum { BLOCK = block_size(128), FEW = 64 };
    const unsigned parts = (unsigned)quotient_up(params.head_dim, CHANNELS * LANES);
    const int rows = params.rows;
    if (rows <= FEW) { // many small blocks, so that every multiprocessor has some
        const dim3 grid((unsigned)rows, (unsigned)heads, parts);
        START(device, (attention_kernel<LANES, CHANNELS, VECTOR>), grid, LANES, params);
    } else {
        const dim3 grid((unsigned)quotient_up(rows, BLOCK / LANES), (unsigned)heads, parts);
        START(device, (attention_kernel<BLOCK, CHANNELS, VECTOR>), grid, BLOCK, params);
    }
}

template <int CHANNELS>
static void start_channels(struct device *device, const struct attention_params &params, int heads)
{
    const size_t line = 4 * sizeof(float);
    const bool aligned = params.head_dim % 4 == 0 && params.ldq % 4 == 0 && params.ldk % 4 == 0 &&
                         (uintptr_t)params.q % line == 0 && (uintptr_t)params.k % line == 0;
    if (aligned)
        start_heads<CHANNELS, true>(device, params, heads);
    else
        start_heads<CHANNELS, false>(device, params, heads);
}

static struct attention_params attention_params_of(const struct attention_args *args)
{
    struct attention_params p = {};
    const bool paths = args->keys == KEYS_PATH;
    p.o = tensor_floats(args->o);
    p.q = tensor_floats(args->q);
    p.k = tensor_floats(args->k);
    p.v = tensor_floats(args->v);
    p.ldq = args->ldq;
    p.ldk = args->ldk;
    p.ldv = args->ldv;
    p.heads = args->heads;
    p.head_dim = args->head_dim;
    p.rows = args->rows.rows;
    p.lane = paths ? tensor_ints(args->rows.lane) : nullptr;
    p.pos = tensor_ints(args->rows.pos);
    p.path = tensor_ints(args->rows.path);
    p.positions = args->rows.positions;
    p.begin = tensor_ints(args->begin);
    p.end = tensor_ints(args->end);
    p.position = tensor_ints(args->position);
    p.table = (const struct head *)tensor_bytes(args->table);
    p.gains = tensor_floats(args->gains);
    p.variant = tensor_ints(args->variant);
    p.word = tensor_ints(args->word);
    p.row_word = tensor_ints(args->row_word);
    p.bias = tensor_floats(args->bias);
    p.distance = args->distance;
    p.weights = tensor_floats(args->weights);
    p.ldweights = args->ldweights;
    p.scale = args->scale != 0 ? args->scale : (float)(1 / sqrt(args->head_dim));
    return p;
}

void cuda_attention(struct device *device, const struct attention_args *args)
{
    struct attention_params params = attention_params_of(args);
    if (!device_ready(device) || params.rows <= 0)
        return;
    const int columns = args->heads * args->head_dim;
    params.twin = late_twin_make(device, params.o, columns, params.rows, columns);
    for (; params.first < args->heads; params.first += HEADS_MOST) {
        const int left = args->heads - params.first, heads = left < HEADS_MOST ? left : HEADS_MOST;
        for (int h = 0; h < heads; h++) {
            params.learned[h] = (int16_t)args->learned[params.first + h];
            params.captured[h] = (int16_t)(params.weights ? args->captured[params.first + h] : -1);
        }
        if (args->head_dim <= LANES)
            start_channels<1>(device, params, heads);
        else if (args->head_dim <= 2 * LANES)
            start_channels<2>(device, params, heads);
        else
            start_channels<4>(device, params, heads);
    }
}
