/* Sessions through the program: what is printed when states, models and test sets come and go. What a
 * translation should be comes from a run of its own that does nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/cli_support.h"

#define SAMPLE "samples/en-de.bin"
#define GARDEN "Two men are sitting in the small garden."

/* What a run prints on standard output; it must end well and complain of nothing. */
static char *printed(const char *const *arguments)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0 || *outcome.err)
        fail_msg("%s: ends with %d: %s", cli_command_line(arguments), outcome.code, outcome.err);
    free(outcome.err);
    return outcome.out;
}

/* The translation of a sentence by itself, with a line break. */
static char *translation(const char *model, const char *before, const char *sentence)
{
    const char *const plain[] = {CPU, model, "-e", sentence, NULL};
    const char *const changed[] = {CPU, model, "-e", before, "-e", sentence, NULL};
    return printed(before ? changed : plain);
}

/* Takes a line that begins with `start` off the text; returns what follows, without the marks of change,
 * with its line break. The caller frees it. */
static char *take_line(char **text, const char *start)
{
    size_t length = strcspn(*text, "\n");
    if (strncmp(*text, start, strlen(start)) != 0)
        fail_msg("\"%.*s\" does not begin with \"%s\"", (int)length, *text, start);
    char *line = calloc(1, length + 2), *out = line;
    for (const char *in = *text + strlen(start); in <= *text + length && *in; in++)
        if (*in != '[' && *in != ']')
            *out++ = *in;
    *text += length + ((*text)[length] == '\n');
    return line;
}

static void assert_line(char **text, const char *start, const char *rest)
{
    char *is = take_line(text, start);
    assert_string_equal(is, rest);
    free(is);
}

static void heads_go_off_and_on_again(void **unused)
{
    static const char *const arguments[] = {CPU,  SAMPLE,    "-e", ":disable head 1-7",
                                            "-e", GARDEN,    "-e", ":disabled",
                                            "-e", ":enable", NULL};
    char *alone = translation(SAMPLE, NULL, GARDEN);
    char *without = translation(SAMPLE, ":disable head 1-7", GARDEN);
    char *out = printed(arguments), *rest = out;
    (void)unused;
    assert_string_not_equal(alone, without);
    assert_line(&rest, "", without);
    assert_line(&rest, "off: encoder layer 1-4 head 1-7", "\n");
    assert_non_null(strstr(rest, "["));
    assert_line(&rest, "before  ", without);
    assert_line(&rest, "after   ", alone);
    assert_string_equal(rest, "");
    free(alone);
    free(without);
    free(out);
}

static void a_mask_stands_beside_what_was_before(void **unused)
{
    char export[600], path[600], signature[8] = "";
    snprintf(export, sizeof export, ":export %s/out.png", cli_folder());
    snprintf(path, sizeof path, "%s/out.png", cli_folder());
    const char *const arguments[] = {CPU,  SAMPLE, "-e", ":mask head 3,4 local 2",
                                     "-e", GARDEN, "-e", ":beside before",
                                     "-e", export, "-e", ":reset",
                                     NULL};
    char *alone = translation(SAMPLE, NULL, GARDEN);
    char *masked = translation(SAMPLE, ":mask head 3,4 local 2", GARDEN);
    char *out = printed(arguments), *rest = out;
    (void)unused;
    assert_line(&rest, "", masked);
    free(take_line(&rest, "a  before  score -"));
    free(take_line(&rest, "b  current  score -"));
    assert_line(&rest, "a  ", alone);
    assert_line(&rest, "b  ", masked);
    assert_line(&rest, " encoder  layer 1  head 1", "\n");
    assert_line(&rest, " a  learned, global", "\n");
    assert_non_null(strstr(rest, "\n b  learned, global\n"));
    assert_non_null(strstr(rest, "\n b - a\n"));
    // Head 1 is not among those masked, and the first layer sees the embeddings: nothing changes.
    assert_non_null(strstr(rest, "\n 0 everywhere\n"));
    FILE *figure = fopen(path, "rb");
    assert_non_null(figure);
    assert_int_equal(fread(signature, 1, 8, figure), 8);
    assert_memory_equal(signature, "\x89PNG\r\n\x1a\n", 8);
    fclose(figure);
    free(alone);
    free(masked);
    free(out);
}

