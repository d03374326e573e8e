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

static int row_of(const struct matrix *matrix, const json_t *entry)
{
    char name[64];
    int row = 0;
    snprintf(name, sizeof name, "%s %d", text_of(entry, "module"), number_of(entry, "layer") + 1);
    while (row < matrix->rows.count && strcmp(matrix->rows.texts[row], name) != 0)
        row++;
    if (row == matrix->rows.count)
        fail_msg("no row %s", name);
    return row;
}

static void force_given(struct bench *bench, const json_t *given)
{
    char line[300];
    bench_run_quietly(bench, text_of(given, "source"));
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    bench_run_quietly(bench, line);
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
    const json_t *entry;
    size_t i;
    assert_near(bench_value(&result, NULL, "logprob")->real,
                json_number_value(json_object_get(given, "logprob")), "logprob");
    assert_near(bench_value(&result, NULL, "from_logprob")->real,
                json_number_value(json_object_get(given, "from_logprob")), "from_logprob");
    json_array_foreach(json_object_get(given, "effects"), i, entry) assert_near(
        matrix->values[row_of(matrix, entry) * matrix->columns.count + number_of(entry, "head")],
        json_number_value(json_object_get(entry, "effect")), line);
    assert_int_equal(json_array_size(json_object_get(given, "effects")),
                     matrix->rows.count * matrix->columns.count);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_are_those_of_replaced_activations),
        cmocka_unit_test(a_sentence_has_no_effect_on_itself),
        cmocka_unit_test(a_selector_takes_some_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
