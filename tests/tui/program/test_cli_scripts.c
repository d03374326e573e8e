/* The program in scripts: where commands come from, where output goes, and what Ctrl-C ends. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

static void commands_come_from_files_and_standard_input(void **state)
{
    static const char script[] =
        ":#the dog\n  \nthe dog\r\n:attn layer 9\n# a cat\n:quit\nthe dog\n";
    char *path = strdup(cli_write("script", script));
    const char *const from_file[] = {CPU, MODEL, "-f", path, NULL};
    const char *const from_input[] = {CPU, MODEL, NULL}, *const dash[] = {CPU, "-f", "-", MODEL,
                                                                          NULL};
    const char *const *const ways[] = {from_file, from_input, dash};
    for (int way = 0; way < 3; way++) {
        struct outcome outcome = cli_run_with(ways[way], script, strlen(script));
        assert_int_equal(outcome.code, 1);
        assert_int_equal(cli_count_lines(outcome.out), 2); // ":#" is a comment, "#" a sentence
        cli_check_message(ways[way], &outcome, 2, ":4: :attn: layer 9");
        assert_non_null(strstr(outcome.err, ":5: :sentence: warning: not in the vocabulary: #"));
        outcome_free(&outcome);
    }
    free(path);
}

static void scripts_that_cannot_be_read_are_errors(void **state)
{
    static const struct {
        const char *path, *says;
    } cases[] = {{"nosuch", "nosuch: No such file"},
                 {"/", "/: Is a directory"},
                 {"/dev/zero", "/dev/zero:1: a line longer than"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const plain[] = {CPU, MODEL, "-f", cases[i].path, NULL};
        const char *const json[] = {CPU, "--json", MODEL, "-f", cases[i].path, NULL};
        struct outcome outcome = cli_run(plain);
        assert_int_equal(outcome.code, 1);
        cli_check_message(plain, &outcome, 1, cases[i].says);
        outcome_free(&outcome);
        outcome = cli_run(json);
        assert_int_equal(outcome.code, 1);
        json_decref(cli_object(json, outcome.out, 0));
        outcome_free(&outcome);
    }
}

static void a_nul_byte_spoils_its_line_alone(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    static const char input[] = "the dog\nthe \0cat \0\na cat\n";
    struct outcome outcome = cli_run_with(arguments, input, sizeof input - 1);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.out), 2);
    cli_check_message(arguments, &outcome, 1, "standard input:2: a NUL byte at byte 5");
    outcome_free(&outcome);
}

/* Plain messages say where they come from; as JSON each command gives its object, then the
 * script. */
static void scripts_that_run_scripts_say_what_ran_where(void **state)
{
    static const char *const commands[] = {"set", "nonsense", "source", "source"};
    char *inner = strdup(cli_write("two", ":set beam 2\n:nonsense\n")), outer[PATH_MAX + 32],
         line[PATH_MAX + 32], says[PATH_MAX + 64];
    snprintf(outer, sizeof outer, "\n:source %s\n", inner);
    snprintf(line, sizeof line, ":source %s", cli_write("script", outer));
    snprintf(says, sizeof says, "attnscope: %s:2: unknown command :nonsense", inner);
    const char *const plain[] = {CPU, MODEL, "-e", line, NULL}, *const json[] = {CPU,   "--json",
                                                                                 MODEL, "-e",
                                                                                 line,  NULL};
    struct outcome outcome = cli_run(plain);
    assert_int_equal(outcome.code, 1);
    assert_string_equal(outcome.out, "");
    assert_non_null(strstr(outcome.err, "search: beam 2\n"));
    assert_non_null(strstr(outcome.err, says));
    outcome_free(&outcome);
    outcome = cli_run(json);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.out), 4);
    for (int i = 0; i < 4; i++) {
        json_t *object = cli_object(json, outcome.out, i);
        assert_string_equal(json_string_value(json_object_get(object, "command")), commands[i]);
        assert_int_equal(json_is_true(json_object_get(object, "ok")), i != 1);
        json_t *failed = json_object_get(object, "failed");
        assert_int_equal(failed ? json_integer_value(failed) : -1, i < 2 ? -1 : 3 - i);
        json_decref(object);
    }
    outcome_free(&outcome);
    free(inner);
}

