/* `linear`: splits a product into chunks of rows and divides a chunk's columns among the
 * threads. */
#include "base/minmax.h"
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/gemm_chunk.h"
#include "gpu/cpu/kernel/integer.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/ops.h"
#include "gpu/cpu/sections.h"

enum { CHUNK_ROWS = 384, GROUP_MAX = 8, TASKS_A_THREAD = 4 };

/* Least number of wide strips per thread: with fewer, threads' loads would differ too much. */
enum { EVEN = 8 };

/* Least number of strips for which rows are packed: with fewer, packing takes longer than it saves.
 * It saves nothing if each thread has a core to itself, and some percent if two threads share one.
 * Rows of more than DIRECT_LD elements are always packed, because one column of a tile would fill a
 * set of the nearest cache. (Only single-threaded devices, as workers have, read rows unpacked:
 * with several threads, products of so few strips use panels.) */
enum { PACKED_STRIPS = 8, DIRECT_LD = 512 };

/* Multiply-adds of a chunk above which awake threads take part (about 5 microseconds; less is not
 * worth the cost, see device.h), and above which sleeping threads are woken. */
enum { SHARED_WORK = 250000, HEAVY_WORK = 1000000 };

static int ceiling(int a, int b)
{
    return (a - 1) / b + 1;
}

/* Products of the same rows of one x by several weights. The rows are packed once or, for integers,
 * quantised for each weight. */
struct chunk_set {
    struct chunk chunks[LINEAR_MOST];
    int count;
    int group; // strips per task, similar in all products so that tasks take the same time
};

/* Estimates multiply-adds. Few rows take the time to read the weight, many that of the
 * arithmetic. */
static double product_work(int rows, const struct weight *weight)
{
    return (double)(rows < 4 ? 4 : rows) * weight->n * weight->k;
}

static double set_work(const struct chunk_set *set)
{
    double work = 0;
    for (int i = 0; i < set->count; i++)
        work += product_work(set->chunks[i].rows, set->chunks[i].weight);
    return work;
}

static int groups_of(const struct chunk_set *set, int product)
{
    return ceiling(set->chunks[product].strips, set->group);
}

static void strips_run(const struct chunk *chunk, int begin, int end)
{
    if (weight_is_integer(chunk->weight))
        integer_run(chunk, begin, end);
    else
        chunk_run(chunk, begin, end);
}

/* Runs one group; groups are numbered through all products. */
static void group_run(void *context, int index)
{
    const struct chunk_set *set = context;
    int product = 0;
    for (; index >= groups_of(set, product); product++)
        index -= groups_of(set, product);
    const struct chunk *chunk = &set->chunks[product];
    int begin = index * set->group;
    strips_run(chunk, begin, int_min(begin + set->group, chunk->strips));
}

static int set_cut(struct chunk_set *set, int tasks)
{
    int strips = 0, groups = 0;
    for (int i = 0; i < set->count; i++)
        strips += set->chunks[i].strips;
    set->group = int_min(ceiling(strips, tasks), GROUP_MAX);
    for (int i = 0; i < set->count; i++)
        groups += groups_of(set, i);
    return groups;
}

/* The threads that help with a given number of multiply-adds. */
struct help {
    struct pool *pool; // NULL: none
    enum pool_effort effort;
    int threads;
};

static struct help help_of(const struct device *device, double work)
{
    if (work <= SHARED_WORK)
        return (struct help){NULL, POOL_LIGHT, 1};
    return (struct help){device->pool, work > HEAVY_WORK ? POOL_HEAVY : POOL_LIGHT,
                         pool_threads(device->pool)};
}

static void tasks_run(struct help help, int tasks, void (*task)(void *context, int index),
                      void *context)
{
    if (help.pool)
        pool_run(help.pool, tasks, help.effort, task, context);
    else
        for (int i = 0; i < tasks; i++)
            task(context, i);
}

static void piece_pack(void *context, int index)
{
    chunk_pack(context, index);
}

static void piece_quantise(void *context, int index)
{
    integer_pack(context, index);
}

