/* Files that turn against the program: full, gone, cut short, no files at all. It says so in one
 * line, goes on where it can, and what is finished stays. */
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "terminal/interrupt.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

/* A session that answers line by line ---------------------------------------------------------- */

/* The program with a pipe at both ends: what happens to files between two commands is known. */
struct talk {
    pid_t child;
    FILE *in, *out;
    int err;
};

static struct talk talk_open(const char *const *arguments)
{
    int in[2], out[2];
    struct talk talk = {.err = cli_scratch()};
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    talk.child = cli_start(arguments, in[0], out[1], talk.err);
    close(in[0]);
    close(out[1]);
    talk.in = fdopen(in[1], "w");
    talk.out = fdopen(out[0], "r");
    return talk;
}

/* The object that answers a line. */
static json_t *talk_ask(struct talk *talk, const char *line)
{
    char *text = NULL;
    size_t size = 0;
    fprintf(talk->in, "%s\n", line);
    fflush(talk->in);
    assert_true(getline(&text, &size, talk->out) > 0);
    json_t *object = json_loads(text, 0, NULL);
    assert_non_null(object);
    free(text);
    return object;
}

static void talk_expect(struct talk *talk, const char *line)
{
    json_t *object = talk_ask(talk, line);
    if (!json_is_true(json_object_get(object, "ok")))
        fail_msg("%s: %s", line, json_string_value(json_object_get(object, "error")));
    json_decref(object);
}

static void talk_refuse(struct talk *talk, const char *line, const char *says)
{
    json_t *object = talk_ask(talk, line);
    const char *message = json_string_value(json_object_get(object, "error"));
    assert_true(json_is_false(json_object_get(object, "ok")));
    if (!strstr(message, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", line, message, says);
    json_decref(object);
}

static int talk_close(struct talk *talk)
{
    fclose(talk->in);
    int code = cli_finish(talk->child);
    fclose(talk->out);
    close(talk->err);
    return code;
}

/* Models --------------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to)
{
    static char buffer[1 << 20];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    for (size_t count; (count = fread(buffer, 1, sizeof buffer, in)) > 0;)
        fwrite(buffer, 1, count, out);
    fclose(in);
    fclose(out);
}

static char *sum_of(const char *path)
{
    char command[PATH_MAX + 32];
    snprintf(command, sizeof command, "sha256sum %s", path);
    FILE *pipe = popen(command, "r");
    char *sum = calloc(1, 65);
    assert_int_equal(fread(sum, 1, 64, pipe), 64);
    pclose(pipe);
    return sum;
}

/* Its name is all that is gone. */
static void a_model_whose_file_is_deleted_works_on(void **state)
{
    static const char *const arguments[] = {"--json", CPU, "m.bin", NULL};
    copy_file(MODEL, "m.bin");
    char *sum = sum_of("m.bin");
    struct talk talk = talk_open(arguments);
    talk_expect(&talk, SENTENCE);
    unlink("m.bin");
    json_t *info = talk_ask(&talk, ":info");
    assert_string_equal(json_string_value(json_object_get(info, "sha256")), sum);
    talk_expect(&talk, ":set threads 2");
    talk_expect(&talk, ":attn");
    talk_expect(&talk, ":export f.png");
    assert_int_equal(talk_close(&talk), 0);
    json_decref(info);
    free(sum);
}

/* What needs the file's bytes says that they are others; all else works on. */
static void check_changed_model(void (*change)(const char *path))
{
    static const char *const arguments[] = {"--json", CPU, "--threads", "1", "m.bin", NULL};
    static const char says[] = "m.bin: the file has changed since it was loaded";
    copy_file(MODEL, "m.bin");
    unlink("f.png");
    struct talk talk = talk_open(arguments);
    talk_expect(&talk, SENTENCE);
    talk_expect(&talk, ":attn");
    change("m.bin");
    talk_refuse(&talk, ":info", says);
    talk_refuse(&talk, ":export f.png", says);
    talk_refuse(&talk, ":set threads 2", says);
    assert_int_not_equal(access("f.png", F_OK), 0);
    talk_expect(&talk, ":disable enc head 1");
    talk_expect(&talk, "the dog");
    talk_expect(&talk, ":heads");
    talk_expect(&talk, ":save saved");
    assert_int_equal(talk_close(&talk), 1);
}

static void cut_short(const char *path)
{
    assert_int_equal(truncate(path, 0), 0);
}

static void grow(const char *path)
{
    FILE *file = fopen(path, "ab");
    fputc('x', file);
    fclose(file);
}

static void overwrite(const char *path)
{
    FILE *file = fopen(path, "r+b");
    fseek(file, -4, SEEK_END);
    fputs("abcd", file);
    fclose(file);
}

static void a_model_whose_file_changes_works_on(void **state)
{
    check_changed_model(cut_short);
    check_changed_model(grow);
    check_changed_model(overwrite);
}

/* Between a look at the file and the reading of its bytes. */
static void a_page_that_is_gone_ends_in_one_line(void **state)
{
    int file = cli_scratch(), err = cli_scratch();
    assert_int_equal(ftruncate(file, 4096), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(err, STDERR_FILENO);
        interrupt_install();
        volatile char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
        if (ftruncate(file, 0) == 0)
            _exit(map[0]);
        _exit(2);
    }
    assert_int_equal(cli_finish(child), 1);
    lseek(err, 0, SEEK_SET);
    char *text = cli_read_all(err);
    assert_int_equal(cli_count_lines(text), 1);
    assert_non_null(strstr(text, "attnscope: a model file became shorter"));
    free(text);
    close(file);
    close(err);
}

/* Test sets and scripts ------------------------------------------------------------------------ */

static void a_test_set_that_vanishes_is_walked_to_its_end(void **state)
{
    static const char *const arguments[] = {"--json", CPU, MODEL, NULL};
    cli_write("source", "the dog\na cat\nthe river\n");
    cli_write("reference", "der Hund\neine Katze\nder Fluss\n");
    struct talk talk = talk_open(arguments);
    talk_expect(&talk, ":open source reference");
    unlink("source");
    unlink("reference");
    json_t *third = talk_ask(&talk, ":goto 3");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(third, "source"), "text")), "the river");
    talk_expect(&talk, ":force");
    talk_refuse(&talk, ":open source", "source: No such file or directory");
    talk_expect(&talk, ":prev"); // the one of before is still open
    assert_int_equal(talk_close(&talk), 1);
    json_decref(third);
}

