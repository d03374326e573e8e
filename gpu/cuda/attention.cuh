/* Shared by the two attention kernels: the scores, softmax and output of one head of one row.
 * attention.cu reads keys and values in place, for any keys; shared_attention.cu loads them into
 * shared memory once for several rows. Both do the same arithmetic in the same order, so they give
 * the same bits.
 *
 * T is the type of keys and values: float, or __nv_bfloat16 for narrow caches. VECTOR: these and
 * queries are read four elements at a time. CHANNELS: output columns computed by a lane, LANES
 * apart. CAPPED: energies have a cap. */
#ifndef ATTNSCOPE_CUDA_ATTENTION_CUH
#define ATTNSCOPE_CUDA_ATTENTION_CUH

#include "gpu/cuda/cap.cuh"
#include "gpu/cuda/device.cuh"
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/patterns.cuh"
#include "gpu/cuda/wide.cuh"

/* Heads of one launch, whose places are passed in the kernel's parameters; modules with more heads
 * take several launches. */
enum { HEADS_MOST = 256 };

struct attention_params {
    float *o;
    __nv_bfloat16 *twin; // copy of o; NULL: none
    const float *q;
    const void *k, *v; // of T
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
    float scale, cap;
    const float *bias; // (heads, 2*distance + 1), NULL for absent
    int distance;
    int first; // head of blockIdx.y 0
    int16_t learned[HEADS_MOST], captured[HEADS_MOST];
};

/* All fields except `first` and the heads' places. */
struct attention_params attention_params_of(const struct attention_args *args);
/* The places of the `heads` heads from params->first on. */
void attention_places(const struct attention_args *args, int heads,
                      struct attention_params *params);

/* For rows of a KEYS_RANGE module in groups with mostly the same keys, `heads` heads each. Only the
 * device knows which rows have the same keys. narrow: T is __nv_bfloat16. */
void shared_attention_start(struct device *device, const struct attention_params &params, int heads,
                            int group, bool vector, bool narrow);

/* For heads with α above 1, after all heads of the same launch. */
void entmax_start(struct device *device, const struct attention_params &params, int heads,
                  bool vector, bool narrow);

/* One head of one row. */
struct task {
    int m, h;
    struct head head;
    int n, i;            // keys; the row's own position, or word
    const int32_t *path; // key j is row path[j] of k, v and word; NULL: row first + j
    int first;
    struct span span;       // of the keys; words: all
    const float *q;         // of a learned head
    int k_column, v_column; // of k and v, where the head begins
    const float *bias;      // of distance 0; NULL
    float *stored;          // NULL
    float gain;
};

static __device__ __forceinline__ bool is_learned(const struct task &task)
{
    return task.head.energy == ENERGY_LEARNED;
}

static __device__ __forceinline__ int key_row(const struct task &task, int j)
{
    return task.path ? task.path[j] : task.first + j;
}

/* The entries of one row in the arrays of the launch, fetched at once. */
struct row_facts {
    int variant, lane, pos, begin, end, position;
};

static __device__ __forceinline__ struct row_facts row_facts_of(const struct attention_params &p,
                                                                int m)
{
    struct row_facts row = {};
    row.position = p.position[m];
    if (p.variant)
        row.variant = p.variant[m];
    if (p.lane) {
        row.lane = p.lane[m];
        row.pos = p.pos[m];
    } else {
        row.begin = p.begin[m];
        row.end = p.end[m];
    }
    return row;
}

static __device__ __forceinline__ void take_keys(const struct attention_params &p,
                                                 const struct row_facts &row, struct task *task)
{
    if (p.lane) {
        task->n = row.lane < 0 ? 0 : row.pos + 1;
        task->path = p.path + (row.lane < 0 ? 0 : (size_t)row.lane * p.positions);
        task->first = 0;
    } else {
        task->first = row.begin;
        task->n = max(row.end - row.begin, 0);
        task->path = nullptr;
    }
}

/* Two loads: the compiler would use one per field. */
static __device__ __forceinline__ struct head head_at(const struct head *table, size_t line)
{
    static_assert(sizeof(struct head) == 16, "two loads of eight bytes");
    const vector<int32_t, 2> *from = (const vector<int32_t, 2> *)(table + line);
    const vector<int32_t, 2> halves[2] = {from[0], from[1]};
    struct head head;
    memcpy(&head, halves, sizeof head);
    return head;
}

