/* The manual that `make` fills with the program's tables: every line of them is there, in each
 * form, and nothing of a table's text is taken for markup. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/settings.h"
#include "terminal/text/display.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tui/command/commands.h"
#include "tui/manual/key_table.h"
#include "tui/program/options.h"

/* The tables that `--generate part` writes, freed by the caller. */
static char *generate(const char *part)
{
    const char *const arguments[] = {"--generate", part, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.err, "");
    free(outcome.err);
    return outcome.out;
}

/* A page that `make` has put beside the program, freed by the caller. */
static char *built(const char *name)
{
    char path[4096];
    const char *program = cli_program(), *end = strrchr(program, '/');
    snprintf(path, sizeof path, "%.*s/%s", end ? (int)(end - program) : 1, end ? program : ".",
             name);
    return cli_read(path, NULL);
}

static void check_has(const char *part, const char *text, const char *expected)
{
    if (!strstr(text, expected))
        fail_msg("%s: \"%s\" is not there:\n%s", part, expected, text);
}

/* Text without roff's fonts and the backslashes before dashes, so that it reads as a table's
 * does. */
static char *without_escapes(char *text)
{
    static const struct {
        const char *roff, *plain;
    } escapes[] = {
        {"\\fB", ""},    {"\\fI", ""},  {"\\fR", ""}, {"\\-", "-"},   {"\\(aq", "'"},
        {"\\(dq", "\""}, {"\\e", "\\"}, {"\\&", ""},  {"\\(ha", "^"}, {"\\[u03BB]", "\xce\xbb"}};
    const size_t count = sizeof escapes / sizeof *escapes;
    char *to = text;
    for (const char *from = text; *from;) {
        size_t i = 0;
        while (i < count && strncmp(from, escapes[i].roff, strlen(escapes[i].roff)) != 0)
            i++;
        if (i == count) {
            *to++ = *from++;
            continue;
        }
        from += strlen(escapes[i].roff);
        for (const char *plain = escapes[i].plain; *plain; plain++)
            *to++ = *plain;
    }
    *to = '\0';
    return text;
}

static void the_manual_page_has_every_line_of_the_tables(void **state)
{
    char *page = without_escapes(built("attnscope.1")), line[400];
    for (int i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        char *usage = command_usage_text(command);
        assert_non_null(usage);
        snprintf(line, sizeof line, ".TP\n:%s%s%s\n%s\n", command->name, *usage ? " " : "", usage,
                 command->summary);
        free(usage);
        check_has("man", page, line);
    }
    for (int i = 0; i < setting_count; i++) {
        snprintf(line, sizeof line, ".TP\n%s (", setting_table[i].name);
        check_has("man", page, line);
        check_has("man", page, setting_table[i].help);
    }
    for (int i = 0; i < option_count; i++) {
        const struct program_option *option = &option_table[i];
        snprintf(line, sizeof line, ".TP\n-%s%s%s%s\n%s\n", option->letter ? "" : "-",
                 option->letter ? (char[]){option->letter, '\0'} : option->name,
                 option->value ? " " : "", option->value ? option->value : "", option->summary);
        check_has("man", page, line);
    }
    free(page);
}

static void the_manual_page_has_every_key(void **state)
{
    char *page = without_escapes(built("attnscope.1")), line[400];
    for (int i = 0; i < key_count; i++) {
        snprintf(line, sizeof line, "\n.TP\n%s (", key_table[i].ascii);
        check_has("man", page, line);
        snprintf(line, sizeof line, ")\n%s\n", key_table[i].help);
        check_has("man", page, line);
    }
    free(page);
}

static void the_manual_page_writes_notation_and_signs_for_roff(void **state)
{
    char *page = built("attnscope.1");
    check_has("man", page,
              "\n\\fB:mask\\fR \\fISELECTOR\\fR \\fBglobal\\fR|\\fBlocal\\fR "
              "\\fIW\\fR|\\fBforward\\fR|\\fBbackward\\fR\n");
    check_has("man", page, "\n\\fB:score\\fR \\fISRC\\fR \\fB|||\\fR \\fITGT\\fR\n");
    check_has("man", page, "\n\\fB\\-\\-device\\fR \\fIDEVICE\\fR\n");
    check_has("man", page, "\ngates of context-aware attention");
    check_has("man", page, "A piece after \\[u00B7] continues its word; </s> is the end");
    free(page);
}

