/* Derivatives against those of automatic differentiation in float64
 * (scripts/golden/make_gradient_golden.py), and to the bit. */
#include <jansson.h>
#include <math.h>

#include "model/net/backward/gradient.h"
#include "tests/model/net/exact_support.h"
#include "tests/model/net/gradient_support.h"
#include "tests/support/test.h"

/* The greatest error, as a share of the greatest derivative of the row. */
#define BOUND 1e-4

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
    subject_run(subject, &all.request, &is);
    if (!(fabs(is.value - value) <= 1e-4 * fmax(1, fabs(value))))
        fail_msg("%s: %.7g, expected %.7g", subject->golden->name, is.value, value);
    json_object_foreach(json_object_get(objective, "tensors"), name, expected)
        check_tensor(subject, &is, name, expected);
    gradients_free(&is);
    everything_close(&all);
}

static void derivatives_are_those_of_automatic_differentiation(void **state)
{
    json_t *all = read_derivatives(), *record;
    const char *name;
    int number = 0;
    json_object_foreach(all, name, record)
    {
        struct subject subject;
        if (!golden_is_wanted(number++))
            continue;
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
        subject_run(&subject, &request, &is);
        gradients_free(&is);
        subject.settings = settings;
    }
    subject_run(&subject, &all.request, &is);
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
    subject_run(&subject, &request, &is);
    assert_true(is.value == 0);
    for (int i = 0; i < is.source_count * subject.golden->checkpoint->config->d_model; i++)
        assert_true(is.embeddings[STACK_ENCODER][i] == 0);
    gradients_free(&is);
    subject_close(&subject);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest everywhere[] = {
        cmocka_unit_test(derivatives_are_those_of_automatic_differentiation),
        cmocka_unit_test(nothing_asked_for_gives_zeros),
    };
    const struct CMUnitTest on_cpu[] = {
        cmocka_unit_test(threads_instruction_sets_and_what_ran_before_change_no_bit),
        cmocka_unit_test(terms_outside_of_the_target_and_the_vocabulary_are_refused),
    };
    const int failed = cmocka_run_group_tests(everywhere, NULL, NULL);
    return getenv("ATTNSCOPE_TEST_PLUGIN") ? failed
                                           : failed + cmocka_run_group_tests(on_cpu, NULL, NULL);
}
