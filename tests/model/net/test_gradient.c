/* Derivatives against those of automatic differentiation in float64
 * (scripts/golden/make_gradient_golden.py), against central differences, and to the bit. */
#include <jansson.h>
#include <math.h>

#include "model/net/gradient.h"
#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

/* The greatest error, as a share of the greatest derivative of the row. */
#define BOUND 1e-4

/* A model's sentence, as the golden data has it. */
struct subject {
    struct golden *golden;
    struct sentence source;
    int *target, count;
    struct head_settings *settings;
};

/* Opens the subject of a case, which owns the model from then on. */
static void subject_of(struct golden *golden, const json_t *given, struct subject *subject)
{
    struct status status;
    *subject = (struct subject){.golden = golden};
    const json_t *ids = json_object_get(given, "target_ids");
    subject->count = (int)json_array_size(ids);
    subject->target = calloc((size_t)subject->count, sizeof *subject->target);
    for (int t = 0; t < subject->count; t++)
        subject->target[t] = (int)json_integer_value(json_array_get(ids, (size_t)t));
    subject->settings = golden_head_settings(golden, given);
    if (!sentence_encode(golden->checkpoint, json_string_value(json_object_get(given, "source")),
                         &subject->source, &status))
        fail_msg("%s: %s", golden->name, status.message);
}

static void subject_open(const char *name, const json_t *record, const char *isa, int threads,
                         struct subject *subject)
{
    struct golden *golden = golden_open(name, isa, threads);
    const json_int_t number = json_integer_value(json_object_get(record, "case"));
    subject_of(golden, json_array_get(golden->cases, (size_t)number), subject);
}

static void subject_close(struct subject *subject)
{
    head_settings_free(subject->settings);
    sentence_free(&subject->source);
    free(subject->target);
    golden_close(subject->golden);
}

/* A request for everything, of given terms. */
struct everything {
    struct gradient_term *terms;
    bool *wanted[MODULE_COUNT];
    struct gradient_request request;
};

static void everything_open(const struct config *config, const json_t *terms,
                            struct everything *all)
{
    const json_t *term;
    size_t t;
    *all = (struct everything){.terms = calloc(json_array_size(terms), sizeof *all->terms)};
    json_array_foreach(terms, t, term) all->terms[t] =
        (struct gradient_term){(int)json_integer_value(json_array_get(term, 0)),
                               (int)json_integer_value(json_array_get(term, 1)),
                               (float)json_number_value(json_array_get(term, 2))};
    all->request = (struct gradient_request){.terms = all->terms,
                                             .count = (int)json_array_size(terms),
                                             .embeddings = true,
                                             .states = true,
                                             .gains = true};
    for (int m = 0; m < MODULE_COUNT; m++) {
        int count = module_layers(config, m) * module_heads(config, m);
        all->wanted[m] = malloc((size_t)count);
        memset(all->wanted[m], true, (size_t)count);
        all->request.weights[m] = all->request.head_outputs[m] = all->wanted[m];
    }
}

static void everything_close(struct everything *all)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        free(all->wanted[m]);
    free(all->terms);
}

static void run(const struct subject *subject, const struct gradient_request *request,
                struct gradients *out)
{
    struct status status;
    if (!gradient_run(subject->golden->model, &subject->source, subject->target, subject->count,
                      subject->settings, request, out, &status))
        fail_msg("%s: %s", subject->golden->name, status.message);
}

/* Against the reference ------------------------------------------------------------------------ */

struct matrix {
    const char *model, *name;
    const float *cells;
    int rows, columns;
};

static void check_sums(const struct matrix *matrix, const json_t *expected)
{
    double sum = 0, greatest = json_number_value(json_array_get(expected, 1));
    double wanted = json_number_value(json_array_get(expected, 0)), sizes = 0;
    if (!matrix->cells)
        fail_msg("%s: %s: no derivatives", matrix->model, matrix->name);
    for (int r = 0; r < matrix->rows; r++) {
        double size = 0;
        for (int c = 0; c < matrix->columns; c++) {
            double cell = matrix->cells[r * matrix->columns + c];
            sum += cell * (((7 * r + 13 * c) % 32) / 32.0);
            size = fmax(size, fabs(cell));
        }
        sizes += size;
    }
    if (!(fabs(sum - wanted) <= BOUND * greatest + 1e-9) ||
        !(fabs(sizes - greatest) <= BOUND * greatest + 1e-9))
        fail_msg("%s: %s: sums %.7g, %.7g, expected %.7g, %.7g", matrix->model, matrix->name, sum,
                 sizes, wanted, greatest);
}

static void check_row(const struct matrix *matrix, int number, const json_t *expected)
{
    double greatest = 0;
    const json_t *value;
    size_t c;
    assert_int_equal(json_array_size(expected), matrix->columns);
    json_array_foreach(expected, c, value) greatest =
        fmax(greatest, fabs(json_number_value(value)));
    json_array_foreach(expected, c, value)
    {
        double is = matrix->cells[number * matrix->columns + (int)c];
        if (!(fabs(is - json_number_value(value)) <= BOUND * greatest + 1e-9))
            fail_msg("%s: %s: %.7g in row %d, column %zu, expected %.7g", matrix->model,
                     matrix->name, is, number, c, json_number_value(value));
    }
}

