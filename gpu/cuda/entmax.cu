/* Entmax in the place of softmax (Peters et al. 2019, Correia et al. 2019): for heads with α above 1,
 * after the kernels of attention, which take every learned head as one of softmax, and what they
 * wrote for these heads is written again. So the others' kernels know nothing of it.
 *
 * A warp computes one head of one row, a key a lane in every tile, as in attention.cu. With a = α - 1
 * weights are p = max(0, 1 + a (e - E - s))^(1/a), E the greatest energy, and Newton's steps from
 * s = 0 find where they sum to 1 (gpu/cpu/kernel/kernels_entmax.h). So the energies are gone through
 * several times: those of the first tiles are kept, further ones are computed again. */
#include "gpu/cuda/attention.cuh"

#include "gpu/cuda/ops.cuh"

enum { TILES_KEPT = 4, STEPS_MOST = 48 };

/* One row of a head, and this lane's part of it. */
struct sparse_row {
    float kept[TILES_KEPT];        // energies of this lane's keys
    float a, highest, shift, rest; // rest: of the shift, too little to be added to it
};

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

template <bool VECTOR, class T>
static __device__ __forceinline__ float energy_at(const struct attention_params &p,
                                                  const struct task &task,
                                                  const struct sparse_row &row, int tile)
{
    const int j = key_of(task, tile);
    if (tile < TILES_KEPT)
        return row.kept[tile];
    return is_key(task, j) ? score<VECTOR, T>(p, task, j, key_row(task, j)) : -INFINITY;
}

/* p of a key, and its derivative's size p^(1-a) in *slope. NaN stays NaN. */
static __device__ __forceinline__ float sparse_weight(const struct sparse_row &row, float energy,
                                                      float *slope)
{
    const float w = row.a * (energy - row.highest - row.shift), base = 1 + w;
    *slope = 0;
    if (base <= 0)
        return 0;
    if (row.a == 1) {
        *slope = 1 + 0 * w;
        return base;
    }
    const float p = row.a == 0.5f ? base * base : expf(log1pf(w) / row.a);
    *slope = p / base;
    return p;
}

template <bool VECTOR, class T>
static __device__ __forceinline__ float row_sums(const struct attention_params &p,
                                                 const struct task &task,
                                                 const struct sparse_row &row, float *slope)
{
    float total = 0, slopes = 0, own;
    for (int tile = 0; tile < tiles_of(task); tile++) {
        total += sparse_weight(row, energy_at<VECTOR, T>(p, task, row, tile), &own);
        slopes += own;
    }
    *slope = warp_sum(slopes);
    return warp_sum(total);
}

/* What is above 1 of a sum, or where that is longer, of its power a (kernels_entmax.h). */
static __device__ __forceinline__ float excess(float total, float a)
{
    if (!(total > 2))
        return total - 1;
    const float l = logf(total);
    return fmaxf(total * l * (1 - a * l / 2), total - 1);
}

template <bool VECTOR, class T>
static __device__ void find_shift(const struct attention_params &p, const struct task &task,
                                  struct sparse_row *row)
{
    for (int tile = 0; tile < TILES_KEPT; tile++) {
        const int j = key_of(task, tile);
        row->kept[tile] =
            is_key(task, j) ? score<VECTOR, T>(p, task, j, key_row(task, j)) : -INFINITY;
    }
    for (int tile = 0; tile < tiles_of(task); tile++)
        row->highest = fmaxf(row->highest, energy_at<VECTOR, T>(p, task, *row, tile));
    row->highest = warp_max(row->highest);
    for (int i = 0; i <= STEPS_MOST; i++) {
        float slope;
        const float total = row_sums<VECTOR, T>(p, task, *row, &slope);
        const float next = row->shift + excess(total, row->a) / slope;
        row->rest = (total - 1) / slope;
        if (!(total - 1 > 0x1p-20f) || next == row->shift)
            return;
        row->shift = i < STEPS_MOST ? next : row->shift;
    }
}

/* The weight of a key, along the tangent of the last bit of the shift. NaN stays NaN. */
template <bool VECTOR, class T>
static __device__ __forceinline__ float weight_of(const struct attention_params &p,
                                                  const struct task &task,
                                                  const struct sparse_row &row, int tile)
{
    float slope;
    const float weight = sparse_weight(row, energy_at<VECTOR, T>(p, task, row, tile), &slope);
    const float exact = weight - slope * row.rest;
    return exact < 0 ? 0 : exact;
}

template <bool VECTOR, class T>
static __device__ void store_row(const struct attention_params &p, const struct task &task,
                                 const struct sparse_row &row)
{
    const int before = tile_of(task.span.begin) / LANES;
    for (int j = (int)threadIdx.x % LANES; j < p.ldweights; j += LANES)
        task.stored[j] =
            is_key(task, j) ? weight_of<VECTOR, T>(p, task, row, j / LANES - before) : 0;
}

/* blockIdx: x rows, a warp each; y heads; z parts of a head's columns, CHANNELS a lane. */
template <int BLOCK, int CHANNELS, bool VECTOR, class T>
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
    struct sparse_row row = {};
    row.a = task.head.entmax;
    row.highest = -INFINITY;
    find_shift<VECTOR, T>(p, task, &row);
    float sum[CHANNELS] = {0};
    for (int tile = 0; tile < tiles_of(task); tile++) {
        const int j = max(task.span.begin, min(key_of(task, tile), task.span.end - 1));
        const float weight = weight_of<VECTOR, T>(p, task, row, tile);
        add_values<CHANNELS, T>(p, task, first, weight, key_row(task, j),
                                __ballot_sync(ALL_LANES, weight != 0), sum);
    }
    store_output<CHANNELS>(p, task, first, sum, 1);
    if (task.stored && blockIdx.z == 0)
        store_row<VECTOR, T>(p, task, row);
}

template <bool VECTOR, class T>
static void start_entmax(struct device *device, const struct attention_params &params, int heads)
{
    enum { BLOCK = block_size(128), CHANNELS = 2 };
    const dim3 grid((unsigned)quotient_up(params.rows, BLOCK / LANES), (unsigned)heads,
                    (unsigned)quotient_up(params.head_dim, CHANNELS * LANES));
    START(device, (entmax_kernel<BLOCK, CHANNELS, VECTOR, T>), grid, BLOCK, params);
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