/* What follows would give numbers of another model. A program at a pipe can ask again. */
static void scripts_stop_where_their_model_does_not_load(void **state)
{
    static const char lines[] = ":load nosuch\nthe dog\n";
    char *inner = strdup(cli_write("two", lines)), outer[PATH_MAX + 32];
    snprintf(outer, sizeof outer, ":source %s\na cat\n", inner);
    char *path = strdup(cli_write("script", outer));
    const struct {
        const char *const arguments[8];
        int translations;
        const char *says;
    } cases[] = {
        {{CPU, MODEL, "-f", inner, NULL}, 0, "two: stopped: line 1 failed"},
        {{CPU, MODEL, "-f", path, "-e", "the dog", NULL}, 0, "script: stopped: line 1 failed"},
        {{CPU, MODEL, "-f", path, "-f", "-", NULL}, 1, "standard input:1: :load: nosuch"},
        {{CPU, MODEL, "-e", ":model nosuch", "-e", "the dog", NULL}, 0, "the rest of the command"},
        {{CPU, MODEL, "-e", ":disable nosuch", "-e", "the dog", NULL}, 1, ":disable: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome outcome = cli_run_with(cases[i].arguments, lines, strlen(lines));
        assert_int_equal(outcome.code, 1);
        assert_int_equal(cli_count_lines(outcome.out), cases[i].translations);
        assert_non_null(strstr(outcome.err, cases[i].says));
        outcome_free(&outcome);
    }
    free(inner);
    free(path);
}

static void a_very_long_line_is_one_clear_error(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    size_t size = 3 << 20;
    char *input = malloc(size);
    for (size_t i = 0; i < size; i++)
        input[i] = "the "[i % 4];
    struct outcome outcome = cli_run_with(arguments, input, size);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, "tokens, expected at most 64 (max_positions)");
    outcome_free(&outcome);
    free(input);
}

/* What follows them is computed otherwise: whoever reads it later is to see how. It is not among
 * the results, which may be a file of translations. */
static void changes_say_in_one_line_what_holds_from_here_on(void **state)
{
    char line[PATH_MAX + 32];
    snprintf(line, sizeof line, ":translate %s", cli_write("two", "the dog\na cat\n"));
    const char *const arguments[] = {CPU,  MODEL,         "-e", ":disable enc head 2",
                                     "-e", ":set beam 2", "-e", ":mask enc layer 1 head 1 forward",
                                     "-e", ":undo",       "-e", ":set batch 2",
                                     "-e", ":set beam 5", "-e", ":enable",
                                     "-e", line,          NULL};
    static const char changes[] =
        "off: encoder layer 1-2 head 2\n"
        "search: beam 2\n"
        "off: encoder layer 1-2 head 2\nchanged: encoder layer 1 head 1\n"
        " *  state current  model " MODEL "\n       off        encoder layer 1-2 head 2\n"
        "       search     beam 2\n"
        "search: as the checkpoint has it\n"
        "all heads are on and as the checkpoint has them\n";
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.err, changes);
    assert_int_equal(cli_count_lines(outcome.out), 2);
    outcome_free(&outcome);
    const char *const quiet[] = {CPU, "--quiet", MODEL, "-e", ":disable enc head 2", NULL};
    outcome = cli_run(quiet);
    assert_string_equal(outcome.err, "");
    outcome_free(&outcome);
}

static void heads_that_are_off_are_listed_when_asked_for(void **state)
{
    const char *const arguments[] = {CPU,  MODEL,       "-e", ":disable enc head 2",
                                     "-e", ":disabled", NULL};
    struct outcome outcome = cli_run(arguments);
    assert_string_equal(outcome.out, "off: encoder layer 1-2 head 2\n");
    outcome_free(&outcome);
}

static void output_that_cannot_be_written_is_an_error(void **state)
{
    const char *const translate[] = {CPU, MODEL, "-e", SENTENCE, "-e", SENTENCE, NULL};
    const char *const json[] = {CPU, "--json", MODEL, "-e", ":nonsense", "-e", ":help", NULL};
    const char *const help[] = {"--help", NULL};
    const char *const *const ways[] = {translate, json, help};
    for (int way = 0; way < 3; way++)
        for (int closed = 0; closed < 2; closed++) {
            int in = cli_scratch(), err = cli_scratch(),
                out = open("/dev/full", O_WRONLY | O_CLOEXEC), ends[2];
            if (closed) {
                close(out);
                assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
                close(ends[0]);
                out = ends[1];
            }
            struct outcome outcome = {.code = cli_finish(cli_start(ways[way], in, out, err))};
            lseek(err, 0, SEEK_SET);
            outcome.err = cli_read_all(err);
            assert_int_equal(outcome.code, closed ? 256 + SIGPIPE : 1);
            if (closed) // the reader has enough
                assert_string_equal(outcome.err, "");
            else
                cli_check_message(ways[way], &outcome, 1, "standard output");
            outcome_free(&outcome);
            close(in);
            close(out);
            close(err);
        }
}

/* A file long enough that its translations do not fit into a pipe. */
static char *write_many_lines(int lines)
{
    char *text = malloc((size_t)lines * 16 + 1), *end = text;
    for (int i = 0; i < lines; i++)
        end += sprintf(end, "the dog sees\n");
    char *path = strdup(cli_write("many", text));
    free(text);
    return path;
}

