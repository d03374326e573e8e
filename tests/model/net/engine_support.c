#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <limits.h>

#include "gpu/loader.h"

static const char *golden_folder(void)
{
    const char *given = getenv("ATTNSCOPE_TEST_GOLDEN");
    return given ? given : "tests/golden";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns the sorted names of the files with that ending, without it. */
static char **model_names(const char *path, const char *ending, int *count)
{
    char **names = NULL;
    size_t capacity = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    *count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name), cut = strlen(ending);
        if (length <= cut || strcmp(entry->d_name + length - cut, ending) != 0)
            continue;
        assert_true(memory_grow((void **)&names, &capacity, *count + 1, sizeof *names, NULL));
        names[(*count)++] = strndup(entry->d_name, length - cut);
    }
    closedir(folder);
    qsort(names, *count, sizeof *names, by_name);
    return names;
}

char **golden_names(int *count)
{
    return model_names(golden_folder(), ".bin", count);
}

char **sample_names(int *count)
{
    return model_names("samples", ".bin", count);
}

char **family_names(int *count)
{
    return model_names("tests/golden/formats", ".expected", count);
}

void golden_names_free(char **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

bool golden_is_wanted(int number)
{
    const char *text = getenv("ATTNSCOPE_TEST_MODELS");
    int part, parts;
    if (!text)
        return true;
    if (sscanf(text, "%d/%d", &part, &parts) != 2 || part < 1 || part > parts)
        fail_msg("ATTNSCOPE_TEST_MODELS: '%s', expected a part as 1/3", text);
    return number % parts == part - 1;
}

struct golden *golden_open_on(const char *path, const char *plugin, const char *isa, int threads)
{
    struct status status = {0};
    struct golden *golden = calloc(1, sizeof *golden);
    const char *base = strrchr(path, '/');
    snprintf(golden->name, sizeof golden->name, "%s", base ? base + 1 : path);
    if (strcmp(isa, "cpu") == 0)
        unsetenv("ATTNSCOPE_ISA");
    else
        setenv("ATTNSCOPE_ISA", isa, 1);
    golden->checkpoint = checkpoint_open(path, &status);
    const char *precision = getenv("ATTNSCOPE_TEST_PRECISION");
    if (precision && !precision_parse(precision, &golden->precision, &status))
        fail_msg("ATTNSCOPE_TEST_PRECISION: %s", status.message);
    golden->backend = plugin ? backend_load(plugin, &status) : &cpu_backend;
    if (golden->checkpoint && golden->backend)
        golden->device = golden->backend->open(
            &(struct device_spec){.threads = threads, .precision = golden->precision}, &status);
    if (golden->device)
        golden->model = model_open(golden->checkpoint, golden->backend, golden->device, &status);
    unsetenv("ATTNSCOPE_ISA");
    if (!golden->model)
        fail_msg("%s: %s", path, status.message);
    return golden;
}

struct golden *golden_open_path(const char *path, const char *isa, int threads)
{
    return golden_open_on(path, getenv("ATTNSCOPE_TEST_PLUGIN"), isa, threads);
}

/* hint: how to make the file, for the message */
static void open_expected(struct golden *golden, const char *path, const char *hint)
{
    struct status status = {0};
    golden->expected = safetensors_open(path, &status);
    if (!golden->expected)
        fail_msg("%s: made with %s", status.message, hint);
    golden->cases = json_loads(safetensors_metadata(golden->expected, "cases"), 0, NULL);
    assert_non_null(golden->cases);
}

struct golden *golden_open(const char *name, const char *isa, int threads)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s.bin", golden_folder(), name);
    struct golden *golden = golden_open_path(path, isa, threads);
    snprintf(path, sizeof path, "%s/%s.expected", golden_folder(), name);
    open_expected(golden, path, "scripts/reference.py golden tests/golden");
    return golden;
}

