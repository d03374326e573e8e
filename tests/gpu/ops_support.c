#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

#include <dlfcn.h>
#include <math.h>

#include "gpu/cpu/kernel/isa.h"
#include "gpu/loader.h"

/* Returns the path of the plug-in under test, or NULL. */
static const char *plugin_path(void)
{
    return getenv("ATTNSCOPE_TEST_PLUGIN");
}

bool ops_on_plugin(void)
{
    return plugin_path() != NULL;
}

void ops_open_plugin(struct ops *ops, const struct device_spec *spec)
{
    struct status status;
    memset(ops, 0, sizeof *ops);
    ops->backend = backend_load(plugin_path(), &status);
    ops->device = ops->backend ? ops->backend->open(spec, &status) : NULL;
    if (!ops->device)
        fail_msg("open %s: %s", plugin_path(), status.message);
}

static void open_cpu(struct ops *ops, const char *isa, int threads)
{
    struct status status;
    memset(ops, 0, sizeof *ops);
    if (isa)
        setenv("ATTNSCOPE_ISA", isa, 1);
    else
        unsetenv("ATTNSCOPE_ISA");
    ops->backend = &cpu_backend;
    ops->device = cpu_backend.open(&(struct device_spec){.threads = threads}, &status);
    if (!ops->device)
        fail_msg("open %s: %s", isa ? isa : "cpu", status.message);
    unsetenv("ATTNSCOPE_ISA");
}

/* Opening a plug-in's device takes long, so one stays open for all tests that need no special
 * device. Its shortcuts are chosen when it is opened, so that other shortcuts need another one. */
static struct ops kept;
static char kept_shortcuts[80];

static void keep_device(void)
{
    const char *list = getenv("ATTNSCOPE_CUDA");
    if (kept.device && strcmp(list ? list : "", kept_shortcuts) == 0)
        return;
    if (kept.device)
        kept.backend->close(kept.device);
    snprintf(kept_shortcuts, sizeof kept_shortcuts, "%s", list ? list : "");
    ops_open_plugin(&kept, &(struct device_spec){0});
}

void ops_open(struct ops *ops, const char *isa, int threads)
{
    if (!ops_on_plugin()) {
        open_cpu(ops, isa, threads);
        return;
    }
    keep_device();
    *ops = kept;
}

void ops_forget(struct ops *ops)
{
    for (int i = 0; i < ops->count; i++)
        ops->backend->release(ops->device, ops->held[i]);
    ops->count = 0;
}

void ops_close(struct ops *ops)
{
    struct status status;
    if (!ops->backend->check(ops->device, &status))
        fail_msg("the device failed: %s", status.message);
    ops_forget(ops);
    if (ops->device != kept.device)
        ops->backend->close(ops->device);
}

static struct tensor ops_allocate(struct ops *ops, size_t bytes)
{
    struct status status;
    if (ops->count == OPS_TENSORS)
        fail_msg("more than %d tensors in a test", OPS_TENSORS);
    struct tensor *tensor = &ops->held[ops->count];
    if (!ops->backend->allocate(ops->device, bytes, tensor, &status))
        fail_msg("allocate: %s", status.message);
    ops->count++;
    return *tensor;
}

struct tensor ops_put(struct ops *ops, const void *host, size_t bytes)
{
    struct tensor tensor = ops_allocate(ops, bytes);
    ops->backend->put(ops->device, tensor, host, bytes);
    return tensor;
}

struct tensor ops_floats(struct ops *ops, size_t count)
{
    float *nothing = malloc((count + 1) * sizeof *nothing);
    assert_non_null(nothing);
    for (size_t i = 0; i < count; i++)
        nothing[i] = NAN;
    struct tensor tensor = ops_put(ops, nothing, count * sizeof *nothing);
    free(nothing);
    return tensor;
}

static const char *const orders[] = {"forward", "reverse", "random"};
enum { ORDERS = sizeof orders / sizeof *orders };

/* Results of the tests in the first order. */
static struct {
    unsigned char *data;
    size_t count, capacity, compared;
    int rounds; // started so far
} bits;

typedef void set_order(int order, uint64_t seed);

/* NULL: the plug-in is for real GPUs, where the rounds tell whether results are the same each
 * time. */