static enum stack stack_named(const char *name)
{
    return strncmp(name, "encoder", 7) == 0 ? STACK_ENCODER : STACK_DECODER;
}

static enum module module_named(const char *name)
{
    enum module module = 0;
    while (strncmp(module_names[module], name, strlen(module_names[module])) != 0)
        module++;
    return module;
}

/* name: "KIND.MODULE.LAYER", or with a stack. */
static void check_module(const struct subject *subject, const struct gradients *is,
                         const char *name, const json_t *expected)
{
    const struct config *config = subject->golden->checkpoint->config;
    const enum module module = module_named(strchr(name, '.') + 1);
    const int layer = atoi(strrchr(name, '.') + 1), heads = is->heads[module];
    const int rows = module == MODULE_ENCODER ? is->source_count : is->target_rows;
    struct matrix matrix = {subject->golden->name, name, NULL, rows,
                            heads * module_head_dim(config, module)};
    if (strncmp(name, "head_outputs", 12) == 0) {
        matrix.cells = is->head_outputs[module][layer];
        check_sums(&matrix, json_object_get(expected, "sums"));
        return;
    }
    for (int h = 0; strncmp(name, "weights", 7) == 0 && h < heads; h++) {
        matrix.cells = is->weights[module][layer * heads + h];
        matrix.columns = module == MODULE_DECODER ? is->target_rows : is->source_count;
        check_sums(&matrix, json_array_get(json_object_get(expected, "heads"), (size_t)h));
    }
    if (strncmp(name, "gains", 5) != 0)
        return;
    float gains[CONFIG_MAX_HEADS];
    for (int h = 0; h < heads; h++)
        gains[h] = (float)is->gains[module][layer * heads + h];
    matrix = (struct matrix){subject->golden->name, name, gains, 1, heads};
    check_row(&matrix, 0, json_object_get(expected, "row"));
}

static void check_tensor(const struct subject *subject, const struct gradients *is,
                         const char *name, const json_t *expected)
{
    const bool embeddings = strncmp(name, "embeddings", 10) == 0;
    if (!embeddings && strncmp(name, "states", 6) != 0) {
        check_module(subject, is, name, expected);
        return;
    }
    const enum stack stack = stack_named(strchr(name, '.') + 1);
    const struct matrix matrix = {subject->golden->name, name,
                                  embeddings ? is->embeddings[stack]
                                             : is->states[stack][atoi(strrchr(name, '.') + 1)],
                                  stack == STACK_ENCODER ? is->source_count : is->target_rows,
                                  subject->golden->checkpoint->config->d_model};
    check_sums(&matrix, json_object_get(expected, "sums"));
    if (embeddings)
        check_row(&matrix, (int)json_integer_value(json_object_get(expected, "number")),
                  json_object_get(expected, "row"));
}

static void check_objective(const struct subject *subject, const json_t *objective)
{
    struct everything all;
    struct gradients is;
    const char *name;
    json_t *expected;
    double value = json_number_value(json_object_get(objective, "value"));
    everything_open(subject->golden->checkpoint->config, json_object_get(objective, "terms"), &all);
    run(subject, &all.request, &is);
    if (!(fabs(is.value - value) <= 1e-4 * fmax(1, fabs(value))))
        fail_msg("%s: %.7g, expected %.7g", subject->golden->name, is.value, value);
    json_object_foreach(json_object_get(objective, "tensors"), name, expected)
        check_tensor(subject, &is, name, expected);
    gradients_free(&is);
    everything_close(&all);
}

static json_t *read_derivatives(void)
{
    json_error_t error;
    json_t *all = json_load_file("tests/golden/derivatives.json", 0, &error);
    assert_non_null(all);
    return all;
}

static void derivatives_are_those_of_automatic_differentiation(void **state)
{
    json_t *all = read_derivatives(), *record;
    const char *name;
    json_object_foreach(all, name, record)
    {
        struct subject subject;
        subject_open(name, record, "cpu", 2, &subject);
        check_objective(&subject, json_object_get(record, "translation"));
        check_objective(&subject, json_object_get(record, "difference"));
        subject_close(&subject);
    }
    json_decref(all);
}

/* To the bit ----------------------------------------------------------------------------------- */

static void add_floats(struct exact_bytes *bytes, const float *values, int rows, int columns)
{
    if (values)
        exact_add_bytes(bytes, values, (size_t)rows * (size_t)columns * sizeof *values);
}

