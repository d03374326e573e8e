/* The GPU or the CPU, as the user asks for it and as the machine has it. On the emulated GPU, which
 * stands in for one that is missing, busy, too small or has an older driver. */
#include "gpu/loader.h"
#include "tests/gpu/cuda/emulated_gpu.h"
#include "tests/support/test.h"

static struct device_choice choice_of(enum device_kind kind, enum precision precision)
{
    return (struct device_choice){
        .kind = kind, .plugin = getenv("ATTNSCOPE_TEST_PLUGIN"), .precision = precision};
}

static void the_precision_asked_for_reaches_the_device(void **state)
{
    for (int kind = DEVICE_AUTO; kind <= DEVICE_CUDA; kind++)
        for (int precision = 0; precision <= PRECISION_BF16 && kind != DEVICE_CPU; precision++) {
            const struct device_choice choice = choice_of(kind, precision);
            struct opened_device opened;
            struct device_info info;
            struct status status;
            if (!device_open(&choice, 1, &opened, &status))
                fail_msg("%s: %s", precision_names[precision], status.message);
            assert_ptr_not_equal(opened.backend, &cpu_backend);
            assert_string_equal(opened.notice, "");
            opened.backend->info(opened.device, &info);
            assert_int_equal(info.precision, precision);
            opened.backend->close(opened.device);
        }
}

static void the_cpu_has_no_tf32_and_gpus_neither_fp16_nor_int8(void **state)
{
    for (int precision = PRECISION_FP32; precision_names[precision]; precision++)
        for (enum device_kind kind = DEVICE_CPU; kind <= DEVICE_CUDA; kind++) {
            const struct device_choice choice = choice_of(kind, precision);
            struct opened_device opened;
            struct status status = {0};
            const bool lacking =
                kind == DEVICE_CPU ? precision == PRECISION_TF32 : precision >= PRECISION_FP16;
            bool ok = device_open(&choice, 1, &opened, &status);
            assert_int_equal(ok, !lacking);
            if (ok) {
                opened.backend->close(opened.device);
                continue;
            }
            assert_int_equal(status.code, STATUS_INVALID);
            assert_non_null(strstr(status.message, precision_names[precision]));
            assert_non_null(strstr(status.message, "expected fp32"));
        }
}

/* Why there is no GPU --------------------------------------------------------------------------*/

static void take_driver(void)
{
    emulator.set_driver(0);
}

static void age_driver(void)
{
    emulator.set_driver(12040);
}

static void take_gpu(void)
{
    emulator.set_devices(0);
}

static void lend_gpu(void)
{
    emulator.set_busy(1);
}

static void take_memory(void)
{
    emulator.set_memory(1 << 20);
}

static void restore(void)
{
    emulator.set_driver(13000);
    emulator.set_devices(1);
    emulator.set_busy(0);
    emulator.set_memory((size_t)2 << 30);
}

static const struct hindrance {
    void (*set)(void);
    enum status_code code;
    const char *says;
} hindrances[] = {
    {take_driver, STATUS_DEVICE, "cuda: this machine has no NVIDIA driver"},
    {age_driver, STATUS_DEVICE, "cuda: the driver supports CUDA 12.4, expected 13.0 or later"},
    {take_gpu, STATUS_DEVICE, "cuda: this machine has no NVIDIA GPU"},
    {lend_gpu, STATUS_DEVICE,
     "cuda:0: emulated GPU is busy: another program has it for itself, or its compute mode admits "
     "none"},
    {take_memory, STATUS_MEMORY, "of 1 MiB are free"},
};

static void one_line(const char *message, const char *says)
{
    if (!strstr(message, says))
        fail_msg("\"%s\" does not say \"%s\"", message, says);
    assert_null(strchr(message, '\n'));
}

static void a_gpu_that_was_named_is_used_or_nothing(const struct hindrance *hindrance)
{
    const struct device_choice choice = choice_of(DEVICE_CUDA, PRECISION_FP32);
    struct opened_device opened;
    struct status status;
    assert_false(device_open(&choice, 1, &opened, &status));
    assert_int_equal(status.code, hindrance->code);
    one_line(status.message, hindrance->says);
}

