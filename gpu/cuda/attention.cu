/* Attention: one kernel for a module. A warp computes one head of one row: scores, mask or pattern,
 * softmax, the weights if they are stored, the weighted sum of values, and the gain.
 *
 * Keys are processed in tiles, one key for each lane. A lane scores its own key; then the lanes
 * divide the columns of the values, and exchange their weights and places. The softmax is updated
 * along the way: whenever a tile has a higher score, the sums so far are scaled down. So any number
 * of keys needs the same few registers, and nothing is kept in memory. Weights that are stored are
 * computed a second time, once their sum is known. A head's weights are zero outside one span of
 * its keys; nothing outside the span is read. */
#include "gpu/cuda/attention.cuh"

#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"

/* The ways to read keys: one element at a time, four, or four side by side by way of shared
 * memory. */
enum access { ELEMENTS, VECTORS, STAGED };

/* A warp brings COLUMNS columns of a tile of keys into shared memory at a time, in rows of STRIDE
 * floats: SHARE threads read the columns of a key side by side. Lanes that read four columns of
 * adjacent rows meet in no bank. */
enum { COLUMNS = 32, STRIDE = COLUMNS + 4, SHARE = COLUMNS / 4 };

/* Keys that the warp reads at a time, and how many a thread fetches before it stores the first. */
enum { KEYS_READ = LANES / SHARE, KEYS_FETCHED = 4 };

typedef vector<float, 4> quad;

/* Loads `COLUMNS` columns of a tile of keys, beginning at `from`, into shared memory, from the
 * lanes' rows, which are all keys. left: number of remaining columns. Unneeded keys are read too if
 * their neighbours are needed, so that no branch separates the loads. */
template <class T>
static __device__ __forceinline__ void stage_keys(const T *from, int ld, int left, int row,
                                                  unsigned wanted, quad *keys)
{
    enum { STEP = KEYS_READ * KEYS_FETCHED };
    const int lane = (int)threadIdx.x % LANES, column = lane % SHARE * 4;
#pragma unroll
    for (int first = 0; first < LANES; first += STEP) {
        vector<T, 4> x[KEYS_FETCHED];
        if (!(wanted >> first & ((1u << STEP) - 1)))
            continue;
#pragma unroll
        for (int i = 0; i < KEYS_FETCHED; i++) {
            const int key = first + i * KEYS_READ + lane / SHARE;
            x[i] = *(const vector<T, 4> *)(from + min(column, left - 4) +
                                           (size_t)__shfl_sync(ALL_LANES, row, key) * ld);
        }
#pragma unroll
        for (int i = 0; i < KEYS_FETCHED; i++)
            keys[((first + i * KEYS_READ + lane / SHARE) * STRIDE + column) / 4] = widened(x[i]);
    }
}

/* Returns the score of this lane's key, at `row`, if it is live; keys: the warp's. */
template <class T>
static __device__ __forceinline__ float score_staged(const struct attention_params &p,
                                                     const struct task &task, int j, int row,
                                                     bool live, quad *keys)
{
    const int lane = (int)threadIdx.x % LANES;
    const unsigned wanted = __ballot_sync(ALL_LANES, live);
    float product = 0;
    for (int c = 0; c < p.head_dim; c += COLUMNS) {
        __syncwarp(ALL_LANES); // the keys there have been used
        stage_keys((const T *)p.k + task.k_column + c, p.ldk, p.head_dim - c, row, wanted, keys);
        __syncwarp(ALL_LANES);
        if (live)
            product = dot<true>(product, task.q + c, keys[lane * STRIDE / 4].element,
                                min(p.head_dim - c, (int)COLUMNS));
    }
    return energy_of(p, task, j, product);
}

/* The weighted sum of a learned head, before it is divided by *total; *highest is the highest
 * score. */
template <int CHANNELS, enum access ACCESS, class T, bool CAPPED>
static __device__ __forceinline__ void sum_learned(const struct attention_params &p,
                                                   const struct task &task, int first, quad *keys,
                                                   float *sum, float *highest, float *total)
{
    *highest = -INFINITY;
    *total = 0;
    for (int tile = tile_of(task.span.begin); tile < task.span.end; tile += LANES) {
        const int j = tile + (int)threadIdx.x % LANES;
        const bool live = j >= task.span.begin && j < task.span.end;
        const int row = key_row(task, max(task.span.begin, min(j, task.span.end - 1)));
        float energy;
        if constexpr (ACCESS == STAGED)
            energy = score_staged<T>(p, task, j, row, live, keys);
        else
            energy = live ? score<ACCESS == VECTORS, T, CAPPED>(p, task, j, row) : 0;
        energy = live ? energy : -INFINITY;
        const float weight = take_tile<CHANNELS>(energy, live, sum, highest, total);
        add_values<CHANNELS, T>(p, task, first, weight, row, __ballot_sync(ALL_LANES, live), sum);
    }
    *total = warp_sum(*total);
}

/* Attention in blocks of up to BLOCK threads. blockIdx: x rows, a warp each; y heads; z parts of a
 * head's columns, CHANNELS a lane. Adjacent rows often have the same keys, so that those of a block
 * are of one head. */
