/* Weights on the CPU: packed and narrow values keep their bits; sources and sizes of any kind. */
#include <math.h>

#include "gpu/cpu/weight.h"
#include "tests/gpu/cpu/linear_support.h"
#include "tests/support/test.h"

static void a_row_of_a_packed_weight_reads_back_exactly(void **state)
{
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
                float *y = copied_floats(problem.before, (size_t)problem.m * problem.ldy);
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
    struct machine machine = machine_open(ISA_C, 1);
    float values[6] = {1, 2, 3, 4, 5, 6}, row[3];
    unsigned char bytes[sizeof values + 1];
    memcpy(bytes + 1, values, sizeof values);
    struct weight_spec spec = {
        .data = bytes + 1, .dtype = DTYPE_F32, .n = 2, .k = 3, .use = WEIGHT_TABLE};
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
    struct machine machine = machine_open(ISA_C, 1);
    struct weight_spec spec = {
        .data = NULL, .dtype = DTYPE_F32, .n = INT32_MAX, .k = INT32_MAX, .use = WEIGHT_LINEAR};
    struct status status = {0};
    assert_null(cpu_backend.weight(machine.device, &spec, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    spec.n = 0;
    assert_null(cpu_backend.weight(machine.device, &spec, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    machines_close(&machine, 1);
}

/* Of a device that stores weights with 16 bits: 1 + 2^-12 lies between 1 and the next value of
 * either type. */
static const struct {
    enum precision precision;
    enum dtype dtype;
    const char *refusal; // of the greatest float
} narrowed[] = {
    {PRECISION_FP16, DTYPE_F16, "a value is too large for fp16, expected precision fp32 or bf16"},
    {PRECISION_BF16, DTYPE_BF16, "a value is too large for bf16, expected precision fp32"}};

static void float32_is_rounded_where_the_device_stores_16_bits(void **state)
{
    float values[6] = {1 + 0x1p-12f, 0.1f, -3, 0, -1 - 0x1p-12f, 1024}, row[3];
    for (size_t i = 0; i < sizeof narrowed / sizeof *narrowed; i++) {
        struct status status;
        struct device *device = cpu_backend.open(
            &(struct device_spec){.threads = 2, .precision = narrowed[i].precision}, &status);
        struct weight_spec spec = {
            .data = values, .dtype = DTYPE_F32, .n = 2, .k = 3, .use = WEIGHT_TABLE};
        struct weight *weight = cpu_backend.weight(device, &spec, &status);
        assert_non_null(weight);
        assert_int_equal(weight->dtype, narrowed[i].dtype);
        assert_int_equal(weight->bytes, 3 * (size_t)weight->width * sizeof(uint16_t));
        weight_row(weight, 0, row);
        assert_true(row[0] == 1 && row[2] == -3);
        assert_true(row[1] == (narrowed[i].dtype == DTYPE_F16 ? 0x1.998p-4f : 0x1.9Ap-4f));
        weight_row(weight, 1, row);
        assert_true(row[0] == 0 && row[1] == -1 && row[2] == 1024);
        cpu_backend.forget(device, weight);
        cpu_backend.close(device);
    }
}

static void a_weight_of_16_bits_stays_as_it_is(void **state)
{
    struct status status;
    uint16_t one = 0x3C01; // 1 + 2^-10, which bfloat16 does not have
    float row;
    struct device *device =
        cpu_backend.open(&(struct device_spec){.threads = 1, .precision = PRECISION_BF16}, &status);
    struct weight_spec spec = {
        .data = &one, .dtype = DTYPE_F16, .n = 1, .k = 1, .use = WEIGHT_TABLE};
    struct weight *weight = cpu_backend.weight(device, &spec, &status);
    assert_non_null(weight);
    weight_row(weight, 0, &row);
    assert_true(row == 1 + 0x1p-10f);
    cpu_backend.forget(device, weight);
    cpu_backend.close(device);
}

static void a_value_without_16_bits_is_refused(void **state)
{
    float values[] = {1, 0x1.FFFFFEp127f};
    for (size_t i = 0; i < sizeof narrowed / sizeof *narrowed; i++) {
        struct status status;
        struct device_info info;
        struct device *device = cpu_backend.open(
            &(struct device_spec){.threads = 1, .precision = narrowed[i].precision}, &status);
        struct weight_spec spec = {
            .data = values, .dtype = DTYPE_F32, .n = 1, .k = 2, .use = WEIGHT_LINEAR};
        assert_null(cpu_backend.weight(device, &spec, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_non_null(strstr(status.message, narrowed[i].refusal));
        cpu_backend.info(device, &info);
        assert_int_equal(info.memory_used, 0);
        cpu_backend.close(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_a_packed_weight_reads_back_exactly),
        cmocka_unit_test(every_f16_and_bf16_converts_exactly_on_every_machine),
        cmocka_unit_test(a_source_need_not_be_aligned),
        cmocka_unit_test(a_weight_too_large_for_memory_is_an_error),
        cmocka_unit_test(float32_is_rounded_where_the_device_stores_16_bits),
        cmocka_unit_test(a_weight_of_16_bits_stays_as_it_is),
        cmocka_unit_test(a_value_without_16_bits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
