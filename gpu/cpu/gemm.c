#include "gpu/cpu/gemm.h"

#include <string.h>

#include "gpu/cpu/device.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/ops.h"

/* Rows of x are cut into chunks, a chunk into blocks one tile high, and the weight's columns into strips one tile
 * wide. A chunk of one block takes every panel as it is: the weight passes by once. For more blocks narrow
 * weights are widened, in strips that may be wider than panels, and K is cut into slices: a strip's part of a slice stays in the caches
 * nearest to the core while all blocks pass, and the chunk's part in the second-level cache while a group of strips
 * passes.
 *
 * Packed: (slices, blocks, k of the slice, rows of the block). */
enum { SLICE = 256, CHUNK_ROWS = 384, GROUP_MAX = 8, TASKS_A_THREAD = 4, AHEAD_BYTES = 2048 };

/* Wide strips of a product for every thread from which on they go evenly among the threads. */
enum { EVEN = 8 };

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
    bool widened;   // strips are
    int strips;
    int strip_parts; // the most that a strip has
    int group;       // strips of a task
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

/* The part of the weight that a strip begins with. Where the last would have one part, the two last have two. */
static int strip_at(const struct linear_job *job, int strip)
{
    return least(job->strip_parts * strip, 2 * (job->weight->panels - (job->strips - strip)));
}

