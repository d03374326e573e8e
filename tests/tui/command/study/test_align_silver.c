/* `:align SRC TGT against SILVER`: agreement and error rates of every head are those of the float64
 * reference (scripts/golden/make_silver_golden.py). */
#include <math.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/tui/command/study/align_support.h"

#define GOLDEN "tests/golden/silver.json"

/* An entry: layer, head, shift, words linked alike, words linked by either, links of both. */
enum { LAYER, HEAD, SHIFT, ALIKE, EITHER, LINKS };

static double number_at(const json_t *list, size_t i)
{
    return json_number_value(json_array_get(list, i));
}

static void check_head(const json_t *answer, const json_t *wanted)
{
    size_t i;
    json_t *head;
    json_array_foreach(json_object_get(answer, "heads"), i, head)
    {
        if (json_integer_value(json_object_get(head, "layer")) != number_at(wanted, LAYER) ||
            json_integer_value(json_object_get(head, "head")) != number_at(wanted, HEAD) ||
            json_is_true(json_object_get(head, "shift")) != (number_at(wanted, SHIFT) > 0))
            continue;
        const double error = json_number_value(json_object_get(head, "silver_aer"));
        const double agreement = json_number_value(json_object_get(head, "agreement"));
        const double alike = number_at(wanted, ALIKE);
        if (!(fabs(error - (1 - 2 * alike / number_at(wanted, LINKS))) < 1e-6) ||
            !(fabs(agreement - alike / number_at(wanted, EITHER)) < 1e-6))
            fail_msg("%s: %.9g, %.9g", json_dumps(wanted, 0), error, agreement);
        return;
    }
    fail_msg("no head %s", json_dumps(wanted, 0));
}

static void check_silver(const char *model, const char *name, const json_t *heads)
{
    char line[200];
    size_t i;
    json_t *wanted;
    snprintf(line, sizeof line, ":align " FILES " against %s by layer,head", name);
    json_t *answer = cli_answer(model, line);
    assert_int_equal(json_array_size(heads), 32);
    assert_int_equal(json_array_size(json_object_get(answer, "heads")), 32);
    json_array_foreach(heads, i, wanted) check_head(answer, wanted);
    assert_null(json_object_get(answer, "aer"));
    assert_null(json_object_get(answer, "precision"));
    json_decref(answer);
}

static void rates_are_those_of_the_reference(void **state)
{
    static const char *const names[] = {"contributions", "alti", "consensus"};
    json_t *golden = json_load_file(GOLDEN, 0, NULL);
    for (int n = 0; n < 3; n++)
        check_silver(json_string_value(json_object_get(golden, "model")), names[n],
                     json_object_get(golden, names[n]));
    json_decref(golden);
}

/* The best head without the shift is the one that alignments made by hand choose. */
static void contributions_choose_the_head_that_gold_chooses(void **state)
{
    align_check_choice(FILES " against contributions cross layer 1-2 head 1-8", 2, "1", false);
    align_check_choice(GOLD " cross layer 1-2 head 1-8", 2, "1", false);
}

/* Written to a file, another model's contributions are measured against as gold is. */
static void another_model_is_a_silver_alignment(void **state)
{
    char export[300], gold[300];
    const char *path = cli_path("other.pharaoh");
    snprintf(export, sizeof export, ":export %s align " FILES " cross layer 2 as contributions",
             path);
    snprintf(gold, sizeof gold, ":align " FILES " %s cross layer 1-2 head 1-8", path);
    const char *const arguments[] = {
        "--json", CPU,
        SAMPLE,   "samples/en-de-mma.bin",
        "-e",     ":model en-de-mma",
        "-e",     export,
        "-e",     ":model en-de",
        "-e",     gold,
        "-e",     ":align " FILES " against en-de-mma cross layer 1-2 head 1-8",
        NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *by_file = cli_object(arguments, outcome.out, 3), *head;
    json_t *by_model = cli_object(arguments, outcome.out, 4);
    size_t i;
    assert_int_equal(json_array_size(json_object_get(by_file, "heads")), 32);
    json_array_foreach(json_object_get(by_file, "heads"), i, head) assert_true(json_equal(
        json_object_get(head, "aer"),
        json_object_get(json_array_get(json_object_get(by_model, "heads"), i), "silver_aer")));
    assert_string_equal(json_string_value(json_object_get(by_model, "against")),
                        "contributions in layer 2 of en-de-mma.bin");
    json_decref(by_file);
    json_decref(by_model);
    outcome_free(&outcome);
}

static void what_cannot_be_measured_says_so(void **state)
{
    static const char *const cases[][2] = {
        {":align " FILES " by layer,head", "nothing to measure heads against"},
        {":align " FILES " against nothing", "unknown state \"nothing\""},
        {":align " FILES " against consensus cross 2.7", "1 heads have a vote"},
        {":align " GOLD " against alti", "against"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {CPU, SAMPLE, "-e", cases[i][0], NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 1);
        if (!strstr(outcome.err, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], outcome.err);
        outcome_free(&outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_the_reference),
        cmocka_unit_test(contributions_choose_the_head_that_gold_chooses),
        cmocka_unit_test(another_model_is_a_silver_alignment),
        cmocka_unit_test(what_cannot_be_measured_says_so),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
