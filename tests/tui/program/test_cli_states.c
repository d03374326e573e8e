/* Sessions through the program: what is printed when states, models and test sets come and go. What
 * a translation should be comes from a run of its own that does nothing else. */
#include "tests/support/session_support.h"
#include "tests/support/test.h"

#define GARDEN "Two men are sitting in the small garden."

static void a_blank_line_of_a_test_set_is_shown_as_one(void **state)
{
    char *source = strdup(cli_write("lines", "He is old.\n\n")), line[600];
    snprintf(line, sizeof line, ":open %s %s", source, cli_write("two", "Er ist alt.\n\n"));
    const char *const arguments[] = {CPU, SAMPLE, "-e", line, "-e", ":next", NULL};
    char *out = session_print(arguments), *rest = out;
    for (int i = 0; i < 3; i++)
        free(session_take_line(&rest, ""));
    session_line(&rest, "2/2        ", "(blank: nothing to translate)\n");
    session_line(&rest, "reference  ", "\n");
    assert_string_equal(rest, "");
    free(source);
    free(out);
}

static void the_first_of_several_models_is_current(void **state)
{
    static const char *const arguments[] = {CPU,  FIXED,    SAMPLE, MODEL,
                                            "-e", "he",     "-e",   ":model en-",
                                            "-e", ":model", "-e",   ":disable enc layer 1 head 2",
                                            NULL};
    char *fixed = session_translate(FIXED, NULL, "he"),
         *sample = session_translate(SAMPLE, NULL, "he");
    char *out = session_print(arguments), *rest = out;
    session_line(&rest, "", fixed);
    session_line(&rest, " *  state en-de.bin  model " SAMPLE, "\n");
    session_comparison(&rest, (const char *const[2]){"before  ", "after   "},
                       (const char *const[2]){fixed, sample});
    session_line(&rest, "    state fixed_7f1l.bin  model " FIXED, "\n");
    session_line(&rest, " *  state en-de.bin  model " SAMPLE, "\n");
    session_line(&rest, "    state vanilla_post.bin  model " MODEL, "\n");
    session_line(&rest, "    state before  model " FIXED, "\n");
    free(fixed);
    free(sample);
    free(out);
}

static void states_are_listed_with_what_they_change(void **state)
{
    static const char *const arguments[] = {
        CPU,  MODEL,         "-e", ":disable enc head 2",      "-e", ":state two",
        "-e", ":set beam 3", "-e", ":mask enc head 1 local 2", "-e", ":state",
        NULL};
    char *out = session_print(arguments);
    const char *listed = strstr(out, "    state vanilla_post.bin");
    assert_non_null(listed);
    assert_string_equal(listed, "    state vanilla_post.bin  model " MODEL "\n"
                                "    state two  model " MODEL "\n"
                                "       off        encoder layer 1-2 head 2\n"
                                "    state before  model " MODEL "\n"
                                "       off        encoder layer 1-2 head 2\n"
                                "       search     beam 3\n"
                                " *  state current  model " MODEL "\n"
                                "       off        encoder layer 1-2 head 2\n"
                                "       changed    encoder layer 1-2 head 1\n"
                                "       search     beam 3\n");
    free(out);
}

/* Numbers of two states and their difference, which holds in every cell. */
static void a_difference_is_b_minus_a_in_json(void **state)
{
    static const char *const arguments[] = {"--json",
                                            CPU,
                                            SAMPLE,
                                            "-e",
                                            GARDEN,
                                            "-e",
                                            ":attn cross layer 2 head 3",
                                            "-e",
                                            ":mask enc head 3,4 local 2",
                                            "-e",
                                            ":beside before",
                                            NULL};
    char *out = session_print(arguments);
    json_t *beside = cli_object(arguments, out, 3), *shown = cli_object(arguments, out, 1);
    size_t i, j;
    json_t *row, *cell;
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

static void a_wide_page_has_the_matrices_beside_each_other(void **state)
{
    static const char *const arguments[] = {
        CPU,  SAMPLE,           "-e", "I like tea.", "-e", ":disable enc head 1",
        "-e", ":beside before", NULL};
    setenv("COLUMNS", "120", 1);
    char *wide = session_print(arguments);
    setenv("COLUMNS", "40", 1);
    char *narrow = session_print(arguments);
    unsetenv("COLUMNS");
    char *title = strstr(wide, "\n before ");
    assert_non_null(title++);
    assert_non_null(memmem(title, strcspn(title, "\n"), " after  off ", 12));
    assert_non_null(memmem(title, strcspn(title, "\n"), " after - before", 15));
    assert_non_null(strstr(narrow, "\n after  off\n"));
    assert_true(cli_count_lines(narrow) > cli_count_lines(wide));
    free(wide);
    free(narrow);
}

static void a_second_model_that_does_not_open_ends_the_program(void **state)
{
    static const char *const arguments[] = {"--json", CPU, MODEL, "nosuch.bin", "-e", "x", NULL};
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
        cmocka_unit_test(a_blank_line_of_a_test_set_is_shown_as_one),
        cmocka_unit_test(the_first_of_several_models_is_current),
        cmocka_unit_test(states_are_listed_with_what_they_change),
        cmocka_unit_test(a_difference_is_b_minus_a_in_json),
        cmocka_unit_test(a_wide_page_has_the_matrices_beside_each_other),
        cmocka_unit_test(a_second_model_that_does_not_open_ends_the_program),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
