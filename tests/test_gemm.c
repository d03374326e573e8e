/* The linear operation of the CPU: every element is one chain of fused multiply-adds, to the bit, for
 * every shape, instruction set and number of threads. Expected values come from the plainest loop. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/backend.h"
#include "gpu/cpu/isa.h"
#include "gpu/cpu/weight.h"

/* A machine: an opened device with a name for messages. */
struct machine {
    struct device *device;
    enum isa isa;
    int threads;
};

/* y (M, N) from x (M, K) and w (N, K) with everything that `linear` can be asked. */
struct problem {
    int m, n, k;
    int ldx, ldy;
    enum dtype dtype;
    enum activation activation;
    bool with_bias, accumulate;
    float *x;      // (M, ldx)
    void *w;       // (N, K) of dtype
    float *bias;   // (N)
    float *before; // (M, ldy): y before the call
    float *y;      // (M, ldy): expected
};

static const enum isa all_isas[] = {ISA_AVX512, ISA_AVX2, ISA_C};

static uint32_t random_state;

static uint32_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* In (-1, 1), with zeros of both signs and subnormals among them. */
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

static float weight_value(const struct problem *problem, size_t at)
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

static void *allocated(size_t count, size_t size)
{
    void *memory = test_calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
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

static void problem_open(struct problem *problem)
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

static void problem_close(struct problem *problem)
{
    test_free(problem->x);
    test_free(problem->w);
    test_free(problem->bias);
    test_free(problem->before);
    test_free(problem->y);
}

static struct machine machine_open(enum isa isa, int threads)
{
    struct status status = {0};
    setenv("ATTNSCOPE_ISA", isa_name(isa), 1);
    struct device_spec spec = {.threads = threads};
    struct machine machine = {cpu_backend.open(&spec, &status), isa, threads};
    if (!machine.device)
        fail_msg("%s", status.message);
    return machine;
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

static struct weight *uploaded_weight(const struct machine *machine, const struct problem *problem)
{
    struct status status;
    struct weight_spec spec = {problem->w, problem->dtype, problem->n, problem->k,
                               WEIGHT_LINEAR | WEIGHT_TABLE};
    struct weight *weight = cpu_backend.weight(machine->device, &spec, &status);
    if (!weight)
        fail_msg("%s", status.message);
    return weight;
}

/* Computes rows first … first+rows-1 of the problem; `y` (M, ldy) begins as problem->before. */
static void problem_run(const struct machine *machine, const struct problem *problem, int first,
                        int rows, float *y)
{
    const struct backend *cpu = &cpu_backend;
    size_t size = (size_t)problem->m * problem->ldy;
    struct tensor device_y = uploaded(machine, y, size);
    struct tensor x = uploaded(machine, problem->x, (size_t)problem->m * problem->ldx);
    struct tensor bias = uploaded(machine, problem->bias, problem->n);
    struct weight *weight = uploaded_weight(machine, problem);
    struct linear_args args = {
        .y = tensor_at(device_y, (size_t)first * problem->ldy * sizeof(float)),
        .x = tensor_at(x, (size_t)first * problem->ldx * sizeof(float)),
        .ldy = problem->ldy,
        .ldx = problem->ldx,
        .weight = weight,
        .bias = problem->with_bias ? bias : (struct tensor){0},
        .activation = problem->activation,
        .accumulate = problem->accumulate,
        .rows = rows};
    cpu->linear(machine->device, &args);
    cpu->get(machine->device, y, device_y, size * sizeof(float));
    cpu->forget(machine->device, weight);
    cpu->release(machine->device, bias);
    cpu->release(machine->device, x);
    cpu->release(machine->device, device_y);
}

/* The gaps between the rows are compared too: nothing may be written there. */
static void expect_same_bits(const struct machine *machine, const struct problem *problem,
                             const float *y, const float *expected)
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

static float *copied(const float *values, size_t count)
{
    float *copy = allocated(count, sizeof(float));
    memcpy(copy, values, count * sizeof(float));
    return copy;
}

static void expect_solved(const struct machine *machine, const struct problem *problem)
{
    float *y = copied(problem->before, (size_t)problem->m * problem->ldy);
    problem_run(machine, problem, 0, problem->m, y);
    struct status status;
    assert_true(cpu_backend.check(machine->device, &status));
    expect_same_bits(machine, problem, y, problem->y);
    test_free(y);
}

/* Devices of every instruction set that the machine has, with 1, 2 and 3 threads. */
enum { MACHINES_MAX = 9 };

static int machines_open(struct machine *machines)
{
    int count = 0;
    for (size_t i = 0; i < sizeof all_isas / sizeof *all_isas; i++)
        for (int threads = 1; threads <= 3 && isa_supported(all_isas[i]); threads++)
            machines[count++] = machine_open(all_isas[i], threads);
    return count;
}

static void machines_close(struct machine *machines, int count)
{
    for (int i = 0; i < count; i++)
        cpu_backend.close(machines[i].device);
    unsetenv("ATTNSCOPE_ISA");
}

/* Solves the problem on every machine. */
static void expect_solved_everywhere(struct problem problem)
{
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    problem_open(&problem);
    for (int i = 0; i < count; i++)
        expect_solved(&machines[i], &problem);
    problem_close(&problem);
    machines_close(machines, count);
}

static void every_small_shape_gives_the_bits_of_the_plain_loop(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 5, 12, 13, 17, 33, 64, 65, 129};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
        struct problem problem = {.m = sizes[i % SIZES],
                                  .n = sizes[i / SIZES % SIZES],
                                  .k = sizes[i / SIZES / SIZES],
                                  .with_bias = i % 2,
                                  .accumulate = i % 3 == 0,
                                  .activation = i % 5 ? ACTIVATION_NONE : ACTIVATION_RELU};
        problem.ldx = problem.k + i % 4;
        problem.ldy = problem.n + i % 7;
        problem_open(&problem);
        expect_solved(&machines[i % count], &problem);
        expect_solved(&machines[(i + 1 + i / count % (count - 1)) % count], &problem);
        problem_close(&problem);
    }
    machines_close(machines, count);
}