template <int BLOCK, int CHANNELS, enum access ACCESS, class T, bool CAPPED>
static __global__ void __launch_bounds__(BLOCK, 512 / BLOCK)
    attention_kernel(struct attention_params p)
{
    grid_wait();
    enum { WARPS = BLOCK / LANES, KEYS = LANES * STRIDE / 4, KEPT = ACCESS == STAGED ? KEYS : 1 };
    SHARED(quad, keys, WARPS * KEPT);
    const int warp = (int)threadIdx.x / LANES;
    const int m = (int)blockIdx.x * ((int)blockDim.x / LANES) + warp;
    const int first = (int)blockIdx.z * CHANNELS * LANES + (int)threadIdx.x % LANES;
    if (m >= p.rows)
        return;
    const struct task task = task_of(p, m, (int)blockIdx.y);
    float highest = -INFINITY, total = 1, sum[CHANNELS] = {0};
    if (task.gain != 0 || task.stored) {
        if (is_learned(task))
            sum_learned<CHANNELS, ACCESS, T, CAPPED>(p, task, first, keys + warp * KEPT, sum,
                                                     &highest, &total);
        else
            sum_fixed<CHANNELS, T>(p, task, first, sum);
    }
    store_output<CHANNELS>(p, task, first, sum, total);
    if (task.stored && blockIdx.z == 0)
        store_weights<ACCESS != ELEMENTS, T, CAPPED>(p, task, highest, total);
}

/* Starting it -----------------------------------------------------------------------------------*/

template <int CHANNELS, enum access ACCESS, class T, bool CAPPED = false>
static void start_heads(struct device *device, const struct attention_params &params, int heads)
{
    enum { BLOCK = block_size(128), FEW = 64 };
    const unsigned parts = (unsigned)quotient_up(params.head_dim, CHANNELS * LANES);
    const int rows = params.rows;
    if (rows <= FEW) { // many small blocks, so that every multiprocessor has some
        const dim3 grid((unsigned)rows, (unsigned)heads, parts);
        START(device, (attention_kernel<BLOCK, CHANNELS, ACCESS, T, CAPPED>), grid, LANES, params);
    } else {
        const dim3 grid((unsigned)quotient_up(rows, BLOCK / LANES), (unsigned)heads, parts);
        START(device, (attention_kernel<BLOCK, CHANNELS, ACCESS, T, CAPPED>), grid, BLOCK, params);
    }
}

template <enum access ACCESS, class T>
static void start_channels(struct device *device, const struct attention_params &params, int heads)
{
    if (params.head_dim <= LANES)
        start_heads<1, ACCESS, T>(device, params, heads);
    else if (params.head_dim <= 2 * LANES)
        start_heads<2, ACCESS, T>(device, params, heads);
    else
        start_heads<4, ACCESS, T>(device, params, heads);
}

template <class T>
static void start_type(struct device *device, const struct attention_params &params, int heads,
                       bool vector)
{
    if (params.cap > 0 && vector) // one size of kernel for all
        start_heads<4, VECTORS, T, true>(device, params, heads);
    else if (params.cap > 0)
        start_heads<4, ELEMENTS, T, true>(device, params, heads);
    else if (vector && device->shortcuts[SHORTCUT_STAGED_KEYS])
        start_channels<STAGED, T>(device, params, heads);
    else if (vector)
        start_channels<VECTORS, T>(device, params, heads);
    else
        start_channels<ELEMENTS, T>(device, params, heads);
}

static bool is_aligned(const void *pointer, int ld, size_t element)
{
    return ld % 4 == 0 && (uintptr_t)pointer % (4 * element) == 0;
}

/* True if queries, keys and values are read four elements at a time. */
static bool is_vector(const struct attention_params &params, size_t element)
{
    return params.head_dim % 4 == 0 && is_aligned(params.q, params.ldq, sizeof(float)) &&
           is_aligned(params.k, params.ldk, element) && is_aligned(params.v, params.ldv, element);
}

struct attention_params attention_params_of(const struct attention_args *args)
{
    struct attention_params p = {};
    const bool paths = args->keys == KEYS_PATH;
    p.o = tensor_floats(args->o);
    p.q = tensor_floats(args->q);
    p.k = tensor_bytes(args->k);
    p.v = tensor_bytes(args->v);
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
    p.cap = args->cap;
    p.scale = args->scale != 0 ? args->scale : (float)(1 / sqrt(args->head_dim));
    return p;
}

void attention_places(const struct attention_args *args, int heads, struct attention_params *params)
{
    for (int h = 0; h < heads; h++) {
        const int all = params->first + h;
        params->learned[h] = (int16_t)args->learned[all];
        params->captured[h] = (int16_t)(params->weights ? args->captured[all] : -1);
    }
}

/* Rows that mostly have the same keys: those of a group of the scope, which are the hypotheses of a
 * sentence, or else all, sentence by sentence. 0: no rows do, no head has keys, or energies have a
 * cap, which the kernel for such rows does not support. */
static int group_of(const struct device *device, const struct attention_args *args)
{
    if (!device->shortcuts[SHORTCUT_SHARED_KEYS] || args->keys != KEYS_RANGE || !args->k.buffer ||
        args->cap > 0)
        return 0;
    return device->group > 0 ? device->group : args->rows.rows;
}

void cuda_attention(struct device *device, const struct attention_args *args)
{
    struct attention_params params = attention_params_of(args);
    if (!device_ready(device) || params.rows <= 0)
        return;
    const int columns = args->heads * args->head_dim, group = group_of(device, args);
    const bool narrow = args->cached && device_narrows_caches(device);
    const bool vector = is_vector(params, narrow ? sizeof(__nv_bfloat16) : sizeof(float));
    params.twin = late_twin_make(device, params.o, columns, params.rows, columns);
    for (; params.first < args->heads; params.first += HEADS_MOST) {
        const int left = args->heads - params.first, heads = left < HEADS_MOST ? left : HEADS_MOST;
        attention_places(args, heads, &params);
        if (group)
            shared_attention_start(device, params, heads, group, vector, narrow);
        else if (narrow)
            start_type<__nv_bfloat16>(device, params, heads, vector);
        else
            start_type<float>(device, params, heads, vector);
        if (args->entmax)
            entmax_start(device, params, heads, vector, narrow);
    }
}
