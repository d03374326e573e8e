/* Products with transposed weights: linear_backward. The weight is transposed strip by strip on its
 * way from the packed panels to the tiles of `linear` (gpu/cpu/kernel/gemm.h), so no second copy of
 * it is kept. y' is packed in sections of its columns. Each task computes some strips of x'. */
#include <string.h>

#include "base/minmax.h"
#include "gpu/cpu/backward.h"
#include "gpu/cpu/gemm_chunk.h"

/* Rows computed at once; columns of y' packed at once, a multiple of every slice; and, as in
 * gemm.c, the multiply-adds above which threads take part and above which sleeping ones are
 * woken. */
enum { CHUNK_ROWS = 384, SECTION = 4096, SHARED_WORK = 250000, HEAVY_WORK = 1000000 };

/* Some rows, over one section of n. */
struct backward_job {
    const struct device *device;
    const struct linear_backward_args *args;
    float *packed; // (slices, blocks, n of the slice, rows of the block)
    int row, rows;
    int block_rows, blocks;
    int n, width;   // the section's first n, and their count
    int slice;      // n of a slice; the last may have fewer
    int columns;    // of a strip
    int group;      // strips of a task
    float *weights; // (threads, group, GEMM_STRIP_MAX): a slice of the strips
};

static int ceiling(int a, int b)
{
    return (a - 1) / b + 1;
}

static int rows_of_block(const struct backward_job *job, int block)
{
    return int_min(job->block_rows, job->rows - block * job->block_rows);
}

/* Returns the packed rows of a block, for the slice from n (within the section) on. */
static float *packed_at(const struct backward_job *job, int block, int n)
{
    const size_t width = (size_t)int_min(job->slice, job->width - n);
    return job->packed + (size_t)job->rows * (size_t)n +
           (size_t)block * (size_t)job->block_rows * width;
}

static void piece_pack(void *context, int index)
{
    const struct backward_job *job = context;
    const int slices = ceiling(job->width, job->slice), block = index / slices;
    const int n = index % slices * job->slice;
    const size_t row = (size_t)(job->row + block * job->block_rows);
    const float *dy = tensor_floats(job->args->dy) + row * (size_t)job->args->lddy + job->n + n;
    gemm_pack_block(job->device->gemm, packed_at(job, block, n), dy, (size_t)job->args->lddy,
                    (size_t)rows_of_block(job, block), (size_t)int_min(job->slice, job->width - n));
}

/* Prefetches the weights of a part some panels ahead: each lies far from the one before. */
static void fetch_part(const struct weight *weight, int n, int k, int count)
{
    enum { AHEAD = 4 * GEMM_PART };
    const size_t width = (size_t)weight->width, element = weight_element(weight->dtype);
    if (n + AHEAD >= weight->n)
        return;
    const size_t panel = (size_t)(n + AHEAD) / width;
    const char *at =
        (const char *)weight->data + (panel * (size_t)weight->k + (size_t)k) * width * element;
    for (size_t i = 0; i < (size_t)count * width * element; i += GEMM_LINE)
        __builtin_prefetch(at + i, 0, 3);
}

/* Transposes GEMM_PART n from `n` on, all of one panel, by k … k+count-1: out[i * columns + c] is
 * the weight of n + i and k + c. */
static void transpose_part(const struct backward_job *job, int n, int k, int count, float *out)
{
    const struct weight *weight = job->args->weight;
    const size_t width = (size_t)weight->width, columns = (size_t)job->columns;
    const size_t at =
        ((size_t)n / width * (size_t)weight->k + (size_t)k) * width + (size_t)n % width;
    _Alignas(GEMM_LINE) float wide[GEMM_PANEL * GEMM_PART];
    const float *lines = wide;
    size_t ld = GEMM_PART;
    if (weight->widen) {
        weight->widen((const uint16_t *)weight->data + at, width, wide, GEMM_PART, (size_t)count);
    } else {
        lines = (const float *)weight->data + at;
        ld = width;
    }
    if (count == job->columns && job->device->gemm->transpose) {
        job->device->gemm->transpose(out, lines, ld);
        return;
    }
    if (count == job->columns) {
        gemm_pack_block(job->device->gemm, out, lines, ld, columns, GEMM_PART);
        return;
    }
    for (size_t i = 0; i < GEMM_PART; i++)
        for (size_t c = 0; c < columns; c++)
            out[i * columns + c] = (int)c < count ? lines[c * ld + i] : 0;
}

/* Does the same for all strips from k = first to `end`, GEMM_STRIP_MAX apart: a panel's share of
 * them is contiguous. */
static void transpose_parts(const struct backward_job *job, int n, int first, int end, float *out)
{
    if (n % job->args->weight->width == 0)
        fetch_part(job->args->weight, n, first, end - first);
    for (int k = first; k < end; k += job->columns, out += GEMM_STRIP_MAX)
        transpose_part(job, n, k, int_min(job->columns, end - k), out);
}

/* Multiplies all blocks of rows by a strip, over a slice. Tiles are as wide as strips, so the last
 * columns go through a buffer. */
