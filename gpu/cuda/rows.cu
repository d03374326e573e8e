/* Operations that move or rotate rows, and the mean of rows: one thread for each element, or for
 * each rotated pair. */
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"
#include "gpu/cuda/wide.cuh"

enum { BLOCK_ROWS = block_size(256), BLOCK_SELECT = block_size(128) };

/* Returns the number of blocks that give each of rows * columns elements a thread. A block works on
 * one row. */
static int row_blocks(int rows, int columns)
{
    return rows * quotient_up(columns, BLOCK_ROWS);
}

struct place {
    int row, column;
};

template <int BLOCK> static __device__ __forceinline__ struct place place_of(int columns)
{
    const int blocks = quotient_up(columns, BLOCK), block = (int)blockIdx.x;
    return {block / blocks, block % blocks * BLOCK + (int)threadIdx.x};
}

struct embed_params {
    float *y;
    __nv_bfloat16 *twin; // also for y; NULL: none
    const int32_t *ids, *pos;
    const float *positions; // NULL for absent
    const void *table;
    int columns;
    bool narrow;
    float scale;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) embed_kernel(struct embed_params p)
{
    grid_wait();
    const struct place at = place_of<BLOCK>(p.columns);
    if (at.column >= p.columns)
        return;
    const int id = p.ids[at.row], pos = p.positions ? p.pos[at.row] : 0;
    float value = 0;
    if (id >= 0) {
        const size_t from = (size_t)id * p.columns + at.column;
        const float position = p.positions ? p.positions[(size_t)pos * p.columns + at.column] : 0;
        value = p.narrow ? __bfloat162float(((const __nv_bfloat16 *)p.table)[from])
                         : ((const float *)p.table)[from];
        value = __fmul_rn(value, p.scale); // rounded before the sum, as on every other device
        if (p.positions)
            value += position;
    }
    p.y[(size_t)at.row * p.columns + at.column] = value;
    if (p.twin)
        p.twin[(size_t)at.row * p.columns + at.column] = __float2bfloat16_rn(value);
}

void cuda_embed(struct device *device, const struct embed_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    float *y = tensor_floats(args->y);
    const int columns = args->table->k;
    __nv_bfloat16 *twin = late_twin_make(device, y, columns, args->rows, columns);
    const struct embed_params params = {y,
                                        twin,
                                        tensor_ints(args->ids),
                                        tensor_ints(args->pos),
                                        tensor_floats(args->positions),
                                        args->table->memory.bytes,
                                        args->table->k,
                                        args->table->narrow,
                                        args->scale};
    START(device, embed_kernel<BLOCK_ROWS>, row_blocks(args->rows, params.columns), BLOCK_ROWS,
          params);
}

struct move_params {
    void *y;
    const float *x;
    const int32_t *index; // NULL for absent
    int ldy, ldx, columns;
    bool narrow; // y is bfloat16; otherwise it has the type of x
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) gather_kernel(struct move_params p)
{
    grid_wait();
    const struct place at = place_of<BLOCK>(p.columns);
    if (at.column >= p.columns)
        return;
    const int from = p.index ? p.index[at.row] : at.row;
    ((float *)p.y)[(size_t)at.row * p.ldy + at.column] =
        from < 0 ? 0 : p.x[(size_t)from * p.ldx + at.column];
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) scatter_kernel(struct move_params p)
{
    grid_wait();
    const struct place at = place_of<BLOCK>(p.columns);
    if (at.column >= p.columns)
        return;
    const int to = p.index ? p.index[at.row] : at.row;
    if (to >= 0)
        store_wide(p.y, p.narrow, (size_t)to * p.ldy + at.column,
                   p.x[(size_t)at.row * p.ldx + at.column]);
}

static struct move_params move_params_of(const struct device *device, const struct move_args *args)
{
    return {tensor_bytes(args->y),
            tensor_floats(args->x),
            tensor_ints(args->index),
            args->ldy,
            args->ldx,
            args->columns,
            args->cache && device_narrows_caches(device)};
}

void cuda_gather(struct device *device, const struct move_args *args)
{
    if (device_ready(device) && args->rows > 0)
        START(device, gather_kernel<BLOCK_ROWS>, row_blocks(args->rows, args->columns), BLOCK_ROWS,
              move_params_of(device, args));
}

void cuda_scatter(struct device *device, const struct move_args *args)
{
    if (device_ready(device) && args->rows > 0)
        START(device, scatter_kernel<BLOCK_ROWS>, row_blocks(args->rows, args->columns), BLOCK_ROWS,
              move_params_of(device, args));
}

