/* The examples of `:help COMMAND`, run over the first sentences of the samples; `make check-full`
 * runs them over all. */
#include <limits.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"
#include "tui/command/commands.h"

#define SAMPLE "samples/en-de.bin"

/* Replaces the link to the samples. */
static void shorten_samples(int lines)
{
    char samples[PATH_MAX], line[PATH_MAX + 100];
    assert_non_null(realpath("samples", samples));
    assert_int_equal(unlink("samples"), 0);
    snprintf(line, sizeof line, "tests/support/short_samples '%s' samples %d", samples, lines);
    assert_int_equal(system(line), 0);
}

static int runs_command(const char *line, const struct command *command)
{
    char name[64];
    command_name(line, name, sizeof name);
    return *line == ':' && strcmp(name, command->name) == 0;
}

/* What draws needs a terminal, and prints no JSON. */
static void run_at_terminal(const struct command *command, const char *const *arguments)
{
    const char *plain[MOST_ARGUMENTS] = {NULL};
    int count = 0;
    for (; *arguments; arguments++)
        if (strcmp(*arguments, "--json") != 0)
            plain[count++] = *arguments;
    struct terminal terminal = terminal_open(plain, 80, 24);
    if (terminal_close(&terminal) != 0)
        fail_msg(":%s: %s", command->name, terminal.text);
    free(terminal.text);
}

/* Writes parts/1-of-1.part: what the other lines compute. */
static void make_part(const char *const *lines)
{
    const char *arguments[MOST_ARGUMENTS] = {CPU, SAMPLE, "--shard", "1/1", "--parts", "parts"};
    int count = 7;
    for (; *lines; lines++)
        if (strncmp(*lines, ":merge", 6) != 0) {
            arguments[count++] = "-e";
            arguments[count++] = *lines;
        }
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
}

/* Every line has its answer and works; what comes after :quit does not run. */
static void run(const struct command *command, const char *const *lines)
{
    const char *arguments[MOST_ARGUMENTS] = {CPU, "--json", SAMPLE};
    int count = 4, runs = 0, answers = 0;
    for (; *lines; lines++) {
        arguments[count++] = "-e";
        arguments[count++] = *lines;
        runs += runs_command(*lines, command);
        answers++;
    }
    if (runs < 2)
        fail_msg(":%s: %d examples, expected 2", command->name, runs);
    if (strcmp(command->name, "show") == 0) {
        run_at_terminal(command, arguments);
        return;
    }
    if (strcmp(command->name, "merge") == 0)
        make_part(command->examples);
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0 || *outcome.err || strstr(outcome.out, "\"ok\":false"))
        fail_msg(":%s: %s%s", command->name, outcome.err, outcome.out);
    int expected = strcmp(command->name, "quit") == 0 ? 1 : answers;
    if (cli_count_lines(outcome.out) < expected)
        fail_msg(":%s: %d answers, expected %d", command->name, cli_count_lines(outcome.out),
                 expected);
    outcome_free(&outcome);
}

static void every_example_runs(void **state)
{
    shorten_samples(rounds_of(20, INT_MAX));
    for (int i = 0; i < command_count; i++)
        run(command_table[i], command_table[i]->examples);
}

static void help_shows_them(void **state)
{
    static const char *const arguments[] = {CPU, SAMPLE, "-e", ":help export", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_non_null(strstr(outcome.out, "\n:export stars.pdf attn cross 2.7 word\n"));
    outcome_free(&outcome);
}

static void help_takes_a_name_with_its_colon(void **state)
{
    static const char *const arguments[] = {CPU, SAMPLE, "-e", ":help :export", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "\n:export stars.pdf attn cross 2.7 word\n"));
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_runs),
        cmocka_unit_test(help_shows_them),
        cmocka_unit_test(help_takes_a_name_with_its_colon),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