static void add_all(struct exact_bytes *bytes, const struct config *config,
                    const struct gradients *is)
{
    const int rows[STACK_COUNT] = {is->source_count, is->target_rows}, d = config->d_model;
    exact_add_bytes(bytes, &is->value, sizeof is->value);
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        add_floats(bytes, is->embeddings[stack], rows[stack], d);
        for (int layer = 0; layer <= is->layers[stack]; layer++)
            add_floats(bytes, is->states[stack][layer], rows[stack], d);
    }
    for (enum module m = 0; m < MODULE_COUNT; m++) {
        const int heads = is->heads[m], queries = rows[module_stack(m)];
        const int keys = m == MODULE_DECODER ? is->target_rows : is->source_count;
        for (int layer = 0; layer < is->module_layers[m]; layer++) {
            add_floats(bytes, is->layer_weights[m][layer], heads * queries, keys);
            add_floats(bytes, is->head_outputs[m][layer], queries,
                       heads * module_head_dim(config, m));
        }
        if (is->gains[m])
            exact_add_bytes(bytes, is->gains[m],
                            (size_t)(is->module_layers[m] * heads) * sizeof *is->gains[m]);
    }
}

/* The derivatives of a sentence, with some of another before it: buffers are not as new then. */
static void run_on(const char *name, const json_t *record, const char *isa, int threads,
                   bool others, struct exact_bytes *bytes)
{
    struct subject subject;
    struct everything all;
    struct gradients is;
    subject_open(name, record, isa, threads, &subject);
    everything_open(subject.golden->checkpoint->config,
                    json_object_get(json_object_get(record, "translation"), "terms"), &all);
    if (others) {
        const struct gradient_term last = {subject.count - 1, subject.target[0], 2};
        const struct gradient_request request = {.terms = &last, .count = 1, .embeddings = true};
        struct head_settings *settings = subject.settings;
        subject.settings = NULL;
        run(&subject, &request, &is);
        gradients_free(&is);
        subject.settings = settings;
    }
    run(&subject, &all.request, &is);
    add_all(bytes, subject.golden->checkpoint->config, &is);
    gradients_free(&is);
    everything_close(&all);
    subject_close(&subject);
}

static void threads_instruction_sets_and_what_ran_before_change_no_bit(void **state)
{
    static const struct {
        const char *isa;
        int threads;
        bool others;
    } runs[] = {{"cpu", 2, true},
                {"cpu", 3, false},
                {"cpu", 4, false},
                {"avx2", 1, false},
                {"c", 1, false}};
    json_t *all = read_derivatives(), *record;
    const char *name;
    json_object_foreach(all, name, record)
    {
        struct exact_bytes first = {0}, other = {0};
        run_on(name, record, "cpu", 1, false, &first);
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            if (strcmp(runs[i].isa, "cpu") != 0 && !exact_has_isa(runs[i].isa))
                continue;
            other.count = 0;
            run_on(name, record, runs[i].isa, runs[i].threads, runs[i].others, &other);
            assert_int_equal(first.count, other.count);
            exact_same_bits(name, runs[i].isa, first.data, other.data, first.count);
        }
        free(first.data);
        free(other.data);
    }
    json_decref(all);
}

/* Against differences -------------------------------------------------------------------------- */

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
        run(&subject, &everything.request, &is);
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

/* Where a relu switches within a step, a smaller step tells. */
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
    run(&subject, &request, &is);
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

/* Errors --------------------------------------------------------------------------------------- */

static void terms_outside_of_the_target_and_the_vocabulary_are_refused(void **state)
{
    static const struct {
        struct gradient_term term;
        const char *message;
    } cases[] = {
        {{-1, 4, 1}, "target position -1, expected 0 to 6"},
        {{7, 4, 1}, "target position 7, expected 0 to 6"},
        {{0, -1, 1}, "token -1, expected 0 to 45"},
        {{0, 46, 1}, "token 46, expected 0 to 45"},
    };
    json_t *all = read_derivatives();
    struct subject subject;
    struct gradients is;
    struct status status;
    subject_open("vanilla_post", json_object_get(all, "vanilla_post"), "cpu", 1, &subject);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gradient_request request = {.terms = &cases[i].term, .count = 1};
        assert_false(gradient_run(subject.golden->model, &subject.source, subject.target,
                                  subject.count, NULL, &request, &is, &status));
        assert_string_equal(status.message, cases[i].message);
        assert_null(is.weights[MODULE_CROSS]);
    }
    subject_close(&subject);
    json_decref(all);
}

static void nothing_asked_for_gives_zeros(void **state)
{
    json_t *all = read_derivatives();
    const struct gradient_request request = {.embeddings = true};
    struct subject subject;
    struct gradients is;
    subject_open("vanilla_pre", json_object_get(all, "vanilla_pre"), "cpu", 1, &subject);
    run(&subject, &request, &is);
    assert_true(is.value == 0);
    for (int i = 0; i < is.source_count * subject.golden->checkpoint->config->d_model; i++)
        assert_true(is.embeddings[STACK_ENCODER][i] == 0);
    gradients_free(&is);
    subject_close(&subject);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_automatic_differentiation),
        cmocka_unit_test(threads_instruction_sets_and_what_ran_before_change_no_bit),
        cmocka_unit_test(head_outputs_move_the_translation_as_their_derivatives_say),
        cmocka_unit_test(gains_move_models_of_every_toolkit_as_their_derivatives_say),
        cmocka_unit_test(terms_outside_of_the_target_and_the_vocabulary_are_refused),
        cmocka_unit_test(nothing_asked_for_gives_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
