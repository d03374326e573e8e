/* Beam search over the first sentences of the samples, as transformers translates them with the same weights
 * (scripts/golden/make_beam_golden.py): with early_stopping a search ends as `endings best` does, otherwise as `endings
 * attainable`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/cli_support.h"

#define GOLDEN "tests/golden/beam_transformers.json"

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

static void check_case(const json_t *golden)
{
    char path[4096], beam[40], alpha[60], endings[60], translate[4200];
    write_sources(path, sizeof path, json_array_size(json_object_get(golden, "translations")));
    snprintf(beam, sizeof beam, ":set beam %lld",
             json_integer_value(json_object_get(golden, "beam")));
    snprintf(alpha, sizeof alpha, ":set length_penalty.alpha %g",
             json_number_value(json_object_get(golden, "alpha")));
    snprintf(endings, sizeof endings, ":set endings %s",
             json_is_true(json_object_get(golden, "early_stopping")) ? "best" : "attainable");
    snprintf(translate, sizeof translate, ":translate %s", path);
    const char *const arguments[] = {
        CPU, "samples/en-de.bin", "-e", beam, "-e", alpha, "-e", endings, "-e", translate, NULL};
    struct outcome outcome = cli_run(arguments);
    char *expected = translations_of(golden), *translated = outcome.out;
    assert_int_equal(outcome.code, 0);
    while (strncmp(translated, "search: ", 8) == 0) // a line for each :set
        translated = strchr(translated, '\n') + 1;
    assert_string_equal(translated, expected);
    free(expected);
    outcome_free(&outcome);
}

static void translations_are_those_of_transformers(void **unused)
{
    json_t *golden = json_load_file(GOLDEN, 0, NULL), *one;
    size_t index;
    (void)unused;
    assert_true(json_array_size(json_object_get(golden, "cases")) > 0);
    json_array_foreach(json_object_get(golden, "cases"), index, one) check_case(one);
    json_decref(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translations_are_those_of_transformers),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