/* This thread packs few blocks alone: handing them out would take as long. */
static void rows_pack(struct chunk *chunk, struct help help)
{
    struct help alone = {.pool = NULL, .threads = 1};
    if (chunk->blocks <= 4)
        help = alone;
    if (weight_is_integer(chunk->weight))
        tasks_run(help, integer_pieces(chunk), piece_quantise, chunk);
    else
        tasks_run(help, chunk_pieces(chunk), piece_pack, chunk);
}

/* The first product's packed rows serve all products; quantised rows do not. */
static void set_run(struct chunk_set *set)
{
    struct chunk *first = set->chunks;
    struct help help = help_of(first->device, set_work(set));
    const int packings = weight_is_integer(first->weight) ? set->count : 1;
    for (int i = 0; i < packings; i++)
        rows_pack(&set->chunks[i], help);
    tasks_run(help, set_cut(set, help.threads * TASKS_A_THREAD), group_run, set);
}

/* Returns the rows per chunk: chunks are of similar size, and all but the last consist of whole
 * tiles. */
static int chunk_rows(int rows, int tile_rows)
{
    int chunks = ceiling(rows, CHUNK_ROWS);
    int chunk = ceiling(rows, chunks);
    return chunks == 1 ? rows : ceiling(chunk, tile_rows) * tile_rows;
}

/* Chooses one cut for all products, as they share x. Wide strips of float32 would be copies, so
 * float32 panels are used as they are. */
static struct cut cut_of(const struct device *device, const struct linear_args *args, int count)
{
    const struct gemm_kernels *kernels = device->gemm;
    int strips = 0, narrow = 0, threads = pool_threads(device->pool);
    if (weight_is_integer(args->weight))
        return (struct cut){.rows = device->integer->rows, .parts = 1};
    for (int i = 0; i < count; i++) {
        strips += ceiling(weight_parts(args[i].weight), kernels->strip_parts);
        narrow += args[i].weight->dtype != DTYPE_F32;
    }
    bool near = args->ldx <= DIRECT_LD && strips < PACKED_STRIPS;
    if (narrow && args->rows > kernels->rows && (threads == 1 || strips >= threads * EVEN))
        return (struct cut){.rows = kernels->strip_rows,
                            .parts = kernels->strip_parts,
                            .direct = near && narrow == count && kernels->direct[0][0]};
    return (struct cut){.rows = kernels->rows, .parts = kernels->panel_parts};
}

