/* The program on a GPU: what it says of it, and what it says where there is none or not enough of
 * it. On the emulated GPU, whose environment says what it is like. */
#include <unistd.h>

#include "gpu/loader.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define SAMPLE "samples/en-de.bin" // 5.8 MB of weights
#define GPU "--backend", getenv("ATTNSCOPE_TEST_PLUGIN"), "--device", "cuda"
#define AUTO "--backend", getenv("ATTNSCOPE_TEST_PLUGIN"), "--device", "auto"
enum { WEIGHTS = 1440000 * 4 }; // of SAMPLE, in bytes: its parameters as fp32

static struct outcome run_well(const char *const *arguments)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s: ends with %d: %s", cli_command_line(arguments), outcome.code, outcome.err);
    return outcome;
}

/* What `:info` says after the other commands of a run. */
static json_t *info_of(const char *const *arguments)
{
    struct outcome outcome = run_well(arguments);
    json_t *info = cli_object(arguments, outcome.out, cli_count_lines(outcome.out) - 1);
    assert_true(!*outcome.err ||
                (cli_count_lines(outcome.err) == 1 && strstr(outcome.err, "leaves out")));
    outcome_free(&outcome);
    return info;
}

static json_int_t integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Bytes that an opened device holds before any model is on it. */
static size_t bytes_of_device(enum precision precision)
{
    struct status status;
    struct device_info info;
    const struct backend *backend = backend_load(getenv("ATTNSCOPE_TEST_PLUGIN"), &status);
    assert_non_null(backend);
    struct device *device = backend->open(&(struct device_spec){.precision = precision}, &status);
    assert_non_null(device);
    backend->info(device, &info);
    backend->close(device);
    return info.memory_used;
}

static void set_memory(size_t bytes)
{
    char text[32];
    snprintf(text, sizeof text, "%zu", bytes);
    setenv("CUDAEMU_MEMORY", text, 1);
}

/* What it says ----------------------------------------------------------------------------------*/

static void info_names_gpu_driver_precision_and_memory(void **state)
{
    set_memory((size_t)1 << 30);
    for (int i = PRECISION_FP32; i <= PRECISION_BF16; i++) {
        const char *const arguments[] = {
            GPU, "--precision", precision_names[i], "--json", SAMPLE, "-e", ":info", NULL};
        json_t *info = info_of(arguments);
        assert_string_equal(text_of(info, "device"), "emulated GPU");
        assert_string_equal(text_of(info, "driver"), "13.0");
        assert_string_equal(text_of(info, "precision"), precision_names[i]);
        assert_string_equal(text_of(info, "instruction_set"), "");
        assert_int_equal(integer_of(info, "threads"), 0);
        assert_int_equal(integer_of(info, "memory_total"), 1 << 30);
        assert_true(integer_of(info, "memory_free") > 0);
        assert_true(integer_of(info, "memory_free") + integer_of(info, "memory") <= 1 << 30);
        json_decref(info);
    }
    unsetenv("CUDAEMU_MEMORY");
}

/* Of matrices, which are nearly all of the parameters. */
static void bf16_takes_half_the_memory(void **state)
{
    json_int_t bytes[2];
    for (int i = 0; i < 2; i++) {
        const char *const arguments[] = {
            GPU, "--precision", i ? "bf16" : "fp32", "--json", SAMPLE, "-e", ":info", NULL};
        json_t *info = info_of(arguments);
        bytes[i] = integer_of(info, "memory") -
                   (json_int_t)bytes_of_device(i ? PRECISION_BF16 : PRECISION_FP32);
        json_decref(info);
    }
    assert_in_range(bytes[0], WEIGHTS, WEIGHTS * 1.1);
    assert_in_range(bytes[1], WEIGHTS / 2, WEIGHTS * 0.6);
}

static void info_is_one_line_of_the_device(void **state)
{
    const char *const arguments[] = {GPU, "--precision", "tf32", MODEL, "-e", ":info", NULL};
    setenv("CUDAEMU_DRIVER", "13010", 1);
    struct outcome outcome = run_well(arguments);
    unsetenv("CUDAEMU_DRIVER");
    double used, left, total;
    const char *line = strstr(outcome.out, "\ndevice ");
    assert_non_null(line);
    assert_int_equal(sscanf(line,
                            "\ndevice emulated GPU, driver for CUDA 13.1, tf32, %lf MB used, %lf "
                            "of %lf MB free\n",
                            &used, &left, &total),
                     3);
    assert_true(used > 0 && left > 0 && used + left <= total + 0.1);
    outcome_free(&outcome);
}

