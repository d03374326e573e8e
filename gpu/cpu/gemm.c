#include "gpu/cpu/gemm.h"

#include <string.h>

#include "gpu/cpu/device.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/ops.h"

/* Rows of x are cut into chunks, and a chunk into blocks of at most kernels->rows rows, one tile high.
 * K is cut into slices: a panel's part of a slice stays in the caches nearest to the core while all
 * blocks pass, and the chunk's part in the second-level cache while a group of panels passes.
 * A chunk of one block is not sliced: its weight passes by once.
 *
 * Packed: (slices, blocks, k of the slice, rows of the block). */
enum { SLICE = 256, CHUNK_ROWS = 384, GROUP_MAX = 8, TASKS_A_THREAD = 4, AHEAD_BYTES = 2048 };

/* Multiply-adds of a chunk from which on it is shared, and threads are woken for it. */
enum { SHARED_WORK = 50000, HEAVY_WORK = 1000000 };

struct linear_job {
    const struct device *device;
    const struct linear_args *args;
    const struct weight *weight;
    const float *x; // (rows, K), ld args->ldx
    float *y;       // (rows, N), ld args->ldy
    const float *bias;
    const float *packed;
    float *packing; // the same memory, while it is written
    int rows;       // of this chunk
    int blocks;
    int block_rows; // the last block may have fewer
    int slice;      // k of a slice; the last may have fewer
    int group;      // panels of a task
};

