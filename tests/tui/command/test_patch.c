/* `:patch` against the reference with the activations replaced
 * (scripts/attnscope_reference/attribution.py). */
#include <jansson.h>
#include <math.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Differences of sums of log-probabilities of the engine. */
#define BOUND 2e-4

static void assert_near(double is, double wanted, const char *what)
{
    if (!(fabs(is - wanted) <= BOUND))
        fail_msg("%s: %.9g, expected %.9g", what, is, wanted);
}

/* ":patch FROM", with pairs counted from 1. */
static void write_line(const json_t *given, char *line, size_t size)
{
    const json_t *pairs = json_object_get(given, "pairs"), *pair;
    size_t i;
    snprintf(line, size, ":patch %s%s", text_of(given, "from"),
             json_array_size(pairs) ? " |||" : "");
    json_array_foreach(pairs, i, pair)
        snprintf(line + strlen(line), size - strlen(line), " %d-%d",
                 (int)json_integer_value(json_array_get(pair, 0)) + 1,
                 (int)json_integer_value(json_array_get(pair, 1)) + 1);
}

static double cell_of(const struct matrix *matrix, const char *module, int layer, int head)
{
    char name[64];
    int row = 0;
    snprintf(name, sizeof name, "%s %d", module, layer + 1);
    while (row < matrix->rows.count && strcmp(matrix->rows.texts[row], name) != 0)
        row++;
    if (row == matrix->rows.count)
        fail_msg("no row %s", name);
    return (double)matrix->values[row * matrix->columns.count + head];
}

/* expected: module -> [layer][head], of every head. */
static void check_matrix(const struct matrix *matrix, const json_t *expected, const char *line)
{
    const char *module;
    json_t *layers;
    const json_t *heads, *number;
    size_t l, h;
    int count = 0;
    json_object_foreach((json_t *)expected, module, layers) json_array_foreach(layers, l, heads)
        json_array_foreach(heads, h, number)
    {
        assert_near(cell_of(matrix, module, (int)l, (int)h), json_number_value(number), line);
        count++;
    }
    assert_int_equal(count, matrix->rows.count * matrix->columns.count);
}

static void force_given(struct bench *bench, const json_t *given)
{
    char line[300];
    bench_run_quietly(bench, text_of(given, "source"));
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    bench_run_quietly(bench, line);
}

/* Estimates of all heads; beside the strongest ones their effects. */
static void check_estimates(struct bench *bench, const json_t *given, const char *line,
                            const struct matrix *effects)
{
    char words[340];
    snprintf(words, sizeof words, "%s ||| by gradient", line);
    struct report result = bench_run(bench, words);
    const struct matrix *matrix = bench_matrix(&result);
    const struct table *table = bench_table(&result, "strongest");
    check_matrix(matrix, json_object_get(given, "estimates"), words);
    assert_int_equal(table->row_count, 10);
    for (int k = 0; k < table->row_count; k++) {
        const char *module = bench_cell(table, k, "module")->text;
        const int layer = (int)bench_cell(table, k, "layer")->integer - 1,
                  head = (int)bench_cell(table, k, "head")->integer - 1;
        const double estimate = bench_cell(table, k, "estimate")->real;
        assert_near(estimate, cell_of(matrix, module, layer, head), "estimate");
        assert_near(bench_cell(table, k, "effect")->real, cell_of(effects, module, layer, head),
                    "effect");
        assert_true(k == 0 || fabs(bench_cell(table, k - 1, "estimate")->real) >= fabs(estimate));
    }
    report_free(&result);
}

static void check_case(const json_t *given)
{
    char line[300], path[100];
    snprintf(path, sizeof path, "samples/%s.bin", text_of(given, "model"));
    struct bench bench = bench_open_model(path);
    force_given(&bench, given);
    write_line(given, line, sizeof line);
    struct report result = bench_run(&bench, line);
    const struct matrix *matrix = bench_matrix(&result);
    assert_near(bench_value(&result, NULL, "logprob")->real,
                json_number_value(json_object_get(given, "logprob")), "logprob");
    assert_near(bench_value(&result, NULL, "from_logprob")->real,
                json_number_value(json_object_get(given, "from_logprob")), "from_logprob");
    check_matrix(matrix, json_object_get(given, "effects"), line);
    check_estimates(&bench, given, line, matrix);
    report_free(&result);
    bench_close(&bench);
}

static void effects_are_those_of_replaced_activations(void **state)
{
    json_error_t error;
    json_t *cases = json_load_file("tests/golden/patches.json", 0, &error), *given;
    size_t i;
    assert_non_null(cases);
    json_array_foreach(cases, i, given) check_case(given);
    json_decref(cases);
}

