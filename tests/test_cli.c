/* The program as a user runs it: what it prints where, and what it ends with. The binary is
 * $ATTNSCOPE, or attnscope in the folder above this test's own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#define MODEL "tests/golden/vanilla_post.bin"
#define FIXED "tests/golden/fixed_7f1l.bin"
#define GATES "tests/golden/mixture_decoder.bin"
#define CPU "--device", "cpu"
enum { MOST_ARGUMENTS = 24 };

static char program[PATH_MAX];
static char folder[] = "/tmp/attnscope-cli-XXXXXX";

struct outcome {
    int code; // exit code, or 256 + signal
    char *out, *err;
};

/* Running -------------------------------------------------------------------------------------- */

static char *read_all(int file)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    char buffer[65536];
    ssize_t count;
    while ((count = read(file, buffer, sizeof buffer)) > 0)
        fwrite(buffer, 1, count, stream);
    fclose(stream);
    return text;
}

static int finish(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* Starts the program with the arguments up to NULL, its standard streams as given. */
static pid_t start(const char *const *arguments, int in, int out, int err)
{
    char *argv[MOST_ARGUMENTS + 2] = {program};
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[i + 1] = (char *)arguments[i];
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        execv(program, argv);
        _exit(127);
    }
    return child;
}

/* An unlinked file to write to. */
static int scratch(void)
{
    char path[] = "/tmp/attnscope-cli-file-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

static struct outcome run_with(const char *const *arguments, const char *input, size_t bytes)
{
    int in = scratch(), out = scratch(), err = scratch();
    assert_int_equal(write(in, input, bytes), bytes);
    lseek(in, 0, SEEK_SET);
    struct outcome outcome = {.code = finish(start(arguments, in, out, err))};
    lseek(out, 0, SEEK_SET);
    lseek(err, 0, SEEK_SET);
    outcome.out = read_all(out);
    outcome.err = read_all(err);
    close(in);
    close(out);
    close(err);
    return outcome;
}

static struct outcome run(const char *const *arguments)
{
    return run_with(arguments, "", 0);
}

static void outcome_free(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

static const char *command_line(const char *const *arguments)
{
    static char line[2000];
    *line = '\0';
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " [%.200s]", arguments[i]);
    return line;
}

/* Nothing else than one line (usage: up to three), without control characters. */
static void check_message(const char *const *arguments, const struct outcome *outcome, int most,
                          const char *says)
{
    int lines = count_lines(outcome->err);
    if (lines < 1 || lines > most)
        fail_msg("%s: %d lines: %s", command_line(arguments), lines, outcome->err);
    if (strncmp(outcome->err, "attnscope: ", 11) != 0 || !strstr(outcome->err, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", command_line(arguments), outcome->err, says);
    for (const unsigned char *c = (const unsigned char *)outcome->err; *c; c++)
        if ((*c < 0x20 && *c != '\n') || *c == 0x7F)
            fail_msg("%s: control character %02x", command_line(arguments), *c);
}

/* Wrong usage and files that do not open ------------------------------------------------------- */

struct usage_case {
    const char *arguments[10];
    int code;
    const char *says;
};

static const struct usage_case usage_cases[] = {
    {{NULL}, 2, "expected the path of a model"},
    {{"--json"}, 2, "expected the path of a model"},
    {{""}, 2, "MODEL is empty"},
    {{MODEL, ""}, 2, "MODEL is empty"},
    {{MODEL, FIXED}, 2, "two models"},
    {{MODEL, "--", FIXED}, 2, "two models"},
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
    {{MODEL, "--device"}, 2, "--device: expected a value"},
    {{MODEL, "--device", ""}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "gpu"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:-1"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:one"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--device", "cuda:99999999999"}, 2, "expected auto, cpu, cuda or cuda:N"},
    {{MODEL, "--json=yes"}, 2, "unknown option"},
    {{"nosuch.bin"}, 1, "nosuch.bin"},
    {{"nosuch\x1b[31m\n.bin"}, 1, "nosuch"},
    {{"\xFF\xFE"}, 1, "No such file"},
    {{"/"}, 1, "/: "},
    {{"/dev/null"}, 1, "/dev/null: "},
    {{"tests/golden"}, 1, "tests/golden: "},
    {{"Makefile"}, 1, "Makefile: "},
    {{"tests/golden/vanilla_post.expected"}, 1, "vanilla_post.expected: "},
};

/* With the device named: by default a line says which one is used. */
static void prepend_cpu(const char *const *from, const char **to)
{
    *to++ = "--device";
    *to++ = "cpu";
    for (int i = 0; i < 10 && from[i]; i++)
        *to++ = from[i];
    *to = NULL;
}

static void wrong_usage_and_files_end_in_a_clear_message(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof usage_cases / sizeof *usage_cases; i++) {
        const char *arguments[MOST_ARGUMENTS];
        prepend_cpu(usage_cases[i].arguments, arguments);
        struct outcome outcome = run(arguments);
        if (outcome.code != usage_cases[i].code)
            fail_msg("%s: ends with %d: %s", command_line(arguments), outcome.code, outcome.err);
        check_message(arguments, &outcome, outcome.code == 2 ? 3 : 1, usage_cases[i].says);
        assert_string_equal(outcome.out, "");
        outcome_free(&outcome);
    }
}

static void a_failed_load_is_one_object_in_json(void **unused)
{
    static const char *const arguments[] = {"--json", CPU, "no\xFFsuch.bin", "-e", "x", NULL};
    (void)unused;
    struct outcome outcome = run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_string_equal(outcome.err, "");
    assert_int_equal(count_lines(outcome.out), 1);
    json_t *object = json_loads(outcome.out, 0, NULL);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "command")), "load");
    assert_non_null(strstr(json_string_value(json_object_get(object, "error")), "such.bin"));
    json_decref(object);
    outcome_free(&outcome);
}

