#include "gpu/cpu/peak.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cpu/device.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Several chains side by side, so that none waits for its own latency. Tasks are short enough to fit
 * between two interruptions by another process. */
enum { CHAINS = 12, ROUNDS = 50000, PART_BYTES = 1 << 20, REPEATS = 40, PARTS_A_THREAD = 8 };

/* Keeps the compiler from leaving out what computes the value. */
static void keep(float value)
{
    __asm__ volatile("" : : "m"(value) : "memory");
}

/* Multiply-adds between registers; returns the number of operations. */
typedef double burn(void);
/* Reads PART_BYTES from `data` on. */
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

/* What the compiler makes of it without being told of any instruction set. */
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

/* One word of every line is enough to fetch it. Lines are asked for ahead of time, as the hardware's
 * own prefetcher stops at every page. */
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

struct measurement {
    burn *burn;
    const unsigned char *data;
    size_t size;        // of data; a multiple of PART_BYTES
    size_t next;        // where the next run's parts begin
    double *operations; // of each task
};

static void burn_task(void *context, int index)
{
    struct measurement *measurement = context;
    measurement->operations[index] = measurement->burn();
}

static void sweep_task(void *context, int index)
{
    struct measurement *measurement = context;
    size_t at = measurement->next + (size_t)index * PART_BYTES;
    sweep_lines(measurement->data + at % measurement->size);
    measurement->operations[index] = PART_BYTES;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Operations a second in the best of several runs of `tasks` tasks; without a pool on this thread. */
static double best_rate(struct measurement *measurement, struct pool *pool, int tasks,
                        void (*task)(void *context, int index))
{
    double best = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double begin = seconds(), operations = 0;
        if (pool)
            pool_run(pool, tasks, POOL_HEAVY, task, measurement);
        for (int i = 0; i < tasks && !pool; i++)
            task(measurement, i);
        double time = seconds() - begin;
        for (int i = 0; i < tasks; i++)
            operations += measurement->operations[i];
        best = operations / time > best ? operations / time : best;
        measurement->next += (size_t)tasks * PART_BYTES;
    }
    return best;
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

bool peak_measure(struct pool *pool, struct peak *peak, struct status *status)
{
    int threads = pool_threads(pool);
    int parts = threads * PARTS_A_THREAD;
    struct measurement measurement = {.burn = burn_best(), .size = array_size()};
    measurement.operations = memory_new((size_t)parts, sizeof(double), status);
    if (!measurement.operations)
        return false;
    unsigned char *data = memory_aligned(measurement.size + PART_BYTES);
    measurement.data = data;
    if (data) {
        // Pages that were never written are one page of zeros, which the cache holds.
        memset(data, 1, measurement.size + PART_BYTES);
        *peak = (struct peak){.threads = threads,
                              .flops_core = best_rate(&measurement, NULL, 1, burn_task),
                              .flops = best_rate(&measurement, pool, parts, burn_task),
                              .bandwidth_core =
                                  best_rate(&measurement, NULL, PARTS_A_THREAD, sweep_task),
                              .bandwidth = best_rate(&measurement, pool, parts, sweep_task)};
    } else {
        status_fail(status, STATUS_MEMORY, "no memory for an array of %zu MB",
                    measurement.size >> 20);
    }
    memory_aligned_free(data, measurement.size + PART_BYTES);
    free(measurement.operations);
    return data != NULL;
}