static void a_test_set_is_walked(void **unused)
{
    char *source = strdup(cli_write("lines", "Two dogs are running.\n\nI like tea.\nHe is old.\n"));
    char *reference = strdup(cli_write("two", "Zwei Hunde rennen.\n\nIch mag Tee.\nEr ist alt.\n"));
    char line[600];
    snprintf(line, sizeof line, ":open %s %s", source, reference);
    const char *const arguments[] = {CPU,       SAMPLE, "-e",     line, "-e",    ":next", "-e",
                                     ":goto 3", "-e",   ":force", "-e", ":next", NULL};
    const char *const score[] = {CPU, SAMPLE, "-e", ":score I like tea. ||| Ich mag Tee.", NULL};
    char *dogs = translation(SAMPLE, NULL, "Two dogs are running.");
    char *old = translation(SAMPLE, NULL, "He is old.");
    char *scored = printed(score), *scores = scored, *first = take_line(&scores, "");
    char *out = printed(arguments), *rest = out;
    (void)unused;
    assert_line(&rest, "1/4        ", "Two dogs are running.\n");
    assert_line(&rest, "output     ", dogs);
    assert_line(&rest, "reference  ", "Zwei Hunde rennen.\n");
    assert_line(&rest, "2/4        ", "(blank: nothing to translate)\n");
    assert_line(&rest, "reference  ", "\n");
    assert_line(&rest, "3/4        ", "I like tea.\n");
    free(take_line(&rest, "output     "));
    assert_line(&rest, "reference  ", "Ich mag Tee.\n");
    assert_line(&rest, "", first);
    assert_line(&rest, "4/4        ", "He is old.\n");
    assert_line(&rest, "output     ", old);
    assert_line(&rest, "reference  ", "Er ist alt.\n");
    assert_string_equal(rest, "");
    free(source);
    free(reference);
    free(dogs);
    free(old);
    free(first);
    free(scored);
    free(out);
}

static void the_first_of_several_models_is_current(void **unused)
{
    static const char *const arguments[] = {CPU,  FIXED,    SAMPLE, MODEL,
                                            "-e", "he",     "-e",   ":model en-",
                                            "-e", ":model", "-e",   ":disable layer 1 head 2",
                                            NULL};
    char *fixed = translation(FIXED, NULL, "he"), *sample = translation(SAMPLE, NULL, "he");
    char *out = printed(arguments), *rest = out;
    (void)unused;
    assert_line(&rest, "", fixed);
    assert_line(&rest, "before  ", fixed);
    assert_line(&rest, "after   ", sample);
    assert_line(&rest, "  fixed_7f1l.bin  (" FIXED ")", "\n");
    assert_line(&rest, "* en-de.bin  (" SAMPLE ")", "\n");
    assert_line(&rest, "  vanilla_post.bin  (" MODEL ")", "\n");
    assert_line(&rest, "  before  (" FIXED ")", "\n");
    free(fixed);
    free(sample);
    free(out);
}

static void states_are_listed_with_what_they_change(void **unused)
{
    static const char *const arguments[] = {
        CPU,  MODEL,         "-e", ":disable head 2",      "-e", ":state two",
        "-e", ":set beam 3", "-e", ":mask head 1 local 2", "-e", ":state",
        NULL};
    char *out = printed(arguments);
    (void)unused;
    assert_string_equal(out, "  vanilla_post.bin  (" MODEL ")\n"
                             "  two  (" MODEL ")\n"
                             "      off: encoder layer 1-2 head 2\n"
                             "  before  (" MODEL ")\n"
                             "      off: encoder layer 1-2 head 2\n"
                             "      search: beam 3\n"
                             "* current  (" MODEL ")\n"
                             "      off: encoder layer 1-2 head 2\n"
                             "      changed: encoder layer 1-2 head 1\n"
                             "      search: beam 3\n");
    free(out);
}

