/* Encoder layers in which the heads of several settings are alike are computed once for a source:
 * to the bit what a forced pass of each setting gives, in every architecture, whatever order the
 * settings come in. */
#include <math.h>

#include "model/net/stems.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

enum { SOURCES = 2, SETTINGS_MOST = 16, JOBS_MOST = SOURCES * SETTINGS_MOST, TARGET = 4 };

struct scene {
    struct golden *golden;
    struct sentence sources[SOURCES];
    int target[TARGET];
    struct head_settings *head_settings[SETTINGS_MOST]; // (count)
    int count;
    float alone[JOBS_MOST][TARGET]; // (SOURCES, count)
};

/* Adds one more setting, equal to the model's own until it is changed. */
static struct head_settings *add_head_settings(struct scene *scene)
{
    struct status status;
    struct head_settings *head_settings =
        head_settings_new(scene->golden->checkpoint->config, &status);
    assert_non_null(head_settings);
    assert_true(scene->count < SETTINGS_MOST);
    return scene->head_settings[scene->count++] = head_settings;
}

static struct head_settings *add_off(struct scene *scene, enum module module, int layer)
{
    struct head_settings *head_settings = add_head_settings(scene);
    *head_settings_gain(head_settings, module, layer, layer % head_settings->count[module]) = 0;
    return head_settings;
}

/* The last head attends by something else in one layer. */
static void add_other(struct scene *scene, int layer)
{
    const struct config *config = scene->golden->checkpoint->config;
    struct head_settings *head_settings = add_head_settings(scene);
    struct status status;
    int head = head_settings->count[MODULE_ENCODER] - 1;
    bool learned = config->attention[MODULE_ENCODER][layer].heads[head].energy == ENERGY_LEARNED;
    struct head words = {.energy = ENERGY_FIXED, .pattern = PATTERN_NEXT, .unit = UNIT_WORD};
    struct head local = {.energy = ENERGY_LEARNED, .mask = MASK_LOCAL, .window = 1};
    assert_true(head_settings_set_head(head_settings, config, MODULE_ENCODER, layer, head,
                                       learned && layer % 2 == 0 ? local : words, &status));
}

/* Settings that part from the model's own, and from one another, before every layer of the encoder,
 * and behind it. */
static void add_all(struct scene *scene)
{
    const struct config *config = scene->golden->checkpoint->config;
    int layers = config->stacks[STACK_ENCODER].layers;
    add_head_settings(scene);
    for (int layer = 0; layer < layers; layer++) {
        add_off(scene, MODULE_ENCODER, layer);
        add_other(scene, layer);
    }
    *head_settings_gain(add_off(scene, MODULE_ENCODER, 0), MODULE_ENCODER, layers - 1, 0) = 0.5f;
    *head_settings_gain(add_off(scene, MODULE_ENCODER, layers - 1), MODULE_CROSS, 0, 0) = 0;
    if (module_layers(config, MODULE_DECODER) > 0)
        add_off(scene, MODULE_DECODER, module_layers(config, MODULE_DECODER) - 1);
    add_off(scene, MODULE_CROSS, 0);
    add_head_settings(scene);
}

/* Runs a separate pass for each setting. */
static void run_alone(struct scene *scene)
{
    struct capture_request nothing = {0};
    struct capture capture;
    struct status status;
    for (int i = 0; i < SOURCES * scene->count; i++) {
        if (!force_run(scene->golden->model, &scene->sources[i / scene->count], scene->target,
                       TARGET, scene->head_settings[i % scene->count], &nothing, &capture, &status))
            fail_msg("%s: %s", scene->golden->name, status.message);
        memcpy(scene->alone[i], capture.token_logprobs, sizeof scene->alone[i]);
        capture_free(&capture);
    }
}

static struct scene *scene_open(const char *name)
{
    struct scene *scene = calloc(1, sizeof *scene);
    struct status status;
    assert_non_null(scene);
    scene->golden = golden_open(name, "cpu", 2);
    const struct checkpoint *checkpoint = scene->golden->checkpoint;
    int size = vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]);
    for (int i = 0; i < SOURCES; i++) {
        const json_t *given =
            json_array_get(scene->golden->cases, i * (json_array_size(scene->golden->cases) - 1));
        const char *text = json_string_value(json_object_get(given, "source"));
        if (!sentence_encode(checkpoint, text, &scene->sources[i], &status))
            fail_msg("%s: %s", name, status.message);
    }
    for (int i = 0; i < TARGET - 1; i++)
        scene->target[i] = (5 * i + 4) % size;
    scene->target[TARGET - 1] = checkpoint->config->special[SPECIAL_EOS][SIDE_TARGET];
    return scene;
}

static void scene_close(struct scene *scene)
{
    for (int i = 0; i < SOURCES; i++)
        sentence_free(&scene->sources[i]);
    for (int i = 0; i < scene->count; i++)
        head_settings_free(scene->head_settings[i]);
    golden_close(scene->golden);
    free(scene);
}