/* place: the head's place in this launch. */
static __device__ __forceinline__ struct task task_of(const struct attention_params &p, int m,
                                                      int place)
{
    struct task task;
    const int h = p.first + place;
    const struct row_facts row = row_facts_of(p, m);
    const size_t line = (size_t)row.variant * p.heads + h;
    task.m = m;
    task.h = h;
    task.head = head_at(p.table, line);
    task.gain = p.gains ? p.gains[line] : 1;
    take_keys(p, row, &task);
    const bool learned = is_learned(task), words = !learned && task.head.unit == UNIT_WORD;
    task.i = words ? p.row_word[m] : row.position;
    task.span = learned ? mask_span(&task.head, task.i, task.n)
                : words ? span_within(0, task.n, task.n)
                        : pattern_span(task.head.pattern, task.i, task.n);
    task.k_column = p.learned[place] * p.head_dim;
    task.v_column = h * p.head_dim;
    task.q = learned ? p.q + (size_t)m * p.ldq + task.k_column : nullptr;
    task.bias = p.bias ? p.bias + h * (2 * (size_t)p.distance + 1) + p.distance : nullptr;
    task.stored = nullptr;
    if (p.weights && p.captured[place] >= 0)
        task.stored = p.weights + ((size_t)p.captured[place] * p.rows + m) * p.ldweights;
    return task;
}

/* Scores ----------------------------------------------------------------------------------------*/

/* sum + a·b; a long product may be computed in parts of a multiple of 4 elements. */
template <bool VECTOR, class T>
static __device__ __forceinline__ float dot(float sum, const float *a, const T *b, int size)
{
    if constexpr (VECTOR) {
#pragma unroll 4
        for (int c = 0; c < size; c += 4) {
            const vector<float, 4> x = *(const vector<float, 4> *)(a + c);
            const vector<T, 4> y = *(const vector<T, 4> *)(b + c);
            sum += x.element[0] * wide(y.element[0]) + x.element[1] * wide(y.element[1]) +
                   (x.element[2] * wide(y.element[2]) + x.element[3] * wide(y.element[3]));
        }
    } else {
        for (int c = 0; c < size; c++)
            sum += a[c] * wide(b[c]);
    }
    return sum;
}

static __device__ __forceinline__ float
uncapped_energy(const struct attention_params &p, const struct task &task, int j, float product)
{
    const float energy = p.scale * product;
    if (!task.bias)
        return energy;
    return energy + task.bias[max(-p.distance, min(j - task.i, p.distance))];
}

template <bool CAPPED = false>
static __device__ __forceinline__ float energy_of(const struct attention_params &p,
                                                  const struct task &task, int j, float product)
{
    const float energy = uncapped_energy(p, task, j, product);
    if constexpr (CAPPED)
        return capped(energy, p.cap);
    return energy;
}

template <bool VECTOR, class T, bool CAPPED = false>
static __device__ __forceinline__ float score(const struct attention_params &p,
                                              const struct task &task, int j, int row)
{
    const T *key = (const T *)p.k + (size_t)row * p.ldk + task.k_column;
    return energy_of<CAPPED>(p, task, j, dot<VECTOR>(0, task.q, key, p.head_dim));
}

/* Softmax ---------------------------------------------------------------------------------------*/

/* The value subtracted from exponents: the highest score, or 0 if it is -inf. */
static __device__ __forceinline__ float reference(float highest)
{
    return highest == -INFINITY ? 0 : highest;
}

/* Adds a tile of keys, of which this lane has one if it is live. Returns that key's weight before
 * division by the total, and scales down the sums so far. Tiles begin at multiples of LANES, so
 * that the bits depend only on the keys. */
template <int CHANNELS>
static __device__ __forceinline__ float take_tile(float energy, bool live, float *sum,
                                                  float *highest, float *total)
{
    const float higher = fmaxf(*highest, warp_max(energy));
    const float less = *highest == -INFINITY ? 0 : expf(*highest - higher);
    const float weight = live ? expf(energy - reference(higher)) : 0;
    *total = *total * less + weight;
#pragma unroll
    for (int i = 0; i < CHANNELS; i++)
        sum[i] *= less;
    *highest = higher;
    return weight;
}

static __device__ __forceinline__ int tile_of(int key)
{
    return key / LANES * LANES;
}

/* Patterns --------------------------------------------------------------------------------------*/

/* A word's weight is divided equally among its tokens in the row's keys, which are adjacent. */
static __device__ float word_weight(const struct attention_params &p, const struct task &task,
                                    int j)
{
    const int words = p.word[key_row(task, task.n - 1)] + 1, here = p.word[key_row(task, j)];
    const struct pattern_weights of = weights_of(&task.head, task.i, words);
    int begin = j, end = j + 1;
    if (here < of.span.begin || here >= of.span.end)
        return 0;
    while (begin > 0 && p.word[key_row(task, begin - 1)] == here)
        begin--;
    while (end < task.n && p.word[key_row(task, end)] == here)
        end++;
    return (float)(weight_at(&of, here) / (end - begin));
}

/* The weight of a key in a fixed head's span. */
static __device__ __forceinline__ float fixed_weight(const struct attention_params &p,
                                                     const struct task &task, int j)
{
    if (task.head.unit == UNIT_WORD)
        return word_weight(p, task, j);
    const struct pattern_weights of = weights_of(&task.head, task.i, task.n);
    return (float)weight_at(&of, j);
}

