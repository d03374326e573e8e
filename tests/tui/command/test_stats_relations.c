/* `:stats` of a CoNLL-U file: how often heads look along syntactic relations, what the best offset
 * reaches, and means over the rows of each part of speech are what NumPy counts from exported
 * weights (scripts/golden/make_head_stats_golden.py). */
#include <math.h>

#include "tests/support/cli_support.h"
#include "tests/support/packed.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

#define GOLDEN "tests/golden/head_relations.json.gz"
#define TREES "tests/golden/relations.conllu"
#define TAGGED "samples/pos-en.conllu"

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

static void relations_are_counted_as_numpy_counts_them(void **state)
{
    json_t *golden = packed_json_load(GOLDEN), *sample;
    size_t i;
    assert_true(json_array_size(golden) >= 6);
    json_array_foreach(golden, i, sample) check_sample(sample);
    json_decref(golden);
}

/* The group of a head, 0-based of all, and a part of speech. */
static const json_t *find_group(const json_t *groups, size_t head, const char *name)
{
    size_t i;
    json_t *group;
    json_array_foreach(groups, i, group)
    {
        json_int_t layer = json_integer_value(json_object_get(group, "layer"));
        json_int_t number = json_integer_value(json_object_get(group, "head"));
        if ((layer - 1) * 8 + number - 1 == (json_int_t)head &&
            strcmp(text_at(group, "name"), name) == 0)
            return group;
    }
    fail_msg("no %s of head %zu", name, head);
    return NULL;
}

static void check_part(const json_t *groups, const json_t *golden, const char *measure)
{
    const char *name = text_at(golden, "name");
    const json_t *counts = json_object_get(golden, "counts");
    const json_t *means = json_object_get(json_object_get(golden, "means"), measure);
    assert_int_equal(json_array_size(means), 32);
    for (size_t head = 0; head < 32; head++) {
        const json_t *group = find_group(groups, head, name);
        const json_t *is = json_object_get(group, "mean"), *wanted = json_array_get(means, head);
        assert_string_equal(text_at(group, "module"), "encoder");
        assert_int_equal(json_integer_value(json_object_get(group, "count")),
                         json_integer_value(json_array_get(counts, head)));
        if (!same_number(is, wanted))
            fail_msg("%s of %s, head %zu: %.9g, expected %.9g", measure, name, head,
                     json_number_value(is), json_number_value(wanted));
    }
}

static void check_parts(const json_t *golden, const char *measure)
{
    const json_t *parts = json_object_get(golden, "parts");
    char model[80], line[120];
    size_t i;
    json_t *part;
    snprintf(model, sizeof model, "samples/%s.bin", text_at(golden, "sample"));
    snprintf(line, sizeof line, ":stats " TAGGED " by pos %s", measure);
    const char *const arguments[] = {"--json", CPU, model, "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 0);
    const json_t *groups = json_object_get(answer, "groups");
    assert_string_equal(text_at(answer, "by"), "pos");
    assert_string_equal(text_at(answer, "measure"), measure);
    assert_int_equal(json_integer_value(json_object_get(answer, "sentences")), 60);
    assert_int_equal(json_array_size(groups), 32 * json_array_size(parts));
    json_array_foreach(parts, i, part) check_part(groups, part, measure);
    json_decref(answer);
    outcome_free(&outcome);
}

static void means_by_part_of_speech_are_those_of_numpy(void **state)
{
    static const char *const measures[] = {"entropy", "confidence", "distance", "within_word"};
    json_t *golden = packed_json_load(GOLDEN), *sample;
    size_t i, samples = 0;
    json_array_foreach(golden, i, sample)
    {
        if (!json_object_get(sample, "parts"))
            continue;
        samples++;
        for (int m = 0; m < 4; m++)
            check_parts(sample, measures[m]);
    }
    assert_int_equal(samples, 2);
    json_decref(golden);
}

/* expected: of each part of speech and measure a weighted sum over the heads that have rows. */
static void check_part_sums(const json_t *golden, const char *measure)
{
    json_t *expected = json_object_get(golden, "part_sums"), *wanted, *group;
    const char *name;
    char model[80], line[120];
    size_t i;
    snprintf(model, sizeof model, "samples/%s.bin", text_at(golden, "sample"));
    snprintf(line, sizeof line, ":stats " TAGGED " by pos %s", measure);
    const char *const arguments[] = {"--json", CPU, model, "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 0);
    const json_t *groups = json_object_get(answer, "groups");
    assert_int_equal(json_array_size(groups), 32 * json_object_size(expected));
    json_object_foreach(expected, name, wanted)
    {
        double sum = 0, number = json_number_value(json_object_get(wanted, measure));
        assert_true(json_is_number(json_object_get(wanted, measure)));
        json_array_foreach(groups, i, group)
        {
            int head = (int)(json_integer_value(json_object_get(group, "layer")) * 8 +
                             json_integer_value(json_object_get(group, "head")) - 9);
            if (strcmp(text_at(group, "name"), name) == 0)
                sum +=
                    (7 * head % 32 + 1) / 32.0 * json_number_value(json_object_get(group, "mean"));
        }
        if (!(fabs(sum - number) < 1e-5))
            fail_msg("%s %s of %s: %.9g, expected %.9g", model, measure, name, sum, number);
    }
    json_decref(answer);
    outcome_free(&outcome);
}

static void every_measure_has_the_means_of_numpy_by_part_of_speech(void **state)
{
    static const char *const measures[] = {"entropy",     "confidence",  "confidence_no_eos",
                                           "distance",    "eos",         "self",
                                           "punctuation", "within_word", "rare"};
    const size_t every = (size_t)rounds_of(2, 1); // half of the measures, in turn
    json_t *golden = packed_json_load(GOLDEN), *sample;
    size_t i;
    json_array_foreach(golden, i, sample) for (size_t m = i % every; m < 9; m += every)
        check_part_sums(sample, measures[m]);
    assert_int_equal(json_array_size(golden), 6);
    json_decref(golden);
}

static void parts_of_speech_are_of_sources_alone(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {":stats " TAGGED " cross by pos", "by pos: FILE has no parts of speech of translations"},
        {":stats " TAGGED " " TAGGED " by pos", "by pos: only what the encoder does with SRC"},
        {":stats " TAGGED " by pos offset_share", "by pos offset_share: expected"},
        {":stats samples/sentences.en by pos", "by pos needs a CoNLL-U file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {CPU, "samples/en-de.bin", "-e", cases[i].line, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 1);
        if (!strstr(outcome.err, cases[i].message))
            fail_msg("%s: %s", cases[i].line, outcome.err);
        outcome_free(&outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_are_counted_as_numpy_counts_them),
        cmocka_unit_test(means_by_part_of_speech_are_those_of_numpy),
        cmocka_unit_test(every_measure_has_the_means_of_numpy_by_part_of_speech),
        cmocka_unit_test(parts_of_speech_are_of_sources_alone),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