static void the_cpu_has_no_driver_and_no_memory_of_its_own(void **state)
{
    const char *const arguments[] = {CPU, "--json", MODEL, "-e", ":info", NULL};
    json_t *info = info_of(arguments);
    assert_string_equal(text_of(info, "device"), "cpu");
    assert_string_equal(text_of(info, "driver"), "");
    assert_string_equal(text_of(info, "precision"), "fp32");
    assert_true(strlen(text_of(info, "instruction_set")) > 0);
    assert_true(integer_of(info, "threads") > 0);
    assert_int_equal(integer_of(info, "memory_free"), 0);
    assert_int_equal(integer_of(info, "memory_total"), 0);
    json_decref(info);
}

/* What hinders it -------------------------------------------------------------------------------*/

static const struct hindrance {
    const char *variable, *value, *says;
} hindrances[] = {
    {"CUDAEMU_DRIVER", "0", "cuda: this machine has no NVIDIA driver"},
    {"CUDAEMU_DRIVER", "12040", "cuda: the driver supports CUDA 12.4, expected 13.0 or later"},
    {"CUDAEMU_DEVICES", "0", "cuda: this machine has no NVIDIA GPU"},
    {"CUDAEMU_BUSY", "1", "cuda:0: emulated GPU is busy: another program has it for itself"},
    {"CUDAEMU_MEMORY", "1048576", "of 1 MiB are free"},
};

/* Fails with 1 and this message, and has printed nothing. */
static void check_failure(const char *const *arguments, const char *says)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 1 || *outcome.out)
        fail_msg("%s: ends with %d: %s", cli_command_line(arguments), outcome.code, outcome.out);
    cli_check_message(arguments, &outcome, 1, says);
    outcome_free(&outcome);
}

/* Says so in a line, and does what the CPU does. */
static void check_auto(const char *model, const char *says)
{
    const char *const automatic[] = {AUTO, model, "-e", SENTENCE, "-e", ":attn", NULL};
    const char *const chosen[] = {CPU, model, "-e", SENTENCE, "-e", ":attn", NULL};
    struct outcome outcome = run_well(automatic), expected = run_well(chosen);
    assert_string_equal(outcome.out, expected.out);
    cli_check_message(automatic, &outcome, 1, says);
    cli_check_message(automatic, &outcome, 1, "attnscope: using the CPU, ");
    outcome_free(&outcome);
    outcome_free(&expected);
}

static void what_hinders_a_gpu_is_one_line(void **state)
{
    const char *const named[] = {GPU, MODEL, "-e", SENTENCE, NULL};
    for (size_t i = 0; i < sizeof hindrances / sizeof *hindrances; i++) {
        setenv(hindrances[i].variable, hindrances[i].value, 1);
        check_failure(named, hindrances[i].says);
        check_auto(MODEL, hindrances[i].says);
        unsetenv(hindrances[i].variable);
    }
}

static void a_gpu_that_is_not_there_is_named(void **state)
{
    const char *const arguments[] = {
        "--backend", getenv("ATTNSCOPE_TEST_PLUGIN"), "--device", "cuda:7", MODEL, "-e", SENTENCE,
        NULL};
    check_failure(arguments, "cuda:7: there is no such GPU, expected cuda:0 to cuda:0");
}

static void json_has_one_object_for_a_gpu_that_is_missing(void **state)
{
    const char *const arguments[] = {GPU, "--json", MODEL, "-e", SENTENCE, NULL};
    setenv("CUDAEMU_DEVICES", "0", 1);
    struct outcome outcome = cli_run(arguments);
    unsetenv("CUDAEMU_DEVICES");
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.out), 1);
    json_t *object = cli_object(arguments, outcome.out, 0);
    assert_string_equal(text_of(object, "command"), "load");
    assert_string_equal(text_of(object, "error"), "cuda: this machine has no NVIDIA GPU");
    json_decref(object);
    outcome_free(&outcome);
}

/* Precisions ------------------------------------------------------------------------------------*/