struct mean_params {
    float *y;
    const float *x;
    const int32_t *begin, *end;
    int ldy, ldx, columns;
};

/* The rows are added one after another, whatever else is in the batch. */
template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) mean_kernel(struct mean_params p)
{
    grid_wait();
    const struct place at = place_of<BLOCK>(p.columns);
    if (at.column >= p.columns)
        return;
    const int begin = p.begin[at.row], end = p.end[at.row];
    float total = 0;
#pragma unroll 8
    for (int m = begin; m < end; m++)
        total += p.x[(size_t)m * p.ldx + at.column];
    p.y[(size_t)at.row * p.ldy + at.column] = begin < end ? total / (float)(end - begin) : 0;
}

void cuda_mean(struct device *device, const struct mean_args *args)
{
    if (!device_ready(device) || args->sentences <= 0)
        return;
    const struct mean_params params = {tensor_floats(args->y),
                                       tensor_floats(args->x),
                                       tensor_ints(args->begin),
                                       tensor_ints(args->end),
                                       args->ldy,
                                       args->ldx,
                                       args->columns};
    START(device, mean_kernel<BLOCK_ROWS>, row_blocks(args->sentences, args->columns), BLOCK_ROWS,
          params);
}

struct select_params {
    const int32_t *lanes, *path, *row_lane;
    int32_t *columns, *slot;
    int rows, positions;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) select_kernel(struct select_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x * BLOCK + (int)threadIdx.x;
    if (m >= p.rows)
        return;
    const int lane = p.row_lane[m];
    if (lane < 0) {
        for (int field = 0; field < LANE_FIELDS; field++)
            p.columns[(size_t)field * p.rows + m] = field == LANE_TOKEN ? -1 : 0;
        p.slot[m] = -1;
        return;
    }
    int32_t record[LANE_FIELDS]; // all are loaded before any is stored
#pragma unroll
    for (int field = 0; field < LANE_FIELDS; field++)
        record[field] = p.lanes[(size_t)lane * LANE_FIELDS + field];
    p.slot[m] = p.path[(size_t)lane * p.positions + record[LANE_POS]];
#pragma unroll
    for (int field = 0; field < LANE_FIELDS; field++)
        p.columns[(size_t)field * p.rows + m] = record[field];
}

void cuda_select(struct device *device, const struct select_args *args)
{
    if (!device_ready(device) || args->rows <= 0)
        return;
    const struct select_params params = {
        tensor_ints(args->state->lane), tensor_ints(args->state->path), tensor_ints(args->row_lane),
        tensor_ints(args->columns),     tensor_ints(args->slot),        args->rows,
        args->state->positions};
    START(device, select_kernel<BLOCK_SELECT>, quotient_up(args->rows, BLOCK_SELECT), BLOCK_SELECT,
          params);
}

/* Rotary positions ------------------------------------------------------------------------------*/

struct rotate_params {
    float *x;
    const int32_t *pos;
    const float *table;
    int ldx, half, pairs; // pairs of a head, and of a row
    bool interleaved, back;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) rotate_kernel(struct rotate_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.pairs, BLOCK), m = (int)blockIdx.x / blocks;
    const int pair = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (pair >= p.pairs)
        return;
    const int k = pair % p.half, head = pair / p.half * 2 * p.half;
    const float *const angle = p.table + (size_t)p.pos[m] * 2 * p.half + k;
    float *const x = p.x + (size_t)m * p.ldx + head + (p.interleaved ? 2 * k : k);
    float *const other = x + (p.interleaved ? 1 : p.half);
    const float cosine = angle[0], sine = p.back ? -angle[p.half] : angle[p.half];
    const float first = *x, second = *other;
    *x = first * cosine - second * sine;
    *other = second * cosine + first * sine;
}

void cuda_rotate(struct device *device, const struct rotate_args *args)
{
    enum { BLOCK = block_size(128) };
    if (!device_ready(device) || args->rows <= 0)
        return;
    const int half = args->head_dim / 2, pairs = args->heads * half;
    const struct rotate_params params = {tensor_floats(args->x),
                                         tensor_ints(args->pos),
                                         tensor_floats(args->table),
                                         args->ldx,
                                         half,
                                         pairs,
                                         args->interleaved,
                                         args->back};
    START(device, rotate_kernel<BLOCK>, args->rows * quotient_up(pairs, BLOCK), BLOCK, params);
}