static void blocks_by_strip(const struct backward_job *job, const float *weights, int n, int k,
                            int count)
{
    const struct linear_backward_args *args = job->args;
    const size_t ld = (size_t)args->lddx;
    float whole[GEMM_ROWS_MAX * GEMM_PANEL];
    for (int block = 0; block < job->blocks; block++) {
        const int rows = rows_of_block(job, block);
        float *dx = tensor_floats(args->dx) + (size_t)(job->row + block * job->block_rows) * ld + k;
        struct gemm_tile tile = {.y = dx,
                                 .a = packed_at(job, block, n),
                                 .b = weights,
                                 .ldy = ld,
                                 .k = int_min(job->slice, job->width - n),
                                 .accumulate = args->accumulate || job->n + n > 0};
        if (count < job->columns) {
            tile.y = whole;
            tile.ldy = (size_t)job->columns;
            memset(whole, 0, sizeof whole);
        }
        for (int r = 0; tile.y == whole && tile.accumulate && r < rows; r++)
            memcpy(whole + (size_t)r * tile.ldy, dx + (size_t)r * ld,
                   (size_t)count * sizeof *whole);
        job->device->gemm->tile[DTYPE_F32][rows - 1](&tile);
        for (int r = 0; tile.y == whole && r < rows; r++)
            memcpy(dx + (size_t)r * ld, whole + (size_t)r * tile.ldy,
                   (size_t)count * sizeof *whole);
    }
}

/* Computes adjacent strips, one slice after the other. */
static void group_run(void *context, int index)
{
    const struct backward_job *job = context;
    const int all = job->args->weight->k, first = index * job->group * job->columns;
    const int end = int_min(first + job->group * job->columns, all);
    float *weights =
        job->weights + (size_t)pool_self(job->device->pool) * (size_t)job->group * GEMM_STRIP_MAX;
    for (int n = 0; n < job->width && !cancelled(job->device); n += job->slice) {
        const int width = int_min(job->slice, job->width - n);
        for (int i = 0; i < width; i += GEMM_PART)
            transpose_parts(job, job->n + n + i, first, end, weights + i * job->columns);
        for (int k = first, strip = 0; k < end; k += job->columns, strip++)
            blocks_by_strip(job, weights + (size_t)strip * GEMM_STRIP_MAX, n, k,
                            int_min(job->columns, end - k));
    }
}

static void tasks_run(const struct backward_job *job, int tasks,
                      void (*task)(void *context, int index))
{
    const double work = (double)job->rows * job->width * job->args->weight->k;
    if (work > SHARED_WORK)
        pool_run(job->device->pool, tasks, work > HEAVY_WORK ? POOL_HEAVY : POOL_LIGHT, task,
                 (void *)job);
    else
        for (int i = 0; i < tasks; i++)
            task((void *)job, i);
}

static void rows_run(struct backward_job *job)
{
    const struct weight *weight = job->args->weight;
    job->blocks = ceiling(job->rows, job->device->gemm->rows);
    job->block_rows = ceiling(job->rows, job->blocks);
    job->blocks = ceiling(job->rows, job->block_rows);
    for (job->n = 0; job->n < weight->n && !cancelled(job->device); job->n += SECTION) {
        job->width = int_min(SECTION, weight->n - job->n);
        tasks_run(job, job->blocks * ceiling(job->width, job->slice), piece_pack);
        tasks_run(job, ceiling(weight->k, job->columns * job->group), group_run);
    }
}

/* Returns the strips per task: enough that few panels are visited, but every thread still gets
 * several tasks. */
static int group_size(const struct device *device, const struct weight *weight, int columns)
{
    enum { GROUP_MOST = 4, TASKS_A_THREAD = 2 };
    const int strips = ceiling(weight->k, columns), threads = pool_threads(device->pool);
    const int tasks = threads > 1 ? threads * TASKS_A_THREAD : 1;
    return int_min(GROUP_MOST, ceiling(strips, tasks));
}

void cpu_linear_backward(struct device *device, const struct linear_backward_args *args)
{
    const int columns = device->gemm->panel_parts * GEMM_PART;
    struct backward_job job = {.device = device,
                               .args = args,
                               .slice = device->gemm->slice,
                               .columns = columns,
                               .group = group_size(device, args->weight, columns)};
    const size_t weights = (size_t)pool_threads(device->pool) * (size_t)job.group * GEMM_STRIP_MAX;
    const size_t packed =
        (size_t)int_min(args->rows, CHUNK_ROWS) * (size_t)int_min(args->weight->n, SECTION);
    if (args->rows < 1)
        return;
    job.weights = device_scratch(device, (weights + packed) * sizeof *job.weights);
    job.packed = job.weights ? job.weights + weights : NULL;
    for (; job.packed && job.row < args->rows && !cancelled(device); job.row += CHUNK_ROWS) {
        job.rows = int_min(CHUNK_ROWS, args->rows - job.row);
        rows_run(&job);
    }
}
