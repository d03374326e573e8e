#include "tests/gpu/cpu/linear_support.h"
#include "tests/support/test.h"

#include <math.h>

static const enum isa all_isas[] = {ISA_AVX512_VNNI, ISA_AVX512, ISA_AVX_VNNI, ISA_AVX2, ISA_C};

static uint32_t random_state;

static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* Returns a number in (-1, 1); some are zeros of both signs and subnormals. */
static float random_float(void)
{
    uint32_t bits = random_bits();
    float value = (float)((double)(int32_t)random_bits() / 2147483649.0);
    if (bits % 64 == 0)
        return bits & 64 ? -0.0f : 0.0f;
    if (bits % 64 == 1)
        return value * 0x1p-130f;
    return value;
}

static float value_from_f16(uint16_t half)
{
    int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    double size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 0x1F)
        size = INFINITY;
    return (float)(half & 0x8000 ? -size : size);
}

static float value_from_bf16(uint16_t half)
{
    int exponent = half >> 7 & 0xFF, fraction = half & 0x7F;
    double size = exponent ? ldexp(128 + fraction, exponent - 134) : ldexp(fraction, -133);
    return (float)(half & 0x8000 ? -size : size);
}

float weight_value(const struct problem *problem, size_t at)
{
    switch (problem->dtype) {
    case DTYPE_F16:
        return value_from_f16(((const uint16_t *)problem->w)[at]);
    case DTYPE_BF16:
        return value_from_bf16(((const uint16_t *)problem->w)[at]);
    default:
        return ((const float *)problem->w)[at];
    }
}

static void fill(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = random_float();
}

