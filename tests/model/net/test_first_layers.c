/* Models whose encoder or decoder ends after fewer layers, against the float64 reference
 * (scripts/attnscope_reference/lens.py), and against the whole model. */
#include <math.h>

#include "model/net/first_layers.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

#define BOUND 1e-4

static json_t *given;

struct lens_case {
    struct golden *golden;
    struct sentence source;
    int *target, count;
    struct head_settings *settings;
};

static void take_ids(const json_t *ids, struct lens_case *out)
{
    out->count = (int)json_array_size(ids);
    out->target = calloc((size_t)out->count, sizeof *out->target);
    for (int i = 0; i < out->count; i++)
        out->target[i] = (int)json_integer_value(json_array_get(ids, (size_t)i));
}

static struct lens_case open_case(const char *name, int number)
{
    struct lens_case out = {.golden = golden_open(name, "cpu", 1)};
    const json_t *record = json_array_get(out.golden->cases, (size_t)number);
    struct status status;
    if (!sentence_encode(out.golden->checkpoint,
                         json_string_value(json_object_get(record, "source")), &out.source,
                         &status))
        fail_msg("%s: %s", name, status.message);
    take_ids(json_object_get(record, "target_ids"), &out);
    out.settings = golden_head_settings(out.golden, record);
    return out;
}

static void close_case(struct lens_case *one)
{
    sentence_free(&one->source);
    free(one->target);
    head_settings_free(one->settings);
    golden_close(one->golden);
}

static struct capture force(struct model *model, const struct lens_case *one)
{
    struct capture_request request = {.logprobs = true};
    struct capture capture;
    struct status status;
    if (!force_run(model, &one->source, one->target, one->count, one->settings, &request, &capture,
                   &status))
        fail_msg("%s: %s", one->golden->name, status.message);
    return capture;
}

static struct model *cut(const struct golden *golden, enum stack stack, int layers)
{
    struct status status;
    struct model *model = model_first_layers(golden->model, stack, layers, &status);
    if (!model)
        fail_msg("%s: %s", golden->name, status.message);
    return model;
}

static void expect_near(const struct lens_case *one, const char *what, int row, double is,
                        const json_t *expected)
{
    double wanted = json_number_value(expected);
    if (!json_is_number(expected) || !(fabs(is - wanted) <= BOUND))
        fail_msg("%s %s[%d]: %.9g, expected %.9g", one->golden->name, what, row, is, wanted);
}

static void expect_layer(const struct lens_case *one, enum stack stack, int layers,
                         const json_t *expected)
{
    struct model *model = cut(one->golden, stack, layers);
    struct capture capture = force(model, one);
    size_t size = vocabulary_size(one->golden->checkpoint->vocabulary[SIDE_TARGET]);
    int starts = one->golden->checkpoint->config->start.count;
    assert_int_equal(json_array_size(json_object_get(expected, "logprobs")), one->count);
    for (int i = 0; i < one->count; i++) {
        const float *row = capture.logprobs + (size_t)(i + starts - 1) * size;
        size_t best = (size_t)json_integer_value(
            json_array_get(json_object_get(expected, "best"), (size_t)i));
        expect_near(one, "logprobs", i, capture.token_logprobs[i],
                    json_array_get(json_object_get(expected, "logprobs"), (size_t)i));
        expect_near(one, "best", i, row[best],
                    json_array_get(json_object_get(expected, "best_logprobs"), (size_t)i));
        for (size_t id = 0; id < size; id++)
            assert_true(row[id] <= row[best] + BOUND);
    }
    capture_free(&capture);
    model_close(model);
}

static void expect_stacks(const struct lens_case *one, const json_t *expected)
{
    for (enum stack stack = 0; stack < STACK_COUNT; stack++) {
        const json_t *layers = json_object_get(expected, stack_names[stack]), *layer;
        size_t k;
        assert_int_equal(json_array_size(layers),
                         one->golden->checkpoint->config->stacks[stack].layers);
        json_array_foreach(layers, k, layer) expect_layer(one, stack, (int)k + 1, layer);
    }
}

static void every_layer_predicts_what_the_reference_does(void **state)
{
    const char *name;
    json_t *expected;
    int count;
    char **names = golden_names(&count);
    assert_int_equal(json_object_size(json_object_get(given, "golden")), count);
    golden_names_free(names, count);
    json_object_foreach(json_object_get(given, "golden"), name, expected)
    {
        struct lens_case one =
            open_case(name, (int)json_integer_value(json_object_get(expected, "case")));
        expect_stacks(&one, expected);
        close_case(&one);
    }
}

