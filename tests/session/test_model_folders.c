/* Models without a path: which ones the program lists by itself, and what a name opens. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

/* A folder with a model, and with what only looks like one: reading all of it would take forever,
 * or wait. */
static int make_folder(void **state)
{
    int code = cli_enter(state);
    if (code != 0)
        return code;
    code |=
        mkdir("models", 0700) | mkdir("models/folder.bin", 0700) | mkfifo("models/pipe.bin", 0600) |
        symlink("../tests/golden/dhicm_last_layers.bin", "models/mine.bin") |
        mkdir("models/empty", 0700) | symlink("../tests/golden/formats/hf-marian", "models/theirs");
    FILE *text = fopen("models/text.bin", "w");
    fputs("no model at all\n", text);
    fclose(text);
    FILE *huge = fopen("models/huge.bin", "w");
    code |= ftruncate(fileno(huge), (off_t)1 << 40);
    fclose(huge);
    char *path = realpath("models", NULL), *both = NULL;
    code |= !path || asprintf(&both, "%s/nowhere:%s", path, path) < 0 ||
            setenv("ATTNSCOPE_MODELS", both, 1) != 0;
    free(path);
    free(both);
    return code ? -1 : 0;
}

static void models_are_listed_and_nothing_else(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const strangers[] = {"\n  huge", "\n  text", "\n  pipe", "\n  folder",
                                            "\n  empty"};
    struct outcome outcome = cli_run(none);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.err, "");
    // As the configuration of that file has it.
    assert_non_null(strstr(outcome.out, "\n  mine "));
    assert_non_null(strstr(outcome.out, "  en → de, 2+2 layers, 4+4 heads, DHICM\n"));
    assert_non_null(strstr(outcome.out, "\n  theirs "));
    assert_non_null(strstr(outcome.out, "  source → target, 2+2 layers, 4+4 heads\n"));
    assert_non_null(strstr(outcome.out, "models/nowhere: No such file or directory\n"));
    assert_non_null(strstr(outcome.out, "`attnscope mine`"));
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (strstr(outcome.out, strangers[i]))
            fail_msg("%s is listed: %s", strangers[i], outcome.out);
    outcome_free(&outcome);
}

static void a_name_opens_the_model_that_has_it(void **state)
{
    static const char *const named[] = {CPU, "--json", "mine", "-e", "the dog", NULL};
    struct outcome outcome = cli_run(named);
    assert_int_equal(outcome.code, 0);
    json_t *object = cli_object(named, outcome.out, 0);
    const char *model = json_string_value(json_object_get(object, "model"));
    assert_non_null(strstr(model, "/models/mine.bin"));
    json_decref(object);
    outcome_free(&outcome);
}

static void a_name_opens_a_folder_of_another_toolkit(void **state)
{
    static const char *const named[] = {CPU, "--json", "theirs", "-e", ":info", NULL};
    struct outcome outcome = cli_run(named);
    assert_int_equal(outcome.code, 0);
    json_t *object = cli_object(named, outcome.out, 0);
    assert_string_equal(json_string_value(json_object_get(object, "format")), "Hugging Face");
    json_decref(object);
    outcome_free(&outcome);
}

static void a_name_is_loaded_in_a_session(void **state)
{
    static const char *const loads[] = {CPU, "--json", "theirs", "-e", ":load mine", NULL};
    struct outcome outcome = cli_run(loads);
    assert_int_equal(outcome.code, 0);
    json_t *object = cli_object(loads, outcome.out, 0);
    const char *model = json_string_value(json_object_get(object, "model"));
    assert_non_null(strstr(model, "/models/mine.bin"));
    json_decref(object);
    outcome_free(&outcome);
}

/* A folder with our own format's model.bin opens as that file does, whatever else is in it. */
static void a_folder_with_a_model_of_our_own_opens(void **state)
{
    static const char *const opens[] = {CPU, "trained", "-e", "the dog", NULL};
    assert_int_equal(mkdir("trained", 0700), 0);
    assert_int_equal(symlink("../tests/golden/vanilla_post.bin", "trained/model.bin"), 0);
    for (int k = 0; k < 2; k++) {
        struct outcome outcome = cli_run(opens);
        assert_int_equal(outcome.code, 0);
        outcome_free(&outcome);
        FILE *config = fopen("trained/config.json", "w");
        fputs("{}", config);
        fclose(config);
    }
}

static void a_path_wins_over_a_name(void **state)
{
    static const char *const named[] = {CPU, "mine", "-e", "the dog", NULL};
    FILE *text = fopen("mine", "w");
    fputs("a file of that name\n", text);
    fclose(text);
    struct outcome outcome = cli_run(named);
    assert_int_equal(outcome.code, 1);
    cli_check_message(named, &outcome, 1, "attnscope: mine: ");
    outcome_free(&outcome);
    unlink("mine");
}

static void an_unknown_name_is_told_as_it_was_typed(void **state)
{
    static const char *const named[] = {CPU, "yours", "-e", "the dog", NULL};
    struct outcome outcome = cli_run(named);
    assert_int_equal(outcome.code, 1);
    cli_check_message(named, &outcome, 1, "attnscope: yours: ");
    outcome_free(&outcome);
}

/* The program alone in a folder, without samples anywhere near it. */
static void without_any_model_the_usage_is_told(void **state)
{
    char command[PATH_MAX * 2];
    snprintf(command, sizeof command,
             "mkdir -p far/away/bin && cp '%s' far/away/bin/attnscope && cd far && "
             "ATTNSCOPE_MODELS= away/bin/attnscope >out 2>err; echo $? >code",
             cli_program());
    assert_int_equal(system(command), 0);
    char *out = cli_read("far/out", NULL), *err = cli_read("far/err", NULL),
         *code = cli_read("far/code", NULL);
    assert_string_equal(out, "");
    assert_string_equal(code, "2\n");
    assert_non_null(strstr(err, "attnscope: expected the path of a model: none was found"));
    assert_non_null(strstr(err, "usage: attnscope"));
    free(out);
    free(err);
    free(code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_listed_and_nothing_else),
        cmocka_unit_test(a_name_opens_the_model_that_has_it),
        cmocka_unit_test(a_name_opens_a_folder_of_another_toolkit),
        cmocka_unit_test(a_name_is_loaded_in_a_session),
        cmocka_unit_test(a_folder_with_a_model_of_our_own_opens),
        cmocka_unit_test(a_path_wins_over_a_name),
        cmocka_unit_test(an_unknown_name_is_told_as_it_was_typed),
        cmocka_unit_test(without_any_model_the_usage_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, cli_close);
}
