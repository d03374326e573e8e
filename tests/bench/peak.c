#include "tests/bench/peak.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cpu/device.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Several chains run side by side, so that none waits for its own latency. Tasks are short enough
 * to fit between two interruptions by other processes. */
enum { CHAINS = 12, ROUNDS = 50000, PART_BYTES = 1 << 20, REPEATS = 40, PARTS_A_THREAD = 8 };

/* Keeps the compiler from optimising away the computation of `value`. */
static void keep(float value)
{
    __asm__ volatile("" : : "m"(value) : "memory");
}

/* Multiply-adds between registers; returns the number of operations. */
typedef double burn(void);
/* Reads PART_BYTES bytes from `data`. */
typedef void sweep(const unsigned char *data);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static double burn_avx512(void)
{
    __m512 chain[CHAINS], factor = _mm512_set1_ps(0.999f);
    for (int i = 0; i < CHAINS; i++)
        chain[i] = _mm512_set1_ps((float)i);
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            chain[i] = _mm512_fmadd_ps(chain[i], factor, factor);
    for (int i = 0; i < CHAINS; i++)
        keep(_mm512_cvtss_f32(chain[i]));
    return 2.0 * 16 * CHAINS * ROUNDS;
}

__attribute__((target("avx2,fma"))) static double burn_avx2(void)
{
    __m256 chain[CHAINS], factor = _mm256_set1_ps(0.999f);
    for (int i = 0; i < CHAINS; i++)
        chain[i] = _mm256_set1_ps((float)i);
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++)
            chain[i] = _mm256_fmadd_ps(chain[i], factor, factor);
    for (int i = 0; i < CHAINS; i++)
        keep(_mm256_cvtss_f32(chain[i]));
    return 2.0 * 8 * CHAINS * ROUNDS;
}
#endif

/* The compiler's own code for the baseline instruction set. */
static double burn_c(void)
{
    enum { WIDTH = 8 };
    float chain[CHAINS * WIDTH], factor = 0.999f;
    for (int i = 0; i < CHAINS * WIDTH; i++)
        chain[i] = (float)i;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CHAINS * WIDTH; i++)
            chain[i] = chain[i] * factor + factor;
    for (int i = 0; i < CHAINS * WIDTH; i++)
        keep(chain[i]);
    return 2.0 * WIDTH * CHAINS * ROUNDS;
}

static burn *burn_best(void)
{
#if defined(__x86_64__)
    if (isa_supported(ISA_AVX512))
        return burn_avx512;
    if (isa_supported(ISA_AVX2))
        return burn_avx2;
#endif
    return burn_c;
}

/* Reading one word of every line is enough to fetch it. Lines are prefetched, because the
 * hardware's own prefetcher stops at every page. */
static void sweep_lines(const unsigned char *data)
{
    enum { LINE = 64, AHEAD = 4096 };
    uint32_t sum = 0;
    for (size_t at = 0; at < PART_BYTES; at += LINE) {
        __builtin_prefetch(data + at + AHEAD);
        sum ^= *(const uint32_t *)(const void *)(data + at);
    }
    keep((float)sum);
}

struct peak_meter {
    struct pool *pool;
    burn *burn;
    unsigned char *data;
    size_t size;        // of data; a multiple of PART_BYTES
    size_t next;        // where the next burst begins to read
    double *operations; // by task
};

static void burn_task(void *context, int index)
{
    struct peak_meter *meter = context;
    meter->operations[index] = meter->burn();
}

static void sweep_task(void *context, int index)
{
    struct peak_meter *meter = context;
    size_t at = meter->next + (size_t)index * PART_BYTES;
    sweep_lines(meter->data + at % meter->size);
    meter->operations[index] = PART_BYTES;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs one burst of `tasks` tasks, on this thread if there is no pool. */
static void run_burst(struct peak_meter *meter, struct pool *pool, int tasks,
                      void (*task)(void *context, int index), struct bursts *bursts)
{
    double begin = seconds(), amount = 0;
    if (pool)
        pool_run(pool, tasks, POOL_HEAVY, task, meter);
    for (int i = 0; i < tasks && !pool; i++)
        task(meter, i);
    double time = seconds() - begin;
    for (int i = 0; i < tasks; i++)
        amount += meter->operations[i];
    meter->next += (size_t)tasks * PART_BYTES;
    bursts->amount += amount;
    bursts->seconds += time;
    bursts->highest = amount / time > bursts->highest ? amount / time : bursts->highest;
}

static void run_bursts(struct peak_meter *meter, struct pool *pool, int tasks,
                       void (*task)(void *context, int index), struct bursts *bursts)
{
    for (int repeat = 0; repeat < REPEATS; repeat++)
        run_burst(meter, pool, tasks, task, bursts);
}

static int parts_of(const struct peak_meter *meter)
{
    return pool_threads(meter->pool) * PARTS_A_THREAD;
}

void peak_burn(struct peak_meter *meter, struct bursts *bursts)
{
    run_bursts(meter, meter->pool, parts_of(meter), burn_task, bursts);
}

void peak_read(struct peak_meter *meter, struct bursts *bursts)
{
    run_bursts(meter, meter->pool, parts_of(meter), sweep_task, bursts);
}

double bursts_mean(const struct bursts *bursts)
{
    return bursts->amount / bursts->seconds;
}

/* Much larger than the last cache. */
static size_t array_size(void)
{
    size_t size = (size_t)256 << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (cache > 0 && 4 * (size_t)cache > size)
        size = 4 * (size_t)cache;
#endif
    return size - size % PART_BYTES;
}

static bool meter_fill(struct peak_meter *meter, struct status *status)
{
    meter->operations = memory_new((size_t)parts_of(meter), sizeof(double), status);
    if (!meter->operations)
        return false;
    meter->data = memory_aligned(meter->size + PART_BYTES);
    if (!meter->data)
        return status_fail(status, STATUS_MEMORY, "no memory for an array of %zu MB",
                           meter->size >> 20);
    // Pages that were never written all map to one page of zeros, which the cache holds.
    memset(meter->data, 1, meter->size + PART_BYTES);
    return true;
}

struct peak_meter *peak_open(struct pool *pool, struct status *status)
{
    struct peak_meter *meter = memory_new(1, sizeof *meter, status);
    if (!meter)
        return NULL;
    *meter = (struct peak_meter){.pool = pool, .burn = burn_best(), .size = array_size()};
    if (meter_fill(meter, status))
        return meter;
    peak_close(meter);
    return NULL;
}

void peak_close(struct peak_meter *meter)
{
    if (!meter)
        return;
    memory_aligned_free(meter->data, meter->size + PART_BYTES);
    free(meter->operations);
    free(meter);
}

bool peak_measure(struct pool *pool, struct peak *peak, struct status *status)
{
    struct bursts burns = {0}, reads = {0}, core_burns = {0}, core_reads = {0};
    struct peak_meter *meter = peak_open(pool, status);
    if (!meter)
        return false;
    run_bursts(meter, NULL, 1, burn_task, &core_burns);
    peak_burn(meter, &burns);
    run_bursts(meter, NULL, PARTS_A_THREAD, sweep_task, &core_reads);
    peak_read(meter, &reads);
    peak_close(meter);
    *peak = (struct peak){.threads = pool_threads(pool),
                          .flops_core = core_burns.highest,
                          .flops = burns.highest,
                          .bandwidth_core = core_reads.highest,
                          .bandwidth = reads.highest};
    return true;
}
