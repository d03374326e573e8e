/* Attention of rows with the same keys: the hypotheses of a sentence in cross-attention, the rows
 * of a sentence in the encoder and in a forced pass. A block computes one head for up to ROWS rows,
 * with a warp for each. Its threads load a tile of keys and values into shared memory, once for all
 * the rows; neighbouring threads read neighbouring columns. From there each lane scores its key,
 * and the lanes divide the columns of the values, as in attention.cu.
 *
 * The block itself finds the rows with the same keys: adjacent rows whose keys begin at the same
 * row, in runs that it processes in turn. Masks may still give each row a different span of them.
 * Fixed heads read few values, directly from memory. */
#include "gpu/cuda/attention.cuh"

enum { BLOCK_SHARED = block_size(256), ROWS_SHARED = BLOCK_SHARED / LANES };

/* A tile has COLUMNS columns of keys at a time, in rows of STRIDE floats, so that lanes reading
 * four columns of adjacent rows never use the same bank of shared memory. SHARE threads load a
 * row. */
enum { COLUMNS = 64, STRIDE = COLUMNS + 4, SHARE = 16 };

typedef vector<float, 4> quad;

/* Groups of `group` rows each. A block takes `rows` of them, so that a group has `parts` blocks. */
struct sharing {
    int group, parts, rows;
};

/* The keys that a row needs in shared memory: those in `span`; j = 0 is row `first` of k and v. */
struct wanted {
    int first;
    struct span span; // empty: none
};

static __device__ __forceinline__ bool is_empty(const struct span &span)
{
    return span.begin >= span.end;
}

/* Rows leader … next-1 of the block, whose keys begin at the same row. span: of all of them
 * together. */
struct run {
    int first;
    struct span span;
    int next;
};

static __device__ __forceinline__ struct run run_of(const struct wanted *rows, int count,
                                                    int leader)
{
    struct run run = {rows[leader].first, rows[leader].span, leader + 1};
    if (is_empty(run.span))
        return run;
    for (; run.next < count; run.next++) {
        const struct wanted &row = rows[run.next];
        if (is_empty(row.span))
            continue;
        if (row.first != run.first)
            break;
        run.span.begin = min(run.span.begin, row.span.begin);
        run.span.end = max(run.span.end, row.span.end);
    }
    return run;
}

/* Copies rows × columns elements from `from`, `ld` apart, to rows of `stride` floats. Several are
 * fetched before the first is stored. */
template <bool VECTOR, class T>
static __device__ __forceinline__ void bring(float *to, int stride, const T *from, int ld, int rows,
                                             int columns)
{
    enum { N = VECTOR ? 4 : 1, FETCHED = 4 };
    const int step = (int)blockDim.x / SHARE;
    for (int c = (int)threadIdx.x % SHARE * N; c < columns; c += SHARE * N)
        for (int row = (int)threadIdx.x / SHARE; row < rows; row += FETCHED * step) {
            vector<T, N> x[FETCHED];
#pragma unroll
            for (int u = 0; u < FETCHED; u++)
                if (row + u * step < rows)
                    x[u] = *(const vector<T, N> *)(from + (size_t)(row + u * step) * ld + c);
#pragma unroll
            for (int u = 0; u < FETCHED; u++)
                if (row + u * step < rows)
                    *(vector<float, N> *)(to + (row + u * step) * stride + c) = widened(x[u]);
        }
}

/* sum += the values of a tile of `count` keys times their weights. The values are rows in shared
 * memory that begin at `column`. */
template <int CHANNELS>
static __device__ __forceinline__ void add_shared(const struct attention_params &p, int column,
                                                  int count, const float *values, float weight,
                                                  unsigned wanted, float *sum)
{
    const int lane = (int)threadIdx.x % LANES, columns = p.head_dim - column;
#pragma unroll 1
    for (int t = 0; t < LANES; t += ahead<CHANNELS>::keys)
        if (are_wanted<CHANNELS>(wanted, t))
            add_keys<CHANNELS>(
                lane, min(columns, CHANNELS * LANES), weight, wanted, t, sum,
                [=](int u) { return values + min(t + u, count - 1) * CHANNELS * LANES; });
}

/* Loads a tile of a run into shared memory, with values from `column` on. Returns the score of this
 * lane's key in it if `scored`. */
