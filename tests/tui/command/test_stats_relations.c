/* `:stats` of a CoNLL-U file: how often heads look along syntactic relations, and what the best offset reaches, are what
 * NumPy counts from exported weights (scripts/make_head_stats_golden.py). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/cli_support.h"

#define GOLDEN "tests/golden/head_relations.json"
#define TREES "tests/golden/relations.conllu"

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static bool same_number(const json_t *is, const json_t *wanted)
{
    return json_is_null(wanted)
               ? json_is_null(is)
               : json_is_number(is) &&
                     fabs(json_number_value(is) - json_number_value(wanted)) < 1e-6;
}

static const json_t *find_relation(const json_t *relations, const json_t *golden)
{
    size_t i;
    json_t *relation;
    json_array_foreach(relations, i, relation)
    {
        if (strcmp(text_at(relation, "relation"), text_at(golden, "relation")) == 0 &&
            strcmp(text_at(relation, "direction"), text_at(golden, "direction")) == 0)
            return relation;
    }
    fail_msg("no %s to %s", text_at(golden, "relation"), text_at(golden, "direction"));
    return NULL;
}

static void check_head(const char *sample, const json_t *head, size_t index, const json_t *golden)
{
    const json_t *relations = json_object_get(head, "relations");
    size_t i;
    json_t *wanted;
    assert_int_equal(json_array_size(relations), json_array_size(golden));
    json_array_foreach(golden, i, wanted)
    {
        const json_t *is = find_relation(relations, wanted);
        const json_t *accuracy = json_array_get(json_object_get(wanted, "accuracies"), index);
        if (!same_number(json_object_get(is, "baseline"), json_object_get(wanted, "baseline")) ||
            !same_number(json_object_get(is, "accuracy"), accuracy))
            fail_msg(
                "%s head %zu, %s to %s: accuracy %.9g, expected %.9g; baseline %.9g, expected %.9g",
                sample, index, text_at(wanted, "relation"), text_at(wanted, "direction"),
                json_number_value(json_object_get(is, "accuracy")), json_number_value(accuracy),
                json_number_value(json_object_get(is, "baseline")),
                json_number_value(json_object_get(wanted, "baseline")));
    }
}

static void check_sample(const json_t *golden)
{
    const char *sample = text_at(golden, "sample");
    char model[80];
    size_t i;
    json_t *head;
    snprintf(model, sizeof model, "samples/%s.bin", sample);
    const char *const arguments[] = {"--json", CPU, model, "-e", ":stats " TREES " enc", NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 0);
    assert_true(json_is_true(json_object_get(answer, "ok")));
    assert_int_equal(json_integer_value(json_object_get(answer, "sentences")),
                     json_integer_value(json_object_get(golden, "sentences")));
    assert_int_equal(json_array_size(json_object_get(answer, "heads")), 32);
    json_array_foreach(json_object_get(answer, "heads"), i, head)
        check_head(sample, head, i, json_object_get(golden, "relations"));
    json_decref(answer);
    outcome_free(&outcome);
}

static void relations_are_counted_as_numpy_counts_them(void **unused)
{
    json_t *golden = json_load_file(GOLDEN, 0, NULL), *sample;
    size_t i;
    (void)unused;
    assert_true(json_array_size(golden) >= 6);
    json_array_foreach(golden, i, sample) check_sample(sample);
    json_decref(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_are_counted_as_numpy_counts_them),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