/* A line that begins with a full stop or an apostrophe is a request; all else is text in ASCII. */
static void the_manual_page_has_no_request_but_its_own(void **state)
{
    static const char *const requests[] = {".\\\" ", ".TH ",  ".SH ",  ".TP\n", ".PP\n",
                                           ".RS ",   ".RE\n", ".EX\n", ".EE\n", ".br\n",
                                           ".B ",    ".I ",   ".BR ",  ".IR "};
    char *page = built("attnscope.1");
    for (const char *c = page; *c; c++)
        assert_in_range((unsigned char)*c, '\n', '~');
    for (const char *line = page; *line; line += strcspn(line, "\n") + 1) {
        size_t i = 0, count = sizeof requests / sizeof *requests;
        assert_int_not_equal(*line, '\'');
        while (*line == '.' && i < count && strncmp(line, requests[i], strlen(requests[i])) != 0)
            i++;
        if (i == count)
            fail_msg("no request of ours: %.*s", (int)strcspn(line, "\n"), line);
    }
    free(page);
}

static void the_manual_page_explains_selectors_once(void **state)
{
    char *page = built("attnscope.1");
    const char *explained = strstr(page, "cross 2.7 is short for");
    assert_non_null(explained);
    assert_null(strstr(explained + 1, "cross 2.7 is short for"));
    free(page);
}

static void the_markdown_has_every_line_of_the_tables(void **state)
{
    char *tables = generate("markdown"), line[400];
    for (int i = 0; i < command_count; i++) {
        snprintf(line, sizeof line, "\n| `:%s", command_table[i]->name);
        check_has("markdown", tables, line);
    }
    for (int i = 0; i < setting_count; i++) {
        snprintf(line, sizeof line, "\n| `%s` | ", setting_table[i].name);
        check_has("markdown", tables, line);
    }
    for (int i = 0; i < key_count; i++) {
        snprintf(line, sizeof line, "\n| `%s` | ", key_table[i].name);
        check_has("markdown", tables, line);
        snprintf(line, sizeof line, " | %.20s", key_table[i].help);
        check_has("markdown", tables, line);
    }
    for (int i = 0; i < option_count; i++) {
        const struct program_option *option = &option_table[i];
        if (option->letter)
            snprintf(line, sizeof line, "\n| `-%c", option->letter);
        else
            snprintf(line, sizeof line, "\n| `--%s", option->name);
        check_has("markdown", tables, line);
    }
    free(tables);
}

static void the_markdown_writes_signs_as_text(void **state)
{
    char *tables = generate("markdown");
    check_has(
        "markdown", tables,
        "\n| `:score SRC \\|\\|\\| TGT` | log-probability of a translation, token by token |\n");
    check_has("markdown", tables,
              "\n| `max_length.plus` | 0 to 1000000 | maximum length of a translation: factor \\* "
              "source");
    check_has("markdown", tables, "\n| `length_penalty` | none, average, wu | length");
    free(tables);
}

static void completions_have_every_option_and_command(void **state)
{
    static const struct {
        const char *page, *command, *letter, *name; // what stands before each
    } shells[] = {{"attnscope.bash", ":", " -", " --"},
                  {"_attnscope", "'\\:", "-", "--"},
                  {"attnscope.fish", " :", " -s ", " -l "}};
    for (size_t shell = 0; shell < sizeof shells / sizeof *shells; shell++) {
        char *script = built(shells[shell].page), word[100];
        for (int i = 0; i < command_count; i++) {
            snprintf(word, sizeof word, "%s%s", shells[shell].command, command_table[i]->name);
            check_has(shells[shell].page, script, word);
        }
        for (int i = 0; i < option_count; i++) {
            if (option_table[i].letter)
                snprintf(word, sizeof word, "%s%c", shells[shell].letter, option_table[i].letter);
            else
                snprintf(word, sizeof word, "%s%s", shells[shell].name, option_table[i].name);
            check_has(shells[shell].page, script, word);
        }
        free(script);
    }
}

/* Which libFuzzer makes lines of. */
static void the_dictionary_of_fuzz_targets_has_every_command_and_setting(void **state)
{
    char word[64];
    char *text = cli_read("tests/fuzz/commands.dict", NULL);
    for (int i = 0; i < command_count; i++) {
        snprintf(word, sizeof word, "\":%s\"\n", command_table[i]->name);
        check_has("the dictionary", text, word);
    }
    for (int i = 0; i < setting_count; i++) {
        snprintf(word, sizeof word, "\"%s\"\n", setting_table[i].name);
        check_has("the dictionary", text, word);
    }
    free(text);
}