static void devices_that_are_missing_are_named(void **unused)
{
    static const char *const cuda[] = {MODEL, "--device", "cuda:7", "-e", ":info", NULL};
    static const char *const chosen[] = {MODEL, "-e", ":quit", NULL};
    (void)unused;
    struct outcome outcome = run(cuda);
    // Where there is a plug-in, there may be a GPU; an eighth one is not to be expected.
    assert_int_equal(outcome.code, 1);
    check_message(cuda, &outcome, 1, "");
    outcome_free(&outcome);
    outcome = run(chosen);
    assert_int_equal(outcome.code, 0);
    assert_true(count_lines(outcome.err) <= 1);
    outcome_free(&outcome);
}

/* Malformed commands --------------------------------------------------------------------------- */

struct command_case {
    const char *model, *before, *command, *says; // before: a command that works, or NULL
};

#define SENTENCE "the dog sees a cat"

static const struct command_case command_cases[] = {
    {MODEL, NULL, ":", "a colon alone"},
    {MODEL, NULL, ": help", "a colon alone"},
    {MODEL, NULL, ":nonsense", "unknown command :nonsense"},
    {MODEL, NULL, ":\x1b[31m", "unknown command"},
    {MODEL, NULL, ":e", "ambiguous command :e"},
    {MODEL, NULL, ":Help", "unknown command :Help"},
    {MODEL, NULL, ":help nonsense", "unknown command :nonsense"},
    {MODEL, NULL, ":help attn gates", "expected nothing more"},
    {MODEL, NULL, "a\xFF", "invalid UTF-8 at byte 2"},
    {MODEL, NULL, "a\xC0\x80", "invalid UTF-8 at byte 2"},
    {MODEL, NULL, "\xED\xA0\x80", "invalid UTF-8 at byte 1"},
    {MODEL, NULL, ":force \xFF", "invalid UTF-8 at byte 8"},
    {MODEL, NULL, ":attn \xFF", "invalid UTF-8 at byte 7"},
    {MODEL, NULL, ":force the dog", "no sentence yet"},
    {MODEL, SENTENCE, ":force", "expected the translation"},
    {MODEL, SENTENCE, ":force ''", "expected the translation"},
    {MODEL, NULL, ":attn", "no sentence yet"},
    {MODEL, NULL, ":importance", "no head importance"},
    {MODEL, NULL, ":gates", "no gates"},
    {MODEL, NULL, ":export x.safetensors", "no sentence yet"},
    {MODEL, SENTENCE, ":attn head", "expected LIST, mean or max"},
    {MODEL, SENTENCE, ":attn layer", "expected LIST or all"},
    {MODEL, SENTENCE, ":attn head 0", "numbers from 1"},
    {MODEL, SENTENCE, ":attn head 5", "head 5: the encoder has heads 1 to 4"},
    {MODEL, SENTENCE, ":attn layer 3", "layer 3: the encoder has layers 1 to 2"},
    {MODEL, SENTENCE, ":attn cross layer 3", "layer 3: cross-attention has layers 1 to 2"},
    {MODEL, SENTENCE, ":attn head 99999999999999999999", "numbers from 1"},
    {MODEL, SENTENCE, ":attn head 1-2", "one head"},
    {MODEL, SENTENCE, ":attn layer all", "one layer"},
    {MODEL, SENTENCE, ":attn layer 1-2", "one layer"},
    {MODEL, SENTENCE, ":attn enc dec", "two modules"},
    {MODEL, SENTENCE, ":attn in", "expected enc, dec or cross"},
    {MODEL, SENTENCE, ":attn words", "\"words\""},
    {MODEL, SENTENCE, ":attn word word", "\"word\""},
    {MODEL, SENTENCE, ":attn 'head", "without its end"},
    {MODEL, SENTENCE, ":attn head \\", "without its end"},
    {MODEL, SENTENCE, ":attn ''", "expected [enc|dec|cross]"},
    {MODEL, NULL, ":disable", "expected the heads to switch off"},
    {MODEL, NULL, ":disable head 1-2000000000", "head 2000000000: the encoder has heads 1 to 4"},
    {MODEL, NULL, ":disable head mean", "head mean: expected LIST"},
    {MODEL, NULL, ":disable all", "\"all\""},
    {MODEL, NULL, ":enable head 9", "head 9"},
    {MODEL, NULL, ":disabled head 1", "expected nothing more"},
    {MODEL, NULL, ":mask", "expected global, local W, forward or backward"},
    {MODEL, NULL, ":mask global", "expected the heads to mask"},
    {MODEL, NULL, ":mask head 1", "expected global, local W, forward or backward"},
    {MODEL, NULL, ":mask head 1 sideways", "mask \"sideways\""},
    {MODEL, NULL, ":mask head 1 local", "expected its window"},
    {MODEL, NULL, ":mask head 1 local -1", "whole number from 0"},
    {MODEL, NULL, ":mask head 1 local 3000000000", "whole number from 0"},
    {MODEL, NULL, ":mask head 1 local 2 3", "mask \"3\""},
    {MODEL, NULL, ":mask head max global", "head max: expected LIST"},
    {FIXED, NULL, ":mask layer 2 head 3 global", "encoder layer 2 head 3 is fixed"},
    {MODEL, NULL, ":pattern head 1", "expected current, previous"},
    {MODEL, NULL, ":pattern current", "expected the heads to replace"},
    {MODEL, NULL, ":pattern head 1 curent", "pattern \"curent\""},
    {MODEL, NULL, ":pattern head 1 current words", "\"words\""},
    {MODEL, NULL, ":reset all", "expected nothing more"},
    {MODEL, NULL, ":set nonsense", "unknown setting \"nonsense\""},
    {MODEL, NULL, ":set b", "ambiguous setting \"b\""},
    {MODEL, NULL, ":set ''", "unknown setting \"\""},
    {MODEL, NULL, ":set beam 0", "beam: \"0\", expected a whole number from 1 to 1000"},
    {MODEL, NULL, ":set beam 1001", "from 1 to 1000"},
    {MODEL, NULL, ":set beam five", "from 1 to 1000"},
    {MODEL, NULL, ":set beam 5 5", "expected nothing more"},
    {MODEL, NULL, ":set beam 99999999999999999999", "from 1 to 1000"},
    {MODEL, NULL, ":set length_penalty harsh", "expected one of none, average, wu"},
    {MODEL, NULL, ":set length_penalty.alpha nan", "expected a number"},
    {MODEL, NULL, ":set length_penalty.alpha 1e999", "expected a number"},
    {MODEL, NULL, ":set max_length.factor -1", "expected a number"},
    {MODEL, NULL, ":score", "expected SRC ||| TGT"},
    {MODEL, NULL, ":score a dog", "expected SRC ||| TGT"},
    {MODEL, NULL, ":score a ||| b ||| c", "expected SRC ||| TGT"},
    {MODEL, NULL, ":score ||| b", "the source is empty"},
    {MODEL, NULL, ":score a |||", "the target is empty"},
    {MODEL, NULL, ":translate", "expected FILE"},
    {MODEL, NULL, ":translate ''", "No such file"},
    {MODEL, NULL, ":translate nosuch", "nosuch: No such file"},
    {MODEL, NULL, ":translate /", "Is a directory"},
    {MODEL, NULL, ":translate Makefile README.md", "expected nothing more"},
    {MODEL, NULL, ":translate " MODEL, MODEL ":1: "},
    {MODEL, NULL, ":gates cross", "cross-attention takes no context"},
    {GATES, SENTENCE, ":gates dec v", "v: No such file"},
    {GATES, SENTENCE, ":gates Makefile by", "expected layer, pos or length"},
    {GATES, SENTENCE, ":gates Makefile by head", "expected layer, pos or length"},
    {GATES, SENTENCE, ":gates Makefile by layer pos", "\"pos\""},
    {GATES, SENTENCE, ":gates by layer", "\"by\""},
    {GATES, SENTENCE, ":gates in", "in: expected enc or dec"},
    {MODEL, SENTENCE, ":importance enc", "the encoder has no head importance"},
    {MODEL, SENTENCE, ":importance head 1", "shows every head"},
    {MODEL, SENTENCE, ":export", "expected FILE.safetensors"},
    {MODEL, SENTENCE, ":export figure.png", "expected FILE.safetensors"},
    {MODEL, SENTENCE, ":export .safetensors", "expected FILE.safetensors"},
    {MODEL, SENTENCE, ":export a.safetensors b", "expected nothing more"},
    {MODEL, SENTENCE, ":export /nosuch/a.safetensors", "/nosuch/a.safetensors"},
    {MODEL, NULL, ":info all", "expected nothing more"},
    {MODEL, NULL, ":quit now", "expected nothing more"},
};

