/* How fast `linear` is, as a share of what the machine can do: of its multiply-add rate, or, for a
 * few rows, of the rate at which it reads memory. Shapes are those of Transformers; results are
 * checked before they are timed.
 *
 *   bench_gemm [THREADS [M N K]]      default: 1 and 2 threads, all shapes
 *
 * One thread is timed by the processor time it gets, so that other processes count less.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/backend.h"
#include "tests/bench/peak.h"

struct shape {
    int m, n, k;
};

static const struct shape shapes[] = {
    {1, 512, 512},     {1, 2048, 512},   {1, 512, 2048},   {1, 32000, 512},  {2, 2048, 512},
    {2, 32000, 512},   {5, 512, 512},    {5, 2048, 512},   {5, 32000, 512},  {12, 2048, 512},
    {12, 32000, 512},  {13, 2048, 512},  {30, 2048, 512},  {64, 512, 512},   {64, 2048, 512},
    {320, 512, 512},   {320, 2048, 512}, {320, 512, 2048}, {319, 2048, 512}, {321, 512, 2048},
    {320, 32000, 512}, {2000, 512, 512}, {2000, 2048, 512}};

static const char *const dtype_names[] = {"f32", "f16", "bf16"};

/* The weights take turns, and together they fit in no cache. In a model all other matrices are read
 * between two uses of one, too. */
enum { CACHE_BYTES = 160 << 20, WEIGHTS_MAX = 256 };

struct bench {
    struct device *device;
    struct peak peak;
    int threads;
};

struct run {
    struct shape shape;
    enum dtype dtype;
    struct tensor x, y;
    struct weight *weights[WEIGHTS_MAX];
    int weight_count;
};

static void give_up(const struct status *status)
{
    fprintf(stderr, "bench_gemm: %s\n", status->message);
    exit(1);
}

