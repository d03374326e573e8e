/* Importance of heads by gradients against derivatives by automatic differentiation in float64
 * (scripts/attnscope_reference/attribution.py), of trained models. */
#include <jansson.h>
#include <math.h>

#include "model/study/head_gradients.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

#define BOUND 1e-4
/* Of central differences, whose errors GRADIENT_STEP in head_gradients.h speaks of: of one head in
 * few sentences, where a ReLU may switch within the step, and of all heads on the average. */
#define DIFFERENCES_MEAN 0.003

static json_t *given;

static enum module module_of(const char *name)
{
    enum module module = 0;
    while (strcmp(module_names[module], name) != 0)
        module++;
    return module;
}

static struct lines texts_of(int side)
{
    struct lines lines = {0};
    const json_t *pairs = json_object_get(given, "pairs"), *pair;
    size_t i;
    lines.text = calloc(json_array_size(pairs), sizeof *lines.text);
    json_array_foreach(pairs, i, pair) lines.text[lines.count++] =
        strdup(json_string_value(json_array_get(pair, (size_t)side)));
    return lines;
}

/* All heads that the reference has derivatives of. */
static struct head_gradients heads_of(const json_t *expected)
{
    struct head_gradients out = {.count = (int)json_array_size(expected)};
    const json_t *head;
    size_t i;
    out.heads = calloc((size_t)out.count, sizeof *out.heads);
    json_array_foreach(expected, i, head) out.heads[i] = (struct head_gradient){
        .module = module_of(json_string_value(json_object_get(head, "module"))),
        .layer = (int)json_integer_value(json_object_get(head, "layer")),
        .head = (int)json_integer_value(json_object_get(head, "head"))};
    return out;
}

static void assert_near(double is, const json_t *entry, const char *key, double bound)
{
    double wanted = json_number_value(json_object_get(entry, key));
    if (!(fabs(is - wanted) <= bound * fmax(1, fabs(wanted))))
        fail_msg("%s of %s %d.%d: %.6g, expected %.6g", key,
                 json_string_value(json_object_get(entry, "module")),
                 (int)json_integer_value(json_object_get(entry, "layer")) + 1,
                 (int)json_integer_value(json_object_get(entry, "head")) + 1, is, wanted);
}

/* The importances of the heads that are expected, over the first pairs. Free the result with
 * head_gradients_free. */
static struct head_gradients run_model(const char *name, const json_t *expected, int pairs,
                                       bool differences)
{
    char path[200];
    struct status status;
    snprintf(path, sizeof path, "samples/%s.bin", name);
    struct golden *golden = golden_open_path(path, "cpu", 2);
    struct lines texts[2] = {texts_of(0), texts_of(1)};
    const struct lines sources = {.text = texts[0].text, .count = pairs},
                       targets = {.text = texts[1].text, .count = pairs};
    struct head_gradients gradients = heads_of(expected);
    gradients.differences = differences;
    struct head_settings *settings =
        head_settings_copy(model_head_settings(golden->model), &status);
    const struct study_context context = {
        .state = {golden->model, settings, search_defaults(golden->checkpoint->config)}};
    if (!head_gradients_run(&context, "pairs", &sources, &targets, &gradients, &status))
        fail_msg("%s", status.message);
    assert_int_equal(gradients.taken, pairs);
    head_settings_free(settings);
    lines_free(&texts[0]);
    lines_free(&texts[1]);
    golden_close(golden);
    return gradients;
}

static void check_model(const char *name, const json_t *expected)
{
    const int pairs = (int)json_array_size(json_object_get(given, "pairs"));
    struct head_gradients gradients = run_model(name, expected, pairs, false);
    const json_t *entry;
    size_t i;
    json_array_foreach(expected, i, entry)
    {
        assert_near(gradients.heads[i].importance, entry, "importance", BOUND);
        assert_near(gradients.heads[i].mean, entry, "mean", BOUND);
        double square = 0;
        for (int k = 0; k < gradients.count; k++)
            if (gradients.heads[k].module == gradients.heads[i].module &&
                gradients.heads[k].layer == gradients.heads[i].layer)
                square += pow(gradients.heads[k].importance, 2);
        assert_true(fabs(gradients.heads[i].normalized -
                         gradients.heads[i].importance / sqrt(square)) < 1e-9);
    }
    head_gradients_free(&gradients);
}

static json_t *read_given(void)
{
    json_error_t error;
    json_t *read = json_load_file("tests/golden/gradients.json", 0, &error);
    assert_non_null(read);
    return read;
}

static void derivatives_are_those_of_automatic_differentiation(void **state)
{
    const char *name;
    json_t *expected;
    given = read_given();
    json_object_foreach(json_object_get(given, "models"), name, expected)
        check_model(name, expected);
    json_decref(given);
}

/* What devices without a backward pass use: within its own error of the exact derivatives, for
 * every head. */
static void central_differences_are_near_them(void **state)
{
    static const struct {
        const char *name;
        int pairs; // 0: all
        double bound;
    } models[] = {{"en-de", 0, 0.01}, {"en-de-dhicm", 0, 0.01}, {"en-de-context-both", 2, 0.02}};
    given = read_given();
    const int all = (int)json_array_size(json_object_get(given, "pairs"));
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const json_t *expected = json_object_get(json_object_get(given, "models"), models[i].name);
        const int pairs = models[i].pairs ? models[i].pairs : all;
        struct head_gradients exact = run_model(models[i].name, expected, pairs, false);
        struct head_gradients near = run_model(models[i].name, expected, pairs, true);
        double sum = 0;
        for (int h = 0; h < exact.count; h++) {
            const double off = fmax(fabs(exact.heads[h].mean - near.heads[h].mean),
                                    fabs(exact.heads[h].importance - near.heads[h].importance));
            if (!(off <= models[i].bound))
                fail_msg("%s, head %d of %d: %.6g, expected %.6g", models[i].name, h + 1,
                         exact.count, near.heads[h].mean, exact.heads[h].mean);
            sum += off;
        }
        if (!(sum <= DIFFERENCES_MEAN * exact.count))
            fail_msg("%s: off by %.6g on the average", models[i].name, sum / exact.count);
        head_gradients_free(&exact);
        head_gradients_free(&near);
    }
    json_decref(given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_automatic_differentiation),
        cmocka_unit_test(central_differences_are_near_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
