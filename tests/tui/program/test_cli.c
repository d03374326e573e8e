/* The program's own arguments: options, the model, the device; what does not open. */
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

struct usage_case {
    const char *arguments[10];
    int code;
    const char *says;
};

static const struct usage_case usage_cases[] = {
    {{"--json"}, 2, "expected the path of a model"},
    {{""}, 2, "MODEL is empty"},
    {{MODEL, ""}, 2, "MODEL is empty"},
    {{MODEL, FIXED, "nosuch.bin"}, 1, "nosuch.bin"},
    {{MODEL, "--", MODEL}, 1, "vanilla_post.bin: already loaded"},
    {{MODEL, "--nonsense"}, 2, "unknown option --nonsense"},
    {{MODEL, "--\xFF"}, 2, "unknown option"},
    {{MODEL, "--\x1b[2J"}, 2, "unknown option"},
    {{MODEL, "-x"}, 2, "unknown option -x"},
    {{MODEL, "-e"}, 2, "-e: expected a value"},
    {{MODEL, "-f"}, 2, "-f: expected a value"},
    {{MODEL, "-e", ""}, 2, "-e is empty"},
    {{MODEL, "-e", " \t\n"}, 2, "-e is empty"},
    {{MODEL, "-f", ""}, 2, "-f is empty"},
    {{MODEL, "--threads"}, 2, "--threads: expected a value"},
    {{MODEL, "--threads", "0"}, 2, "whole number from 1 to 1024"},
    {{MODEL, "--threads", "-1"}, 2, "whole number from 1 to 1024"},
    {{MODEL, "--threads", "two"}, 2, "whole number from 1 to 1024"},
    {{MODEL, "--threads", ""}, 2, "whole number from 1 to 1024"},
    {{MODEL, "--threads", "1.5"}, 2, "whole number from 1 to 1024"},
    {{MODEL, "--threads", "99999999999999999999"}, 2, "whole number from 1 to 1024"},
    {{MODEL, "--dpi"}, 2, "--dpi: expected a value"},
    {{MODEL, "--dpi", "29"}, 2, "whole number from 30 to 2400"},
    {{MODEL, "--dpi", "many"}, 2, "whole number from 30 to 2400"},
    {{MODEL, "--device"}, 2, "--device: expected a value"},
    {{MODEL, "--device", ""}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "gpu"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:-1"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:one"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:99999999999"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--json=yes"}, 2, "unknown option"},
    {{"--generate"}, 2, "--generate: expected a value"},
    {{"--generate", ""}, 2, "complete-bash, complete-zsh, complete-fish or option-tables"},
    {{"--generate", "book\x1b"},
     2,
     "expected man, markdown, complete-bash, complete-zsh, complete-fish or"},
    {{MODEL, "--generate=complete-tcsh"}, 2, "expected man, markdown, complete-bash"},
    {{"nosuch.bin"}, 1, "nosuch.bin"},
    {{"nosuch\x1b[31m\n.bin"}, 1, "nosuch"},
    {{"\xFF\xFE"}, 1, "No such file"},
    {{"before"}, 1, "before: reserved as the name of a state: expected ./before"},
    {{"current", MODEL}, 1, "current: reserved as the name of a state: expected ./current"},
    {{"/"}, 1, "/: "},
    {{"/dev/null"}, 1, "/dev/null: "},
    {{"tests/golden"}, 1, "tests/golden: "},
    {{"Makefile"}, 1, "Makefile: "},
    {{"tests/golden/vanilla_post.expected"}, 1, "vanilla_post.expected: "},
};

/* On the CPU, which is there everywhere. */
static void prepend_cpu(const char *const *from, const char **to)
{
    *to++ = "--device";
    *to++ = "cpu";
    for (int i = 0; i < 10 && from[i]; i++)
        *to++ = from[i];
    *to = NULL;
}

static void wrong_usage_and_files_end_in_a_clear_message(void **state)
{
    for (size_t i = 0; i < sizeof usage_cases / sizeof *usage_cases; i++) {
        const char *arguments[MOST_ARGUMENTS];
        prepend_cpu(usage_cases[i].arguments, arguments);
        struct outcome outcome = cli_run(arguments);
        if (outcome.code != usage_cases[i].code)
            fail_msg("%s: ends with %d: %s", cli_command_line(arguments), outcome.code,
                     outcome.err);
        cli_check_message(arguments, &outcome, outcome.code == 2 ? 3 : 1, usage_cases[i].says);
        assert_string_equal(outcome.out, "");
        outcome_free(&outcome);
    }
}