static void auto_takes_the_cpu_and_says_why(const struct hindrance *hindrance)
{
    const struct device_choice choice = choice_of(DEVICE_AUTO, PRECISION_FP32);
    struct opened_device opened;
    struct status status;
    if (!device_open(&choice, 1, &opened, &status))
        fail_msg("%s", status.message);
    assert_ptr_equal(opened.backend, &cpu_backend);
    one_line(opened.notice, hindrance->says);
    one_line(opened.notice, hindrance->code == STATUS_MEMORY
                                ? "using the CPU, too little memory on the GPU: "
                                : "using the CPU, no GPU: ");
    opened.backend->close(opened.device);
}

static void auto_takes_no_cpu_for_a_precision_that_it_lacks(const struct hindrance *hindrance)
{
    const struct device_choice choice = choice_of(DEVICE_AUTO, PRECISION_TF32);
    struct opened_device opened;
    struct status status;
    assert_false(device_open(&choice, 1, &opened, &status));
    one_line(status.message, hindrance->says);
    one_line(status.message, "expected one for tf32, which the CPU does not have");
}

static void what_hinders_a_gpu_is_told_in_one_line(void **state)
{
    for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++) {
        hindrances[i].set();
        a_gpu_that_was_named_is_used_or_nothing(&hindrances[i]);
        auto_takes_the_cpu_and_says_why(&hindrances[i]);
        auto_takes_no_cpu_for_a_precision_that_it_lacks(&hindrances[i]);
        restore();
    }
}

static void a_gpu_that_is_not_there_is_named(void **state)
{
    struct device_choice choice = choice_of(DEVICE_CUDA, PRECISION_FP32);
    struct opened_device opened;
    struct status status;
    choice.ordinal = 7;
    assert_false(device_open(&choice, 1, &opened, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_string_equal(status.message, "cuda:7: there is no such GPU, expected cuda:0 to cuda:0");
    emulator.set_devices(8);
    if (!device_open(&choice, 1, &opened, &status))
        fail_msg("%s", status.message);
    opened.backend->close(opened.device);
    emulator.set_devices(1);
}

/* The device is there after all that. */
static void a_gpu_that_comes_back_is_used(void **state)
{
    const struct device_choice choice = choice_of(DEVICE_AUTO, PRECISION_FP32);
    struct opened_device opened;
    struct status status;
    const float one = 1;
    float got = 0;
    struct tensor from, to;
    lend_gpu();
    auto_takes_the_cpu_and_says_why(&hindrances[3]);
    restore();
    assert_true(device_open(&choice, 1, &opened, &status));
    assert_ptr_not_equal(opened.backend, &cpu_backend);
    assert_true(opened.backend->allocate(opened.device, sizeof one, &from, &status));
    assert_true(opened.backend->allocate(opened.device, sizeof one, &to, &status));
    opened.backend->put(opened.device, from, &one, sizeof one);
    struct move_args move = {.y = to, .x = from, .ldy = 1, .ldx = 1, .rows = 1, .columns = 1};
    opened.backend->gather(opened.device, &move);
    opened.backend->get(opened.device, &got, to, sizeof got);
    if (!opened.backend->check(opened.device, &status))
        fail_msg("%s", status.message);
    assert_true(got == one);
    opened.backend->release(opened.device, from);
    opened.backend->release(opened.device, to);
    opened.backend->close(opened.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_precision_asked_for_reaches_the_device),
        cmocka_unit_test(the_cpu_has_no_tf32_and_gpus_neither_fp16_nor_int8),
        cmocka_unit_test(what_hinders_a_gpu_is_told_in_one_line),
        cmocka_unit_test(a_gpu_that_is_not_there_is_named),
        cmocka_unit_test(a_gpu_that_comes_back_is_used),
    };
    return cmocka_run_group_tests(tests, emulator_find, NULL);
}