/* The arguments of a case; returns them. */
static const char *const *case_arguments(const struct command_case *given, bool json,
                                         const char **arguments)
{
    int count = 0;
    if (json)
        arguments[count++] = "--json";
    arguments[count++] = "--device";
    arguments[count++] = "cpu";
    arguments[count++] = "--threads";
    arguments[count++] = "1";
    arguments[count++] = given->model;
    if (given->before) {
        arguments[count++] = "-e";
        arguments[count++] = given->before;
    }
    arguments[count++] = "-e";
    arguments[count++] = given->command;
    arguments[count] = NULL;
    return arguments;
}

static void malformed_commands_end_in_one_line(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof command_cases / sizeof *command_cases; i++) {
        const struct command_case *given = &command_cases[i];
        const char *arguments[MOST_ARGUMENTS];
        struct outcome outcome = run(case_arguments(given, false, arguments));
        if (outcome.code != 1)
            fail_msg("%s: ends with %d", command_line(arguments), outcome.code);
        check_message(arguments, &outcome, 1, given->says);
        if (count_lines(outcome.out) != (given->before ? 1 : 0))
            fail_msg("%s: prints %s", command_line(arguments), outcome.out);
        outcome_free(&outcome);
    }
}

/* The object on a line of output; fails the test where it is none. */
static json_t *object_of_line(const char *const *arguments, const char *out, int line)
{
    json_error_t error;
    if (count_lines(out) <= line)
        fail_msg("%s: a line is missing", command_line(arguments));
    for (; line > 0; line--)
        out += strcspn(out, "\n") + 1;
    size_t length = strcspn(out, "\n");
    json_t *object = json_loadb(out, length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object))
        fail_msg("%s: %s: %.*s", command_line(arguments), error.text, (int)length, out);
    return object;
}