static double seconds(const struct bench *bench)
{
    struct timespec now;
    clock_gettime(bench->threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Small multiples of 1/8: these and sums of their products, in any order, are exact in every
 * type. */
static float value_at(size_t index)
{
    return (float)((int)(index * 2654435761u >> 16 & 15) - 8) / 8;
}

static uint16_t f16_from(float value)
{
    int exponent;
    float fraction = frexpf(fabsf(value), &exponent); // in [1/2, 1)
    if (value == 0)
        return 0;
    unsigned bits = (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 0x3FF);
    return (uint16_t)(bits | (value < 0 ? 0x8000 : 0));
}

static uint16_t bf16_from(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static void *weight_values(const struct run *run)
{
    size_t count = (size_t)run->shape.n * (size_t)run->shape.k;
    float *values = malloc(count * sizeof(float));
    if (!values)
        return NULL;
    uint16_t *narrow = (uint16_t *)values;
    for (size_t i = 0; i < count; i++) {
        if (run->dtype == DTYPE_F32)
            values[i] = value_at(i);
        else
            narrow[i] = run->dtype == DTYPE_F16 ? f16_from(value_at(i)) : bf16_from(value_at(i));
    }
    return values;
}

static void run_open(struct bench *bench, struct run *run)
{
    struct status status = {0};
    size_t bytes = (size_t)run->shape.n * (size_t)run->shape.k * (run->dtype ? 2 : 4);
    size_t x_count = (size_t)run->shape.m * (size_t)run->shape.k;
    size_t y_count = (size_t)run->shape.m * (size_t)run->shape.n;
    float *x = malloc(x_count * sizeof(float));
    void *values = weight_values(run);
    if (!x || !values ||
        !cpu_backend.allocate(bench->device, x_count * sizeof(float), &run->x, &status) ||
        !cpu_backend.allocate(bench->device, y_count * sizeof(float), &run->y, &status))
        give_up(&status);
    for (size_t i = 0; i < x_count; i++)
        x[i] = value_at(i + 7);
    cpu_backend.put(bench->device, run->x, x, x_count * sizeof(float));
    size_t wanted = CACHE_BYTES / bytes + 1;
    run->weight_count = wanted < WEIGHTS_MAX ? (int)wanted : WEIGHTS_MAX;
    struct weight_spec spec = {.data = values,
                               .dtype = run->dtype,
                               .n = run->shape.n,
                               .k = run->shape.k,
                               .use = WEIGHT_LINEAR};
    for (int i = 0; i < run->weight_count; i++) {
        run->weights[i] = cpu_backend.weight(bench->device, &spec, &status);
        if (!run->weights[i])
            give_up(&status);
    }
    free(values);
    free(x);
}

static void run_close(struct bench *bench, struct run *run)
{
    for (int i = 0; i < run->weight_count; i++)
        cpu_backend.forget(bench->device, run->weights[i]);
    cpu_backend.release(bench->device, run->x);
    cpu_backend.release(bench->device, run->y);
}

static void linear(struct bench *bench, const struct run *run, int weight)
{
    cpu_backend.linear(bench->device,
                       &(struct linear_args){.y = run->y,
                                             .x = run->x,
                                             .ldy = run->shape.n,
                                             .ldx = run->shape.k,
                                             .weight = run->weights[weight],
                                             .rows = run->shape.m},
                       1);
}

/* Checks the first and last rows against a plain sum. */
static void run_check(struct bench *bench, const struct run *run)
{
    struct shape shape = run->shape;
    float *row = malloc((size_t)shape.n * sizeof(float));
    if (!row)
        give_up(&(struct status){.message = "no memory"});
    linear(bench, run, 0);
    for (int m = 0; m<shape.m; m += shape.m> 1 ? shape.m - 1 : 1) {
        size_t bytes = (size_t)shape.n * sizeof(float);
        cpu_backend.get(bench->device, row, tensor_at(run->y, (size_t)m * bytes), bytes);
        for (size_t n = 0; n < (size_t)shape.n; n += 37) {
            float sum = 0;
            for (size_t k = 0; k < (size_t)shape.k; k++)
                sum += value_at((size_t)m * (size_t)shape.k + k + 7) *
                       value_at(n * (size_t)shape.k + k);
            if (!(row[n] == sum)) {
                fprintf(stderr, "bench_gemm: M %d N %d K %d: y[%d][%zu] is %a, expected %a\n",
                        shape.m, shape.n, shape.k, m, n, (double)row[n], (double)sum);
                exit(1);
            }
        }
    }
    free(row);
}

/* Seconds of one call: the best of many stretches, because other processes can only slow one
 * down. */
static double run_time(struct bench *bench, const struct run *run)
{
    double best = INFINITY, begin = seconds(bench);
    double work = (double)run->shape.m * run->shape.n * run->shape.k;
    int calls = (int)(2e6 * bench->threads / work) + 1, weight = 0;
    while (seconds(bench) - begin < 0.4) {
        double start = seconds(bench);
        for (int i = 0; i < calls; i++)
            linear(bench, run, weight = (weight + 1) % run->weight_count);
        double time = (seconds(bench) - start) / calls;
        best = time < best ? time : best;
    }
    return best;
}

static void shape_bench(struct bench *bench, struct shape shape, enum dtype dtype)
{
    struct run run = {.shape = shape, .dtype = dtype};
    bool one = bench->threads == 1;
    run_open(bench, &run);
    run_check(bench, &run);
    double time = run_time(bench, &run);
    double flops = 2.0 * shape.m * shape.n * shape.k / time;
    double rate = (double)shape.n * shape.k * (dtype ? 2 : 4) / time;
    printf("%7d %6d %6d %5d %5s %9.1f %8.1f %5.0f%% %8.1f %5.0f%%\n", bench->threads, shape.m,
           shape.n, shape.k, dtype_names[dtype], time * 1e6, flops * 1e-9,
           100 * flops / (one ? bench->peak.flops_core : bench->peak.flops), rate * 1e-9,
           100 * rate / (one ? bench->peak.bandwidth_core : bench->peak.bandwidth));
    fflush(stdout);
    run_close(bench, &run);
}

static void bench_run(int threads, const struct shape *list, int count)
{
    struct status status;
    struct bench bench = {.threads = threads};
    struct pool *pool = pool_open(threads, &status);
    if (!pool || !peak_measure(pool, &bench.peak, &status))
        give_up(&status);
    pool_close(pool);
    bench.device = cpu_backend.open(&(struct device_spec){.threads = threads}, &status);
    if (!bench.device)
        give_up(&status);
    struct device_info info;
    cpu_backend.info(bench.device, &info);
    printf("%s, %d threads: peak %.0f GFLOP/s (one %.0f), reading %.1f GB/s (one %.1f)\n",
           info.instruction_set, threads, bench.peak.flops * 1e-9, bench.peak.flops_core * 1e-9,
           bench.peak.bandwidth * 1e-9, bench.peak.bandwidth_core * 1e-9);
    puts("threads      M      N     K  type        us  GFLOP/s   peak     GB/s  reading");
    for (int i = 0; i < count; i++)
        for (int dtype = DTYPE_F32; dtype <= DTYPE_BF16; dtype++)
            shape_bench(&bench, list[i], (enum dtype)dtype);
    cpu_backend.close(bench.device);
}

static int number(const char *text)
{
    int value = atoi(text);
    return value > 0 ? value : 1;
}

int main(int count, char **arguments)
{
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    if (count == 5) {
        struct shape one = {number(arguments[2]), number(arguments[3]), number(arguments[4])};
        bench_run(number(arguments[1]), &one, 1);
    } else if (count == 2) {
        bench_run(number(arguments[1]), shapes, SHAPES);
    } else {
        bench_run(1, shapes, SHAPES);
        bench_run(2, shapes, SHAPES);
    }
    return 0;
}