static set_order *emulator_set_order(void)
{
    struct status status;
    set_order *set = NULL;
    void *plugin = ops_on_plugin() && backend_load(plugin_path(), &status)
                       ? dlopen(plugin_path(), RTLD_NOW | RTLD_NOLOAD)
                       : NULL;
    if (plugin) {
        *(void **)&set = dlsym(plugin, "cudaemu_set_order"); // the cast that POSIX recommends
        dlclose(plugin);
    }
    return set;
}

bool ops_emulated(void)
{
    return emulator_set_order() != NULL;
}

static int orders_wanted(void)
{
    const char *text = getenv("ATTNSCOPE_TEST_ORDERS");
    int wanted = text ? atoi(text) : ORDERS;
    assert_in_range(wanted, 1, ORDERS);
    return ops_on_plugin() ? wanted : 1;
}

bool ops_next_order(void)
{
    if (bits.rounds == orders_wanted()) {
        free(bits.data);
        return false;
    }
    if (ops_on_plugin()) {
        set_order *set = emulator_set_order();
        if (set)
            set(bits.rounds, 1);
        printf("# threads in %s order\n", orders[bits.rounds]);
    }
    bits.rounds++;
    bits.compared = 0;
    return true;
}

void ops_same_bits(const void *data, size_t bytes, const char *what)
{
    if (!ops_on_plugin() || bits.rounds == 0)
        return;
    if (bits.rounds == 1) {
        assert_true(memory_grow((void **)&bits.data, &bits.capacity, bits.count + bytes, 1, NULL));
        memcpy(bits.data + bits.count, data, bytes);
        bits.count += bytes;
        return;
    }
    if (bytes > bits.count - bits.compared || memcmp(bits.data + bits.compared, data, bytes) != 0)
        fail_msg("%s: other bits with threads in %s order", what, orders[bits.rounds - 1]);
    bits.compared += bytes;
}

void ops_get(struct ops *ops, void *host, struct tensor tensor, size_t bytes)
{
    ops->backend->get(ops->device, host, tensor, bytes);
    ops_same_bits(host, bytes, "a tensor");
}

static void run_with(ops_run *run, const void *context, const char *isa, int threads, void *out)
{
    struct ops ops;
    ops_open(&ops, isa, threads);
    run(&ops, out, context);
    ops_close(&ops);
}

static void same_on_cpus(ops_run *run, const void *context, size_t bytes,
                         const unsigned char *expected, unsigned char *actual)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        for (int threads = 1; threads <= 3 && isa_supported(isa); threads++) {
            run_with(run, context, isa_name(isa), threads, actual);
            for (size_t i = 0; i < bytes; i++)
                if (actual[i] != expected[i])
                    fail_msg("%s with %d threads: byte %zu of %zu differs from plain C",
                             isa_name(isa), threads, i, bytes);
        }
    }
}

void ops_same_everywhere(ops_run *run, const void *context, size_t bytes)
{
    unsigned char *expected = calloc(1, bytes), *actual = calloc(1, bytes);
    assert_true(expected && actual);
    run_with(run, context, "c", 1, expected);
    if (!ops_on_plugin())
        same_on_cpus(run, context, bytes, expected, actual);
    free(expected);
    free(actual);
}

float ops_random(uint64_t *state, float scale)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((float)(*state >> 40) / 8388608.0f - 1.0f) * scale;
}

void ops_random_fill(float *out, size_t count, float scale, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        out[i] = ops_random(&seed, scale);
}

void ops_assert_close(const char *what, const float *actual, const double *expected, size_t count,
                      double tolerance)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)actual[i] - expected[i]) <= tolerance))
            fail_msg("%s[%zu] = %.9g, expected %.9g within %g", what, i, (double)actual[i],
                     expected[i], tolerance);
}

void ops_assert_near(const char *what, const float *actual, const float *expected, size_t count,
                     double tolerance)
{
    for (size_t i = 0; i < count; i++) {
        const bool both = actual[i] == expected[i] || (isnan(actual[i]) && isnan(expected[i]));
        const double bound = tolerance * (1 + fabs((double)expected[i]));
        if (!both && !(fabs((double)actual[i] - (double)expected[i]) <= bound))
            fail_msg("%s[%zu] = %.9g, expected %.9g within %g", what, i, (double)actual[i],
                     (double)expected[i], bound);
    }
}

void ops_assert_same(const char *what, const void *actual, const void *expected, size_t bytes)
{
    const unsigned char *a = actual, *b = expected;
    for (size_t i = 0; i < bytes; i++)
        if (a[i] != b[i])
            fail_msg("%s: byte %zu of %zu differs", what, i, bytes);
}