static bool on_plugin(void)
{
    return getenv("ATTNSCOPE_TEST_PLUGIN") != NULL;
}

/* A GPU may compute other numbers of rows by other means. */
static void check_same(const struct scene *scene, const float *is, const float *wanted, int order,
                       int number)
{
    bool same = memcmp(is, wanted, TARGET * sizeof *is) == 0;
    for (int t = 0; t < TARGET; t++)
        if (!on_plugin() ? !same : !(fabsf(is[t] - wanted[t]) <= 1e-4f))
            fail_msg("%s: order %d: source %d, setting %d: token %d has %.9g, alone %.9g",
                     scene->golden->name, order, number / scene->count, number % scene->count, t,
                     (double)is[t], (double)wanted[t]);
}

/* All settings of a source, and of the next, in one batch: setting step*i + start for i = 0, 1,
 * … */
static void check_order(struct scene *scene, int order, int start, int step)
{
    struct score_job jobs[JOBS_MOST];
    float logprobs[JOBS_MOST][TARGET] = {{0}};
    int count = scene->count, numbers[JOBS_MOST];
    struct status status;
    for (int i = 0; i < SOURCES * count; i++) {
        int setting = ((start + step * (i % count)) % count + count) % count;
        numbers[i] = i / count * count + setting;
        jobs[i] = (struct score_job){&scene->sources[i / count], scene->target, TARGET,
                                     setting ? scene->head_settings[setting] : NULL, logprobs[i]};
    }
    if (!score_run(scene->golden->model, jobs, SOURCES * count, JOBS_MOST, &status))
        fail_msg("%s: %s", scene->golden->name, status.message);
    for (int i = 0; i < SOURCES * count; i++)
        check_same(scene, logprobs[i], scene->alone[numbers[i]], order, numbers[i]);
}

/* Settings that change nothing could share anything. */
static void check_differing(const struct scene *scene)
{
    int differing = 0;
    for (int i = 1; i < scene->count - 1; i++)
        differing += memcmp(scene->alone[i], scene->alone[0], sizeof scene->alone[0]) != 0;
    if (differing < (scene->count - 2) / 2)
        fail_msg("%s: %d of %d settings change something", scene->golden->name, differing,
                 scene->count - 2);
}

static void check_model(const char *name)
{
    struct scene *scene = scene_open(name);
    add_all(scene);
    run_alone(scene);
    check_differing(scene);
    check_order(scene, 1, 0, 1);
    if (!on_plugin()) {
        check_order(scene, 2, -1, -1);
        check_order(scene, 3, scene->count / 2, 1);
    }
    scene_close(scene);
}

static void settings_that_share_layers_give_the_bits_of_each_alone(void **state)
{
    /* The emulator takes seconds for a model. */
    static const char *const some[] = {"asymmetric", "context_both_stacks",
                                       "context_deep_head_gates", "dhicm_last_layers",
                                       "words_everywhere_bpe"};
    int count;
    char **names = golden_names(&count);
    if (on_plugin())
        for (size_t i = 0; i < sizeof some / sizeof *some; i++)
            check_model(some[i]);
    else
        for (int i = 0; i < count; i++)
            check_model(names[i]);
    golden_names_free(names, count);
}

/* On paper, for a source of n tokens in an encoder of three layers: the first layer is computed for
 * the model's own heads and with one of that layer off, the second for one off there too, and so
 * on; what differs in the decoder alone, or not at all, is never computed. A second source shares
 * nothing with the first. */
static void check_stages(int start, int step)
{
    struct scene *scene = scene_open("asymmetric");
    struct encoder_input inputs[7];
    struct stem stems[7];
    struct stage stages[4];
    add_head_settings(scene);
    for (int layer = 0; layer < 3; layer++)
        add_off(scene, MODULE_ENCODER, layer);
    add_off(scene, MODULE_CROSS, 0);
    add_head_settings(scene);
    assert_int_equal(scene->golden->checkpoint->config->stacks[STACK_ENCODER].layers, 3);
    for (int i = 0; i < 6; i++)
        inputs[i] = (struct encoder_input){.sentence = &scene->sources[0],
                                           .head_settings = scene->head_settings[start + step * i]};
    inputs[6] = (struct encoder_input){.sentence = &scene->sources[1]};
    stems_find(scene->golden->model, inputs, 7, stems, stages);
    int n = scene->sources[0].count, other = scene->sources[1].count;
    for (int layer = 0; layer < 3; layer++) {
        assert_int_equal(stages[layer].sentences, 2 + layer + 1);
        assert_int_equal(stages[layer].rows, (2 + layer) * n + other);
    }
    assert_int_equal(stages[3].sentences, 7);
    assert_int_equal(stages[3].rows, 6 * n + other);
    scene_close(scene);
}

static void what_is_alike_is_computed_once(void **state)
{
    check_stages(0, 1);
    check_stages(5, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_alike_is_computed_once),
        cmocka_unit_test(settings_that_share_layers_give_the_bits_of_each_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