static void run_shell(const char *shell, const char *variables, const char *script, char *out,
                      size_t room)
{
    char command[4096];
    snprintf(command, sizeof command,
             "env -u HF_HUB_CACHE -u HUGGINGFACE_HUB_CACHE -u HF_HOME -u XDG_CACHE_HOME %s %s '%s' "
             "2>&1",
             variables, shell, script);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, room - 1, pipe)] = '\0';
    pclose(pipe);
}

/* The cache of the hub, wherever it is; of shells that are not installed nothing is known. */
static void completions_name_the_models_of_the_hub(void **state)
{
    static const struct {
        const char *shell, *name, *script;
    } shells[] = {{"bash", "bash -c", ". $BUILT/attnscope.bash; _attnscope_hub_models"},
                  {"zsh", "zsh -f -c",
                   "compdef() { :; }; compadd() { print -l $models; }; . $BUILT/_attnscope; "
                   "_attnscope_hub_models"},
                  {"fish", "fish -N -c", "source $BUILT/attnscope.fish; __attnscope_hub_models"}};
    static const char *const places[][2] = {{"HF_HUB_CACHE", ""},
                                            {"HUGGINGFACE_HUB_CACHE", ""},
                                            {"HF_HOME", "hub"},
                                            {"XDG_CACHE_HOME", "huggingface/hub"},
                                            {"HOME", ".cache/huggingface/hub"}};
    const char *program = cli_program(), *end = strrchr(program, '/');
    assert_non_null(end);
    for (size_t s = 0; s < sizeof shells / sizeof *shells; s++) {
        char found[1000], variables[2048], hub[300];
        snprintf(variables, sizeof variables, "command -v %s", shells[s].shell);
        if (system(variables) != 0) // NOLINT(cert-env33-c)
            continue;
        for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
            char *at = hub;
            snprintf(hub, sizeof hub, "%s/%zu%zu/%s/models--An-Org--opus-mt-en-de", cli_folder(), s,
                     place, places[place][1]);
            while ((at = strchr(at + 1, '/'))) {
                *at = '\0';
                mkdir(hub, 0777);
                *at = '/';
            }
            mkdir(hub, 0777);
            snprintf(variables, sizeof variables, "BUILT=%.*s %s=%s/%zu%zu", (int)(end - program),
                     program, places[place][0], cli_folder(), s, place);
            run_shell(shells[s].name, variables, shells[s].script, found, sizeof found);
            if (strcmp(found, "An-Org/opus-mt-en-de\n") != 0)
                fail_msg("%s, %s: %s", shells[s].shell, variables, found);
        }
    }
}

static void help_has_every_option_and_fits_a_terminal(void **state)
{
    static const char *const arguments[] = {"--help", NULL};
    struct outcome outcome = cli_run(arguments);
    for (int i = 0; i < option_count; i++)
        check_has("help", outcome.out, option_table[i].summary);
    for (const char *line = outcome.out; *line; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 80)
            fail_msg("wider than 80 columns: %.*s", (int)strcspn(line, "\n"), line);
    outcome_free(&outcome);
}