/* Sums ------------------------------------------------------------------------------------------*/

/* How many keys' values are fetched before the first is used: as many as fit into registers. */
template <int CHANNELS> struct ahead {
    enum { keys = CHANNELS <= 2 ? 8 : 4 };
};

/* sum += weight * values for the `ahead` keys of a tile from t on that have a bit in `wanted`,
 * which is the same in all lanes. Lanes t … hold the weights. values(u): the elements of key t + u
 * in the head's `columns`, or those of another key if it is not wanted; all lanes call it. All are
 * fetched, so that no branch separates the loads and memory receives them all at once. */
template <int CHANNELS, class Values>
static __device__ __forceinline__ void add_keys(int first, int columns, float weight,
                                                unsigned wanted, int t, float *sum, Values values)
{
    enum { AHEAD = ahead<CHANNELS>::keys };
    float share[AHEAD], value[AHEAD][CHANNELS];
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
        const auto *const from = values(u);
#pragma unroll
        for (int i = 0; i < CHANNELS; i++)
            value[u][i] = wide(from[min(first + i * LANES, columns - 1)]);
    }
#pragma unroll
    for (int u = 0; u < AHEAD; u++) {
        share[u] = __shfl_sync(ALL_LANES, weight, t + u);
#pragma unroll
        for (int i = 0; i < CHANNELS; i++)
            sum[i] = wanted >> (t + u) & 1 ? sum[i] + share[u] * value[u][i] : sum[i];
    }
}

/* True if one of these keys is wanted. */
template <int CHANNELS> static __device__ __forceinline__ bool are_wanted(unsigned wanted, int t)
{
    return (wanted >> t & ((1u << ahead<CHANNELS>::keys) - 1)) != 0;
}

/* The same for all keys of a tile. row: of each lane's key; a lane without a key has another key of
 * the span. */
template <int CHANNELS, class T>
static __device__ __forceinline__ void add_values(const struct attention_params &p,
                                                  const struct task &task, int first, float weight,
                                                  int row, unsigned wanted, float *sum)
{
    const T *const v = (const T *)p.v + task.v_column;
#pragma unroll 1
    for (int t = 0; t < LANES; t += ahead<CHANNELS>::keys)
        if (are_wanted<CHANNELS>(wanted, t))
            add_keys<CHANNELS>(first, p.head_dim, weight, wanted, t, sum, [=](int u) {
                return v + (size_t)__shfl_sync(ALL_LANES, row, t + u) * p.ldv;
            });
}

/* The weighted sum of a fixed head. */
template <int CHANNELS, class T>
static __device__ __forceinline__ void sum_fixed(const struct attention_params &p,
                                                 const struct task &task, int first, float *sum)
{
    for (int tile = task.span.begin; tile < task.span.end; tile += LANES) {
        const int j = tile + (int)threadIdx.x % LANES;
        const bool live = j < task.span.end;
        const float weight = live ? fixed_weight(p, task, j) : 0;
        const unsigned wanted = __ballot_sync(ALL_LANES, weight != 0);
        const int row = key_row(task, min(j, task.span.end - 1));
        add_values<CHANNELS, T>(p, task, first, weight, row, wanted, sum);
    }
}

/* Output --------------------------------------------------------------------------------------- */

/* All columns of a stored row, zeros outside the span. */
template <bool VECTOR, class T, bool CAPPED = false>
static __device__ __forceinline__ void
store_weights(const struct attention_params &p, const struct task &task, float highest, float total)
{
    for (int j = (int)threadIdx.x % LANES; j < p.ldweights; j += LANES) {
        float weight = 0;
        if (j >= task.span.begin && j < task.span.end)
            weight = is_learned(task)
                         ? expf(score<VECTOR, T, CAPPED>(p, task, j, key_row(task, j)) -
                                reference(highest)) /
                               total
                         : fixed_weight(p, task, j);
        task.stored[j] = weight;
    }
}

/* The output columns from `first` on; total: 1 for a fixed head. */
template <int CHANNELS>
static __device__ __forceinline__ void store_output(const struct attention_params &p,
                                                    const struct task &task, int first,
                                                    const float *sum, float total)
{
    const size_t place = ((size_t)task.m * p.heads + task.h) * p.head_dim;
    const bool zero = task.gain == 0 || task.span.begin >= task.span.end;
#pragma unroll
    for (int i = 0; i < CHANNELS; i++)
        if (first + i * LANES < p.head_dim) {
            const float o = zero ? 0 : sum[i] / total * task.gain;
            p.o[place + first + i * LANES] = o;
            if (p.twin)
                p.twin[place + first + i * LANES] = __float2bfloat16_rn(o);
        }
}

#endif