static void malformed_commands_are_objects_in_json(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof command_cases / sizeof *command_cases; i++) {
        const struct command_case *given = &command_cases[i];
        const char *arguments[MOST_ARGUMENTS];
        struct outcome outcome = run(case_arguments(given, true, arguments));
        if (outcome.code != 1 || *outcome.err)
            fail_msg("%s: ends with %d: %s", command_line(arguments), outcome.code, outcome.err);
        assert_int_equal(count_lines(outcome.out), given->before ? 2 : 1);
        json_t *object = object_of_line(arguments, outcome.out, given->before ? 1 : 0);
        assert_true(json_is_false(json_object_get(object, "ok")));
        const char *message = json_string_value(json_object_get(object, "error"));
        if (!message || !strstr(message, given->says))
            fail_msg("%s: \"%s\" does not say \"%s\"", command_line(arguments), message,
                     given->says);
        json_decref(object);
        outcome_free(&outcome);
    }
}

static void a_failed_command_does_not_stop_those_after_it(void **unused)
{
    static const char *const arguments[] = {CPU,  MODEL,       "-e", ":attn", "-e", SENTENCE,
                                            "-e", ":nonsense", "-e", ":set",  NULL};
    (void)unused;
    struct outcome outcome = run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(count_lines(outcome.err), 2);
    assert_non_null(strstr(outcome.out, "beam"));
    outcome_free(&outcome);
}

