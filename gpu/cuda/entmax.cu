/* Entmax in the place of softmax: for heads with α above 1, after the kernels of attention, which
 * take every learned head as one of softmax, and what they wrote for these heads is written again.
 * So the others' kernels know nothing of it.
 *
 * A warp computes one head of one row, a key a lane in every tile, as in attention.cu. The energies
 * are gone through several times: those of the first tiles are kept, further ones are computed
 * again. */
#include "gpu/cuda/attention.cuh"
#include "gpu/cuda/entmax.cuh"
#include "gpu/cuda/ops.cuh"

enum { TILES_KEPT = 2 };

/* Tiles begin at multiples of LANES. Returns this lane's key of one. */
static __device__ __forceinline__ int key_of(const struct task &task, int tile)
{
    return tile_of(task.span.begin) + tile * LANES + (int)threadIdx.x % LANES;
}

static __device__ __forceinline__ bool is_key(const struct task &task, int j)
{
    return j >= task.span.begin && j < task.span.end;
}

static __device__ __forceinline__ int tiles_of(const struct task &task)
{
    return (task.span.end - tile_of(task.span.begin) + LANES - 1) / LANES;
}

/* The energies of this lane's keys, -inf where it has none. */
template <bool VECTOR, class T, bool CAPPED> struct energies {
    const struct attention_params &p;
    const struct task &task;
    float kept[TILES_KEPT];

    __device__ __forceinline__ float compute(int tile) const
    {
        const int j = key_of(task, tile);
        return is_key(task, j) ? score<VECTOR, T, CAPPED>(p, task, j, key_row(task, j)) : -INFINITY;
    }
};

/* Calls visit(tile, energy) for every tile; all lanes do. Those that are kept have numbers that the
 * compiler knows, so that they stay in registers. */
template <bool VECTOR, class T, bool CAPPED, class Visit>
static __device__ __forceinline__ void visit_tiles(const struct energies<VECTOR, T, CAPPED> &all,
                                                   Visit visit)
{
    const int tiles = tiles_of(all.task);
#pragma unroll
    for (int tile = 0; tile < TILES_KEPT; tile++)
        if (tile < tiles)
            visit(tile, all.kept[tile]);
#pragma unroll 1
    for (int tile = TILES_KEPT; tile < tiles; tile++)
        visit(tile, all.compute(tile));
}

template <bool VECTOR, class T, bool CAPPED>
static __device__ __forceinline__ float highest_of(struct energies<VECTOR, T, CAPPED> *all)
{
    float highest = -INFINITY;
#pragma unroll
    for (int tile = 0; tile < TILES_KEPT; tile++)
        all->kept[tile] = all->compute(tile);
    visit_tiles(*all, [&](int, float energy) { highest = fmaxf(highest, energy); });
    return warp_max(highest);
}

template <bool VECTOR, class T, bool CAPPED>
static __device__ __forceinline__ float sums_of(const struct energies<VECTOR, T, CAPPED> &all,
                                                const struct entmax_row &row, float *slope)
{
    float total = 0, slopes = 0;
    visit_tiles(all, [&](int, float energy) {
        float own;
        total += entmax_power(row, energy, &own);
        slopes += own;
    });
    *slope = warp_sum(slopes);
    return warp_sum(total);
}

template <bool VECTOR, class T, bool CAPPED>
static __device__ __forceinline__ void store_row(const struct energies<VECTOR, T, CAPPED> &all,
                                                 const struct entmax_row &row)
{
    const struct task &task = all.task;
    for (int j = (int)threadIdx.x % LANES; j < all.p.ldweights; j += LANES)
        if (!is_key(task, j))
            task.stored[j] = 0;
    visit_tiles(all, [&](int tile, float energy) {
        const int j = key_of(task, tile);
        if (is_key(task, j))
            task.stored[j] = entmax_weight(row, energy);
    });
}

/* blockIdx: x rows, a warp each; y heads; z parts of a head's columns, CHANNELS a lane. */
template <int BLOCK, int CHANNELS, bool VECTOR, class T, bool CAPPED>
static __global__ void __launch_bounds__(BLOCK, 512 / BLOCK)
    entmax_kernel(struct attention_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x * ((int)blockDim.x / LANES) + (int)threadIdx.x / LANES;
    const int first = (int)blockIdx.z * CHANNELS * LANES + (int)threadIdx.x % LANES;
    if (m >= p.rows)
        return;
    const struct task task = task_of(p, m, (int)blockIdx.y);
    if (!is_learned(task) || !(task.head.entmax > 0) || (task.gain == 0 && !task.stored) ||
        task.span.begin >= task.span.end)
        return; // as they are
    struct energies<VECTOR, T, CAPPED> all = {
        p, task,
        {
        }
    };
    struct entmax_row row = entmax_row_of(task.head.entmax, highest_of(&all));
    entmax_solve(
        &row, [&](const struct entmax_row &now, float *slope) { return sums_of(all, now, slope); });
    float sum[CHANNELS] = {0};
    visit_tiles(all, [&](int tile, float energy) {
        const int j = max(task.span.begin, min(key_of(task, tile), task.span.end - 1));
        const float weight = entmax_weight(row, energy);
        add_values<CHANNELS, T>(p, task, first, weight, key_row(task, j),
                                __ballot_sync(ALL_LANES, weight != 0), sum);
    });
    store_output<CHANNELS>(p, task, first, sum, 1);
    if (task.stored && blockIdx.z == 0)
        store_row(all, row);
}

template <bool VECTOR, class T, bool CAPPED>
static void start_kernel(struct device *device, const struct attention_params &params, int heads)
{
    enum { BLOCK = block_size(128), CHANNELS = 2 };
    const dim3 grid((unsigned)quotient_up(params.rows, BLOCK / LANES), (unsigned)heads,
                    (unsigned)quotient_up(params.head_dim, CHANNELS * LANES));
    START(device, (entmax_kernel<BLOCK, CHANNELS, VECTOR, T, CAPPED>), grid, BLOCK, params);
}

template <bool VECTOR, class T>
static void start_entmax(struct device *device, const struct attention_params &params, int heads)
{
    if (params.cap > 0)
        start_kernel<VECTOR, T, true>(device, params, heads);
    else
        start_kernel<VECTOR, T, false>(device, params, heads);
}

void entmax_start(struct device *device, const struct attention_params &params, int heads,
                  bool vector, bool narrow)
{
    if (narrow && vector)
        start_entmax<true, __nv_bfloat16>(device, params, heads);
    else if (narrow)
        start_entmax<false, __nv_bfloat16>(device, params, heads);
    else if (vector)
        start_entmax<true, float>(device, params, heads);
    else
        start_entmax<false, float>(device, params, heads);
}