static void trained_models_do_too(void **state)
{
    const char *name;
    json_t *expected;
    const json_t *pair = json_object_get(given, "pair");
    json_object_foreach(json_object_get(given, "samples"), name, expected)
    {
        char path[200];
        struct status status;
        snprintf(path, sizeof path, "samples/%s.bin", name);
        struct lens_case one = {.golden = golden_open_path(path, "cpu", 0)};
        assert_true(sentence_encode(one.golden->checkpoint,
                                    json_string_value(json_array_get(pair, 0)), &one.source,
                                    &status));
        one.count = target_encode(one.golden->checkpoint,
                                  json_string_value(json_array_get(pair, 1)), &one.target, &status);
        assert_true(one.count > 0);
        expect_stacks(&one, expected);
        close_case(&one);
    }
}

static void assert_same(const struct lens_case *one, struct model *model,
                        const struct capture *whole)
{
    struct capture capture = force(model, one);
    assert_memory_equal(capture.token_logprobs, whole->token_logprobs,
                        (size_t)one->count * sizeof *capture.token_logprobs);
    capture_free(&capture);
}

/* With all layers it is the whole model, bit by bit, and cut models have not changed that one. */
static void all_layers_are_the_whole_model(void **state)
{
    int count;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++) {
        struct lens_case one = open_case(names[i], 0);
        struct capture whole = force(one.golden->model, &one);
        for (enum stack stack = 0; stack < STACK_COUNT; stack++) {
            int layers = one.golden->checkpoint->config->stacks[stack].layers;
            struct model *all = cut(one.golden, stack, layers), *first = cut(one.golden, stack, 1);
            struct capture other = force(first, &one);
            assert_same(&one, all, &whole);
            assert_same(&one, one.golden->model, &whole);
            capture_free(&other);
            model_close(all);
            model_close(first);
            assert_same(&one, one.golden->model, &whole);
        }
        capture_free(&whole);
        close_case(&one);
    }
    golden_names_free(names, count);
}

static struct translation search(struct model *model, const struct lens_case *one)
{
    struct search_options options = search_defaults(model_checkpoint(model)->config);
    struct search_job jobs[2] = {{.source = &one->source, .head_settings = one->settings},
                                 {.source = &one->source}};
    struct status status;
    if (!search_run(model, jobs, 2, &options, NULL, &status))
        fail_msg("%s: %s", one->golden->name, status.message);
    translation_free(&jobs[1].result);
    return jobs[0].result;
}

/* A cut model's own settings end with its layers, those of the whole model go on. */
static void settings_are_compared_as_far_as_both_go(void **state)
{
    struct golden *golden = golden_open("asymmetric", "cpu", 1);
    const struct head_settings *whole = model_head_settings(golden->model);
    assert_true(whole->layers[MODULE_ENCODER] > 1);
    struct model *model = cut(golden, STACK_ENCODER, 1);
    const struct head_settings *own = model_head_settings(model);
    assert_int_equal(head_settings_common_layers(whole, own, MODULE_ENCODER), 1);
    assert_int_equal(head_settings_common_layers(own, whole, MODULE_ENCODER), 1);
    assert_false(head_settings_equal(whole, own));
    model_close(model);
    golden_close(golden);
}

/* On the CPU a search gives its translation the bits of a forced pass, in cut models as in whole
 * ones, by itself and together with another sentence's head settings. */
static void a_search_and_a_forced_pass_agree(void **state)
{
    int count;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++) {
        struct lens_case one = open_case(names[i], 0);
        for (enum stack stack = 0; stack < STACK_COUNT; stack++) {
            struct model *model = cut(one.golden, stack, 1);
            struct translation found = search(model, &one);
            const struct hypothesis *best = &found.hypotheses[0];
            struct lens_case again = one;
            again.target = best->ids;
            again.count = best->count;
            struct capture capture = force(model, &again);
            int first = golden_scored_alike(one.golden, best->count);
            assert_memory_equal(capture.token_logprobs + first, best->logprobs + first,
                                (size_t)(best->count - first) * sizeof *best->logprobs);
            capture_free(&capture);
            translation_free(&found);
            model_close(model);
        }
        close_case(&one);
    }
    golden_names_free(names, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layer_predicts_what_the_reference_does),
        cmocka_unit_test(trained_models_do_too),
        cmocka_unit_test(all_layers_are_the_whole_model),
        cmocka_unit_test(settings_are_compared_as_far_as_both_go),
        cmocka_unit_test(a_search_and_a_forced_pass_agree),
    };
    given = packed_json_load("tests/golden/lens.json.gz");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(given);
    return failed;
}
