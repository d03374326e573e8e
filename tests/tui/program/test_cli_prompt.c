/* The program at a terminal: its prompt, Ctrl-C, and pictures that fit. */
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>
#include <wchar.h>

#include "tests/support/cli_support.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"

#define PROMPT "vanilla_post> "
static void a_terminal_on_standard_input_gets_a_prompt(void **state)
{
    static const struct {
        const char *arguments[8];
        int code;
    } cases[] = {
        {{CPU, MODEL}, 0},
        {{CPU, MODEL, "-f", "-"}, 0},
        {{CPU, MODEL, "-e", "the dog", "-f", "-"}, 0},
        {{CPU, MODEL, "-e", ":nonsense", "-f", "-"}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct terminal terminal = terminal_open(cases[i].arguments, 80, 24);
        terminal_expect(&terminal, "Ctrl-D ends\r\n" PROMPT);
        terminal_type(&terminal, ":attn layer 3\n");
        terminal_expect(&terminal, "attnscope: :attn: layer 3: the encoder has layers 1 to 2");
        terminal_expect(&terminal, PROMPT);
        terminal_type(&terminal, "\x04");
        if (terminal_close(&terminal) != cases[i].code)
            fail_msg("%s: not %d", cli_command_line(cases[i].arguments), cases[i].code);
        free(terminal.text);
    }
}

static void commands_after_the_prompt_follow_its_end(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, "-f", "-", "-e", ":disabled", NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":disable enc head 2\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    terminal_expect(&terminal, "off: encoder layer 1-2 head 2");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
}

static void json_has_no_prompt(void **state)
{
    static const char *const arguments[] = {CPU, "--json", MODEL, "-f", "-", NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    terminal_type(&terminal, ":quit\n");
    assert_int_equal(terminal_close(&terminal), 0);
    assert_null(strstr(terminal.text, PROMPT));
    assert_non_null(strstr(terminal.text, "{\"command\":\"quit\",\"ok\":true,"));
    free(terminal.text);
}

/* ":translate" of a file with so many lines; returns the command until the next call. */
static const char *translate_many(int lines)
{
    static char line[PATH_MAX + 100];
    char *text = calloc((size_t)lines + 1, 8);
    for (int i = 0; i < lines; i++)
        memcpy(text + (size_t)i * 8, "the dog\n", 8);
    snprintf(line, sizeof line, ":translate %s", cli_write("many", text));
    free(text);
    return line;
}

static bool shows_progress(const char *line, const char *option)
{
    const char *const arguments[] = {CPU, MODEL, "-e", line, option, NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    assert_int_equal(terminal_close(&terminal), 0);
    bool shown = strstr(terminal.text, "translating ");
    free(terminal.text);
    return shown;
}

/* Progress is shown of work that takes half a second: as many lines are written as that is enough
 * for here. */
static void quiet_shows_no_progress(void **state)
{
    int lines = 2500;
    while (!shows_progress(translate_many(lines), NULL))
        lines *= 2;
    assert_false(shows_progress(translate_many(2 * lines), "--quiet"));
}

static bool translates_with_a_bar(struct terminal *terminal, int lines)
{
    terminal_type(terminal, translate_many(lines));
    terminal_type(terminal, "\n");
    char *before = terminal_read_before(terminal, "translating ", PROMPT);
    bool has_bar = before != NULL;
    free(before);
    return has_bar;
}

static void long_work_shows_how_far_it_is(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    char finished[100];
    int lines = 2500;
    struct terminal terminal = terminal_open(arguments, 80, 24);
    terminal_expect(&terminal, PROMPT);
    while (!translates_with_a_bar(&terminal, lines))
        lines *= 2;
    terminal_expect(&terminal, "% ");
    terminal_expect(&terminal, " sentences ");
    terminal_expect(&terminal, "/s ");
    terminal_expect(&terminal, " left");
    terminal_type(&terminal, "\x03");
    snprintf(finished, sizeof finished, "of %d lines are finished\r\n", lines);
    terminal_expect(&terminal, finished);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
}

static void ctrl_c_at_the_prompt_begins_a_new_line(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, "-f", "-", NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    terminal_expect(&terminal, PROMPT);
    kill(terminal.child, SIGINT);
    terminal_expect(&terminal, "\r\n" PROMPT);
    terminal_type(&terminal, ":disabled\n");
    terminal_expect(&terminal, "all heads are on");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":quit\n");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
}

static void ctrl_c_in_a_file_goes_back_to_the_prompt(void **state)
{
    enum { LINES = 20000 };
    static const char *const arguments[] = {CPU, "--threads", "1", MODEL, "-f", "-", NULL};
    static const char line[] = "the dog sees\n";
    char *text = calloc(LINES, sizeof line), command[PATH_MAX + 32];
    for (int i = 0; i < LINES; i++)
        memcpy(text + i * (sizeof line - 1), line, sizeof line - 1);
    snprintf(command, sizeof command, ":translate %s\n", cli_write("many", text));
    free(text);
    struct terminal terminal = terminal_open(arguments, 80, 24);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, command);
    terminal_expect(&terminal, "\n"); // what was typed
    terminal_expect(&terminal, "\n"); // a translation
    kill(terminal.child, SIGINT);
    terminal_expect(&terminal, "of 20000 lines are finished\r\n" PROMPT);
    terminal_type(&terminal, ":set beam 1\n");
    terminal_expect(&terminal, "beam  1 ");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
}

/* Columns of a line as the C library counts them. */
static int columns_of(const char *line)
{
    wchar_t wide[1000];
    size_t count = mbstowcs(wide, line, 1000);
    assert_true(count < 1000);
    return wcswidth(wide, count);
}

static void words_that_the_model_does_not_know_are_named(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "the zebra sees a giraffe\n");
    terminal_expect(&terminal, "not in the vocabulary: zebra  giraffe\r\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
    // Not where all are known, and not among what a script reads.
    const char *const known[] = {CPU, MODEL, "-e", SENTENCE, "-f", "-", NULL};
    terminal = terminal_open(known, 80, 24);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    assert_null(strstr(terminal.text, "vocabulary"));
    free(terminal.text);
    const char *const script[] = {CPU, MODEL, "-e", "the zebra", NULL};
    struct outcome outcome = cli_run(script);
    assert_int_equal(cli_count_lines(outcome.out), 1);
    assert_string_equal(outcome.err,
                        "attnscope: :sentence: warning: not in the vocabulary: zebra\n");
    outcome_free(&outcome);
}

/* True if a line is of a title or a legend; else it has labels or cells. */
static bool is_text(const char *line)
{
    static const char *const words[] = {"layer", "head", "learned", " at ", "entropy", "target"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(line, words[i]))
            return true;
    return false;
}

/* Lines between texts or empty lines are of one block: equally wide. */
static void check_picture(char *text, int columns)
{
    int width = 0;
    for (char *line; (line = strsep(&text, "\n"));) {
        line[strcspn(line, "\r")] = '\0';
        bool block = *line && !is_text(line);
        int wide = columns_of(line);
        if (wide < 0 || wide > columns)
            fail_msg("\"%s\" takes %d of %d columns", line, wide, columns);
        if (block && width && wide != width)
            fail_msg("\"%s\" takes %d columns, expected %d", line, wide, width);
        width = block ? wide : 0;
    }
}

static void pictures_fit_and_their_lines_are_equally_long(void **state)
{
    static const char *const sources[] = {"the dog sees a cat", "日本語 の テスト です 。",
                                          "cafe\xCC\x81 🙂 한국 ｶﾞ dog"};
    static const int widths[] = {40, 80, 200};
    for (size_t i = 0; i < 3; i++)
        for (size_t w = 0; w < 3; w++) {
            const char *const arguments[] = {CPU,  MODEL,
                                             "-e", sources[i],
                                             "-e", ":attn cross head mean",
                                             "-e", ":attn enc layer 2 head 3 word",
                                             "-e", ":attn dec head max",
                                             NULL};
            struct terminal terminal = terminal_open(arguments, widths[w], 24);
            assert_int_equal(terminal_close(&terminal), 0);
            char *pictures = strstr(terminal.text, "\n cross");
            assert_non_null(pictures);
            check_picture(pictures + 1, widths[w]);
            free(terminal.text);
        }
}

/* A model whose heads all differ. */
static void what_a_model_is_fits_a_terminal(void **state)
{
    static const char *const arguments[] = {CPU, GATES, "-e", ":info", NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    assert_int_equal(terminal_close(&terminal), 0);
    char *text = terminal.text;
    assert_non_null(strstr(text, "\r\n            layer 2: 1 last; 2 learned; 3 forward; 4 "
                                 "learned; combined by dhicm\r\n            (d_m 5)\r\n"));
    for (char *line; (line = strsep(&text, "\n"));) {
        line[strcspn(line, "\r")] = '\0';
        if (columns_of(line) > 80)
            fail_msg("wider than 80 columns: %s", line);
    }
    free(terminal.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_on_standard_input_gets_a_prompt),
        cmocka_unit_test(commands_after_the_prompt_follow_its_end),
        cmocka_unit_test(json_has_no_prompt),
        cmocka_unit_test(quiet_shows_no_progress),
        cmocka_unit_test(long_work_shows_how_far_it_is),
        cmocka_unit_test(ctrl_c_at_the_prompt_begins_a_new_line),
        cmocka_unit_test(ctrl_c_in_a_file_goes_back_to_the_prompt),
        cmocka_unit_test(words_that_the_model_does_not_know_are_named),
        cmocka_unit_test(pictures_fit_and_their_lines_are_equally_long),
        cmocka_unit_test(what_a_model_is_fits_a_terminal),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