/* Slices of K, chunks of rows, tasks for several threads. */
static void large_shapes_give_the_bits_of_the_plain_loop_on_every_machine(void **state)
{
    (void)state;
    static const int shapes[][3] = {{1, 3000, 400},  {2, 1000, 600},   {3, 32000, 33},
                                    {12, 300, 1025}, {13, 257, 700},   {25, 1000, 256},
                                    {97, 65, 2049},  {145, 120, 1024}, {320, 70, 513},
                                    {600, 31, 257},  {1, 1, 5000},     {1000, 1, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct problem problem = {.m = shapes[i][0],
                                  .n = shapes[i][1],
                                  .k = shapes[i][2],
                                  .dtype = (enum dtype)(i % 3),
                                  .with_bias = true,
                                  .accumulate = i % 2,
                                  .activation = i % 4 ? ACTIVATION_NONE : ACTIVATION_RELU};
        problem.ldx = problem.k + 5;
        problem.ldy = problem.n + 3;
        expect_solved_everywhere(problem);
    }
}

static void narrow_weights_count_with_their_exact_values(void **state)
{
    (void)state;
    static const enum dtype dtypes[] = {DTYPE_F16, DTYPE_BF16};
    static const int rows[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 30};
    for (size_t d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            expect_solved_everywhere((struct problem){
                .m = rows[i], .n = 45, .k = 300, .ldx = 300, .ldy = 45, .dtype = dtypes[d]});
}

static void a_row_alone_gives_the_bits_it_has_in_a_batch(void **state)
{
    (void)state;
    struct problem problem = {.m = 61, .n = 77, .k = 520, .ldx = 520, .ldy = 80, .with_bias = true};
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    problem_open(&problem);
    for (int i = 0; i < count; i++) {
        float *y = copied(problem.before, (size_t)problem.m * problem.ldy);
        for (int first = 0, rows = 1; first < problem.m; first += rows, rows = rows % 14 + 3) {
            rows = rows < problem.m - first ? rows : problem.m - first;
            problem_run(&machines[i], &problem, first, rows, y);
        }
        expect_same_bits(&machines[i], &problem, y, problem.y);
        test_free(y);
    }
    problem_close(&problem);
    machines_close(machines, count);
}

/* How y grows when the same step is taken again and again: the chain goes on where it stopped. */
static void accumulating_twice_is_one_chain_over_both(void **state)
{
    (void)state;
    struct problem both = {.m = 19, .n = 40, .k = 600, .ldx = 600, .ldy = 40};
    problem_open(&both);
    struct problem left = both, right = both;
    left.k = right.k = 300;
    right.x += 300;
    right.accumulate = true;
    left.w = allocated((size_t)both.n * 300, sizeof(float));
    right.w = allocated((size_t)both.n * 300, sizeof(float));
    for (int n = 0; n < both.n; n++) {
        const float *row = (const float *)both.w + (size_t)n * 600;
        memcpy((float *)left.w + (size_t)n * 300, row, 300 * sizeof(float));
        memcpy((float *)right.w + (size_t)n * 300, row + 300, 300 * sizeof(float));
    }
    // problem_run uploads M * ldx floats from x: the last row of the right half ends early.
    right.ldx = left.ldx = 600;
    float *shifted = allocated((size_t)both.m * 600 + 300, sizeof(float));
    memcpy(shifted, both.x, (size_t)both.m * 600 * sizeof(float));
    right.x = shifted + 300;
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    for (int i = 0; i < count; i++) {
        float *y = copied(both.before, (size_t)both.m * both.ldy);
        problem_run(&machines[i], &left, 0, both.m, y);
        problem_run(&machines[i], &right, 0, both.m, y);
        expect_same_bits(&machines[i], &both, y, both.y);
        test_free(y);
    }
    machines_close(machines, count);
    test_free(shifted);
    test_free(left.w);
    test_free(right.w);
    problem_close(&both);
}

static double activation_value(enum activation activation, double x)
{
    return activation == ACTIVATION_GELU ? x / 2 * (1 + erf(x * sqrt(0.5))) : x / (1 + exp(-x));
}

static void expect_activation(enum activation activation)
{
    struct problem problem = {.m = 21, .n = 70, .k = 300, .ldx = 300, .ldy = 71, .with_bias = true};
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    problem_open(&problem);
    problem.activation = activation;
    size_t size = (size_t)problem.m * problem.ldy;
    float *first = copied(problem.before, size);
    problem_run(&machines[0], &problem, 0, problem.m, first);
    for (int m = 0; m < problem.m; m++)
        for (int n = 0; n < problem.n; n++) {
            size_t at = (size_t)m * problem.ldy + n;
            double wanted = activation_value(activation, (double)problem.y[at]);
            if (!(fabs((double)first[at] - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
                fail_msg("activation %d of %a: %a, expected %a", (int)activation,
                         (double)problem.y[at], (double)first[at], wanted);
        }
    for (int i = 1; i < count; i++) {
        float *y = copied(problem.before, size);
        problem_run(&machines[i], &problem, 0, problem.m, y);
        expect_same_bits(&machines[i], &problem, y, first);
        test_free(y);
    }
    test_free(first);
    problem_close(&problem);
    machines_close(machines, count);
}

static void gelu_is_with_erf_and_has_the_same_bits_on_every_machine(void **state)
{
    (void)state;
    expect_activation(ACTIVATION_GELU);
}

static void swish_is_x_sigmoid_x_and_has_the_same_bits_on_every_machine(void **state)
{
    (void)state;
    expect_activation(ACTIVATION_SWISH);
}

/* A weight with a NaN must not look like a healthy one after relu. */
static void relu_keeps_nan(void **state)
{
    (void)state;
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    struct problem problem = {
        .m = 14, .n = 33, .k = 4, .ldx = 4, .ldy = 33, .activation = ACTIVATION_RELU};
    problem_open(&problem);
    for (int i = 0; i < 4 * problem.m; i++)
        problem.x[i] = NAN;
    for (int i = 0; i < count; i++) {
        float *y = copied(problem.before, (size_t)problem.m * problem.ldy);
        problem_run(&machines[i], &problem, 0, problem.m, y);
        for (int at = 0; at < problem.m * problem.n; at++)
            assert_true(isnan(y[at]));
        test_free(y);
    }
    problem_close(&problem);
    machines_close(machines, count);
}

static void a_row_of_a_packed_weight_reads_back_exactly(void **state)
{
    (void)state;
    struct machine machine = machine_open(ISA_C, 2);
    for (int dtype = DTYPE_F32; dtype <= DTYPE_BF16; dtype++) {
        struct problem problem = {
            .m = 1, .n = 67, .k = 45, .ldx = 45, .ldy = 67, .dtype = (enum dtype)dtype};
        problem_open(&problem);
        struct weight *weight = uploaded_weight(&machine, &problem);
        float row[45];
        for (int n = 0; n < problem.n; n++) {
            weight_row(weight, n, row);
            for (int k = 0; k < problem.k; k++) {
                float wanted = weight_value(&problem, (size_t)n * problem.k + k);
                if (memcmp(&row[k], &wanted, sizeof wanted) != 0)
                    fail_msg("dtype %d, w[%d][%d] is %a, expected %a", dtype, n, k, (double)row[k],
                             (double)wanted);
            }
        }
        cpu_backend.forget(machine.device, weight);
        problem_close(&problem);
    }
    machines_close(&machine, 1);
}

static void every_f16_and_bf16_converts_exactly_on_every_machine(void **state)
{
    (void)state;
    struct machine machines[MACHINES_MAX];
    int count = machines_open(machines);
    enum { VALUES = 1 << 16 };
    for (int dtype = DTYPE_F16; dtype <= DTYPE_BF16; dtype++) {
        struct problem problem = {
            .m = 13, .n = VALUES, .k = 1, .ldx = 1, .ldy = VALUES, .dtype = (enum dtype)dtype};
        problem_open(&problem);
        for (int m = 0; m < problem.m; m++)
            problem.x[m] = 1;
        for (int i = 0; i < VALUES; i++)
            ((uint16_t *)problem.w)[i] = (uint16_t)i;
        for (int i = 0; i < count; i++)
            for (int rows = 1; rows <= 13; rows += 12) {
                float *y = copied(problem.before, (size_t)problem.m * problem.ldy);
                problem_run(&machines[i], &problem, 0, rows, y);
                for (int n = 0; n < VALUES; n++) {
                    bool large = (n & (dtype == DTYPE_F16 ? 0x7C00 : 0x7F80)) ==
                                 (dtype == DTYPE_F16 ? 0x7C00 : 0x7F80);
                    if (!large && y[n] != weight_value(&problem, n))
                        fail_msg("%s, dtype %d, %04x is %a", isa_name(machines[i].isa), dtype,
                                 (unsigned)n, (double)y[n]);
                    bool infinite = n % 0x8000 == (dtype == DTYPE_F16 ? 0x7C00 : 0x7F80);
                    if (large && (infinite ? !isinf(y[n]) : !isnan(y[n])))
                        fail_msg("%s, dtype %d, %04x is %a", isa_name(machines[i].isa), dtype,
                                 (unsigned)n, (double)y[n]);
                }
                test_free(y);
            }
        problem_close(&problem);
    }
    machines_close(machines, count);
}

static void a_source_need_not_be_aligned(void **state)
{
    (void)state;
    struct machine machine = machine_open(ISA_C, 1);
    float values[6] = {1, 2, 3, 4, 5, 6}, row[3];
    unsigned char bytes[sizeof values + 1];
    memcpy(bytes + 1, values, sizeof values);
    struct weight_spec spec = {bytes + 1, DTYPE_F32, 2, 3, WEIGHT_TABLE};
    struct status status;
    struct weight *weight = cpu_backend.weight(machine.device, &spec, &status);
    assert_non_null(weight);
    weight_row(weight, 1, row);
    assert_memory_equal(row, values + 3, sizeof row);
    cpu_backend.forget(machine.device, weight);
    machines_close(&machine, 1);
}

static void a_weight_too_large_for_memory_is_an_error(void **state)
{
    (void)state;
    struct machine machine = machine_open(ISA_C, 1);
    struct weight_spec spec = {NULL, DTYPE_F32, INT32_MAX, INT32_MAX, WEIGHT_LINEAR};
    struct status status = {0};
    assert_null(cpu_backend.weight(machine.device, &spec, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    spec.n = 0;
    assert_null(cpu_backend.weight(machine.device, &spec, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    machines_close(&machine, 1);
}

static void memory_used_returns_to_zero(void **state)
{
    (void)state;
    struct machine machine = machine_open(ISA_C, 1);
    struct device_info info;
    struct problem problem = {.m = 3, .n = 40, .k = 10, .ldx = 10, .ldy = 40};
    problem_open(&problem);
    struct weight *weight = uploaded_weight(&machine, &problem);
    cpu_backend.info(machine.device, &info);
    assert_int_equal(info.memory_used, 64 * 10 * sizeof(float));
    assert_int_equal(info.threads, 1);
    assert_string_equal(info.instruction_set, "c");
    cpu_backend.forget(machine.device, weight);
    expect_solved(&machine, &problem);
    cpu_backend.info(machine.device, &info);
    assert_int_equal(info.memory_used, 0);
    problem_close(&problem);
    machines_close(&machine, 1);
}

static void an_unknown_instruction_set_fails_to_open_with_its_name(void **state)
{
    (void)state;
    struct status status = {0};
    struct device_spec spec = {.threads = 1};
    setenv("ATTNSCOPE_ISA", "sse9", 1);
    assert_null(cpu_backend.open(&spec, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_non_null(strstr(status.message, "ATTNSCOPE_ISA: \"sse9\", expected avx512, avx2 or c"));
    unsetenv("ATTNSCOPE_ISA");
}

static void a_cancelled_device_works_again_when_it_is_no_longer(void **state)
{
    (void)state;
    struct machine machine = machine_open(ISA_C, 2);
    struct problem problem = {.m = 30, .n = 100, .k = 100, .ldx = 100, .ldy = 100};
    problem_open(&problem);
    float *y = copied(problem.before, (size_t)problem.m * problem.ldy);
    cpu_backend.cancel(machine.device, true);
    problem_run(&machine, &problem, 0, problem.m, y);
    assert_memory_equal(y, problem.before, (size_t)problem.m * problem.ldy * sizeof(float));
    struct status status = {0};
    assert_false(cpu_backend.check(machine.device, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    cpu_backend.cancel(machine.device, false);
    expect_solved(&machine, &problem);
    test_free(y);
    problem_close(&problem);
    machines_close(&machine, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_shape_gives_the_bits_of_the_plain_loop),
        cmocka_unit_test(large_shapes_give_the_bits_of_the_plain_loop_on_every_machine),
        cmocka_unit_test(narrow_weights_count_with_their_exact_values),
        cmocka_unit_test(a_row_alone_gives_the_bits_it_has_in_a_batch),
        cmocka_unit_test(accumulating_twice_is_one_chain_over_both),
        cmocka_unit_test(gelu_is_with_erf_and_has_the_same_bits_on_every_machine),
        cmocka_unit_test(swish_is_x_sigmoid_x_and_has_the_same_bits_on_every_machine),
        cmocka_unit_test(relu_keeps_nan),
        cmocka_unit_test(a_row_of_a_packed_weight_reads_back_exactly),
        cmocka_unit_test(every_f16_and_bf16_converts_exactly_on_every_machine),
        cmocka_unit_test(a_source_need_not_be_aligned),
        cmocka_unit_test(a_weight_too_large_for_memory_is_an_error),
        cmocka_unit_test(memory_used_returns_to_zero),
        cmocka_unit_test(an_unknown_instruction_set_fails_to_open_with_its_name),
        cmocka_unit_test(a_cancelled_device_works_again_when_it_is_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