/* JSON of every command ------------------------------------------------------------------------ */

static const char *write_file(const char *name, const char *text)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

/* Members "name:t": t is s string, n number, i integer, o object, a array, b boolean, m a matrix of numbers. */
struct fields_case {
    const char *model, *command, *name, *fields;
};

static const struct fields_case fields_cases[] = {
    {MODEL, SENTENCE, "sentence", "source:o hypotheses:a"},
    {MODEL, ":force der Hund", "force", "source:o hypotheses:a"},
    {MODEL, ":attn cross layer 2 head 3", "attn",
     "module:s layer:i head:i rows:a columns:a weights:m"},
    {MODEL, ":attn head mean", "attn", "module:s layer:i head:s rows:a columns:a weights:m"},
    {MODEL, ":attn head max word", "attn", "module:s layer:i head:s rows:a columns:a weights:m"},
    {GATES, ":importance", "importance", "module:s layer:i rows:a weights:m"},
    {GATES, ":gates", "gates", "module:s side:s rows:a gates:a"},
    {GATES, ":gates FILE by layer", "gates", "module:s side:s by:s groups:a"},
    {GATES, ":gates FILE by pos", "gates", "module:s side:s by:s groups:a"},
    {GATES, ":gates FILE by length", "gates", "module:s side:s by:s groups:a"},
    {MODEL, ":score the dog ||| der Hund", "score", "logprob:n tokens:a logprobs:a"},
    {MODEL, ":translate FILE", "translate", "file:s sentences:i tokens:i seconds:n translations:a"},
    {MODEL, ":disable head 1", "disable", "disabled:a changed:a before:o after:o"},
    {MODEL, ":enable", "enable", "disabled:a changed:a"},
    {MODEL, ":disabled", "disabled", "disabled:a changed:a"},
    {MODEL, ":mask head 2 local 1", "mask", "disabled:a changed:a"},
    {MODEL, ":pattern head 2 last", "pattern", "disabled:a changed:a"},
    {MODEL, ":reset", "reset", "disabled:a changed:a"},
    {MODEL, ":set", "set", "settings:a"},
    {MODEL, ":set beam", "set", "name:s value:n default:n minimum:n maximum:n help:s"},
    {MODEL, ":set beam 2", "set", "name:s value:n"},
    {MODEL, ":set length_penalty wu", "set", "name:s value:s choices:a"},
    {MODEL, ":info", "info",
     "name:s source_language:s target_language:s d_model:i d_ff:i activation:s norm:s norm_eps:n "
     "embedding_scale:n positions:o encoder:o decoder:o attention:a tied:o special:o source:o "
     "target:o tokenizer:o max_positions:i search:o parameters:i device:s sha256:s"},
    {MODEL, ":export OUT", "export", "file:s tensors:i"},
    {MODEL, ":help", "help", "commands:a"},
    {MODEL, ":help attn", "help", "name:s arguments:s summary:s details:s"},
    {MODEL, ":quit", "quit", ""},
};

static bool is_matrix(const json_t *value)
{
    size_t i, j;
    const json_t *row, *cell;
    if (!json_is_array(value) || json_array_size(value) == 0)
        return false;
    json_array_foreach(value, i, row)
    {
        if (!json_is_array(row) || json_array_size(row) == 0)
            return false;
        json_array_foreach(row, j, cell)
        {
            if (!json_is_number(cell))
                return false;
        }
    }
    return true;
}

static bool has_type(const json_t *value, char type)
{
    switch (type) {
    case 's':
        return json_is_string(value);
    case 'n':
        return json_is_number(value);
    case 'i':
        return json_is_integer(value);
    case 'o':
        return json_is_object(value);
    case 'a':
        return json_is_array(value);
    case 'm':
        return is_matrix(value);
    default:
        return false;
    }
}