/* Returns the bytes of `rows` packed rows; SIZE_MAX, more than any memory, on overflow. */
static size_t packed_bytes(const struct device *device, const struct linear_args *args, int rows)
{
    size_t bytes;
    if (weight_is_integer(args->weight))
        return integer_bytes(device, args->weight, rows);
    if (!size_multiply((size_t)rows * sizeof(float), (size_t)args->weight->k, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* Scratch memory for products of one x. */
struct packing {
    float *peak;   // (rows) of x; only for integers
    float *floats; // packed rows, shared by all weights of floats; or quantised rows,
    size_t bytes;  // `bytes` apart for each weight. NULL: no memory
};

static struct packing packing_of(struct device *device, const struct linear_args *args, int count,
                                 int most)
{
    const bool integers = weight_is_integer(args->weight);
    const size_t peaks = integers ? integer_peak_bytes(args->rows) : 0;
    struct packing packing = {.bytes = packed_bytes(device, args, most)};
    size_t all;
    if (!size_multiply(packing.bytes, integers ? (size_t)count : 1, &all) || all > SIZE_MAX - peaks)
        all = SIZE_MAX - peaks;
    char *memory = device_scratch(device, all + peaks);
    packing.peak = (float *)memory;
    packing.floats = memory ? (float *)(memory + peaks) : NULL;
    if (memory && integers)
        integer_peaks(args, packing.peak);
    return packing;
}

/* Moves the rows of a finished product to their places. */
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

/* Makes a chunk of product `number` among those that share the packing. */
static struct chunk product_chunk(struct device *device, const struct linear_args *args,
                                  const struct packing *packing, int number, int row, int rows,
                                  struct cut cut)
{
    struct chunk chunk = chunk_of(device, args, packing->floats, row, rows, cut);
    chunk.ldy = (size_t)args->ldy;
    chunk.y = tensor_floats(args->y) + (size_t)row * chunk.ldy;
    if (weight_is_integer(args->weight))
        integer_place(&chunk, (char *)packing->floats + (size_t)number * packing->bytes, rows, 0,
                      packing->peak + row);
    return chunk;
}

/* Computes products by weights of one kind. */
static void products_run(struct device *device, const struct linear_args *args, int count)
{
    struct chunk_set set = {.count = count};
    struct cut cut = cut_of(device, args, count);
    int most = chunk_rows(args->rows, cut.rows);
    const struct packing packing = packing_of(device, args, count, most);
    for (int row = 0; packing.floats && row < args->rows && !cancelled(device); row += most) {
        int rows = int_min(most, args->rows - row);
        for (int i = 0; i < count; i++)
            set.chunks[i] = product_chunk(device, &args[i], &packing, i, row, rows, cut);
        set_run(&set);
    }
    for (int i = 0; packing.floats && i < count; i++)
        if (!set.chunks[i].cache)
            store_rows(device, &args[i]);
}

/* Caps the elements of a finished product. */
struct cap_job {
    const struct linear_args *args;
    const struct kernels *kernels;
};

static void cap_block(void *context, int task, int begin, int end)
{
    const struct cap_job *job = context;
    const size_t ld = (size_t)job->args->ldy;
    (void)task;
    for (int m = begin; m < end; m++)
        job->kernels->cap(tensor_floats(job->args->y) + (size_t)m * ld, job->args->cap,
                          (size_t)job->args->weight->n);
}

static void cap_rows(struct device *device, const struct linear_args *args)
{
    struct cap_job job = {args, device->kernels};
    const struct row_blocks blocks = blocks_of(device, args->rows, 16 * (size_t)args->weight->n);
    blocks_run(device, &blocks, cap_block, &job);
}

void cpu_linear(struct device *device, const struct linear_args *args, int count)
{
    for (int begin = 0, end; begin < count && args->rows > 0; begin = end) {
        const bool integers = weight_is_integer(args[begin].weight);
        for (end = begin + 1; end < count && weight_is_integer(args[end].weight) == integers;)
            end++;
        products_run(device, args + begin, end - begin);
    }
    for (int i = 0; i < count; i++)
        if (args[i].cap > 0)
            cap_rows(device, &args[i]);
}

/* Sections: see sections.h. */

/* Least sections per range: each range keeps results of its own. If there are many rows, threads
 * divide the rows instead. */
enum { LEAST_SECTIONS = 3, ROWS_SHARED = 64 };

static struct cut section_cut(const struct device *device, const struct linear_args *args)
{
    const struct gemm_kernels *kernels = device->gemm;
    if (weight_is_integer(args->weight))
        return (struct cut){.rows = device->integer->rows, .parts = 1};
    if (args->weight->dtype != DTYPE_F32 && args->rows > kernels->rows)
        return (struct cut){.rows = kernels->strip_rows, .parts = kernels->strip_parts};
    return (struct cut){.rows = kernels->rows, .parts = kernels->panel_parts};
}

/* Cuts sections of similar size, so that threads have equal work. A small count of sections is made
 * even, as thread counts are. */
struct sections sections_in_memory(int n)
{
    enum { STRIPS = 6 * GEMM_PART }; // a multiple of strips of two and of three parts
    int count = ceiling(n, SECTION_MOST);
    int columns = ceiling(ceiling(n, count > 1 ? count + count % 2 : 1), STRIPS) * STRIPS;
    return (struct sections){
        .count = ceiling(n, columns), .columns = columns, .ranges = 1, .chunks = 1};
}

struct sections sections_of(const struct device *device, const struct linear_args *args)
{
    struct sections sections = sections_in_memory(args->weight->n);
    int threads = help_of(device, product_work(args->rows, args->weight)).threads;
    int tasks = threads > 1 ? threads * TASKS_A_THREAD : 1;
    sections.ranges = int_min(ceiling(tasks, ceiling(args->rows, ROWS_SHARED)),
                              ceiling(sections.count, LEAST_SECTIONS));
    int tile_rows = section_cut(device, args).rows, chunks = ceiling(tasks, sections.ranges);
    int rows = ceiling(ceiling(args->rows, chunks), tile_rows) * tile_rows;
    sections.rows = int_min(rows, chunk_rows(args->rows, tile_rows));
    sections.chunks = ceiling(args->rows, sections.rows);
    return sections;
}

/* Returns the size of the pieces of y, one per thread. */
static size_t piece_bytes(const struct device *device)
{
    return (size_t)pool_threads(device->pool) * CHUNK_ROWS * SECTION_MOST * sizeof(float);
}

static size_t peak_bytes(const struct linear_args *args)
{
    return weight_is_integer(args->weight) ? integer_peak_bytes(args->rows) : 0;
}

/* Counts the pieces, the peaks for integers, and the packed rows. */
size_t sections_scratch(const struct device *device, const struct linear_args *args)
{
    size_t packed = packed_bytes(device, args, args->rows);
    size_t before = piece_bytes(device) + peak_bytes(args);
    return packed < SIZE_MAX - before ? before + packed : SIZE_MAX;
}

struct section_job {
    struct device *device;
    const struct linear_args *args;
    const struct sections *sections;
    float *peak;    // (rows); only for integers
    float *packing; // (rows, K), or quantised rows
    float *y;       // (threads, CHUNK_ROWS, SECTION_MOST)
    section_take *take;
    void *context;
};

static struct chunk section_chunk(const struct section_job *job, int number)
{
    int row = number * job->sections->rows;
    float *packing = job->packing + (size_t)row * (size_t)job->args->weight->k;
    struct chunk chunk = chunk_of(job->device, job->args, packing, row,
                                  int_min(job->sections->rows, job->args->rows - row),
                                  section_cut(job->device, job->args));
    if (weight_is_integer(job->args->weight))
        integer_place(&chunk, job->packing, job->args->rows, row, job->peak + row);
    return chunk;
}

/* Chunks of one range have adjacent numbers, so that a thread reads the same weights again. */
static void range_run(void *context, int index)
{
    const struct section_job *job = context;
    const struct sections *sections = job->sections;
    int number = index % sections->chunks, range = index / sections->chunks;
    int begin = sections->count * range / sections->ranges;
    int end = sections->count * (range + 1) / sections->ranges;
    int parts = sections->columns / GEMM_PART;
    struct chunk chunk = section_chunk(job, number);
    chunk.y = job->y + (size_t)pool_self(job->device->pool) * CHUNK_ROWS * SECTION_MOST;
    chunk.ldy = SECTION_MOST;
    for (int i = begin; i < end && !cancelled(job->device); i++) {
        chunk_columns(&chunk, i * parts, parts);
        strips_run(&chunk, 0, chunk.strips);
        struct section section = {.y = chunk.y,
                                  .row = number * sections->rows,
                                  .rows = chunk.rows,
                                  .index = i,
                                  .range = range,
                                  .begin = begin};
        section.columns = int_min(sections->columns, chunk.weight->n - i * sections->columns);
        for (int r = 0; job->args->cap > 0 && r < chunk.rows; r++)
            job->device->kernels->cap(chunk.y + (size_t)r * SECTION_MOST, job->args->cap,
                                      (size_t)section.columns);
        if (!cancelled(job->device))
            job->take(job->context, &section);
    }
}

void sections_run(struct device *device, const struct linear_args *args,
                  const struct sections *sections, void *scratch, section_take *take, void *context)
{
    struct section_job job = {.device = device,
                              .args = args,
                              .sections = sections,
                              .y = scratch,
                              .peak = (float *)((char *)scratch + piece_bytes(device)),
                              .take = take,
                              .context = context};
    job.packing = (float *)((char *)job.peak + peak_bytes(args));
    if (weight_is_integer(args->weight))
        integer_peaks(args, job.peak);
    struct help help = help_of(device, product_work(args->rows, args->weight));
    for (int number = 0; number < sections->chunks; number++) {
        struct chunk chunk = section_chunk(&job, number);
        rows_pack(&chunk, help);
    }
    tasks_run(help, sections->chunks * sections->ranges, range_run, &job);
}
