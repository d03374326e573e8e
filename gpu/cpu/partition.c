#include "gpu/cpu/partition.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Least rows per worker for a scope to be partitioned: every worker reads all weights. With fewer
 * rows, dividing the columns of every product among the threads is faster: each thread then reads
 * only part of the weights, although all wait for each other after each product. Weights in a cache
 * are cheap to read, so fewer rows suffice. */
enum { LEAST_ROWS = 16, LEAST_ROWS_CACHED = 4 };

struct worker {
    struct device *device; // the worker's own device
    double speed;          // in recent scopes, relative to the average of all workers
    double seconds;        // from the beginning of the present scope until its range was done
    int begin;             // first row of its range
};

struct partition {
    struct device *device;
    size_t cached_bytes; // weights up to this size stay in the shared cache
    int count;
    struct worker worker[]; // (count + 1): the last only holds the end of the rows in `begin`
};

static _Thread_local struct range current; // of NULL: none

static void worker_close(struct device *own)
{
    if (!own)
        return;
    pool_close(own->pool);
    memory_aligned_free(own->scratch, own->scratch_size);
    free(own);
}

static struct device *worker_open(struct device *device, struct status *status)
{
    struct device *own = memory_new(1, sizeof *own, status);
    if (!own)
        return NULL;
    own->isa = device->isa;
    own->kernels = device->kernels;
    own->gemm = device->gemm;
    own->integer = device->integer;
    own->cancel = device->cancel;
    own->pool = pool_open(1, status);
    if (own->pool)
        return own;
    free(own);
    return NULL;
}

/* The size of the cache that all threads share, at most 32 MB: measured with 30 MB of weights,
 * partitions of few rows were faster; with 120 MB they were slower. */
static size_t cached_bytes(void)
{
    const long unknown = 8 << 20, most = 32 << 20;
    long size = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    size = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return (size_t)(size <= 0 ? unknown : size < most ? size : most);
}

struct partition *partition_open(struct device *device, struct status *status)
{
    const int threads = pool_threads(device->pool);
    struct partition *partition = memory_new(
        1, sizeof *partition + (size_t)(threads + 1) * sizeof *partition->worker, status);
    if (!partition)
        return NULL;
    partition->device = device;
    partition->cached_bytes = cached_bytes();
    for (; threads > 1 && partition->count < threads; partition->count++) {
        struct worker *worker = &partition->worker[partition->count];
        *worker = (struct worker){.device = worker_open(device, status), .speed = 1};
        if (!worker->device) {
            partition_close(partition);
            return NULL;
        }
    }
    return partition;
}

void partition_close(struct partition *partition)
{
    for (int i = 0; partition && i < partition->count; i++)
        worker_close(partition->worker[i].device);
    free(partition);
}

/* Scopes */

struct scope_run {
    struct partition *partition;
    const struct scope_args *args;
    double begin; // seconds
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns the group boundary nearest to a row. */
static int group_near(const struct scope_args *args, int row)
{
    int group = 0;
    if (!args->groups)
        return (row + args->width / 2) / args->width * args->width;
    while (args->groups[group] < row)
        group++;
    if (group > 0 && row - args->groups[group - 1] < args->groups[group] - row)
        group--;
    return args->groups[group];
}

/* Returns a worker's share in the division of the rows. */
typedef double share(const struct worker *worker);

static double by_speed(const struct worker *worker)
{
    return worker->speed;
}

static double equally(const struct worker *worker)
{
    (void)worker;
    return 1;
}

static double share_total(const struct partition *partition, share *share_of)
{
    double total = 0;
    for (int i = 0; i < partition->count; i++)
        total += share_of(&partition->worker[i]);
    return total;
}

static int worker_rows(const struct worker *worker)
{
    return worker[1].begin - worker->begin;
}

/* Divides the rows in proportion to the workers' shares, rounded to whole groups. Returns whether
 * the result is balanced; it is not if a single long sentence or wide beam makes up most of the
 * scope. */
static bool ranges_divide(struct partition *partition, const struct scope_args *args,
                          share *share_of)
{
    const double total = share_total(partition, share_of);
    double before = 0;
    bool even = true;
    for (int i = 0; i < partition->count; before += share_of(&partition->worker[i++]))
        partition->worker[i].begin = group_near(args, (int)(args->rows * (before / total)));
    partition->worker[partition->count].begin = args->rows;
    for (int i = 0; i < partition->count; i++) {
        const struct worker *worker = &partition->worker[i];
        const int rows = worker_rows(worker);
        even = even && rows > 0 && rows <= 1.25 * args->rows * (share_of(worker) / total);
    }
    return even;
}

/* Long ranges count for more than short ones, whose time depends mostly on how late a worker woke
 * up. */
static void speeds_learn(struct partition *partition)
{
    const double most = 0.5, slowest = 0.25;
    const double as_all_before = 5e-3; // seconds of a range that counts as much as all earlier ones
    double total = 0, seconds = 0;
    for (int i = 0; i < partition->count; i++) {
        total += worker_rows(&partition->worker[i]) / partition->worker[i].seconds;
        seconds += partition->worker[i].seconds / partition->count;
    }
    const double newest = fmin(most, seconds / (seconds + as_all_before));
    for (int i = 0; i < partition->count; i++) {
        struct worker *worker = &partition->worker[i];
        const double rate = worker_rows(worker) / worker->seconds / (total / partition->count);
        worker->speed += newest * (fmax(rate, slowest) - worker->speed);
    }
}

/* Divides the rows by speed: other programs may slow down some cores, and the fastest worker would
 * wait for the slowest. Divides them equally if that is not balanced, because speeds do not fit
 * whole groups or are outdated. Returns false if the scope is too small or uneven to be
 * partitioned. */
static bool ranges_assign(struct partition *partition, const struct scope_args *args)
{
    const bool cached = partition->device->weight_bytes <= partition->cached_bytes;
    const int least = cached ? LEAST_ROWS_CACHED : LEAST_ROWS;
    if (partition->count == 0 || args->rows < least * partition->count)
        return false;
    return ranges_divide(partition, args, by_speed) || ranges_divide(partition, args, equally);
}

static void worker_run(void *context, int index)
{
    const struct scope_run *run = context;
    struct partition *partition = run->partition;
    struct worker *worker = &partition->worker[index];
    current = (struct range){.of = partition->device,
                             .worker = partition->worker[pool_self(partition->device->pool)].device,
                             .begin = worker->begin,
                             .rows = worker_rows(worker)};
    run->args->body(run->args->context);
    current = (struct range){0};
    worker->seconds = fmax(now() - run->begin, 1e-9);
}

static void failures_collect(struct partition *partition)
{
    for (int i = 0; i < partition->count; i++) {
        struct device *own = partition->worker[i].device, *device = partition->device;
        if (own->failed && !device->failed)
            device->failure = own->failure;
        device->failed |= own->failed;
        own->failed = false;
    }
}

void partition_scope(struct device *device, const struct scope_args *args)
{
    struct partition *partition = device->partition;
    if (!ranges_assign(partition, args)) {
        args->body(args->context);
        return;
    }
    struct scope_run run = {partition, args, now()};
    pool_run(device->pool, partition->count, POOL_HEAVY, worker_run, &run);
    if (!cancelled(device))
        speeds_learn(partition);
    failures_collect(partition);
}

const struct range *partition_range(const struct device *device)
{
    return current.of == device ? &current : NULL;
}