static void an_interrupted_file_keeps_its_first_lines(void **state)
{
    enum { LINES = 20000 };
    char *path = write_many_lines(LINES), line[PATH_MAX + 32];
    snprintf(line, sizeof line, ":translate %s", path);
    const char *const arguments[] = {CPU,  "--threads", "1",  MODEL,   "-e", ":set batch 8",
                                     "-e", line,        "-e", ":info", NULL};
    int in = cli_scratch(), err = cli_scratch(), ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = cli_start(arguments, in, ends[1], err);
    close(ends[1]);
    char first;
    assert_int_equal(read(ends[0], &first, 1), 1); // it is at work
    kill(child, SIGINT);
    struct outcome outcome = {.out = cli_read_all(ends[0])};
    outcome.code = cli_finish(child);
    lseek(err, 0, SEEK_SET);
    outcome.err = cli_read_all(err);
    assert_int_equal(outcome.code, 256 + SIGINT); // a shell's loop ends, too
    cli_check_message(arguments, &outcome, 1, "interrupted");
    int finished = 0;
    const char *counts = strstr(outcome.err, "the first ");
    assert_true(counts && sscanf(counts, "the first %d of 20000 lines", &finished) == 1);
    assert_int_equal((first == '\n') + cli_count_lines(outcome.out), finished);
    assert_true(finished > 0 && finished < LINES);
    assert_int_equal(outcome.out[strlen(outcome.out) - 1], '\n');
    assert_null(strstr(outcome.out, "sha256")); // what follows is not run
    outcome_free(&outcome);
    free(path);
    close(in);
    close(err);
    close(ends[0]);
}

static void ctrl_c_ends_a_script_that_waits(void **state)
{
    const char *const arguments[] = {CPU, MODEL, NULL};
    int in[2], out[2], err = cli_scratch();
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t child = cli_start(arguments, in[0], out[1], err);
    assert_int_equal(write(in[1], "the dog\n", 8), 8);
    char first;
    assert_int_equal(read(out[0], &first, 1), 1);
    kill(child, SIGINT);
    assert_int_equal(cli_finish(child), 256 + SIGINT);
    close(in[0]);
    close(in[1]);
    close(out[0]);
    close(out[1]);
    close(err);
}

/* What `command` shows in a script, after a sentence, as JSON; freed with free(). */
static char *shown_by(const char *script)
{
    const char *const arguments[] = {CPU, "--json", MODEL, "-f", script, NULL};
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s: %s", script, outcome.out);
    free(outcome.err);
    char *last = outcome.out + strlen(outcome.out) - 1;
    *last = '\0';
    char *line = strdup(strrchr(outcome.out, '\n') + 1);
    free(outcome.out);
    return line;
}

/* Typed, exported by name, and in a saved session. */
static void sentences_may_hold_bars_and_quotes(void **state)
{
    static const char *const commands[] = {"patch \"the ||| cat\" ||| cross",
                                           "patch it's the cat ||| cross",
                                           "patch \"\\\"the\\\" ||| cat's\" ||| cross"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char text[800];
        remove(cli_path("saved"));
        snprintf(text, sizeof text, "the dog\n:%s\n:save %s\n:%s\n", commands[i], cli_path("saved"),
                 commands[i]);
        char *typed = shown_by(cli_write("typed", text)), *saved = shown_by(cli_path("saved"));
        assert_string_equal(saved, typed);
        free(typed);
        free(saved);
    }
}

/* The quotes are not part of the texts: without bars both ways are the same. */
static void quoted_texts_are_scored_without_their_quotes(void **state)
{
    json_t *plain = cli_answer(MODEL, ":score the dog ||| der hund");
    json_t *quoted = cli_answer(MODEL, ":score \"the dog\" ||| 'der hund'");
    json_t *bars = cli_answer(MODEL, ":score \"the ||| dog\" ||| \"der ||| hund\"");
    assert_true(
        json_equal(json_object_get(plain, "logprobs"), json_object_get(quoted, "logprobs")));
    assert_true(json_array_size(json_object_get(bars, "logprobs")) >
                json_array_size(json_object_get(plain, "logprobs")));
    json_decref(plain);
    json_decref(quoted);
    json_decref(bars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_come_from_files_and_standard_input),
        cmocka_unit_test(scripts_that_cannot_be_read_are_errors),
        cmocka_unit_test(a_nul_byte_spoils_its_line_alone),
        cmocka_unit_test(scripts_that_run_scripts_say_what_ran_where),
        cmocka_unit_test(scripts_stop_where_their_model_does_not_load),
        cmocka_unit_test(a_very_long_line_is_one_clear_error),
        cmocka_unit_test(changes_say_in_one_line_what_holds_from_here_on),
        cmocka_unit_test(heads_that_are_off_are_listed_when_asked_for),
        cmocka_unit_test(output_that_cannot_be_written_is_an_error),
        cmocka_unit_test(an_interrupted_file_keeps_its_first_lines),
        cmocka_unit_test(ctrl_c_ends_a_script_that_waits),
        cmocka_unit_test(sentences_may_hold_bars_and_quotes),
        cmocka_unit_test(quoted_texts_are_scored_without_their_quotes),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