static void a_precision_that_the_cpu_lacks_is_wrong_usage(void **state)
{
    const char *const lacking[] = {CPU, "--precision", "tf32", MODEL, "-e", SENTENCE, NULL};
    const char *const unknown[] = {CPU, "--precision", "int16", MODEL, "-e", SENTENCE, NULL};
    const char *const exact[] = {CPU, "--precision", "fp32", MODEL, "-e", SENTENCE, NULL};
    struct outcome outcome = cli_run(lacking);
    assert_int_equal(outcome.code, 2);
    cli_check_message(lacking, &outcome, 4, "--precision tf32 with --device cpu: expected fp32");
    outcome_free(&outcome);
    outcome = cli_run(unknown);
    assert_int_equal(outcome.code, 2);
    cli_check_message(unknown, &outcome, 4, "\"int16\": expected fp32, tf32, bf16, fp16 or int8");
    outcome_free(&outcome);
    outcome = run_well(exact);
    outcome_free(&outcome);
}

static void a_gpu_without_fp16_says_which_it_has(void **state)
{
    const char *const arguments[] = {GPU, "--precision", "fp16", MODEL, "-e", SENTENCE, NULL};
    check_failure(arguments, "cuda: precision fp16, expected fp32, tf32 or bf16");
}

/* In `:info`, and in the notes of what is exported; nothing is said of fp32. */
static void weights_of_16_bits_on_the_cpu_are_told(void **state)
{
    static const char *const names[] = {"fp32", "bf16", "fp16"};
    char folder[] = "/tmp/attnscope-precision-XXXXXX", export[80], path[60], said[40], noted[40];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.csv", folder);
    snprintf(export, sizeof export, ":export %s", path);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const arguments[] = {
            CPU,     "--precision", names[i], MODEL,  "-e",
            ":info", "-e",          SENTENCE, "-e",   ":set export.comments on",
            "-e",    ":attn",       "-e",     export, NULL};
        struct outcome outcome = run_well(arguments);
        snprintf(said, sizeof said, ", weights in %s, ", names[i]);
        snprintf(noted, sizeof noted, "\n# precision: %s\n", names[i]);
        assert_int_equal(strstr(outcome.out, said) != NULL, i > 0);
        outcome_free(&outcome);
        char text[2000] = {0};
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        assert_non_null(strstr(text, "\n# command: "));
        assert_int_equal(strstr(text, noted) != NULL, i > 0);
        assert_int_equal(remove(path), 0);
    }
    rmdir(folder);
}

static json_t *precision_info(const char *device, const char *model, const char *precision)
{
    const char *const arguments[] = {"--backend", getenv("ATTNSCOPE_TEST_PLUGIN"),
                                     "--device",  device,
                                     "--json",    "--quiet",
                                     model,       "-e",
                                     ":info",     precision ? "--precision" : NULL,
                                     precision,   NULL};
    return info_of(arguments);
}

