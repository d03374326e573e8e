/* Lines that are made from the declarations of commands: what the declaration allows is read, what
 * is completed can be typed, what is offered runs. */
#include "terminal/text/arguments.h"
#include "tests/support/commands_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/test.h"
#include "tui/argument/argument.h"
#include "tui/prompt/complete.h"

enum { LINES = 60, STEPS = 9 };

/* A line that is being made, and the words of its arguments. */
struct made {
    const struct command *command;
    struct strings words;
};

static void add(struct made *made, const char *word)
{
    struct status status;
    assert_true(strings_add(&made->words, word, strlen(word), &status));
}

/* As it is typed: ":NAME WORD WORD"; the caller frees it. */
static char *line_of(const struct made *made)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    assert_non_null(out);
    fprintf(out, ":%s", made->command->name);
    for (int i = 0; i < made->words.count; i++) {
        fputc(' ', out);
        arguments_quote(out, made->words.text[i]);
    }
    fclose(out);
    return line;
}

/* A value of an argument, and whether Tab offers it. */
static const char *value_of(const struct argument *argument, const struct argument_values *given,
                            bool *offered)
{
    static const char *const parts[] = {"enc", "layer", "head", "cross"};
    *offered = true;
    int choices = argument_choices(argument);
    switch (argument->kind) {
    case ARGUMENT_CHOICE:
        return argument->choices[random_below((size_t)choices)];
    case ARGUMENT_STATE:
        return "current";
    case ARGUMENT_SETTING:
        return "beam";
    case ARGUMENT_COMMAND:
        return "attn";
    case ARGUMENT_VIEW: // a command, and then its own words
        switch (given->each[argument - given->list->each].count) {
        case 0:
            return "attn";
        case 1:
            return "word";
        default:
            *offered = false;
            return "cross";
        }
    case ARGUMENT_SELECTOR:
    case ARGUMENT_SELECTORS:
        if (given->in_selector)
            return strcmp(given->in_selector, "as") == 0   ? "weights"
                   : strcmp(given->in_selector, "in") == 0 ? "enc"
                                                           : "1";
        if (!given->selector.module_given)
            return parts[random_below(2) ? 0 : 3];
        if (given->selector.layer == PART_ABSENT)
            return parts[1];
        if (given->selector.head == PART_ABSENT)
            return parts[2];
        return argument->kind == ARGUMENT_SELECTORS ? "or" : "as";
    case ARGUMENT_INTEGER:
        if (choices && random_below(2))
            return argument->choices[0];
        break;
    default:
        break;
    }
    *offered = false;
    return argument->kind == ARGUMENT_NUMBERS ? "5,10"
           : argument->kind == ARGUMENT_FILE  ? "no-such-file"
           : argument->kind == ARGUMENT_VALUE ? "2"
                                              : "1";
}

static bool is_among(const struct completions *completions, const char *word)
{
    for (int i = 0; i < completions->words.count; i++)
        if (strcmp(completions->words.text[i], word) == 0)
            return true;
    return false;
}

static void read_typed(const struct made *made, struct argument_values *values)
{
    struct status status;
    if (!arguments_parse_typed(&made->command->arguments, &made->words, values, &status)) {
        char *line = line_of(made);
        fail_msg("%s: refused while it is typed: %s", line, status.message);
    }
}

/* Each word that Tab offers behind the line can stand there. */
static void check_offers(const struct session *session, struct made *made, const char *next)
{
    struct completions completions;
    struct status status;
    char *line = line_of(made), *typed = NULL;
    assert_true(asprintf(&typed, "%s ", line) > 0);
    assert_true(complete(session, typed, strlen(typed), &completions, &status));
    if (next && !is_among(&completions, next))
        fail_msg("%s: \"%s\" is not offered", typed, next);
    for (int i = 0; i < completions.words.count; i++) {
        struct argument_values values;
        char *word = completions.words.text[i];
        struct strings bare = {0};
        assert_true(arguments_split(word, &bare, &status));
        add(made, bare.text[0]);
        read_typed(made, &values);
        arguments_free(&values);
        free(made->words.text[--made->words.count]);
        strings_free(&bare);
    }
    completions_free(&completions);
    free(typed);
    free(line);
}