static void block_pack(void *context, int index)
{
    const struct linear_job *job = context;
    int slices = ceiling(job->weight->k, job->slice);
    int block = index / slices;
    int k = index % slices * job->slice;
    size_t ldx = (size_t)job->args->ldx;
    const float *x = job->x + (size_t)block * (size_t)job->block_rows * ldx + k;
    gemm_pack_block(job->device->gemm, job->packing + packed_at(job, block, k), x, ldx,
                    (size_t)rows_of_block(job, block),
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

/* Tiles are as wide as their strips, so the last columns of y take a detour. */
static void tile_partial(gemm_tile_run *run, const struct gemm_tile *tile, int rows, int columns)
{
    enum { WIDTH = GEMM_PARTS_MAX * GEMM_PART };
    float y[GEMM_ROWS_MAX][WIDTH] = {{0}};
    float bias[WIDTH] = {0};
    size_t bytes = (size_t)columns * sizeof(float);
    for (int r = 0; r < rows && tile->accumulate; r++)
        memcpy(y[r], tile->y + (size_t)r * tile->ldy, bytes);
    struct gemm_tile whole = *tile;
    whole.y = y[0];
    whole.ldy = WIDTH;
    if (tile->bias) {
        memcpy(bias, tile->bias, bytes);
        whole.bias = bias;
    }
    run(&whole);
    for (int r = 0; r < rows; r++)
        memcpy(tile->y + (size_t)r * tile->ldy, y[r], bytes);
}

/* A strip over one slice. */
struct place {
    int strip, k;
};

static const char *weight_at(const struct linear_job *job, int part, int k)
{
    const struct weight *weight = job->weight;
    size_t row = (size_t)(part / 2) * (size_t)weight->k + (size_t)k;
    size_t column = (size_t)(part % 2) * GEMM_PART;
    return (const char *)weight->data +
           (row * WEIGHT_PANEL + column) * weight_element(weight->dtype);
}

static void strip_widen(const struct linear_job *job, struct place place, int parts, float *wide)
{
    const struct weight *weight = job->weight;
    gemm_widen *widen = job->device->gemm->widen[weight->dtype];
    size_t width = (size_t)least(job->slice, weight->k - place.k);
    int first = strip_at(job, place.strip);
    for (int p = 0; p < parts; p++)
        widen(weight_at(job, first + p, place.k), WEIGHT_PANEL, wide + p * GEMM_PART,
              (size_t)parts * GEMM_PART, width);
}

/* A tile alone with its weight reads that from memory and asks for it a little ahead. Where there are more, each asks
 * for one of the panels that the next strip has besides this one's, as far as there are any. */
static void plan_ahead(const struct linear_job *job, struct gemm_tile *tile, int block,
                       struct place next)
{
    int panel = ceiling(strip_at(job, next.strip), 2) + block;
    tile->ahead = NULL;
    tile->ahead_step = WEIGHT_PANEL * weight_element(job->weight->dtype);
    if (job->blocks == 1)
        tile->ahead = (const char *)tile->b + AHEAD_BYTES;
    else if (next.strip < job->strips && 2 * panel < strip_at(job, next.strip + 1))
        tile->ahead = weight_at(job, 2 * panel, next.k);
}

static gemm_tile_run *run_of(const struct linear_job *job, int parts, int rows)
{
    const struct gemm_kernels *kernels = job->device->gemm;
    enum dtype dtype = job->widened ? DTYPE_F32 : job->weight->dtype;
    return parts > 2 ? kernels->strip[rows - 1] : kernels->tile[dtype][rows - 1];
}

/* All blocks of the chunk by one strip, over one slice. */
static void strip_run(const struct linear_job *job, struct place place, struct place next)
{
    const struct weight *weight = job->weight;
    _Alignas(GEMM_LINE) float wide[SLICE * GEMM_PARTS_MAX * GEMM_PART];
    int first = strip_at(job, place.strip), parts = strip_at(job, place.strip + 1) - first;
    int column = first * GEMM_PART, columns = least(parts * GEMM_PART, weight->n - column);
    bool last = place.k + job->slice >= weight->k;
    struct gemm_tile tile = {.b = weight_at(job, first, place.k),
                             .ldy = (size_t)job->args->ldy,
                             .k = least(job->slice, weight->k - place.k),
                             .bias = last && job->bias ? job->bias + column : NULL,
                             .accumulate = place.k > 0 || job->args->accumulate,
                             .relu = last && job->args->activation == ACTIVATION_RELU};
    if (job->widened) {
        strip_widen(job, place, parts, wide);
        tile.b = wide;
    }
    for (int block = 0; block < job->blocks; block++) {
        int rows = rows_of_block(job, block);
        gemm_tile_run *run = run_of(job, parts, rows);
        tile.a = job->packed + packed_at(job, block, place.k);
        tile.y = job->y + (size_t)block * (size_t)job->block_rows * tile.ldy + column;
        plan_ahead(job, &tile, block, next);
        if (columns == parts * GEMM_PART)
            run(&tile);
        else
            tile_partial(run, &tile, rows, columns);
        if (last)
            activation_apply(job, tile.y, rows, columns);
    }
}

static void group_run(const struct linear_job *job, int index)
{
    int begin = index * job->group, end = least(begin + job->group, job->strips);
    for (struct place place = {begin, 0}, next; place.k < job->weight->k; place = next) {
        if (cancelled(job->device))
            return;
        next = (struct place){place.strip + 1, place.k};
        if (next.strip == end && place.k + job->slice < job->weight->k)
            next = (struct place){begin, place.k + job->slice};
        strip_run(job, place, next);
        if (next.strip == end)
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
    return ceiling(job->strips, job->group);
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
    int strips = 0, groups = 0;
    for (int i = 0; i < set->count; i++)
        strips += set->jobs[i].strips;
    for (int i = 0; i < set->count; i++) {
        set->jobs[i].group = least(ceiling(strips, tasks), GROUP_MAX);
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

/* The most that tiles and strips have. */
struct cut {
    int rows, parts;
};

/* For all products the same, as they are packed once. Of float32 wide strips would be copies, so that its panels are
 * taken as they are. */
static struct cut cut_of(const struct device *device, const struct linear_args *args, int count)
{
    const struct gemm_kernels *kernels = device->gemm;
    int strips = 0, threads = pool_threads(device->pool);
    bool narrow = false;
    for (int i = 0; i < count; i++) {
        strips += ceiling(2 * args[i].weight->panels, kernels->strip_parts);
        narrow |= args[i].weight->dtype != DTYPE_F32;
    }
    if (narrow && args->rows > kernels->rows && (threads == 1 || strips >= threads * EVEN))
        return (struct cut){kernels->strip_rows, kernels->strip_parts};
    return (struct cut){kernels->rows, 2};
}

/* The job's chunk from `row` on. */
static void job_take(struct linear_job *job, int row, int rows, struct cut cut)
{
    const struct linear_args *args = job->args;
    job->x = tensor_floats(args->x) + (size_t)row * (size_t)args->ldx;
    job->y = tensor_floats(args->y) + (size_t)row * (size_t)args->ldy;
    job->rows = rows;
    job->blocks = ceiling(rows, cut.rows);
    job->block_rows = ceiling(rows, job->blocks);
    job->blocks = ceiling(rows, job->block_rows);
    job->slice = job->blocks == 1 ? job->weight->k : SLICE;
    job->widened = job->blocks > 1 && job->weight->dtype != DTYPE_F32;
    job->strip_parts = job->widened ? cut.parts : 2;
    job->strips = ceiling(2 * job->weight->panels, job->strip_parts);
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
    struct cut cut = cut_of(device, args, count);
    int chunk = chunk_rows(args->rows, cut.rows);
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
            job_take(&jobs[i], row, least(chunk, args->rows - row), cut);
        chunk_run(&set);
    }
    for (int i = 0; i < count; i++)
        store_rows(device, &args[i]);
}