/* Numbers of two states and their difference, which holds in every cell. */
static void a_difference_is_b_minus_a_in_json(void **unused)
{
    static const char *const arguments[] = {"--json",
                                            CPU,
                                            SAMPLE,
                                            "-e",
                                            GARDEN,
                                            "-e",
                                            ":attn cross layer 2 head 3",
                                            "-e",
                                            ":mask head 3,4 local 2",
                                            "-e",
                                            ":beside before",
                                            NULL};
    char *out = printed(arguments);
    json_t *beside = cli_object(arguments, out, 3), *shown = cli_object(arguments, out, 1);
    size_t i, j;
    json_t *row, *cell;
    (void)unused;
    assert_string_equal(json_string_value(json_object_get(beside, "module")), "cross");
    assert_int_equal(json_integer_value(json_object_get(beside, "layer")), 2);
    assert_int_equal(json_integer_value(json_object_get(beside, "head")), 3);
    json_t *a = json_object_get(beside, "a"), *b = json_object_get(beside, "b");
    json_t *difference = json_object_get(beside, "difference");
    assert_true(json_equal(json_object_get(a, "weights"), json_object_get(shown, "weights")));
    assert_true(json_equal(json_object_get(a, "rows"), json_object_get(shown, "rows")));
    assert_true(json_is_false(json_object_get(difference, "forced")));
    assert_string_equal(json_string_value(json_object_get(a, "state")), "before");
    assert_string_equal(json_string_value(json_object_get(b, "model")), SAMPLE);
    assert_true(json_array_size(json_object_get(b, "tokens")) > 2);
    json_array_foreach(json_object_get(difference, "weights"), i, row)
    {
        json_array_foreach(row, j, cell)
        {
            json_t *of_a = json_array_get(json_object_get(a, "weights"), i);
            json_t *of_b = json_array_get(json_object_get(b, "weights"), i);
            double wanted = json_number_value(json_array_get(of_b, j)) -
                            json_number_value(json_array_get(of_a, j));
            double is = json_number_value(cell);
            if (!(is - wanted < 1e-6 && wanted - is < 1e-6))
                fail_msg("[%zu][%zu] is %g, expected %g", i, j, is, wanted);
        }
    }
    assert_true(i > 2);
    json_decref(beside);
    json_decref(shown);
    free(out);
}

static void a_wide_page_has_the_matrices_beside_each_other(void **unused)
{
    static const char *const arguments[] = {
        CPU, SAMPLE, "-e", "I like tea.", "-e", ":disable head 1", "-e", ":beside before", NULL};
    (void)unused;
    setenv("COLUMNS", "120", 1);
    char *wide = printed(arguments);
    setenv("COLUMNS", "40", 1);
    char *narrow = printed(arguments);
    unsetenv("COLUMNS");
    char *title = strstr(wide, " a  learned, global ");
    assert_non_null(title);
    assert_non_null(memmem(title, strcspn(title, "\n"), " b  learned, global  off ", 25));
    assert_non_null(memmem(title, strcspn(title, "\n"), " b - a", 6));
    assert_non_null(strstr(narrow, "\n b  learned, global  off\n"));
    assert_true(cli_count_lines(narrow) > cli_count_lines(wide));
    free(wide);
    free(narrow);
}

static void a_second_model_that_does_not_open_ends_the_program(void **unused)
{
    static const char *const arguments[] = {"--json", CPU, MODEL, "nosuch.bin", "-e", "x", NULL};
    (void)unused;
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.out), 1);
    json_t *object = cli_object(arguments, outcome.out, 0);
    assert_string_equal(json_string_value(json_object_get(object, "command")), "load");
    assert_non_null(strstr(json_string_value(json_object_get(object, "error")), "nosuch.bin"));
    json_decref(object);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_go_off_and_on_again),
        cmocka_unit_test(a_mask_stands_beside_what_was_before),
        cmocka_unit_test(a_test_set_is_walked),
        cmocka_unit_test(the_first_of_several_models_is_current),
        cmocka_unit_test(states_are_listed_with_what_they_change),
        cmocka_unit_test(a_difference_is_b_minus_a_in_json),
        cmocka_unit_test(a_wide_page_has_the_matrices_beside_each_other),
        cmocka_unit_test(a_second_model_that_does_not_open_ends_the_program),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