static int ceiling(int a, int b)
{
    return (a - 1) / b + 1;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Where the packed rows of a block begin that belong to the slice from k on. */
static size_t packed_at(const struct linear_job *job, int block, int k)
{
    size_t width = (size_t)least(job->slice, job->weight->k - k);
    return (size_t)job->rows * (size_t)k + (size_t)block * (size_t)job->block_rows * width;
}

static int rows_of_block(const struct linear_job *job, int block)
{
    return least(job->block_rows, job->rows - block * job->block_rows);
}

typedef float quad __attribute__((vector_size(16)));

static inline quad quad_load(const float *from)
{
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Four rows by four k: out[i * rows + r] = x[r * ldx + i]. */
static inline void transpose_4x4(float *out, size_t rows, const float *x, size_t ldx)
{
    quad a = quad_load(x), b = quad_load(x + ldx);
    quad c = quad_load(x + 2 * ldx), d = quad_load(x + 3 * ldx);
    quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    quad columns[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                       __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
    for (size_t i = 0; i < 4; i++)
        memcpy(out + i * rows, &columns[i], sizeof columns[i]);
}

/* out (width, rows) from x (rows, width), ld ldx. */
static void transpose(float *out, const float *x, size_t ldx, size_t rows, size_t width)
{
    size_t i = 0;
    for (; rows >= 4 && i + 4 <= width; i += 4) {
        for (size_t next = 0; next < rows; next += 4) {
            size_t r = next + 4 <= rows ? next : rows - 4; // the last rows: some a second time
            transpose_4x4(out + i * rows + r, rows, x + r * ldx + i, ldx);
        }
    }
    for (; i < width; i++)
        for (size_t r = 0; r < rows; r++)
            out[i * rows + r] = x[r * ldx + i];
}

static void block_pack(void *context, int index)
{
    const struct linear_job *job = context;
    int slices = ceiling(job->weight->k, job->slice);
    int block = index / slices;
    int k = index % slices * job->slice;
    size_t ldx = (size_t)job->args->ldx;
    const float *x = job->x + (size_t)block * (size_t)job->block_rows * ldx + k;
    transpose(job->packing + packed_at(job, block, k), x, ldx, (size_t)rows_of_block(job, block),
              (size_t)least(job->slice, job->weight->k - k));
}

static void activation_apply(const struct linear_job *job, float *y, int rows, int columns)
{
    const struct kernels *kernels = job->device->kernels;
    enum activation activation = job->args->activation;
    if (activation != ACTIVATION_GELU && activation != ACTIVATION_SWISH)
        return;
    for (int r = 0; r < rows; r++) {
        float *row = y + (size_t)r * (size_t)job->args->ldy;
        if (activation == ACTIVATION_GELU)
            kernels->gelu(row, (size_t)columns);
        else
            kernels->swish(row, (size_t)columns);
    }
}

/* Tiles are whole panels wide, so the last columns of y take a detour. */
static void tile_partial(gemm_tile_run *run, const struct gemm_tile *tile, int rows, int columns)
{
    float y[GEMM_ROWS_MAX][WEIGHT_PANEL] = {{0}};
    float bias[WEIGHT_PANEL] = {0};
    size_t bytes = (size_t)columns * sizeof(float);
    for (int r = 0; r < rows && tile->accumulate; r++)
        memcpy(y[r], tile->y + (size_t)r * tile->ldy, bytes);
    struct gemm_tile whole = *tile;
    whole.y = y[0];
    whole.ldy = WEIGHT_PANEL;
    if (tile->bias) {
        memcpy(bias, tile->bias, bytes);
        whole.bias = bias;
    }
    run(&whole);
    for (int r = 0; r < rows; r++)
        memcpy(tile->y + (size_t)r * tile->ldy, y[r], bytes);
}

/* A panel over one slice. */
struct place {
    int panel, k;
};

static const char *weight_at(const struct linear_job *job, struct place place)
{
    const struct weight *weight = job->weight;
    size_t row = (size_t)place.panel * (size_t)weight->k + (size_t)place.k;
    return (const char *)weight->data + row * WEIGHT_PANEL * weight_element(weight->dtype);
}

/* The y of a block, asked for while the block before it is computed. */
static void prefetch_y(const struct linear_job *job, int block, int column)
{
    size_t ldy = (size_t)job->args->ldy;
    const float *y = job->y + (size_t)block * (size_t)job->block_rows * ldy + column;
    for (int r = 0; r < rows_of_block(job, block); r++) {
        __builtin_prefetch(y + (size_t)r * ldy, 1);
        __builtin_prefetch(y + (size_t)r * ldy + WEIGHT_PANEL / 2, 1);
    }
}

/* A tile alone with its weight reads that from memory and asks for it a little ahead. Where several blocks
 * share a slice of it, each asks for a part of the next slice before it begins: within the tile's loop there
 * is no instruction to spare. */
static void plan_ahead(const struct linear_job *job, struct gemm_tile *tile, int block,
                       struct place next)
{
    size_t row = WEIGHT_PANEL * weight_element(job->weight->dtype);
    if (job->blocks == 1) {
        tile->ahead = (const char *)tile->b + AHEAD_BYTES;
        tile->ahead_step = row;
    } else if (next.panel < job->weight->panels) {
        size_t lines = row * (size_t)tile->k / GEMM_LINE, part = lines / (size_t)job->blocks + 1;
        size_t begin = part * (size_t)block, end = begin + part < lines ? begin + part : lines;
        const char *slice = weight_at(job, next);
        for (size_t line = begin; line < end; line++)
            __builtin_prefetch(slice + line * GEMM_LINE);
    }
}

/* All blocks of the chunk by one panel, over one slice. */
static void panel_run(const struct linear_job *job, struct place place, struct place next)
{
    const struct weight *weight = job->weight;
    const struct gemm_kernels *kernels = job->device->gemm;
    _Alignas(GEMM_LINE) float wide[SLICE * WEIGHT_PANEL];
    int column = place.panel * WEIGHT_PANEL;
    int columns = least(WEIGHT_PANEL, weight->n - column);
    bool last = place.k + job->slice >= weight->k;
    struct gemm_tile tile = {.b = weight_at(job, place),
                             .ldy = (size_t)job->args->ldy,
                             .k = least(job->slice, weight->k - place.k),
                             .bias = last && job->bias ? job->bias + column : NULL,
                             .accumulate = place.k > 0 || job->args->accumulate,
                             .relu = last && job->args->activation == ACTIVATION_RELU};
    enum dtype dtype = weight->dtype;
    if (job->blocks > 1 && dtype != DTYPE_F32) {
        kernels->widen[dtype](tile.b, wide, (size_t)tile.k * WEIGHT_PANEL);
        tile.b = wide;
        dtype = DTYPE_F32;
    }
    for (int block = 0; block < job->blocks; block++) {
        int rows = rows_of_block(job, block);
        gemm_tile_run *run = kernels->tile[dtype][rows - 1];
        tile.a = job->packed + packed_at(job, block, place.k);
        tile.y = job->y + (size_t)block * (size_t)job->block_rows * tile.ldy + column;
        plan_ahead(job, &tile, block, next);
        if (block + 1 < job->blocks)
            prefetch_y(job, block + 1, column);
        if (columns == WEIGHT_PANEL)
            run(&tile);
        else
            tile_partial(run, &tile, rows, columns);
        if (last)
            activation_apply(job, tile.y, rows, columns);
    }
}

static void group_run(const struct linear_job *job, int index)
{
    int begin = index * job->group;
    int end = least(begin + job->group, job->weight->panels);
    for (struct place place = {begin, 0}, next; place.k < job->weight->k; place = next) {
        if (cancelled(job->device))
            return;
        next = (struct place){place.panel + 1, place.k};
        if (next.panel == end && place.k + job->slice < job->weight->k)
            next = (struct place){begin, place.k + job->slice};
        panel_run(job, place, next);
        if (next.panel == end)
            return;
    }
}

/* The same rows of one x by several weights, packed once. */
struct product_set {
    struct linear_job *jobs; // (count)
    int count;
};

/* Multiply-adds. Few rows take the time of reading the weight, many that of the arithmetic. */
static double set_work(const struct product_set *set)
{
    double rows = set->jobs->rows < 4 ? 4 : set->jobs->rows, work = 0;
    for (int i = 0; i < set->count; i++)
        work += rows * set->jobs[i].weight->n * set->jobs[i].weight->k;
    return work;
}

static int groups_of(const struct linear_job *job)
{
    return ceiling(job->weight->panels, job->group);
}

/* Groups of all products, numbered one after the other. */
static void set_group_run(void *context, int index)
{
    const struct linear_job *job = ((const struct product_set *)context)->jobs;
    for (; index >= groups_of(job); job++)
        index -= groups_of(job);
    group_run(job, index);
}

/* Groups of the same size in all products, so that they take about the same time. */
static int set_cut(const struct product_set *set, int tasks)
{
    int panels = 0, groups = 0;
    for (int i = 0; i < set->count; i++)
        panels += set->jobs[i].weight->panels;
    for (int i = 0; i < set->count; i++) {
        set->jobs[i].group = least(ceiling(panels, tasks), GROUP_MAX);
        groups += groups_of(&set->jobs[i]);
    }
    return groups;
}

static void tasks_run(struct pool *pool, int tasks, enum pool_effort effort,
                      void (*task)(void *context, int index), void *context)
{
    if (pool)
        pool_run(pool, tasks, effort, task, context);
    else
        for (int i = 0; i < tasks; i++)
            task(context, i);
}

/* The packed rows of the first job are those of all. */
static void chunk_run(struct product_set *set)
{
    struct linear_job *first = set->jobs;
    double work = set_work(set);
    struct pool *pool = work > SHARED_WORK ? first->device->pool : NULL;
    enum pool_effort effort = work > HEAVY_WORK ? POOL_HEAVY : POOL_LIGHT;
    int threads = pool ? pool_threads(pool) : 1;
    int pieces = first->blocks * ceiling(first->weight->k, first->slice);
    if (first->rows > 1) // else (K, 1) is what it is already
        tasks_run(first->blocks > 4 ? pool : NULL, pieces, effort, block_pack, first);
    tasks_run(pool, set_cut(set, threads * TASKS_A_THREAD), effort, set_group_run, set);
}

/* Chunks of about the same size, of whole tiles but for the last. */
static int chunk_rows(int rows, int tile_rows)
{
    int chunks = ceiling(rows, CHUNK_ROWS);
    int chunk = ceiling(rows, chunks);
    return chunks == 1 ? rows : ceiling(chunk, tile_rows) * tile_rows;
}

static struct linear_job job_of(const struct device *device, const struct linear_args *args,
                                float *packing)
{
    return (struct linear_job){.device = device,
                               .args = args,
                               .weight = args->weight,
                               .bias = tensor_floats(args->bias),
                               .packing = packing};
}

/* The job's chunk from `row` on. */
static void job_take(struct linear_job *job, int row, int rows)
{
    const struct linear_args *args = job->args;
    job->x = tensor_floats(args->x) + (size_t)row * (size_t)args->ldx;
    job->y = tensor_floats(args->y) + (size_t)row * (size_t)args->ldy;
    job->rows = rows;
    job->blocks = ceiling(rows, job->device->gemm->rows);
    job->block_rows = ceiling(rows, job->blocks);
    job->blocks = ceiling(rows, job->block_rows);
    job->slice = job->blocks == 1 ? job->weight->k : SLICE;
    job->packed = rows == 1 ? job->x : job->packing;
}

/* Rows of a finished product to their places. */
static void store_rows(struct device *device, const struct linear_args *args)
{
    const struct move_args move = {.y = args->cache,
                                   .ldy = args->weight->n,
                                   .x = args->y,
                                   .ldx = args->ldy,
                                   .index = args->slot,
                                   .rows = args->rows,
                                   .columns = args->weight->n};
    if (tensor_present(args->cache))
        cpu_scatter(device, &move);
}

void cpu_linear(struct device *device, const struct linear_args *args, int count)
{
    struct linear_job jobs[LINEAR_MOST];
    struct product_set set = {jobs, count};
    if (count < 1 || args->rows < 1)
        return;
    int chunk = chunk_rows(args->rows, device->gemm->rows);
    size_t bytes;
    if (!size_multiply((size_t)chunk * sizeof(float), (size_t)args->weight->k, &bytes))
        bytes = SIZE_MAX; // that much there is not, as device_scratch will say
    float *packing = device_scratch(device, bytes);
    if (!packing)
        return;
    for (int i = 0; i < count; i++)
        jobs[i] = job_of(device, &args[i], packing);
    for (int row = 0; row < args->rows && !cancelled(device); row += chunk) {
        for (int i = 0; i < count; i++)
            job_take(&jobs[i], row, least(chunk, args->rows - row));
        chunk_run(&set);
    }
    for (int i = 0; i < count; i++)
        store_rows(device, &args[i]);
}