/* Each line that runs a script that is already running is one error; all others run. */
static void scripts_in_a_circle_end(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, "-f", "first", NULL};
    cli_write("first", "the dog\n:source first\n:source second\na cat\n");
    cli_write("second", "the river\n:source ./first\n");
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    assert_int_equal(cli_count_lines(outcome.out), 3);
    cli_check_message(arguments, &outcome, 2,
                      "attnscope: first:2: :source: first: already running: a script cannot run");
    cli_check_message(arguments, &outcome, 2, "second:2: :source: ./first: already running");
    outcome_free(&outcome);
}

/* What cannot be read or written --------------------------------------------------------------- */

static void what_is_no_file_is_refused_in_one_line(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {":export folder.png", "folder.png: a folder, expected FOLDER all [FORMAT], or a file"},
        {":export pipe.csv", "pipe.csv: not a regular file, expected a file to replace"},
        {":export full.json", "full.json: not a regular file, expected a file to replace"},
        {":export full.safetensors", "full.safetensors: not a regular file"},
        {":export file/a.png", "file/a.png: cannot be written: Not a directory"},
        {":export file/a.csv", "file/a.csv: cannot be written: Not a directory"},
        {":export file/a.npy", "file/a.npy: cannot be written: Not a directory"},
        {":export file/a.json", "file/a.json: cannot be written: Not a directory"},
        {":export file/a.safetensors", "file/a.safetensors: cannot be written: Not a directory"},
        {":save /dev/full", "/dev/full: not a regular file, expected a file to replace"},
        {":save pipe.csv", "pipe.csv: not a regular file"},
        {":save folder.png", "folder.png: not a regular file"},
        {":save file/a", "file/a: cannot be written: Not a directory"},
        {":load pipe.csv", "pipe.csv: a pipe, expected a file"},
        {":load folder.png", "folder.png: no model in this folder, expected config.json"},
        {":load /dev/null", "/dev/null: a device, expected a file"},
        {":load file/m.bin", "file/m.bin: cannot be opened: Not a directory"},
        {":source picture",
         "picture: a PDF document, expected another file; attnscope --replay makes"},
        {":source folder.png", "folder.png: Is a directory, expected a text file"},
        {":translate folder.png", "folder.png: Is a directory, expected a text file"},
        {":open folder.png", "folder.png: Is a directory, expected a text file"},
        {":open file folder.png", "folder.png: Is a directory, expected a text file"},
        {":open file/a", "file/a: Not a directory, expected a text file"},
        {":open /dev/null", "/dev/null: empty, expected a sentence on each line"},
    };
    cli_write("file", "the dog\n");
    cli_write("picture", "%PDF-1.5\nthe dog\n");
    assert_int_equal(mkdir("folder.png", 0777), 0);
    assert_int_equal(mkfifo("pipe.csv", 0666), 0);
    assert_int_equal(symlink("/dev/full", "full.json"), 0);
    assert_int_equal(symlink("/dev/full", "full.safetensors"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const arguments[] = {CPU,     MODEL, "-e",          SENTENCE, "-e",
                                         ":attn", "-e",  cases[i].line, NULL};
        struct outcome outcome = cli_run(arguments);
        if (outcome.code != 1)
            fail_msg("%s: ends with %d", cases[i].line, outcome.code);
        cli_check_message(arguments, &outcome, 1, cases[i].says);
        outcome_free(&outcome);
    }
}

