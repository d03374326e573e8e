/* Devices by name, and plug-ins that are none. */
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/loader.h"
#include "tests/support/test.h"

static void devices_are_named_auto_cpu_and_cuda(void **state)
{
    static const struct {
        const char *name;
        enum device_kind kind;
        int ordinal;
    } cases[] = {{"auto", DEVICE_AUTO, 0},
                 {"cpu", DEVICE_CPU, 0},
                 {"cuda", DEVICE_CUDA, 0},
                 {"cuda:0", DEVICE_CUDA, 0},
                 {"cuda:15", DEVICE_CUDA, 15}};
    static const char *const refused[] = {
        "",        "CPU",     "gpu",     "cpu:0", "auto:1",   "cuda:",
        "cuda:-1", "cuda: 1", "cuda:1x", "cuda1", "cuda:0x1", "cuda:99999999999999999999",
        "cuda:+1"};
    struct device_choice choice = {0};
    struct status status;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(device_parse(cases[i].name, &choice, &status));
        assert_int_equal(choice.kind, cases[i].kind);
        assert_int_equal(choice.ordinal, cases[i].ordinal);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (device_parse(refused[i], &choice, &status))
            fail_msg("\"%s\" is accepted", refused[i]);
        assert_non_null(strstr(status.message, "expected auto, cpu, cuda or cuda:N"));
    }
}

static void precisions_have_names(void **state)
{
    static const struct {
        const char *name;
        enum precision precision;
    } cases[] = {{"fp32", PRECISION_FP32},
                 {"tf32", PRECISION_TF32},
                 {"bf16", PRECISION_BF16},
                 {"fp16", PRECISION_FP16},
                 {"int8", PRECISION_INT8}};
    static const char *const refused[] = {"", "FP32", "f16", "fp", "fp32 ", "tf", "int16"};
    struct status status;
    enum precision precision;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(precision_parse(cases[i].name, &precision, &status));
        assert_int_equal(precision, cases[i].precision);
        assert_string_equal(precision_names[precision], cases[i].name);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (precision_parse(refused[i], &precision, &status))
            fail_msg("\"%s\" is accepted", refused[i]);
        assert_non_null(strstr(status.message, "expected fp32, tf32, bf16, fp16 or int8"));
    }
}

static void what_is_no_plug_in_is_refused(void **state)
{
    char path[] = "/tmp/attnscope-plugin-XXXXXX";
    struct status status;
    int file = mkstemp(path);
    assert_int_equal(write(file, "not a library", 13), 13);
    close(file);
    assert_null(backend_load(path, &status));
    assert_int_equal(status.code, STATUS_DEVICE);
    assert_non_null(strstr(status.message, path));
    unlink(path);
    assert_null(backend_load("/nosuch/attnscope-cuda.so", &status));
    assert_non_null(strstr(status.message, "/nosuch/attnscope-cuda.so"));
    // A shared library of another kind: every program here is linked with it.
    Dl_info library;
    assert_int_not_equal(dladdr((void *)(uintptr_t)strlen, &library), 0);
    assert_null(backend_load(library.dli_fname, &status));
    assert_non_null(strstr(status.message, "not a plug-in"));
    assert_null(backend_load("libm.so.6", &status));
    assert_non_null(strstr(status.message, "./libm.so.6: "));
}

/* The program's own file lies in the tests' folder, as do the plug-in and what stands in for
 * cuBLAS. */
static void path_beside(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size);
    assert_true(length > 0 && (size_t)length < size);
    char *slash = memrchr(path, '/', (size_t)length);
    snprintf(slash + 1, (size_t)(path + size - slash - 1), "%s", name);
}

/* In folders as pip makes them; the environment's name has what means something in a pattern. */
static void cublas_is_found_in_a_python_environment(void **state)
{
    static const char *const folders[] = {"",
                                          "/a[b]*",
                                          "/a[b]*/lib",
                                          "/a[b]*/lib/python3.11",
                                          "/a[b]*/lib/python3.11/site-packages",
                                          "/a[b]*/lib/python3.11/site-packages/nvidia",
                                          "/a[b]*/lib/python3.11/site-packages/nvidia/cu",
                                          "/a[b]*/lib/python3.11/site-packages/nvidia/cu/lib"};
    enum { DEPTH = sizeof folders / sizeof *folders };
    char root[] = "/tmp/attnscope-python-XXXXXX", path[4096], library[4096], made[4096 + 256];
    struct status status;
    path_beside("needs_cublas.so", path, sizeof path);
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
    assert_non_null(mkdtemp(root));
    setenv("HOME", root, 1);
    assert_null(backend_load(path, &status));
    assert_non_null(strstr(status.message, "libcublas.so.attnscope: cannot open"));
    assert_non_null(strstr(status.message, path));

    for (int i = 1; i < DEPTH; i++) {
        snprintf(made, sizeof made, "%s%s", root, folders[i]);
        assert_int_equal(mkdir(made, 0700), 0);
    }
    path_beside("libcublas.so.attnscope", library, sizeof library);
    snprintf(made, sizeof made, "%s%s/libcublas.so.attnscope", root, folders[DEPTH - 1]);
    assert_int_equal(symlink(library, made), 0);
    snprintf(library, sizeof library, "%s%s", root, folders[1]);
    setenv("VIRTUAL_ENV", library, 1);
    if (!backend_load(path, &status))
        fail_msg("%s", status.message);

    unlink(made);
    for (int i = DEPTH - 1; i >= 0; i--) {
        snprintf(made, sizeof made, "%s%s", root, folders[i]);
        assert_int_equal(rmdir(made), 0);
    }
}

static void auto_falls_back_to_the_cpu_and_says_why(void **state)
{
    struct device_choice choice = {.kind = DEVICE_AUTO};
    struct opened_device opened;
    struct status status;
    if (!device_open(&choice, 1, &opened, &status))
        fail_msg("%s", status.message);
    assert_non_null(opened.device);
    if (opened.backend == &cpu_backend)
        assert_non_null(strstr(opened.notice, "using the CPU, no GPU: "));
    else
        assert_string_equal(opened.notice, "");
    opened.backend->close(opened.device);
}

static void without_a_driver_the_plug_in_is_not_loaded(void **state)
{
    struct device_choice choice = {.kind = DEVICE_AUTO};
    struct opened_device opened;
    struct status status;
    char path[4096];
    path_beside("attnscope-cuda.so", path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("not a library", file);
    fclose(file);
    bool done = device_open(&choice, 1, &opened, &status);
    unlink(path);
    assert_true(done);
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    assert_non_null(
        strstr(opened.notice, driver ? path : "cuda: this machine has no NVIDIA driver"));
    if (driver)
        dlclose(driver);
    opened.backend->close(opened.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_named_auto_cpu_and_cuda),
        cmocka_unit_test(precisions_have_names),
        cmocka_unit_test(what_is_no_plug_in_is_refused),
        cmocka_unit_test(cublas_is_found_in_a_python_environment),
        cmocka_unit_test(auto_falls_back_to_the_cpu_and_says_why),
        cmocka_unit_test(without_a_driver_the_plug_in_is_not_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