/* In 8 bits as they are shipped, but not on a GPU, which says so. */
static void students_are_computed_in_8_bits_unless_otherwise_asked(void **state)
{
    static const struct {
        const char *device, *model, *precision, *expected;
    } cases[] = {{"cpu", STUDENT, NULL, "int8"},   {"cpu", STUDENT, "int8", "int8"},
                 {"cpu", STUDENT, "fp32", "fp32"}, {"cpu", STUDENT, "bf16", "bf16"},
                 {"cuda", STUDENT, NULL, "fp32"},  {"cpu", MODEL, NULL, "fp32"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *info = precision_info(cases[i].device, cases[i].model, cases[i].precision);
        assert_string_equal(text_of(info, "precision"), cases[i].expected);
        json_decref(info);
    }
    const char *const floats[] = {GPU, STUDENT, "-e", ":set beam 1", NULL};
    struct outcome outcome = run_well(floats);
    assert_non_null(strstr(outcome.err, "leaves out: activations of 8 bits (Marian)"));
    outcome_free(&outcome);
    const char *const integers[] = {CPU, STUDENT, "-e", ":info", NULL};
    outcome = run_well(integers);
    assert_non_null(strstr(outcome.out, ", products of 8 bits, "));
    assert_null(strstr(outcome.err, "leaves out"));
    outcome_free(&outcome);
}

static void what_8_bits_cannot_do_is_refused(void **state)
{
    const char *const plain[] = {CPU, "--precision", "int8", MODEL, "-e", SENTENCE, NULL};
    const char *const gpu[] = {GPU, "--precision", "int8", STUDENT, "-e", SENTENCE, NULL};
    const char *const slopes[] = {CPU, STUDENT, "-e", "A", "-e", ":attribute saliency", NULL};
    const char *const parts[] = {CPU, STUDENT, "-e", "A", "-e", ":attn cross as norms", NULL};
    check_failure(plain, "no weights of 8 bits as students of Marian have them, expected "
                         "--precision fp32");
    check_failure(gpu, "cuda: precision int8, expected fp32, tf32 or bf16");
    struct outcome outcome = cli_run(slopes);
    cli_check_message(slopes, &outcome, 1,
                      "products of 8 bits have no derivatives, expected --precision fp32");
    outcome_free(&outcome);
    outcome = cli_run(parts);
    cli_check_message(parts, &outcome, 1,
                      "products of 8 bits have no parts of heads, expected --precision fp32");
    outcome_free(&outcome);
}

static void auto_does_not_change_the_precision(void **state)
{
    const char *const arguments[] = {AUTO, "--precision", "tf32", MODEL, "-e", SENTENCE, NULL};
    setenv("CUDAEMU_DEVICES", "0", 1);
    check_failure(arguments, "no GPU: cuda: this machine has no NVIDIA GPU; expected one for tf32");
    unsetenv("CUDAEMU_DEVICES");
}

/* Too little memory -----------------------------------------------------------------------------*/

static void a_model_that_is_too_large_goes_to_the_cpu_with_auto(void **state)
{
    const char *const named[] = {GPU, SAMPLE, "-e", SENTENCE, NULL};
    const char *const second[] = {GPU, MODEL, SAMPLE, "-e", SENTENCE, NULL};
    set_memory(bytes_of_device(PRECISION_FP32) + WEIGHTS / 2);
    check_failure(named, "attnscope: " SAMPLE ": cuda:0: no memory for ");
    check_failure(second, "attnscope: " SAMPLE ": cuda:0: no memory for ");
    check_auto(SAMPLE, "too little memory on the GPU: " SAMPLE ": cuda:0: no memory for ");
    unsetenv("CUDAEMU_MEMORY");
}

/* The first has room on the GPU; both go to the CPU all the same. */
static void all_models_go_to_one_device(void **state)
{
    const char *const arguments[] = {AUTO, "--json", MODEL, SAMPLE, "-e", ":info", NULL};
    set_memory(bytes_of_device(PRECISION_FP32) + WEIGHTS / 2);
    struct outcome outcome = run_well(arguments);
    cli_check_message(arguments, &outcome, 1, "too little memory on the GPU: " SAMPLE);
    json_t *info = cli_object(arguments, outcome.out, 0);
    assert_string_equal(text_of(info, "device"), "cpu");
    assert_string_equal(text_of(info, "name"), "vanilla_post");
    json_decref(info);
    outcome_free(&outcome);
    unsetenv("CUDAEMU_MEMORY");
}

static void a_precision_is_not_given_up_for_memory(void **state)
{
    const char *const arguments[] = {AUTO, "--precision", "tf32", SAMPLE, "-e", SENTENCE, NULL};
    set_memory(bytes_of_device(PRECISION_FP32) + WEIGHTS / 2);
    check_failure(arguments, "expected one for tf32, which the CPU does not have");
    unsetenv("CUDAEMU_MEMORY");
}

/* As much as the model needs, and a little: no translation has room, and what needs none goes
 * on. */
static void a_translation_without_memory_fails_and_the_session_goes_on(void **state)
{
    const char *const idle[] = {GPU, "--json", SAMPLE, "-e", ":info", NULL};
    const char *const arguments[] = {GPU,    "--json",   SAMPLE,   "-e",        SENTENCE,
                                     "-e",   ":force x", "-e",     ":disabled", "-e",
                                     ":set", "-e",       ":model", NULL};
    json_t *info = info_of(idle);
    set_memory((size_t)integer_of(info, "memory") + 4096);
    json_decref(info);
    struct outcome outcome = cli_run(arguments);
    unsetenv("CUDAEMU_MEMORY");
    assert_int_equal(outcome.code, 1);
    const char *const says[] = {"cuda:0: no memory for ", "no sentence yet", NULL, NULL, NULL};
    for (int i = 0; i < 5; i++) {
        json_t *object = cli_object(arguments, outcome.out, i);
        const char *error = text_of(object, "error");
        if ((error != NULL) != (says[i] != NULL) || (error && !strstr(error, says[i])))
            fail_msg("%s: line %d: %s", cli_command_line(arguments), i, outcome.out);
        json_decref(object);
    }
    outcome_free(&outcome);
}

/* A sentence that fails leaves the memory to the one after it, which is translated as ever. */
static void a_sentence_that_is_too_long_for_the_memory_is_no_harm(void **state)
{
    char longest[2000] = "";
    for (int i = 0; i < 100; i++)
        strcat(longest, "a dog ");
    const char *const alone[] = {GPU, "--json", SAMPLE, "-e", SENTENCE, "-e", ":info", NULL};
    const char *const after[] = {GPU, "--json", SAMPLE, "-e", longest, "-e", SENTENCE, NULL};
    struct outcome expected = run_well(alone);
    json_t *info = cli_object(alone, expected.out, 1);
    set_memory((size_t)integer_of(info, "memory") + (64 << 10));
    json_decref(info);
    struct outcome outcome = cli_run(after);
    unsetenv("CUDAEMU_MEMORY");
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.out), 2);
    json_t *failed = cli_object(after, outcome.out, 0);
    assert_true(json_is_false(json_object_get(failed, "ok")));
    assert_non_null(strstr(text_of(failed, "error"), "cuda:0: no memory for "));
    json_decref(failed);
    const char *second = strchr(outcome.out, '\n') + 1;
    if (strncmp(second, expected.out, strlen(second)) != 0)
        fail_msg("%s%s", second, expected.out);
    outcome_free(&outcome);
    outcome_free(&expected);
}