static void check_fields(const char *command, const json_t *object, const char *fields)
{
    char list[1000], *rest;
    snprintf(list, sizeof list, "%s", fields);
    for (char *field = strtok_r(list, " ", &rest); field; field = strtok_r(NULL, " ", &rest)) {
        char *colon = strchr(field, ':');
        *colon = '\0';
        if (!has_type(json_object_get(object, field), colon[1]))
            fail_msg("%s: %s is not of type %c", command, field, colon[1]);
    }
}

/* FILE and OUT stand for paths of this test's own. */
static void fill_in(const char *command, char *line, size_t size)
{
    const char *file = strstr(command, "FILE"), *out = strstr(command, "OUT");
    if (file)
        snprintf(line, size, "%.*s%s/lines%s", (int)(file - command), command, folder, file + 4);
    else if (out)
        snprintf(line, size, "%.*s%s/out.safetensors", (int)(out - command), command, folder);
    else
        snprintf(line, size, "%s", command);
}

static void every_command_prints_one_object(void **unused)
{
    (void)unused;
    write_file("lines", "the dog\n\na cat sees the river .\n");
    for (size_t i = 0; i < sizeof fields_cases / sizeof *fields_cases; i++) {
        char line[PATH_MAX + 100];
        fill_in(fields_cases[i].command, line, sizeof line);
        const char *arguments[] = {"--json", CPU, fields_cases[i].model, "-e", SENTENCE, "-e",
                                   line,     NULL};
        struct outcome outcome = run(arguments);
        if (outcome.code != 0 || *outcome.err || count_lines(outcome.out) != 2)
            fail_msg("%s: ends with %d: %s%s", line, outcome.code, outcome.err, outcome.out);
        json_t *object = object_of_line(arguments, outcome.out, 1);
        assert_true(json_is_true(json_object_get(object, "ok")));
        assert_string_equal(json_string_value(json_object_get(object, "command")),
                            fields_cases[i].name);
        check_fields(line, object, fields_cases[i].fields);
        json_decref(object);
        outcome_free(&outcome);
    }
}

static void a_sentence_names_texts_tokens_ids_and_scores(void **unused)
{
    static const char *const arguments[] = {CPU, "--json", MODEL, "-e", SENTENCE, NULL};
    (void)unused;
    struct outcome outcome = run(arguments);
    json_t *object = object_of_line(arguments, outcome.out, 0);
    const json_t *source = json_object_get(object, "source");
    check_fields("source", source, "text:s tokens:a ids:a");
    assert_int_equal(json_array_size(json_object_get(source, "tokens")), 6);
    assert_int_equal(json_array_size(json_object_get(source, "ids")), 6);
    const json_t *hypotheses = json_object_get(object, "hypotheses"), *hypothesis;
    size_t i;
    assert_int_equal(json_array_size(hypotheses), 5);
    json_array_foreach(hypotheses, i, hypothesis)
    {
        check_fields("hypothesis", hypothesis, "text:s tokens:a ids:a logprobs:a score:n");
        size_t length = json_array_size(json_object_get(hypothesis, "ids"));
        assert_int_equal(json_array_size(json_object_get(hypothesis, "tokens")), length);
        assert_int_equal(json_array_size(json_object_get(hypothesis, "logprobs")), length);
    }
    json_decref(object);
    outcome_free(&outcome);
}

/* Where commands come from --------------------------------------------------------------------- */

static void commands_come_from_files_and_standard_input(void **unused)
{
    static const char script[] = "\n  \nthe dog\r\n:attn layer 9\n# a cat\n:quit\nthe dog\n";
    char *path = strdup(write_file("script", script));
    const char *const from_file[] = {CPU, MODEL, "-f", path, NULL};
    const char *const from_input[] = {CPU, MODEL, NULL}, *const dash[] = {CPU, "-f", "-", MODEL,
                                                                          NULL};
    const char *const *const ways[] = {from_file, from_input, dash};
    (void)unused;
    for (int way = 0; way < 3; way++) {
        struct outcome outcome = run_with(ways[way], script, strlen(script));
        assert_int_equal(outcome.code, 1);
        assert_int_equal(count_lines(outcome.out), 2); // a line with "#" is a sentence
        check_message(ways[way], &outcome, 1, ":4: :attn: layer 9");
        outcome_free(&outcome);
    }
    free(path);
}

