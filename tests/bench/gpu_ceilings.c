/* A machine's ceilings, measured through the backend's own operations so that they run as the
 * model's passes do. `linear` without a bias is just the library's product (in bf16 x is rounded
 * first). With one row it does little more than read a weight. `gather` copies.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/gpu_bench.h"

enum { WEIGHTS = 4, CHECKED = 5 };

/* A product of (rows, k) with (n, k) weights. The weights take turns, so that no cache holds the
 * next one. */
struct products {
    const struct gpu_bench *bench;
    struct linear_args args;
    struct weight *weights[WEIGHTS];
    float *x, *w; // host
    int n, k, next;
};

static float *random_values(size_t count, uint64_t state)
{
    struct status status;
    float *values = memory_new(count, sizeof *values, &status);
    if (!values)
        gpu_die(&status);
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        values[i] = (float)(state >> 40) * 0x1p-23f - 1;
    }
    return values;
}

static struct tensor device_tensor(const struct gpu_bench *bench, size_t count)
{
    struct tensor tensor;
    struct status status;
    if (!bench->backend->allocate(bench->device, count * sizeof(float), &tensor, &status))
        gpu_die(&status);
    return tensor;
}

static void products_open(struct products *products, const struct gpu_bench *bench, int rows, int n,
                          int k)
{
    const size_t x_count = (size_t)rows * (size_t)k;
    struct status status;
    *products = (struct products){.bench = bench,
                                  .x = random_values(x_count, 1),
                                  .w = random_values((size_t)n * (size_t)k, 2),
                                  .n = n,
                                  .k = k};
    products->args = (struct linear_args){.y = device_tensor(bench, (size_t)rows * (size_t)n),
                                          .x = device_tensor(bench, x_count),
                                          .bias = device_tensor(bench, (size_t)n),
                                          .ldy = n,
                                          .ldx = k,
                                          .rows = rows};
    bench->backend->put(bench->device, products->args.x, products->x, x_count * sizeof(float));
    struct weight_spec spec = {
        .data = products->w, .dtype = DTYPE_F32, .n = n, .k = k, .use = WEIGHT_LINEAR};
    for (int i = 0; i < WEIGHTS; i++) {
        products->weights[i] = bench->backend->weight(bench->device, &spec, &status);
        if (!products->weights[i])
            gpu_die(&status);
    }
}

static void products_close(struct products *products)
{
    const struct gpu_bench *bench = products->bench;
    for (int i = 0; i < WEIGHTS; i++)
        bench->backend->forget(bench->device, products->weights[i]);
    bench->backend->release(bench->device, products->args.y);
    bench->backend->release(bench->device, products->args.x);
    bench->backend->release(bench->device, products->args.bias);
    free(products->x);
    free(products->w);
}

/* Multiplies with every weight once, then waits. */
static void run_products(void *context)
{
    const struct products *products = context;
    struct linear_args args = products->args;
    for (int i = 0; i < WEIGHTS; i++) {
        args.weight = products->weights[i];
        products->bench->backend->linear(products->bench->device, &args, 1);
    }
    gpu_wait(products->bench);
}

/* Compares some elements of the first and last rows with sums in double. Rounding errors of the
 * factors are random, so that they add up as the square root of k. */
static void check_products(struct products *products)
{
    static const double bounds[] = {
        [PRECISION_FP32] = 1e-5, [PRECISION_TF32] = 2.5e-3, [PRECISION_BF16] = 1e-2};
    const struct gpu_bench *bench = products->bench;
    const size_t k = (size_t)products->k, n = (size_t)products->n;
    const double bound = bounds[bench->precision] * sqrt((double)k);
    run_products(products);
    for (size_t i = 0; i < CHECKED; i++) {
        const size_t row = i % 2 ? (size_t)products->args.rows - 1 : 0, column = i * (n - 1) / 4;
        double sum = 0;
        float got;
        for (size_t j = 0; j < k; j++)
            sum += (double)products->x[row * k + j] * (double)products->w[column * k + j];
        bench->backend->get(bench->device, &got,
                            tensor_at(products->args.y, (row * n + column) * sizeof got),
                            sizeof got);
        if (!(fabs((double)got - sum) <= bound))
            gpu_wrong("%s: a product's element is %g, expected %g within %g",
                      gpu_precisions[bench->precision], (double)got, sum, bound);
    }
}