struct golden *sample_open(const char *name, const char *isa, int threads)
{
    char path[256];
    snprintf(path, sizeof path, "samples/%s.bin", name);
    struct golden *golden = golden_open_path(path, isa, threads);
    snprintf(path, sizeof path, "tests/golden/samples/%s.expected", name);
    open_expected(golden, path, "scripts/reference.py samples samples tests/golden/samples");
    return golden;
}

struct golden *family_open(const char *name, const char *isa, int threads)
{
    char path[256];
    snprintf(path, sizeof path, "tests/golden/formats/%s", name);
    struct golden *golden = golden_open_path(path, isa, threads);
    snprintf(path, sizeof path, "tests/golden/formats/%s.expected", name);
    open_expected(golden, path, "scripts/golden/make_formats_golden.py tests/golden/formats");
    return golden;
}

void golden_close(struct golden *golden)
{
    model_close(golden->model);
    golden->backend->close(golden->device);
    checkpoint_close(golden->checkpoint);
    safetensors_close(golden->expected);
    json_decref(golden->cases);
    free(golden);
}

static int number_of(const char *name, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    fail_msg("unknown name %s", name);
    return -1;
}

static int integer_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static int module_of(const json_t *object)
{
    return number_of(json_string_value(json_object_get(object, "module")), module_names,
                     MODULE_COUNT);
}

static void set_mask(struct head *head, const json_t *mask)
{
    head->energy = ENERGY_LEARNED;
    if (json_is_string(mask)) {
        head->mask = (uint8_t)number_of(json_string_value(mask), mask_names, 4);
        return;
    }
    head->mask = MASK_LOCAL;
    head->window = integer_of(mask, "local");
}

static void set_pattern(struct head *head, const json_t *change)
{
    const char *unit = json_string_value(json_object_get(change, "unit"));
    head->energy = ENERGY_FIXED;
    head->pattern = (uint8_t)number_of(json_string_value(json_object_get(change, "pattern")),
                                       pattern_names, PATTERN_COUNT);
    head->offset = (int)json_integer_value(json_object_get(change, "offset"));
    head->deviation = (float)json_number_value(json_object_get(change, "deviation"));
    head->unit = unit && strcmp(unit, "word") == 0 ? UNIT_WORD : UNIT_TOKEN;
}

int golden_scored_alike(const struct golden *golden, int count)
{
    const struct config *config = golden->checkpoint->config;
    const int unlike = config->search.renormalize ? config->search.min_length : 0;
    return unlike < count ? unlike : count;
}

struct head_settings *golden_head_settings(const struct golden *golden, const json_t *given)
{
    static const char *const lists[] = {"gains", "masks", "patterns"};
    struct head_settings *head_settings =
        head_settings_copy(model_head_settings(golden->model), NULL);
    for (int list = 0; list < 3; list++) {
        size_t index;
        const json_t *change;
        json_array_foreach(json_object_get(given, lists[list]), index, change)
        {
            int module = module_of(change), layer = integer_of(change, "layer");
            int h = integer_of(change, "head");
            struct head *head =
                &head_settings->heads[module][layer * head_settings->count[module] + h];
            if (list == 0)
                *head_settings_gain(head_settings, module, layer, h) =
                    (float)json_number_value(json_object_get(change, "gain"));
            else if (list == 1)
                set_mask(head, json_object_get(change, "mask"));
            else
                set_pattern(head, change);
        }
    }
    return head_settings;
}

struct capture_request golden_request(const struct golden *golden, bool everything)
{
    struct capture_request request = {.importance = true, .gates = true};
    request.encoder_output = request.logits = request.logprobs = everything;
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t heads = (size_t)module_layers(golden->checkpoint->config, m) *
                       module_heads(golden->checkpoint->config, m);
        bool *wanted = calloc(heads, sizeof *wanted);
        memset(wanted, 1, heads);
        request.weights[m] = wanted;
    }
    return request;
}

void golden_request_free(struct capture_request *request)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        free((void *)request->weights[m]);
}
