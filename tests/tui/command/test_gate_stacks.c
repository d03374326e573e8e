/* `:gates enc,dec FILE`: the averages of both stacks, which are those of each alone. */
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define BOTH "tests/golden/context_both_stacks.bin"

static json_t *answer_of(const char *stacks, const char *rest)
{
    char line[400];
    snprintf(line, sizeof line, ":gates %s %s%s", stacks,
             cli_write("s", "the dog sees a cat\ntoday\n"), rest);
    const char *const arguments[] = {"--json", CPU, BOTH, "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 0);
    assert_true(json_is_true(json_object_get(answer, "ok")));
    outcome_free(&outcome);
    return answer;
}

/* The groups of one stack alone, each with its stack, are those from `first` on. */
static size_t check_stack(const json_t *groups, size_t first, const char *stack, const char *rest)
{
    json_t *alone = answer_of(stack, rest), *expected = json_object_get(alone, "groups"), *group;
    size_t i, count = json_array_size(expected);
    assert_true(count > 0);
    json_array_foreach(expected, i, group)
    {
        json_t *is = json_deep_copy(json_array_get(groups, first + i));
        assert_memory_equal(json_string_value(json_object_get(is, "module")), stack, 3);
        json_object_del(is, "module");
        assert_true(json_equal(is, group));
        json_decref(is);
    }
    json_decref(alone);
    return first + count;
}

static void both_are_each_alone(void **state)
{
    static const char *const rests[] = {"", " by position", " by length"};
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        json_t *both = answer_of("enc,dec", rests[i]), *groups = json_object_get(both, "groups");
        assert_string_equal(json_string_value(json_object_get(both, "module")), "encoder,decoder");
        size_t count = check_stack(groups, 0, "enc", rests[i]);
        assert_int_equal(check_stack(groups, count, "dec", rests[i]), json_array_size(groups));
        json_decref(both);
    }
}

static void both_are_one_figure_and_one_file(void **state)
{
    static const char *const names[] = {"b.png", "b.pdf", "b.svg", "b.csv", "b.npz"};
    char line[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(line, sizeof line, ":export %s gates enc,dec qk %s", cli_path(names[i]),
                 cli_write("s", "the dog sees a cat\ntoday\n"));
        const char *const arguments[] = {CPU, BOTH, "-e", line, NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 0);
        outcome_free(&outcome);
    }
    char *svg = cli_read(cli_path("b.svg"), NULL);
    assert_non_null(strstr(svg, "encoder queries"));
    assert_non_null(strstr(svg, "decoder keys"));
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_are_each_alone),
        cmocka_unit_test(both_are_one_figure_and_one_file),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