/* A sentence changes nothing in itself, to the bit. */
static void a_sentence_has_no_effect_on_itself(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report result = bench_run(&bench, ":patch Two dogs are running.");
    const struct matrix *matrix = bench_matrix(&result);
    for (int i = 0; i < matrix->rows.count * matrix->columns.count; i++)
        assert_true(matrix->values[i] == 0);
    report_free(&result);
    bench_close(&bench);
}

/* The heads of a SELECTOR have the values that they have among all; the others have none. */
static void a_selector_takes_some_heads(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report all = bench_run(&bench, ":patch Two men are running.");
    struct report some =
        bench_run(&bench, ":patch Two men are running. ||| cross layer 2 head 3-4");
    const struct matrix *matrix = bench_matrix(&some);
    assert_int_equal(matrix->rows.count, 1);
    assert_string_equal(matrix->rows.texts[0], "cross 2");
    const float *last =
        bench_matrix(&all)->values + (size_t)(bench_matrix(&all)->rows.count - 1) * 8;
    for (int h = 0; h < 8; h++)
        assert_true(h == 2 || h == 3 ? matrix->values[h] == last[h] : isnan(matrix->values[h]));
    report_free(&all);
    report_free(&some);
    bench_close(&bench);
}

/* The sum of a module's estimates over all positions of a head. */
static double sum_of(const struct report *report, const char *module, int layer, int head)
{
    const struct value *value = bench_value(report, NULL, module);
    const struct array *array = value->array;
    const size_t heads = array->shape[1], positions = array->shape[2];
    double sum = 0;
    for (size_t i = 0; i < positions; i++)
        sum += (double)array->values[((size_t)layer * heads + (size_t)head) * positions + i];
    return sum;
}

static void estimates_of_positions_sum_to_those_of_heads(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report result = bench_run(&bench, ":patch Two men are running. ||| by gradient");
    const struct table *table = bench_table(&result, "strongest");
    for (int k = 0; k < table->row_count; k++)
        assert_near(sum_of(&result, bench_cell(table, k, "module")->text,
                           (int)bench_cell(table, k, "layer")->integer - 1,
                           (int)bench_cell(table, k, "head")->integer - 1),
                    bench_cell(table, k, "estimate")->real, "the sum of positions");
    report_free(&result);
    bench_close(&bench);
}

static double logprob_of(struct bench *bench, const char *target, int token)
{
    char line[200];
    snprintf(line, sizeof line, ":score %s", target);
    struct report result = bench_run(bench, line);
    const double logprob = (double)bench_value(&result, NULL, "logprobs")->array->values[token];
    report_free(&result);
    return logprob;
}

/* Only "." and "!" differ, behind the same prefix. Against itself a translation has no contrast. */
static void a_contrast_is_of_tokens_that_differ(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report result =
        bench_run(&bench, ":patch Two men are running. ||| cross ||| against Zwei Hunde laufen!");
    assert_near(bench_value(&result, NULL, "logprob")->real,
                logprob_of(&bench, "Two dogs are running. ||| Zwei Hunde laufen.", 3) -
                    logprob_of(&bench, "Two dogs are running. ||| Zwei Hunde laufen!", 3),
                "logprob");
    assert_near(bench_value(&result, NULL, "from_logprob")->real,
                logprob_of(&bench, "Two men are running. ||| Zwei Hunde laufen.", 3) -
                    logprob_of(&bench, "Two men are running. ||| Zwei Hunde laufen!", 3),
                "from_logprob");
    assert_string_equal(bench_value(&result, NULL, "against")->text, "Zwei Hunde laufen!");
    report_free(&result);
    result = bench_run(&bench, ":patch Two men are running. ||| by gradient ||| against Zwei Hunde "
                               "laufen.");
    const struct matrix *matrix = bench_matrix(&result);
    for (int i = 0; i < matrix->rows.count * matrix->columns.count; i++)
        assert_true(matrix->values[i] == 0);
    report_free(&result);
    bench_refuse(&bench, ":patch Two men are running. ||| against Zwei Hunde",
                 "against: \"Zwei Hunde\" is 2 tokens, expected 1, or a translation of 4");
    bench_refuse(&bench, ":patch Two men are running. ||| by head", "by head: expected gradient");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_are_those_of_replaced_activations),
        cmocka_unit_test(a_sentence_has_no_effect_on_itself),
        cmocka_unit_test(a_selector_takes_some_heads),
        cmocka_unit_test(estimates_of_positions_sum_to_those_of_heads),
        cmocka_unit_test(a_contrast_is_of_tokens_that_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