static void scripts_that_cannot_be_read_are_errors(void **unused)
{
    static const struct {
        const char *path, *says;
    } cases[] = {{"nosuch", "nosuch: No such file"},
                 {"/", "/: Is a directory"},
                 {"/dev/zero", "/dev/zero:1: a line longer than"}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const plain[] = {CPU, MODEL, "-f", cases[i].path, NULL};
        const char *const json[] = {CPU, "--json", MODEL, "-f", cases[i].path, NULL};
        struct outcome outcome = run(plain);
        assert_int_equal(outcome.code, 1);
        check_message(plain, &outcome, 1, cases[i].says);
        outcome_free(&outcome);
        outcome = run(json);
        assert_int_equal(outcome.code, 1);
        json_decref(object_of_line(json, outcome.out, 0));
        outcome_free(&outcome);
    }
}

static void a_nul_byte_spoils_its_line_alone(void **unused)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    static const char input[] = "the dog\nthe \0cat\na cat\n";
    (void)unused;
    struct outcome outcome = run_with(arguments, input, sizeof input - 1);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(count_lines(outcome.out), 2);
    check_message(arguments, &outcome, 1, "standard input:2: a NUL byte at byte 5");
    outcome_free(&outcome);
}

static void a_very_long_line_is_one_clear_error(void **unused)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    size_t size = 3 << 20;
    char *input = malloc(size);
    (void)unused;
    for (size_t i = 0; i < size; i++)
        input[i] = "the "[i % 4];
    struct outcome outcome = run_with(arguments, input, size);
    assert_int_equal(outcome.code, 1);
    check_message(arguments, &outcome, 1, "tokens, at most 64 (max_positions)");
    outcome_free(&outcome);
    free(input);
}

static void options_may_follow_the_model(void **unused)
{
    static const char *const arguments[] = {MODEL, "-e", "the dog", "--json", CPU, NULL};
    (void)unused;
    struct outcome outcome = run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(*outcome.out, '{');
    outcome_free(&outcome);
    setenv("POSIXLY_CORRECT", "1", 1);
    outcome = run(arguments);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    unsetenv("POSIXLY_CORRECT");
}

static void help_and_version_need_no_model(void **unused)
{
    static const char *const help[] = {"--help", NULL}, *const version[] = {"--version", NULL};
    (void)unused;
    struct outcome outcome = run(help);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "--json"));
    outcome_free(&outcome);
    outcome = run(version);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(count_lines(outcome.out), 1);
    outcome_free(&outcome);
}

static void changes_print_nothing_a_pipe_would_choke_on(void **unused)
{
    char line[PATH_MAX + 32];
    (void)unused;
    snprintf(line, sizeof line, ":translate %s", write_file("two", "the dog\na cat\n"));
    const char *const arguments[] = {CPU,  MODEL,         "-e", ":disable head 2",
                                     "-e", ":set beam 2", "-e", ":mask layer 1 head 1 forward",
                                     "-e", line,          NULL};
    struct outcome outcome = run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_int_equal(count_lines(outcome.out), 2);
    assert_string_equal(outcome.err, "");
    outcome_free(&outcome);
}

/* What cannot be written, and Ctrl-C ------------------------------------------------------------ */

static void heads_that_are_off_are_listed_when_asked_for(void **unused)
{
    (void)unused;
    const char *const arguments[] = {CPU, MODEL, "-e", ":disable head 2", "-e", ":disabled", NULL};
    struct outcome outcome = run(arguments);
    assert_string_equal(outcome.out, "off: encoder layer 1-2 head 2\n");
    outcome_free(&outcome);
}