template <int CHANNELS, bool VECTOR, class T>
static __device__ __forceinline__ float
score_tile(const struct attention_params &p, const struct task &task, const struct run &run,
           int tile, int column, bool scored, quad *keys, quad *values)
{
    enum { WIDTH = CHANNELS * LANES };
    const int count = min(run.span.end - tile, (int)LANES);
    const size_t row = (size_t)run.first + tile;
    const T *const k = (const T *)p.k + row * p.ldk + task.k_column;
    const T *const v = (const T *)p.v + row * p.ldv + task.v_column + column;
    float product = 0;
    for (int c = 0; c < p.head_dim; c += COLUMNS) {
        const int columns = min(p.head_dim - c, (int)COLUMNS);
        __syncthreads(); // the previous elements are no longer needed
        bring<VECTOR>(keys[0].element, STRIDE, k + c, p.ldk, count, columns);
        if (c == 0)
            bring<VECTOR>(values[0].element, WIDTH, v, p.ldv, count,
                          min(p.head_dim - column, (int)WIDTH));
        __syncthreads();
        if (scored)
            product = dot<VECTOR>(product, task.q + c,
                                  keys[0].element + (int)threadIdx.x % LANES * STRIDE, columns);
    }
    return scored ? energy_of(p, task, tile + (int)threadIdx.x % LANES, product) : -INFINITY;
}

/* blockIdx: x: parts of groups of rows; y: heads; z: parts of a head's columns, CHANNELS per
 * lane. */
template <int BLOCK, int CHANNELS, bool VECTOR, class T>
static __global__ void __launch_bounds__(BLOCK, 512 / BLOCK)
    shared_attention_kernel(struct attention_params p, struct sharing sharing)
{
    grid_wait();
    enum { ROWS = BLOCK / LANES, WIDTH = CHANNELS * LANES };
    SHARED(quad, keys, LANES * STRIDE / 4);
    SHARED(quad, values, LANES * WIDTH / 4);
    SHARED(struct wanted, rows, ROWS);
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    const int warps = (int)blockDim.x / LANES, column = (int)blockIdx.z * WIDTH;
    const int place = (int)blockIdx.x % sharing.parts * sharing.rows + warp;
    const int m = (int)blockIdx.x / sharing.parts * sharing.group + place;
    const bool live = place < sharing.group && m < p.rows;
    const struct task task = task_of(p, live ? m : p.rows - 1, (int)blockIdx.y);
    const bool busy = live && (task.gain != 0 || task.stored), learned = busy && is_learned(task);
    float highest = -INFINITY, total = learned ? 0 : 1, sum[CHANNELS] = {0};
    if (lane == 0)
        rows[warp] = {task.first, learned ? task.span : span_within(0, 0, 0)};
    __syncthreads();
    for (int leader = 0; leader < warps;) {
        const struct run run = run_of(rows, warps, leader);
        const bool mine = learned && warp >= leader && warp < run.next;
        leader = run.next;
        for (int tile = tile_of(run.span.begin); tile < run.span.end; tile += LANES) {
            const int j = tile + lane;
            const bool scored = mine && j >= task.span.begin && j < task.span.end;
            const float energy =
                score_tile<CHANNELS, VECTOR, T>(p, task, run, tile, column, scored, keys, values);
            const unsigned wanted = __ballot_sync(ALL_LANES, scored);
            if (!wanted)
                continue;
            const float weight = take_tile<CHANNELS>(energy, scored, sum, &highest, &total);
            add_shared<CHANNELS>(p, column, min(run.span.end - tile, (int)LANES), values[0].element,
                                 weight, wanted, sum);
        }
    }
    if (!live)
        return;
    if (learned)
        total = warp_sum(total);
    else if (busy)
        sum_fixed<CHANNELS, T>(p, task, column + lane, sum);
    store_output<CHANNELS>(p, task, column + lane, sum, total);
    if (task.stored && blockIdx.z == 0)
        store_weights<VECTOR, T>(p, task, highest, total);
}

template <int CHANNELS, bool VECTOR, class T>
static void start_shared(struct device *device, const struct attention_params &params, int heads,
                         int group)
{
    const int parts = quotient_up(group, ROWS_SHARED), rows = quotient_up(group, parts);
    const struct sharing sharing = {group, parts, rows};
    const dim3 grid((unsigned)(quotient_up(params.rows, group) * parts), (unsigned)heads,
                    (unsigned)quotient_up(params.head_dim, CHANNELS * LANES));
    START(device, (shared_attention_kernel<BLOCK_SHARED, CHANNELS, VECTOR, T>), grid, rows * LANES,
          params, sharing);
}

template <bool VECTOR, class T>
static void start_channels(struct device *device, const struct attention_params &params, int heads,
                           int group)
{
    if (params.head_dim <= LANES)
        start_shared<1, VECTOR, T>(device, params, heads, group);
    else if (params.head_dim <= 2 * LANES)
        start_shared<2, VECTOR, T>(device, params, heads, group);
    else
        start_shared<4, VECTOR, T>(device, params, heads, group);
}

template <class T>
static void start_type(struct device *device, const struct attention_params &params, int heads,
                       int group, bool vector)
{
    if (vector)
        start_channels<true, T>(device, params, heads, group);
    else
        start_channels<false, T>(device, params, heads, group);
}

void shared_attention_start(struct device *device, const struct attention_params &params, int heads,
                            int group, bool vector, bool narrow)
{
    if (narrow)
        start_type<__nv_bfloat16>(device, params, heads, group, vector);
    else
        start_type<float>(device, params, heads, group, vector);
}
