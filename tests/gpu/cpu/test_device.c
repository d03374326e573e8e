/* The CPU as a device: what it is opened with, what it says of itself, and how it is cancelled. */
#include "base/system.h"
#include "tests/gpu/cpu/linear_support.h"
#include "tests/support/test.h"

static void memory_used_returns_to_zero(void **state)
{
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
    struct status status = {0};
    struct device_spec spec = {.threads = 1};
    setenv("ATTNSCOPE_ISA", "sse9", 1);
    assert_null(cpu_backend.open(&spec, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_non_null(
        strstr(status.message,
               "ATTNSCOPE_ISA: \"sse9\", expected avx512vnni, avx512, avxvnni, avx2 or c"));
    unsetenv("ATTNSCOPE_ISA");
}

static void the_precision_of_gpus_alone_is_refused_by_name(void **state)
{
    struct status status;
    assert_null(cpu_backend.open(&(struct device_spec){.precision = PRECISION_TF32}, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_string_equal(status.message, "cpu: precision tf32, expected fp32, bf16, fp16 or int8");
}

static void expect_threads(const char *given, int expected)
{
    struct machine machine;
    struct device_info info;
    setenv("OMP_NUM_THREADS", given, 1);
    machine = machine_open(ISA_C, 0);
    cpu_backend.info(machine.device, &info);
    assert_int_equal(info.threads, expected);
    machines_close(&machine, 1);
    unsetenv("OMP_NUM_THREADS");
}

static void threads_are_those_of_openmp_unless_given(void **state)
{
    expect_threads("3", 3);
    expect_threads("5,2", 5);
    expect_threads("", (int)processors_allowed());
    expect_threads("0", (int)processors_allowed());
    expect_threads("many", (int)processors_allowed());
}

static void a_cancelled_device_works_again_when_it_is_no_longer(void **state)
{
    struct machine machine = machine_open(ISA_C, 2);
    struct problem problem = {.m = 30, .n = 100, .k = 100, .ldx = 100, .ldy = 100};
    problem_open(&problem);
    float *y = copied_floats(problem.before, (size_t)problem.m * problem.ldy);
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
        cmocka_unit_test(memory_used_returns_to_zero),
        cmocka_unit_test(an_unknown_instruction_set_fails_to_open_with_its_name),
        cmocka_unit_test(the_precision_of_gpus_alone_is_refused_by_name),
        cmocka_unit_test(threads_are_those_of_openmp_unless_given),
        cmocka_unit_test(a_cancelled_device_works_again_when_it_is_no_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
