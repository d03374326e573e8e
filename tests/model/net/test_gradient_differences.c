/* Derivatives against central differences of forced passes: by the outputs of heads, and by the
 * gains of models of every toolkit. */
#include <math.h>

#include "tests/model/net/gradient_support.h"
#include "tests/support/test.h"

enum { LAYER = 1 }; // of those that are asked for

/* The sum of the log-probabilities with one head's outputs moved by step * direction. */
static double moved(const struct subject *subject, const struct capture *capture,
                    enum module module, int head, float step, const float *direction, int rows)
{
    const struct config *config = subject->golden->checkpoint->config;
    const int size = module_head_dim(config, module), heads = module_heads(config, module);
    float *outputs = calloc((size_t)(rows * size), sizeof *outputs);
    int *numbers = calloc((size_t)rows, sizeof *numbers);
    for (int m = 0; m < rows; m++) {
        numbers[m] = m;
        for (int c = 0; c < size; c++)
            outputs[m * size + c] =
                capture->head_outputs[module][LAYER][(m * heads + head) * size + c] +
                step * direction[m * size + c];
    }
    const struct head_patch patch = {module, LAYER, head, outputs, numbers, rows};
    const struct capture_request request = {.patch = &patch};
    struct capture result;
    struct status status;
    double sum = 0;
    if (!force_run(subject->golden->model, &subject->source, subject->target, subject->count,
                   subject->settings, &request, &result, &status))
        fail_msg("%s", status.message);
    for (int t = 0; t < subject->count; t++)
        sum += result.token_logprobs[t];
    capture_free(&result);
    free(outputs);
    free(numbers);
    return sum;
}

static void check_differences(const struct subject *subject, const struct gradients *is,
                              const struct capture *capture, enum module module, int head)
{
    const float step = 0x1p-9f;
    const int rows = module == MODULE_ENCODER ? is->source_count : is->target_rows;
    const int heads = is->heads[module];
    const int size = module_head_dim(subject->golden->checkpoint->config, module);
    float *direction = calloc((size_t)(rows * size), sizeof *direction);
    double slope = 0;
    for (int i = 0; i < rows * size; i++) {
        const int m = i / size, c = i % size;
        direction[i] = (float)((7 * m + 13 * c) % 32) / 32 - 0.5f;
        slope += direction[i] * is->head_outputs[module][LAYER][(m * heads + head) * size + c];
    }
    const double difference = (moved(subject, capture, module, head, step, direction, rows) -
                               moved(subject, capture, module, head, -step, direction, rows)) /
                              (2 * step);
    if (!(fabs(difference - slope) <= 0.02 * fmax(1, fabs(slope))))
        fail_msg("%s: %s head %d: slope %.6g, difference %.6g", subject->golden->name,
                 module_names[module], head, slope, difference);
    free(direction);
}

static void head_outputs_move_the_translation_as_their_derivatives_say(void **state)
{
    static const char *const models[] = {"vanilla_post", "vanilla_pre", "dhicm_last_layers",
                                         "relative_bias_mixture", "context_both_stacks"};
    json_t *all = read_derivatives();
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const json_t *record = json_object_get(all, models[i]);
        struct subject subject;
        struct everything everything;
        struct gradients is;
        struct capture capture;
        struct status status;
        subject_open(models[i], record, "cpu", 2, &subject);
        everything_open(subject.golden->checkpoint->config,
                        json_object_get(json_object_get(record, "translation"), "terms"),
                        &everything);
        subject_run(&subject, &everything.request, &is);
        struct capture_request request = {0};
        for (int m = 0; m < MODULE_COUNT; m++)
            request.head_outputs[m] = everything.wanted[m];
        if (!force_run(subject.golden->model, &subject.source, subject.target, subject.count,
                       subject.settings, &request, &capture, &status))
            fail_msg("%s", status.message);
        for (enum module m = 0; m < MODULE_COUNT; m++)
            for (int h = 0; h < is.heads[m]; h++)
                check_differences(&subject, &is, &capture, m, h);
        capture_free(&capture);
        gradients_free(&is);
        everything_close(&everything);
        subject_close(&subject);
    }
    json_decref(all);
}

/* The sum of the log-probabilities with the gain of a head moved. */
static double with_gain(const struct subject *subject, enum module module, int layer, int head,
                        float step)
{
    const struct capture_request nothing = {0};
    struct head_settings *settings = head_settings_copy(subject->settings, NULL);
    struct capture capture;
    struct status status;
    double sum = 0;
    *head_settings_gain(settings, module, layer, head) += step;
    if (!force_run(subject->golden->model, &subject->source, subject->target, subject->count,
                   settings, &nothing, &capture, &status))
        fail_msg("%s: %s", subject->golden->name, status.message);
    for (int t = 0; t < subject->count; t++)
        sum += capture.token_logprobs[t];
    capture_free(&capture);
    head_settings_free(settings);
    return sum;
}

/* If a relu switches within a step, a smaller step shows it. */
static void check_gain(const struct subject *subject, enum module module, int layer, int head,
                       double slope)
{
    double difference = 0;
    for (float step = 0x1p-8f; step > 0x1p-13f; step /= 4) {
        difference = (with_gain(subject, module, layer, head, step) -
                      with_gain(subject, module, layer, head, -step)) /
                     (2 * step);
        if (fabs(difference - slope) <= 0.02 * fmax(1, fabs(slope)))
            return;
    }
    fail_msg("%s: %s %d.%d: slope %.6g, difference %.6g", subject->golden->name,
             module_names[module], layer + 1, head + 1, slope, difference);
}

static void check_family(const char *name)
{
    struct golden *golden = family_open(name, "cpu", 1);
    struct subject subject;
    struct gradients is;
    subject_of(golden, json_array_get(golden->cases, 0), &subject);
    struct gradient_term *terms = calloc((size_t)subject.count, sizeof *terms);
    for (int t = 0; t < subject.count; t++)
        terms[t] = (struct gradient_term){t, subject.target[t], 1};
    const struct gradient_request request = {.terms = terms, .count = subject.count, .gains = true};
    subject_run(&subject, &request, &is);
    for (enum module m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < is.module_layers[m] * is.heads[m]; i++)
            check_gain(&subject, m, i / is.heads[m], i % is.heads[m], is.gains[m][i]);
    gradients_free(&is);
    free(terms);
    subject_close(&subject);
}

static void gains_move_models_of_every_toolkit_as_their_derivatives_say(void **state)
{
    int count;
    char **names = family_names(&count);
    assert_true(count > 0);
    for (int i = 0; i < count; i++)
        check_family(names[i]);
    golden_names_free(names, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_outputs_move_the_translation_as_their_derivatives_say),
        cmocka_unit_test(gains_move_models_of_every_toolkit_as_their_derivatives_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
