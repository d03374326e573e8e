/* Beam search over the first sentences of the samples, as two toolkits translate them with the same
 * weights (scripts/golden/make_beam_golden.py): transformers, where a search with early_stopping
 * ends as `endings best` does and otherwise as `endings attainable`, and OpenNMT-py, whose searches
 * end as `endings top` does and count the start token.
 */
#include "tests/support/cli_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

static void write_sources(char *path, size_t room, size_t count)
{
    char *text = cli_read("samples/sentences.en", NULL), *end = text;
    for (size_t i = 0; i < count; i++)
        end = strchr(end, '\n') + 1;
    *end = '\0';
    snprintf(path, room, "%s", cli_write("sources", text));
    free(text);
}

static char *translations_of(const json_t *golden)
{
    const json_t *lines = json_object_get(golden, "translations"), *line;
    char *text = NULL;
    size_t size, index;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    json_array_foreach(lines, index, line) fprintf(file, "%s\n", json_string_value(line));
    fclose(file);
    return text;
}

/* The length penalty and the endings of a case, as lines of commands. */
typedef void write_rules(const json_t *golden, FILE *out);

static void rules_of_transformers(const json_t *golden, FILE *out)
{
    fprintf(out, ":set endings %s\n",
            json_is_true(json_object_get(golden, "early_stopping")) ? "best" : "attainable");
}

static void rules_of_limits(const json_t *golden, FILE *out)
{
    const json_t *early = json_object_get(golden, "early_stopping");
    const char *never = json_string_value(early);
    fprintf(out, ":set endings %s\n:set max_length.factor 0\n:set max_length.plus %lld\n",
            never                 ? never
            : json_is_true(early) ? "best"
                                  : "attainable",
            json_integer_value(json_object_get(golden, "most")) - 1);
    fprintf(out, ":set max_length.end %s\n",
            json_is_true(json_object_get(golden, "forced")) ? "free" : "open");
}

static void rules_of_opennmt(const json_t *golden, FILE *out)
{
    const char *kind = json_string_value(json_object_get(golden, "length_penalty"));
    fprintf(out, ":set endings top\n:set length_penalty.offset 1\n:set length_penalty %s\n",
            strcmp(kind, "avg") == 0 ? "average" : kind);
}

static void check_case(const json_t *golden, write_rules *rules)
{
    char path[4096];
    write_sources(path, sizeof path, json_array_size(json_object_get(golden, "translations")));
    char *lines = NULL;
    size_t size;
    FILE *out = open_memstream(&lines, &size);
    assert_non_null(out);
    fprintf(out, ":set beam %lld\n:set length_penalty.alpha %g\n",
            json_integer_value(json_object_get(golden, "beam")),
            json_number_value(json_object_get(golden, "alpha")));
    rules(golden, out);
    fprintf(out, ":translate %s\n", path);
    fclose(out);
    const char *const arguments[] = {CPU, "samples/en-de.bin", "-f", cli_write("lines", lines),
                                     NULL};
    struct outcome outcome = cli_run(arguments);
    char *expected = translations_of(golden), *translated = outcome.out;
    assert_int_equal(outcome.code, 0);
    while (strncmp(translated, "search: ", 8) == 0) // a line for each :set
        translated = strchr(translated, '\n') + 1;
    assert_string_equal(translated, expected);
    free(lines);
    free(expected);
    outcome_free(&outcome);
}

static void check_cases(const char *path, write_rules *rules)
{
    json_t *golden = packed_json_load(path), *one;
    size_t index;
    assert_true(json_array_size(json_object_get(golden, "cases")) > 0);
    json_array_foreach(json_object_get(golden, "cases"), index, one) check_case(one, rules);
    json_decref(golden);
}

static void translations_are_those_of_transformers(void **state)
{
    check_cases("tests/golden/beam_transformers.json.gz", rules_of_transformers);
}

static void translations_of_the_maximum_length_are_those_of_transformers(void **state)
{
    check_cases("tests/golden/beam_limits.json.gz", rules_of_limits);
}

static void translations_are_those_of_opennmt(void **state)
{
    check_cases("tests/golden/beam_opennmt.json.gz", rules_of_opennmt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translations_are_those_of_transformers),
        cmocka_unit_test(translations_of_the_maximum_length_are_those_of_transformers),
        cmocka_unit_test(translations_are_those_of_opennmt),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