/* Runs a shell command around the program; its standard error, and its exit code. */
static struct outcome run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct outcome run_shell(const char *format, ...)
{
    char command[2 * PATH_MAX], whole[2 * PATH_MAX + 32];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    snprintf(whole, sizeof whole, "{ %s; } 2>errors", command);
    struct outcome outcome = {.code = system(whole)};
    outcome.code = WIFEXITED(outcome.code) ? WEXITSTATUS(outcome.code) : 256;
    int file = open("errors", O_RDONLY | O_CLOEXEC);
    outcome.err = cli_read_all(file);
    close(file);
    return outcome;
}

/* A file may be read that another program writes at the same time. */
static void pipes_are_read_as_files_are(void **state)
{
    assert_int_equal(mkfifo("lines.fifo", 0666), 0);
    struct outcome outcome = run_shell("printf 'the dog\\na cat\\n' >lines.fifo & "
                                       "%s --device cpu %s -e ':translate lines.fifo' >translated",
                                       cli_program(), MODEL);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.err, "");
    int file = open("translated", O_RDONLY | O_CLOEXEC);
    outcome.out = cli_read_all(file);
    close(file);
    assert_int_equal(cli_count_lines(outcome.out), 2);
    outcome_free(&outcome);
}

/* A reader that has enough: what was written before is there, the rest does not run. The program
 * ends as others do that SIGPIPE kills, without a word. */
static void a_pipe_that_closes_ends_without_a_word(void **state)
{
    FILE *script = fopen("script", "w");
    fputs(":set batch 2\n:save saved-before\n", script);
    for (int i = 0; i < 3000; i++)
        fputs(":help\n", script);
    fputs(":save saved-after\n", script);
    fclose(script);
    unlink("saved-after");
    struct outcome outcome = run_shell(
        "{ %s --device cpu %s -f script; echo $? >code; } | head -1 >first", cli_program(), MODEL);
    assert_string_equal(outcome.err, "");
    assert_int_equal(access("saved-before", F_OK), 0);
    assert_int_not_equal(access("saved-after", F_OK), 0);
    int code = open("code", O_RDONLY | O_CLOEXEC), first = open("first", O_RDONLY | O_CLOEXEC);
    char *said = cli_read_all(code), *line = cli_read_all(first);
    assert_string_equal(said, "141\n");
    assert_int_equal(cli_count_lines(line), 1);
    free(said);
    free(line);
    close(code);
    close(first);
    outcome_free(&outcome);
}

/* A disk that is full in the middle of a file: the old one stays, and nothing beside it. */
/* The command that writes while it runs finds it out itself. */
static void a_pipe_that_closes_within_a_command_ends_without_a_word(void **state)
{
    FILE *text = fopen("many-lines", "w");
    for (int i = 0; i < 3000; i++)
        fputs("the dog\n", text);
    fclose(text);
    struct outcome outcome =
        run_shell("{ %s --device cpu %s -e ':set batch 1' -e ':translate many-lines'; echo $? "
                  ">code; } | head -1 >first",
                  cli_program(), MODEL);
    assert_string_equal(outcome.err, "");
    int code = open("code", O_RDONLY | O_CLOEXEC);
    char *said = cli_read_all(code);
    assert_string_equal(said, "141\n");
    free(said);
    close(code);
    outcome_free(&outcome);
}

static void a_file_that_does_not_fit_leaves_the_old_one(void **state)
{
    static const char *const targets[] = {":export old.png", ":export old.csv", ":save old.scope"};
    mkdir("full", 0777);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const char *name = strchr(targets[i], ' ') + 1;
        char path[64], command[64];
        const char *const arguments[] = {targets[i], NULL};
        snprintf(path, sizeof path, "full/%s", name);
        snprintf(command, sizeof command, "%.*sfull/%s", (int)(name - targets[i]), targets[i],
                 name);
        cli_write(path, "before");
        struct outcome outcome =
            run_shell("(ulimit -f 0; exec %s --device cpu %s -e '%s' -e ':attn' "
                      "-e '%s' | cat >/dev/null) 2>&1 | cat >&2",
                      cli_program(), MODEL, SENTENCE, command);
        cli_check_message(arguments, &outcome, 1, "cannot be written: File too large");
        int file = open(path, O_RDONLY | O_CLOEXEC);
        char *text = cli_read_all(file);
        assert_string_equal(text, "before");
        free(text);
        close(file);
        unlink(path);
        assert_int_equal(rmdir("full"), 0);
        mkdir("full", 0777);
        outcome_free(&outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_whose_file_is_deleted_works_on),
        cmocka_unit_test(a_model_whose_file_changes_works_on),
        cmocka_unit_test(a_page_that_is_gone_ends_in_one_line),
        cmocka_unit_test(a_test_set_that_vanishes_is_walked_to_its_end),
        cmocka_unit_test(scripts_in_a_circle_end),
        cmocka_unit_test(what_is_no_file_is_refused_in_one_line),
        cmocka_unit_test(pipes_are_read_as_files_are),
        cmocka_unit_test(a_pipe_that_closes_ends_without_a_word),
        cmocka_unit_test(a_pipe_that_closes_within_a_command_ends_without_a_word),
        cmocka_unit_test(a_file_that_does_not_fit_leaves_the_old_one),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
