/* A GPU as a device: recorded scopes, memory, and what can go wrong. The emulated one stands in for
 * one with less memory, an older driver, or none at all; on a real one the tests that need that are
 * skipped. */
#include "gpu/loader.h"
#include "tests/gpu/cuda/emulated_gpu.h"
#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

static void need_emulator(void)
{
    if (!emulator.reset_counts)
        skip();
}

/* Scopes ----------------------------------------------------------------------------------------*/

enum { D = 17 };

struct step {
    struct ops *ops;
    struct tensor from, to;
    int bodies; // how often the body ran
    bool cancels, copies;
};

/* to = norm(from + to), and from = to: two operations that go on from what was before. */
static void run_step(void *context)
{
    struct step *step = context;
    const struct backend *backend = step->ops->backend;
    static const float byte = 0;
    struct move_args move = {
        .y = step->from, .x = step->to, .ldy = D, .ldx = D, .rows = 1, .columns = D};
    struct norm_args norm = {.y = step->to,
                             .x = step->from,
                             .residual = step->to,
                             .gamma = step->from,
                             .beta = step->to,
                             .ldy = D,
                             .ldresidual = D,
                             .eps = 1e-5f,
                             .rows = 1,
                             .columns = D};
    step->bodies++;
    backend->norm(step->ops->device, &norm);
    backend->cancel(step->ops->device, step->cancels);
    backend->gather(step->ops->device, &move);
    if (step->copies)
        backend->put(step->ops->device, step->to, &byte, sizeof byte);
}

static void run_scope(struct step *step, uint64_t key)
{
    const struct scope_args args = {
        .key = key, .rows = 1, .width = 1, .body = run_step, .context = step};
    step->ops->backend->scope(step->ops->device, &args);
}

static void open_step(struct step *step, struct ops *ops)
{
    float values[D];
    ops_random_fill(values, D, 1, 4);
    ops_open_plugin(ops, &(struct device_spec){0});
    *step = (struct step){.ops = ops, .from = PUT(ops, values), .to = PUT(ops, values)};
}

/* After `rounds` steps with these keys, in turn. */
static void step_result(float *out, int rounds, const uint64_t *keys, int count, int *bodies)
{
    struct ops ops;
    struct step step;
    open_step(&step, &ops);
    for (int round = 0; round < rounds; round++)
        run_scope(&step, keys[round % count]);
    ops_get(&ops, out, step.to, D * sizeof *out);
    *bodies = step.bodies;
    ops_close(&ops);
}

static void a_replayed_scope_does_what_its_body_did(void **state)
{
    float plain[D], replayed[D];
    int bodies;
    step_result(plain, 6, (const uint64_t[]){0}, 1, &bodies);
    assert_int_equal(bodies, 6);
    step_result(replayed, 6, (const uint64_t[]){7}, 1, &bodies);
    assert_int_equal(bodies, 1);
    ops_assert_same("to", replayed, plain, sizeof plain);
    step_result(replayed, 6, (const uint64_t[]){7, 8}, 2, &bodies);
    assert_int_equal(bodies, 2);
    ops_assert_same("to", replayed, plain, sizeof plain);
}

static void a_recorded_step_launches_nothing_but_its_graph(void **state)
{
    struct cudaemu_counts counts;
    struct device_info info;
    struct ops ops;
    struct step step;
    open_step(&step, &ops);
    if (emulator.reset_counts)
        emulator.reset_counts();
    for (int round = 0; round < 5; round++)
        run_scope(&step, 3);
    ops.backend->info(ops.device, &info);
    assert_int_equal(info.launches, 0);
    assert_int_equal(info.replays, 5);
    if (emulator.get_counts) {
        emulator.get_counts(&counts);
        assert_int_equal(counts.launches, 0);
        assert_int_equal(counts.graph_launches, 5);
        assert_int_equal(counts.allocations, 0);
    }
    ops_close(&ops);
}

/* More keys than are kept, and the first of them again; then memory is given back. */
static void scopes_that_are_forgotten_are_recorded_again(void **state)
{
    enum { KEYS = 100 };
    struct ops ops;
    struct step step;
    struct tensor other;
    struct status status;
    open_step(&step, &ops);
    for (uint64_t key = 1; key <= KEYS; key++) {
        run_scope(&step, key);
        run_scope(&step, 1); // always the last but one
    }
    assert_int_equal(step.bodies, KEYS);
    assert_true(ops.backend->allocate(ops.device, 1, &other, &status));
    ops.backend->release(ops.device, other);
    run_scope(&step, 1);
    assert_int_equal(step.bodies, KEYS + 1);
    ops_close(&ops);
}