/* Adds a word that may stand next. False: the line is at its end. */
static bool extend(const struct session *session, struct made *made)
{
    struct argument_next next[2 * ARGUMENTS_MOST];
    struct argument_values values;
    read_typed(made, &values);
    int count = arguments_next(&values, next);
    if (count) {
        const struct argument_next *one = &next[random_below((size_t)count)];
        bool offered = true;
        const char *word =
            one->keyword ? one->argument->keyword : value_of(one->argument, &values, &offered);
        check_offers(session, made, offered ? word : NULL);
        add(made, word);
    }
    arguments_free(&values);
    return count > 0;
}

/* What the line says is the same when it is written down and read again, as :save and notes do. */
static void check_quoting(const struct made *made)
{
    struct strings again = {0};
    struct status status;
    char *line = line_of(made);
    assert_true(arguments_split(line + 1 + strlen(made->command->name), &again, &status));
    assert_int_equal(again.count, made->words.count);
    for (int i = 0; i < again.count; i++)
        assert_string_equal(again.text[i], made->words.text[i]);
    strings_free(&again);
    free(line);
}

/* Not run: what ends the session, or writes files. */
static bool runs(const struct command *command)
{
    static const char *const others[] = {"quit",   "export", "save", "load",
                                         "source", "show",   "merge"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(command->name, others[i]) == 0)
            return false;
    return true;
}

/* A whole line is refused for what it says, such as a file that is not there, and not for its
 * form. */
static void check_runs(struct bench *bench, const struct made *made)
{
    struct argument_values values;
    struct status status;
    struct report report;
    bool whole = arguments_parse(&made->command->arguments, &made->words, &values, &status);
    arguments_free(&values);
    char *line = line_of(made);
    if (!whole && !strstr(status.message, "expected"))
        fail_msg("%s: %s", line, status.message);
    if (whole && runs(made->command)) {
        if (!command_run(bench->session, line, &report, &status) &&
            strstr(status.message, "unexpected argument"))
            fail_msg("%s: %s", line, status.message);
        report_free(&report);
    }
    free(line);
}

static void lines_of_declarations_are_completed_read_and_run(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 4));
    for (int c = 0; c < command_count; c++) {
        if (command_table[c]->takes_text)
            continue;
        for (int i = 0; i < LINES; i++) {
            struct made made = {.command = command_table[c]};
            random_seed((uint64_t)(c * LINES + i + 1));
            for (size_t steps = random_below(STEPS + 1); steps > 0; steps--)
                if (!extend(bench.session, &made))
                    break;
            check_quoting(&made);
            check_runs(&bench, &made);
            strings_free(&made.words);
        }
    }
    bench_close(&bench);
}

/* A word that no declaration has is refused with the usage, by every command. */
static void words_too_many_are_refused_with_the_usage(void **state)
{
    for (int c = 0; c < command_count; c++) {
        const struct command *command = command_table[c];
        struct made made = {.command = command};
        struct argument_values values;
        struct status status;
        for (int i = 0; i < 40 && !command->takes_text; i++)
            add(&made, "nonsense");
        bool many = false;
        for (int i = 0; i < command->arguments.count; i++) {
            enum argument_kind kind = command->arguments.each[i].kind;
            many |= argument_most(&command->arguments.each[i]) == ARGUMENT_MANY ||
                    kind == ARGUMENT_VIEW || kind == ARGUMENT_VALUE;
        }
        if (!command->takes_text && !many) {
            assert_false(arguments_parse(&command->arguments, &made.words, &values, &status));
            char *usage = command_usage_text(command);
            if (!strstr(status.message, "expected") && *usage)
                fail_msg(":%s: %s", command->name, status.message);
            free(usage);
            arguments_free(&values);
        }
        strings_free(&made.words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_declarations_are_completed_read_and_run),
        cmocka_unit_test(words_too_many_are_refused_with_the_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