void *allocated(size_t count, size_t size)
{
    void *memory = test_calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

float *copied_floats(const float *values, size_t count)
{
    float *copy = allocated(count, sizeof(float));
    memcpy(copy, values, count * sizeof(float));
    return copy;
}

static void fill_weight(struct problem *problem)
{
    size_t count = (size_t)problem->n * (size_t)problem->k;
    if (problem->dtype == DTYPE_F32) {
        problem->w = allocated(count, sizeof(float));
        fill(problem->w, count);
        return;
    }
    uint16_t *narrow = problem->w = allocated(count, sizeof(uint16_t));
    for (size_t i = 0; i < count; i++) {
        // Below 2, so that sums stay finite; every sixteenth is zero or subnormal.
        narrow[i] = (uint16_t)random_bits() & 0xBFFF;
        if (i % 16 == 0)
            narrow[i] &= problem->dtype == DTYPE_F16 ? 0x83FF : 0x807F;
    }
}

static float expected_value(const struct problem *problem, int m, int n)
{
    float sum = problem->accumulate ? problem->before[(size_t)m * problem->ldy + n] : 0;
    for (int k = 0; k < problem->k; k++)
        sum = fmaf(problem->x[(size_t)m * problem->ldx + k],
                   weight_value(problem, (size_t)n * problem->k + k), sum);
    if (problem->with_bias)
        sum += problem->bias[n];
    return problem->activation == ACTIVATION_RELU && sum < 0 ? 0 : sum;
}

void problem_open(struct problem *problem)
{
    random_state = 2463534242u + 7919u * (uint32_t)problem->m + 104729u * (uint32_t)problem->n +
                   (uint32_t)problem->k;
    size_t rows = (size_t)problem->m;
    problem->x = allocated(rows * problem->ldx, sizeof(float));
    problem->bias = allocated(problem->n, sizeof(float));
    problem->before = allocated(rows * problem->ldy, sizeof(float));
    problem->y = allocated(rows * problem->ldy, sizeof(float));
    fill(problem->x, rows * problem->ldx);
    fill(problem->bias, problem->n);
    fill(problem->before, rows * problem->ldy);
    fill_weight(problem);
    memcpy(problem->y, problem->before, rows * problem->ldy * sizeof(float));
    for (int m = 0; m < problem->m; m++)
        for (int n = 0; n < problem->n; n++)
            problem->y[(size_t)m * problem->ldy + n] = expected_value(problem, m, n);
}

void problem_close(struct problem *problem)
{
    test_free(problem->x);
    test_free(problem->w);
    test_free(problem->bias);
    test_free(problem->before);
    test_free(problem->y);
}

struct machine machine_open(enum isa isa, int threads)
{
    struct status status = {0};
    setenv("ATTNSCOPE_ISA", isa_name(isa), 1);
    struct device_spec spec = {.threads = threads};
    struct machine machine = {cpu_backend.open(&spec, &status), isa, threads};
    if (!machine.device)
        fail_msg("%s", status.message);
    return machine;
}

int machines_open(struct machine *machines)
{
    int count = 0;
    for (size_t i = 0; i < sizeof all_isas / sizeof *all_isas; i++)
        for (int threads = 1; threads <= 3 && isa_supported(all_isas[i]); threads++)
            machines[count++] = machine_open(all_isas[i], threads);
    return count;
}

void machines_close(struct machine *machines, int count)
{
    for (int i = 0; i < count; i++)
        cpu_backend.close(machines[i].device);
    unsetenv("ATTNSCOPE_ISA");
}

static struct tensor uploaded(const struct machine *machine, const float *values, size_t count)
{
    struct status status;
    struct tensor tensor;
    size_t bytes = count * sizeof(float);
    assert_true(cpu_backend.allocate(machine->device, bytes, &tensor, &status));
    cpu_backend.put(machine->device, tensor, values, bytes);
    return tensor;
}

static float *widened_rows(const struct problem *problem, int n, int count)
{
    size_t elements = (size_t)count * (size_t)problem->k, first = (size_t)n * (size_t)problem->k;
    float *wide = test_malloc(elements * sizeof *wide);
    for (size_t i = 0; i < elements; i++)
        wide[i] = weight_value(problem, first + i);
    return wide;
}

/* Uploads rows n … n+count-1 of the problem's weight. */
static struct weight *uploaded_rows(const struct machine *machine, const struct problem *problem,
                                    int n, int count)
{
    struct status status;
    size_t element = problem->dtype == DTYPE_F32 ? sizeof(float) : sizeof(uint16_t);
    const char *rows = (const char *)problem->w + (size_t)n * (size_t)problem->k * element;
    struct weight_spec spec = {.data = rows,
                               .dtype = problem->dtype,
                               .n = count,
                               .k = problem->k,
                               .use = WEIGHT_LINEAR | WEIGHT_TABLE};
    float *wide = NULL;
    if (problem->mixed && n % 2) {
        spec.data = wide = widened_rows(problem, n, count);
        spec.dtype = DTYPE_F32;
    }
    struct weight *weight = cpu_backend.weight(machine->device, &spec, &status);
    test_free(wide);
    if (!weight)
        fail_msg("%s", status.message);
    return weight;
}

struct weight *uploaded_weight(const struct machine *machine, const struct problem *problem)
{
    return uploaded_rows(machine, problem, 0, problem->n);
}

static struct tensor floats_at(struct tensor tensor, size_t index)
{
    return tensor_at(tensor, index * sizeof(float));
}

void problem_run_parts(const struct machine *machine, const struct problem *problem, int first,
                       int rows, const int *columns, int parts, float *y)
{
    const struct backend *cpu = &cpu_backend;
    size_t size = (size_t)problem->m * problem->ldy;
    struct tensor device_y = uploaded(machine, y, size);
    struct tensor x = uploaded(machine, problem->x, (size_t)problem->m * problem->ldx);
    struct tensor bias = uploaded(machine, problem->bias, problem->n);
    struct weight *weights[LINEAR_MOST];
    struct linear_args args[LINEAR_MOST];
    for (int i = 0, n = 0; i < parts; n += columns[i++]) {
        weights[i] = uploaded_rows(machine, problem, n, columns[i]);
        args[i] = (struct linear_args){.y = floats_at(device_y, (size_t)first * problem->ldy + n),
                                       .x = floats_at(x, (size_t)first * problem->ldx),
                                       .ldy = problem->ldy,
                                       .ldx = problem->ldx,
                                       .weight = weights[i],
                                       .bias = problem->with_bias ? floats_at(bias, n)
                                                                  : (struct tensor){0},
                                       .activation = problem->activation,
                                       .accumulate = problem->accumulate,
                                       .rows = rows};
    }
    cpu->linear(machine->device, args, parts);
    cpu->get(machine->device, y, device_y, size * sizeof(float));
    for (int i = 0; i < parts; i++)
        cpu->forget(machine->device, weights[i]);
    cpu->release(machine->device, bias);
    cpu->release(machine->device, x);
    cpu->release(machine->device, device_y);
}

void problem_run(const struct machine *machine, const struct problem *problem, int first, int rows,
                 float *y)
{
    problem_run_parts(machine, problem, first, rows, &problem->n, 1, y);
}

void expect_same_bits(const struct machine *machine, const struct problem *problem, const float *y,
                      const float *expected)
{
    for (int m = 0; m < problem->m; m++) {
        const float *row = y + (size_t)m * problem->ldy;
        const float *wanted = expected + (size_t)m * problem->ldy;
        for (int n = 0; n < problem->ldy; n++)
            if (memcmp(row + n, wanted + n, sizeof(float)) != 0)
                fail_msg("%s, %d threads, dtype %d, M %d, N %d, K %d: y[%d][%d] is %a, expected %a",
                         isa_name(machine->isa), machine->threads, (int)problem->dtype, problem->m,
                         problem->n, problem->k, m, n, (double)row[n], (double)wanted[n]);
    }
}

void expect_solved(const struct machine *machine, const struct problem *problem)
{
    float *y = copied_floats(problem->before, (size_t)problem->m * problem->ldy);
    problem_run(machine, problem, 0, problem->m, y);
    struct status status;
    assert_true(cpu_backend.check(machine->device, &status));
    expect_same_bits(machine, problem, y, problem->y);
    test_free(y);
}