static double operations(const struct products *products)
{
    return 2.0 * products->args.rows * products->n * products->k;
}

/* Returns the seconds of one product, with bias and ReLU if `whole`. */
static struct timing time_products(struct products *products, bool whole)
{
    const struct tensor bias = products->args.bias;
    products->args.bias = whole ? bias : (struct tensor){0};
    products->args.activation = whole ? ACTIVATION_RELU : ACTIVATION_NONE;
    if (!whole)
        check_products(products);
    struct timing timing = rounds_time(&products->bench->rounds, run_products, products);
    products->args.bias = bias;
    return (struct timing){timing.median / WEIGHTS, timing.least / WEIGHTS, timing.most / WEIGHTS};
}

static double product_rate(const struct gpu_bench *bench, int rows, int n, int k)
{
    struct products products;
    products_open(&products, bench, rows, n, k);
    const double work = operations(&products);
    struct timing alone = time_products(&products, false);
    struct timing whole = time_products(&products, true);
    products_close(&products);
    printf("  product %5d x %4d x %5d    %8.1f TFLOP/s (%.1f to %.1f), with bias and ReLU %.1f\n",
           rows, k, n, work / alone.median * 1e-12, work / alone.most * 1e-12,
           work / alone.least * 1e-12, work / whole.median * 1e-12);
    return work / alone.median;
}

/* With one row there is one multiply-add for each element of the weight, so that reading it is all
 * that counts. */
static double reading_rate(const struct gpu_bench *bench, int side)
{
    struct products products;
    products_open(&products, bench, 1, side, side);
    const double bytes = (double)side * side * gpu_weight_bytes(bench->precision);
    struct timing timing = time_products(&products, false);
    products_close(&products);
    printf("  reading, one row x %5d x %5d %7.1f GB/s (%.1f to %.1f)\n", side, side,
           bytes / timing.median * 1e-9, bytes / timing.most * 1e-9, bytes / timing.least * 1e-9);
    return bytes / timing.median;
}

struct copy {
    const struct gpu_bench *bench;
    struct move_args args;
};

static void run_copy(void *context)
{
    const struct copy *copy = context;
    copy->bench->backend->gather(copy->bench->device, &copy->args);
    gpu_wait(copy->bench);
}

static double copying_rate(const struct gpu_bench *bench, size_t copied)
{
    enum { COLUMNS = 1024 };
    const int rows = (int)(copied / sizeof(float) / COLUMNS);
    const size_t count = (size_t)rows * COLUMNS;
    const double bytes = 2.0 * (double)count * sizeof(float);
    float last = 0.75F, got = 0;
    struct copy copy = {.bench = bench,
                        .args = {.y = device_tensor(bench, count),
                                 .x = device_tensor(bench, count),
                                 .ldy = COLUMNS,
                                 .ldx = COLUMNS,
                                 .rows = rows,
                                 .columns = COLUMNS}};
    const size_t at = (count - 1) * sizeof last;
    bench->backend->put(bench->device, tensor_at(copy.args.x, at), &last, sizeof last);
    run_copy(&copy);
    bench->backend->get(bench->device, &got, tensor_at(copy.args.y, at), sizeof got);
    if (!(got == last))
        gpu_wrong("a copy ends in %g, expected %g", (double)got, (double)last);
    struct timing timing = rounds_time(&bench->rounds, run_copy, &copy);
    bench->backend->release(bench->device, copy.args.y);
    bench->backend->release(bench->device, copy.args.x);
    printf("  copying %8.2f MB             %8.1f GB/s read and written (%.1f to %.1f)\n",
           bytes / 2e6, bytes / timing.median * 1e-9, bytes / timing.most * 1e-9,
           bytes / timing.least * 1e-9);
    return bytes / timing.median;
}

struct gpu_ceilings gpu_ceilings(const struct gpu_bench *bench, int side, size_t copied)
{
    struct gpu_ceilings ceilings;
    ceilings.flops = product_rate(bench, side, side, side / 2);
    ceilings.bandwidth = reading_rate(bench, side);
    double copying = copying_rate(bench, copied);
    if (copying > ceilings.bandwidth)
        ceilings.bandwidth = copying;
    return ceilings;
}