static void a_failed_load_is_one_object_in_json(void **state)
{
    static const char *const arguments[] = {"--json", CPU, "no\xFFsuch.bin", "-e", "x", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_string_equal(outcome.err, "");
    assert_int_equal(cli_count_lines(outcome.out), 1);
    json_t *object = json_loads(outcome.out, 0, NULL);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "command")), "load");
    assert_non_null(strstr(json_string_value(json_object_get(object, "error")), "such.bin"));
    json_decref(object);
    outcome_free(&outcome);
}

/* The command :load is not what failed. */
static void a_failed_load_names_the_file_first(void **state)
{
    static const char *const arguments[] = {CPU, "nosuch.bin", "-e", "x", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(strncmp(outcome.err, "attnscope: nosuch.bin: ", 23), 0);
    outcome_free(&outcome);
}

static void devices_that_are_missing_are_named(void **state)
{
    static const char *const cuda[] = {MODEL, "--device", "cuda:7", "-e", ":info", NULL};
    static const char *const chosen[] = {MODEL, "-e", ":quit", NULL};
    struct outcome outcome = cli_run(cuda);
    // Where there is a plug-in, there may be a GPU; an eighth one is not to be expected.
    assert_int_equal(outcome.code, 1);
    cli_check_message(cuda, &outcome, 1, "");
    outcome_free(&outcome);
    outcome = cli_run(chosen);
    assert_int_equal(outcome.code, 0);
    assert_true(cli_count_lines(outcome.err) <= 1);
    outcome_free(&outcome);
}

/* Why there is no GPU is for those who asked for one; :info says it to everybody who asks. */
static void a_missing_gpu_is_told_to_those_who_asked_for_it(void **state)
{
#define AUTO "--device", "auto", "--backend", "nosuch.so"
    static const struct {
        const char *arguments[10];
        bool told;
    } cases[] = {
        {{MODEL, "-e", "the dog", NULL}, false},
        {{AUTO, MODEL, "-e", "the dog", NULL}, true},
        {{"--backend", "nosuch.so", MODEL, "-e", "the dog", NULL}, true},
        {{AUTO, "--quiet", MODEL, "-e", "the dog", NULL}, false},
        {{CPU, MODEL, "-e", "the dog", NULL}, false},
    };
    static const char *const info[] = {AUTO, "--quiet", MODEL, "-e", ":info", NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = cli_run(cases[i].arguments);
        assert_int_equal(outcome.code, 0);
        if (cases[i].told)
            cli_check_message(cases[i].arguments, &outcome, 1, "using the CPU, no GPU: ");
        else
            assert_string_equal(outcome.err, "");
        outcome_free(&outcome);
    }
    struct outcome outcome = cli_run(info);
    assert_non_null(strstr(outcome.out, "using the CPU, no GPU: "));
    assert_string_equal(outcome.err, "");
    outcome_free(&outcome);
}

static void options_may_follow_the_model(void **state)
{
    static const char *const arguments[] = {MODEL, "-e", "the dog", "--json", CPU, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(*outcome.out, '{');
    outcome_free(&outcome);
    setenv("POSIXLY_CORRECT", "1", 1);
    outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    unsetenv("POSIXLY_CORRECT");
}

static void help_and_version_need_no_model(void **state)
{
    static const char *const help[] = {"--help", NULL}, *const version[] = {"--version", NULL};
    struct outcome outcome = cli_run(help);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "--json"));
    outcome_free(&outcome);
    outcome = cli_run(version);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(cli_count_lines(outcome.out), 1);
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_and_files_end_in_a_clear_message),
        cmocka_unit_test(a_failed_load_is_one_object_in_json),
        cmocka_unit_test(a_failed_load_names_the_file_first),
        cmocka_unit_test(devices_that_are_missing_are_named),
        cmocka_unit_test(a_missing_gpu_is_told_to_those_who_asked_for_it),
        cmocka_unit_test(options_may_follow_the_model),
        cmocka_unit_test(help_and_version_need_no_model),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