/* Lines of text as one. */
static void join_lines(char *text)
{
    for (char *at = text; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
}

static void check_fits(const char *text, int columns)
{
    char *line = strndup(text, strcspn(text, "\n"));
    if (display_width(line) > columns)
        fail_msg("wider than %d: %s", columns, line);
    free(line);
}

/* The lines that a user of tmux copies, in the help, in the manual page and in doc/manual.md. */
static void help_says_how_to_get_all_colours(void **state)
{
    static const char *const typed[] = {
        "set -g default-terminal tmux-256color", "set -as terminal-features \",*:RGB\"",
        "set-environment -g COLORTERM truecolor", "export COLORTERM=truecolor"};
    static const char *const spellings[] = {":help colours", ":help colors"};
    for (int i = 0; i < 2; i++) {
        const char *const arguments[] = {CPU, MODEL, "-e", spellings[i], NULL};
        struct outcome outcome = cli_run(arguments);
        assert_int_equal(outcome.code, 0);
        for (size_t t = 0; t < sizeof typed / sizeof *typed; t++)
            check_has(spellings[i], outcome.out, typed[t]);
        outcome_free(&outcome);
    }
    char *manual = cli_read("doc/manual.md", NULL);
    for (size_t t = 0; t < sizeof typed / sizeof *typed; t++)
        check_has("doc/manual.md", manual, typed[t]);
    free(manual);
}

/* In the help, and in the manual page once: it has the table of keys too. */
static void help_says_how_prompt_and_view_take_turns(void **state)
{
    static const char rule[] =
        "Letters go to the prompt while the cursor is in it, to the view after Esc,";
    const char *const help[] = {CPU, MODEL, "-e", ":help keys", NULL};
    struct outcome outcome = cli_run(help);
    join_lines(outcome.out);
    check_has(":help keys", outcome.out, rule);
    outcome_free(&outcome);
    char *page = built("attnscope.1");
    join_lines(page);
    char *first = strstr(page, rule);
    assert_non_null(first);
    assert_null(strstr(first + 1, rule));
    assert_non_null(strstr(first, "The view has these keys:"));
    free(page);
}

/* Words without what laying out puts between them. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (*at != ' ' && *at != '\n')
            *to++ = *at;
    *to = '\0';
}

static void check_said(const char *line, const char *shown, const char *said)
{
    char *expected = strdup(said);
    squeeze(expected);
    check_has(line, shown, expected);
    free(expected);
}

/* Usage, examples, and all that the command says of itself. */
static void check_sections(const char *line, char *shown, const struct command *command)
{
    squeeze(shown);
    check_said(line, shown, "USAGE");
    check_said(line, shown, "EXAMPLES");
    for (const char *const *example = command->examples; *example; example++)
        check_said(line, shown, *example);
    for (const struct help_item *item = command->meanings; item && item->name; item++)
        check_said(line, shown, item->text);
    for (const struct help_item *item = command->columns; item && item->name; item++)
        check_said(line, shown, item->text);
    for (const char *const *note = command->notes; note && *note; note++)
        check_said(line, shown, *note);
}

static void help_of_a_command_says_all_and_fits_any_terminal(void **state)
{
    static const char *const widths[] = {"40", "80", "200"};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int i = 0; i < command_count; i++) {
            char line[64];
            const char *const arguments[] = {CPU, MODEL, "-e", line, NULL};
            snprintf(line, sizeof line, ":help %s", command_table[i]->name);
            setenv("COLUMNS", widths[w], 1);
            struct outcome outcome = cli_run(arguments);
            unsetenv("COLUMNS");
            assert_int_equal(outcome.code, 0);
            // What is to be copied is not broken: the usage and the examples.
            for (const char *at = outcome.out; *at; at += strcspn(at, "\n") + 1)
                if (*at != ':')
                    check_fits(at, atoi(widths[w]));
            check_sections(line, outcome.out, command_table[i]);
            outcome_free(&outcome);
        }
}

static void tables_can_be_listed(void **state)
{
    for (int i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        size_t length = strlen(command->summary);
        if (length == 0 || length > 76 || strchr(command->summary, '\n') ||
            command->summary[length - 1] == '.')
            fail_msg(":%s: \"%s\" is no summary of one line", command->name, command->summary);
        for (const char *const *note = command->notes; note && *note; note++)
            if (strchr(*note, '\n'))
                fail_msg(":%s: a note has a line break", command->name);
    }
}

static void a_manual_that_cannot_be_written_is_an_error(void **state)
{
    static const char *const arguments[] = {"--generate", "man", NULL};
    int in = cli_scratch(), err = cli_scratch(), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    assert_int_equal(cli_finish(cli_start(arguments, in, full, err)), 1);
    lseek(err, 0, SEEK_SET);
    struct outcome outcome = {.err = cli_read_all(err)};
    cli_check_message(arguments, &outcome, 1, "No space left on device");
    outcome_free(&outcome);
    close(in);
    close(err);
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_manual_page_has_every_line_of_the_tables),
        cmocka_unit_test(the_manual_page_has_every_key),
        cmocka_unit_test(the_manual_page_writes_notation_and_signs_for_roff),
        cmocka_unit_test(the_manual_page_has_no_request_but_its_own),
        cmocka_unit_test(the_manual_page_explains_selectors_once),
        cmocka_unit_test(the_markdown_has_every_line_of_the_tables),
        cmocka_unit_test(the_markdown_writes_signs_as_text),
        cmocka_unit_test(completions_have_every_option_and_command),
        cmocka_unit_test(the_dictionary_of_fuzz_targets_has_every_command_and_setting),
        cmocka_unit_test(completions_name_the_models_of_the_hub),
        cmocka_unit_test(help_has_every_option_and_fits_a_terminal),
        cmocka_unit_test(help_says_how_to_get_all_colours),
        cmocka_unit_test(help_says_how_prompt_and_view_take_turns),
        cmocka_unit_test(help_of_a_command_says_all_and_fits_any_terminal),
        cmocka_unit_test(tables_can_be_listed),
        cmocka_unit_test(a_manual_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