static void a_scope_that_was_cancelled_half_way_is_not_kept(void **state)
{
    struct status status;
    struct ops ops;
    struct step step;
    open_step(&step, &ops);
    step.cancels = true;
    run_scope(&step, 5);
    assert_false(ops.backend->check(ops.device, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    step.cancels = false;
    ops.backend->cancel(ops.device, false);
    run_scope(&step, 5);
    assert_int_equal(step.bodies, 2);
    ops_close(&ops);
}

/* A failing copy leaves an error behind that CUDA repeats until it is asked for. */
static void a_failed_copy_is_not_told_again_by_the_next_pass(void **state)
{
    float values[D] = {0}, moved[D];
    struct status status;
    struct ops ops;
    struct step step;
    need_emulator();
    open_step(&step, &ops);
    ops_random_fill(values, D, 1, 4); // as open_step has put
    struct tensor outside = step.to;
    outside.offset += (size_t)1 << 30;
    ops.backend->put(ops.device, outside, values, sizeof values);
    assert_false(ops.backend->check(ops.device, &status));
    assert_non_null(strstr(status.message, "copy to the device: invalid argument"));
    struct move_args move = {
        .y = step.from, .x = step.to, .ldy = D, .ldx = D, .rows = 1, .columns = D};
    ops.backend->gather(ops.device, &move);
    if (!ops.backend->check(ops.device, &status))
        fail_msg("a correct gather after a failed copy: %s", status.message);
    ops_get(&ops, moved, step.from, sizeof moved);
    ops_assert_same("moved", moved, values, sizeof values);
    ops_close(&ops);
}

/* For every way to fail: results are the same as with recorded steps, and the reason is
 * reported. */
static void steps_that_cannot_be_recorded_are_run_as_they_are(void **state)
{
    static const char *const reasons[] = {
        [CUDAEMU_GRAPHS_NO_CAPTURE] =
            "the beginning of a recording: operation not permitted when stream is capturing",
        [CUDAEMU_GRAPHS_SPOILT] =
            "the end of a recording: operation failed due to a previous error during capture",
        [CUDAEMU_GRAPHS_NO_INSTANTIATION] = "instantiating a graph: out of memory"};
    float recorded[D], plain[D];
    int bodies;
    need_emulator();
    step_result(recorded, 6, (const uint64_t[]){7}, 1, &bodies);
    for (int refused = CUDAEMU_GRAPHS_NO_CAPTURE; refused <= CUDAEMU_GRAPHS_NO_INSTANTIATION;
         refused++) {
        struct device_info info;
        struct status status;
        struct ops ops;
        struct step step;
        emulator.refuse_graphs((enum cudaemu_graphs)refused);
        open_step(&step, &ops);
        for (int round = 0; round < 6; round++)
            run_scope(&step, 7);
        if (!ops.backend->check(ops.device, &status))
            fail_msg("%s", status.message);
        ops_get(&ops, plain, step.to, sizeof plain);
        ops_assert_same("to", plain, recorded, sizeof plain);
        ops.backend->info(ops.device, &info);
        assert_string_equal(info.unrecorded, reasons[refused]);
        assert_int_equal(info.replays, 0);
        ops_close(&ops);
    }
    emulator.refuse_graphs(CUDAEMU_GRAPHS_WORK);
}

static void recording_can_be_switched_off(void **state)
{
    float recorded[D], plain[D];
    int bodies;
    step_result(recorded, 6, (const uint64_t[]){7}, 1, &bodies);
    setenv("ATTNSCOPE_CUDA", "-graphs", 1);
    step_result(plain, 6, (const uint64_t[]){7}, 1, &bodies);
    unsetenv("ATTNSCOPE_CUDA");
    assert_int_equal(bodies, 6);
    ops_assert_same("to", plain, recorded, sizeof plain);
}

/* One thread uses two devices alternately: each operation goes to the right one. */
static void two_devices_take_turns_in_a_thread(void **state)
{
    struct status status;
    struct ops first, second;
    struct step steps[2];
    float values[D];
    need_emulator();
    emulator.set_devices(2);
    open_step(&steps[0], &first);
    ops_random_fill(values, D, 1, 4);
    ops_open_plugin(&second, &(struct device_spec){.ordinal = 1});
    run_step(&steps[0]); // the thread's device is the second one now
    steps[1] = (struct step){.ops = &second,
                             .from = ops_put(&second, values, sizeof values),
                             .to = PUT(&second, values)};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 2; i++) {
            run_step(&steps[i]);
            run_scope(&steps[i], 9);
        }
    for (int i = 0; i < 2; i++)
        if (!steps[i].ops->backend->check(steps[i].ops->device, &status))
            fail_msg("device %d: %s", i, status.message);
    ops_close(&second);
    ops_close(&first);
    emulator.set_devices(1);
}

static void a_failure_is_told_once_and_the_device_goes_on(void **state)
{
    struct status status;
    struct ops ops;
    struct step step;
    open_step(&step, &ops);
    step.copies = true;
    run_scope(&step, 5);
    assert_false(ops.backend->check(ops.device, &status));
    assert_string_equal(status.message, "cuda:0: a copy to or from the host in a recorded scope");
    step.copies = false;
    run_scope(&step, 5);
    assert_true(ops.backend->check(ops.device, &status));
    ops_close(&ops);
}

/* The device ------------------------------------------------------------------------------------*/

static void long_copies_arrive_whole(void **state)
{
    enum { COUNT = 1000003 };
    float *values = malloc(2 * COUNT * sizeof *values);
    struct ops ops;
    assert_non_null(values);
    ops_random_fill(values, COUNT, 1, 1);
    ops_open_plugin(&ops, &(struct device_spec){0});
    struct tensor tensor = ops_put(&ops, values, COUNT * sizeof *values);
    ops_get(&ops, values + COUNT, tensor, COUNT * sizeof *values);
    ops_close(&ops);
    ops_assert_same("values", values + COUNT, values, COUNT * sizeof *values);
    free(values);
}

static void what_is_allocated_is_zero_and_told(void **state)
{
    struct device_info info, after;
    struct status status;
    struct tensor tensor;
    unsigned char bytes[1000], zeros[1000] = {0};
    struct ops ops;
    ops_open_plugin(&ops, &(struct device_spec){.precision = PRECISION_TF32});
    ops.backend->info(ops.device, &info);
    assert_true(ops.backend->allocate(ops.device, sizeof bytes, &tensor, &status));
    ops.backend->get(ops.device, bytes, tensor, sizeof bytes);
    ops_assert_same("memory", bytes, zeros, sizeof bytes);
    ops.backend->info(ops.device, &after);
    assert_int_equal(after.memory_used, info.memory_used + sizeof bytes);
    assert_true(info.memory_free > 0 && info.memory_free < info.memory_total);
    if (emulator.set_memory) // a real one gives memory out in larger pieces, to others too
        assert_true(after.memory_free < info.memory_free);
    assert_int_equal(info.precision, PRECISION_TF32);
    if (emulator.set_driver) // else it is the machine's
        assert_string_equal(info.driver, "13.0");
    assert_true(strlen(info.name) > 0);
    ops.backend->release(ops.device, tensor);
    ops_close(&ops);
}

static void check_refused(const struct device_spec *spec, enum status_code code,
                          const char *message)
{
    struct status status;
    const struct backend *backend = backend_load(getenv("ATTNSCOPE_TEST_PLUGIN"), &status);
    assert_null(backend->open(spec, &status));
    assert_string_equal(status.message, message);
    assert_int_equal(status.code, code);
}

static void a_device_that_cannot_be_opened_is_told_in_one_line(void **state)
{
    need_emulator();
    check_refused(&(struct device_spec){.ordinal = 1}, STATUS_INVALID,
                  "cuda:1: there is no such GPU, expected cuda:0 to cuda:0");
    emulator.set_driver(12040);
    check_refused(&(struct device_spec){0}, STATUS_DEVICE,
                  "cuda: the driver supports CUDA 12.4, expected 13.0 or later");
    emulator.set_driver(0);
    check_refused(&(struct device_spec){0}, STATUS_DEVICE,
                  "cuda: this machine has no NVIDIA driver");
    emulator.set_driver(13000);
    emulator.set_busy(1);
    check_refused(&(struct device_spec){0}, STATUS_DEVICE,
                  "cuda:0: emulated GPU is busy: another program has it for itself, or its compute "
                  "mode admits none");
    emulator.set_busy(0);
    emulator.set_devices(0);
    check_refused(&(struct device_spec){0}, STATUS_DEVICE, "cuda: this machine has no NVIDIA GPU");
    emulator.set_devices(1);
}

static void too_little_memory_is_told_in_one_line(void **state)
{
    struct status status;
    struct tensor tensor;
    struct ops ops;
    need_emulator();
    emulator.set_memory((size_t)64 << 20);
    ops_open_plugin(&ops, &(struct device_spec){0});
    assert_false(ops.backend->allocate(ops.device, (size_t)100 << 20, &tensor, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    assert_non_null(strstr(status.message, "no memory for 104857600 bytes"));
    assert_non_null(strstr(status.message, "of 64 MiB are free"));
    assert_true(ops.backend->allocate(ops.device, 1 << 20, &tensor, &status));
    ops.backend->release(ops.device, tensor);
    ops_close(&ops);
    emulator.set_memory((size_t)1 << 20);
    const struct backend *backend = ops.backend;
    assert_null(backend->open(&(struct device_spec){0}, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    emulator.set_memory((size_t)2 << 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replayed_scope_does_what_its_body_did),
        cmocka_unit_test(a_recorded_step_launches_nothing_but_its_graph),
        cmocka_unit_test(scopes_that_are_forgotten_are_recorded_again),
        cmocka_unit_test(a_scope_that_was_cancelled_half_way_is_not_kept),
        cmocka_unit_test(a_failure_is_told_once_and_the_device_goes_on),
        cmocka_unit_test(a_failed_copy_is_not_told_again_by_the_next_pass),
        cmocka_unit_test(steps_that_cannot_be_recorded_are_run_as_they_are),
        cmocka_unit_test(recording_can_be_switched_off),
        cmocka_unit_test(two_devices_take_turns_in_a_thread),
        cmocka_unit_test(long_copies_arrive_whole),
        cmocka_unit_test(what_is_allocated_is_zero_and_told),
        cmocka_unit_test(a_device_that_cannot_be_opened_is_told_in_one_line),
        cmocka_unit_test(too_little_memory_is_told_in_one_line),
    };
    return cmocka_run_group_tests(tests, emulator_seek, NULL);
}