static void output_that_cannot_be_written_is_an_error(void **unused)
{
    const char *const translate[] = {CPU, MODEL, "-e", SENTENCE, "-e", SENTENCE, NULL};
    const char *const json[] = {CPU, "--json", MODEL, "-e", ":nonsense", "-e", ":help", NULL};
    const char *const help[] = {"--help", NULL};
    const char *const *const ways[] = {translate, json, help};
    (void)unused;
    for (int way = 0; way < 3; way++)
        for (int closed = 0; closed < 2; closed++) {
            int in = scratch(), err = scratch(), out = open("/dev/full", O_WRONLY | O_CLOEXEC),
                ends[2];
            if (closed) {
                close(out);
                assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
                close(ends[0]);
                out = ends[1];
            }
            struct outcome outcome = {.code = finish(start(ways[way], in, out, err))};
            lseek(err, 0, SEEK_SET);
            outcome.err = read_all(err);
            assert_int_equal(outcome.code, 1);
            check_message(ways[way], &outcome, 1, "standard output");
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
    char *path = strdup(write_file("many", text));
    free(text);
    return path;
}

static void an_interrupted_file_keeps_its_first_lines(void **unused)
{
    enum { LINES = 20000 };
    char *path = write_many_lines(LINES), line[PATH_MAX + 32];
    (void)unused;
    snprintf(line, sizeof line, ":translate %s", path);
    const char *const arguments[] = {CPU,  "--threads", "1",  MODEL,   "-e", ":set batch 8",
                                     "-e", line,        "-e", ":info", NULL};
    int in = scratch(), err = scratch(), ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = start(arguments, in, ends[1], err);
    close(ends[1]);
    char first;
    assert_int_equal(read(ends[0], &first, 1), 1); // it is at work
    kill(child, SIGINT);
    struct outcome outcome = {.out = read_all(ends[0])};
    outcome.code = finish(child);
    lseek(err, 0, SEEK_SET);
    outcome.err = read_all(err);
    assert_int_equal(outcome.code, 1);
    check_message(arguments, &outcome, 1, "interrupted");
    assert_true(count_lines(outcome.out) > 0 && count_lines(outcome.out) < LINES);
    assert_int_equal(outcome.out[strlen(outcome.out) - 1], '\n');
    assert_null(strstr(outcome.out, "sha256")); // what follows is not run
    outcome_free(&outcome);
    free(path);
    close(in);
    close(err);
    close(ends[0]);
}

static void ctrl_c_ends_a_script_that_waits(void **unused)
{
    const char *const arguments[] = {CPU, MODEL, NULL};
    int in[2], out[2], err = scratch();
    (void)unused;
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t child = start(arguments, in[0], out[1], err);
    assert_int_equal(write(in[1], "the dog\n", 8), 8);
    char first;
    assert_int_equal(read(out[0], &first, 1), 1);
    kill(child, SIGINT);
    assert_int_equal(finish(child), 1);
    close(in[0]);
    close(in[1]);
    close(out[0]);
    close(out[1]);
    close(err);
}

/* ---------------------------------------------------------------------------------------------- */

static int find_program(void **unused)
{
    const char *given = getenv("ATTNSCOPE");
    (void)unused;
    if (given) {
        snprintf(program, sizeof program, "%s", given);
    } else {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 32);
        for (int up = 0; up < 2 && length > 0; up++)
            while (length > 0 && program[--length] != '/')
                continue;
        strcpy(program + length, "/attnscope");
    }
    unsetenv("POSIXLY_CORRECT");
    return mkdtemp(folder) && access(program, X_OK) == 0 ? 0 : -1;
}

static int remove_folder(void **unused)
{
    static const char *const names[] = {"lines", "script", "two", "many", "out.safetensors"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_usage_and_files_end_in_a_clear_message),
        cmocka_unit_test(a_failed_load_is_one_object_in_json),
        cmocka_unit_test(devices_that_are_missing_are_named),
        cmocka_unit_test(malformed_commands_end_in_one_line),
        cmocka_unit_test(malformed_commands_are_objects_in_json),
        cmocka_unit_test(a_failed_command_does_not_stop_those_after_it),
        cmocka_unit_test(every_command_prints_one_object),
        cmocka_unit_test(a_sentence_names_texts_tokens_ids_and_scores),
        cmocka_unit_test(commands_come_from_files_and_standard_input),
        cmocka_unit_test(scripts_that_cannot_be_read_are_errors),
        cmocka_unit_test(a_nul_byte_spoils_its_line_alone),
        cmocka_unit_test(a_very_long_line_is_one_clear_error),
        cmocka_unit_test(options_may_follow_the_model),
        cmocka_unit_test(help_and_version_need_no_model),
        cmocka_unit_test(changes_print_nothing_a_pipe_would_choke_on),
        cmocka_unit_test(heads_that_are_off_are_listed_when_asked_for),
        cmocka_unit_test(output_that_cannot_be_written_is_an_error),
        cmocka_unit_test(an_interrupted_file_keeps_its_first_lines),
        cmocka_unit_test(ctrl_c_ends_a_script_that_waits),
    };
    return cmocka_run_group_tests(tests, find_program, remove_folder);
}