/* What is on the GPU stays there, with auto too. */
static void a_further_model_without_memory_is_refused(void **state)
{
    static const char input[] = SENTENCE "\n:load " SAMPLE "\n:info\n" SENTENCE "\n";
    const char *const arguments[] = {AUTO, MODEL, NULL};
    const char *const alone[] = {GPU, MODEL, "-e", SENTENCE, NULL};
    set_memory(bytes_of_device(PRECISION_FP32) + WEIGHTS / 2);
    struct outcome outcome = cli_run_with(arguments, input, strlen(input));
    unsetenv("CUDAEMU_MEMORY");
    struct outcome expected = run_well(alone);
    const size_t length = strlen(expected.out);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, SAMPLE ": cuda:0: no memory for ");
    assert_int_equal(strncmp(outcome.out, expected.out, length), 0);
    assert_non_null(strstr(outcome.out, "\ndevice      emulated GPU, "));
    assert_string_equal(outcome.out + strlen(outcome.out) - length, expected.out);
    outcome_free(&outcome);
    outcome_free(&expected);
}

/* Threads are the CPU's: nothing is opened anew, for which there would be no memory. */
static void threads_do_not_concern_a_gpu(void **state)
{
    const char *const arguments[] = {AUTO,    "--json", SAMPLE,           "-e", SENTENCE, "-e",
                                     ":info", "-e",     ":set threads 2", "-e", ":info",  NULL};
    struct outcome outcome = run_well(arguments);
    json_t *before = cli_object(arguments, outcome.out, 1);
    json_t *after = cli_object(arguments, outcome.out, 3);
    assert_string_equal(text_of(after, "device"), "emulated GPU");
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(info_names_gpu_driver_precision_and_memory),
        cmocka_unit_test(bf16_takes_half_the_memory),
        cmocka_unit_test(info_is_one_line_of_the_device),
        cmocka_unit_test(the_cpu_has_no_driver_and_no_memory_of_its_own),
        cmocka_unit_test(what_hinders_a_gpu_is_one_line),
        cmocka_unit_test(a_gpu_that_is_not_there_is_named),
        cmocka_unit_test(json_has_one_object_for_a_gpu_that_is_missing),
        cmocka_unit_test(a_precision_that_the_cpu_lacks_is_wrong_usage),
        cmocka_unit_test(a_gpu_without_fp16_says_which_it_has),
        cmocka_unit_test(students_are_computed_in_8_bits_unless_otherwise_asked),
        cmocka_unit_test(what_8_bits_cannot_do_is_refused),
        cmocka_unit_test(weights_of_16_bits_on_the_cpu_are_told),
        cmocka_unit_test(auto_does_not_change_the_precision),
        cmocka_unit_test(a_model_that_is_too_large_goes_to_the_cpu_with_auto),
        cmocka_unit_test(all_models_go_to_one_device),
        cmocka_unit_test(a_precision_is_not_given_up_for_memory),
        cmocka_unit_test(a_translation_without_memory_fails_and_the_session_goes_on),
        cmocka_unit_test(a_sentence_that_is_too_long_for_the_memory_is_no_harm),
        cmocka_unit_test(a_further_model_without_memory_is_refused),
        cmocka_unit_test(threads_do_not_concern_a_gpu),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
