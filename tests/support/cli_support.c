#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static char program[PATH_MAX];
static char folder[] = "/tmp/attnscope-cli-XXXXXX";

const char *cli_program(void)
{
    return program;
}

char *cli_read_all(int file)
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

int cli_finish(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

pid_t cli_start(const char *const *arguments, int in, int out, int err)
{
    char *argv[MOST_ARGUMENTS + 2] = {program};
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[i + 1] = (char *)arguments[i];
    // Not by fork, which would copy a large test's page tables for every run.
    const int streams[] = {in, out, err};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    for (int stream = 0; stream < 3; stream++)
        posix_spawn_file_actions_adddup2(&actions, streams[stream], stream);
    int error = posix_spawn(&child, program, &actions, NULL, argv, environ);
    if (error)
        fail_msg("%s: %s", program, strerror(error));
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

int cli_scratch(void)
{
    char path[] = "/tmp/attnscope-cli-file-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

struct outcome cli_run_with(const char *const *arguments, const char *input, size_t bytes)
{
    int in = cli_scratch(), out = cli_scratch(), err = cli_scratch();
    assert_int_equal(write(in, input, bytes), bytes);
    lseek(in, 0, SEEK_SET);
    struct outcome outcome = {.code = cli_finish(cli_start(arguments, in, out, err))};
    lseek(out, 0, SEEK_SET);
    lseek(err, 0, SEEK_SET);
    outcome.out = cli_read_all(out);
    outcome.err = cli_read_all(err);
    close(in);
    close(out);
    close(err);
    return outcome;
}

struct outcome cli_run(const char *const *arguments)
{
    return cli_run_with(arguments, "", 0);
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
}

const char *cli_path(const char *name)
{
    static char path[4][PATH_MAX];
    static int next;
    char *here = path[next++ % 4];
    snprintf(here, PATH_MAX, "%s/%s", folder, name);
    return here;
}

char *cli_read(const char *path, size_t *bytes)
{
    char *text = NULL;
    size_t size;
    FILE *file = fopen(path, "rb"), *out = open_memstream(&text, &size);
    assert_non_null(file);
    assert_non_null(out);
    for (int byte; (byte = getc(file)) != EOF;)
        putc(byte, out);
    fclose(file);
    assert_int_equal(fclose(out), 0);
    if (bytes)
        *bytes = size;
    return text;
}

int cli_count_lines(const char *text)
{
    int lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

int cli_count_messages(const char *err)
{
    static const char unknown[] = ":sentence: warning: not in the vocabulary: ";
    int messages = 0;
    for (const char *line = err; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *warning = strstr(line, unknown);
        messages += strncmp(line, "attnscope: ", 11) == 0 &&
                    !(warning && warning < line + strcspn(line, "\n"));
    }
    return messages;
}

const char *cli_command_line(const char *const *arguments)
{
    static char line[2000];
    *line = '\0';
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " [%.200s]", arguments[i]);
    return line;
}

void cli_check_message(const char *const *arguments, const struct outcome *outcome, int most,
                       const char *says)
{
    int lines = cli_count_lines(outcome->err);
    if (lines < 1 || lines > most)
        fail_msg("%s: %d lines: %s", cli_command_line(arguments), lines, outcome->err);
    if (strncmp(outcome->err, "attnscope: ", 11) != 0 || !strstr(outcome->err, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", cli_command_line(arguments), outcome->err, says);
    for (const unsigned char *c = (const unsigned char *)outcome->err; *c; c++)
        if ((*c < 0x20 && *c != '\n') || *c == 0x7F)
            fail_msg("%s: control character %02x", cli_command_line(arguments), *c);
}

json_t *cli_object(const char *const *arguments, const char *out, int line)
{
    json_error_t error;
    if (cli_count_lines(out) <= line)
        fail_msg("%s: a line is missing", cli_command_line(arguments));
    for (; line > 0; line--)
        out += strcspn(out, "\n") + 1;
    size_t length = strcspn(out, "\n");
    json_t *object = json_loadb(out, length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(object))
        fail_msg("%s: %s: %.*s", cli_command_line(arguments), error.text, (int)length, out);
    return object;
}

json_t *cli_answer(const char *model, const char *command)
{
    const char *const arguments[] = {"--json", CPU, model, "-e", command, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 0);
    if (!json_is_true(json_object_get(answer, "ok")))
        fail_msg("%s: %s", command, outcome.out);
    outcome_free(&outcome);
    return answer;
}

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
    case '0':
        return json_is_null(value);
    case 'b':
        return json_is_boolean(value);
    default:
        return false;
    }
}

void cli_check_fields(const char *command, const json_t *object, const char *fields)
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

const char *cli_write(const char *name, const char *text)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    return path;
}

const char *cli_folder(void)
{
    return folder;
}

int cli_open(void **state)
{
    const char *given = getenv("ATTNSCOPE");
    if (given) {
        snprintf(program, sizeof program, "%s", given);
    } else {
        ssize_t length = readlink("/proc/self/exe", program, sizeof program - 32);
        for (int up = 0; up < 2 && length > 0; up++)
            while (length > 0 && program[--length] != '/')
                continue;
        strcpy(program + length, "/attnscope");
    }
    // The user's own settings on this machine must not matter; a dumb terminal gets no escape
    // sequences.
    unsetenv("POSIXLY_CORRECT");
    unsetenv("COLUMNS");
    setenv("TERM", "dumb", 1);
    setenv("INPUTRC", "/dev/null", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    if (!mkdtemp(folder) || setenv("XDG_STATE_HOME", folder, 1) != 0)
        return -1;
    return access(program, X_OK) == 0 ? 0 : -1;
}

/* Makes a link in the folder, so that the path also works there. */
static bool link_here(const char *name)
{
    char target[PATH_MAX], path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return realpath(name, target) && symlink(target, path) == 0;
}

int cli_enter(void **state)
{
    char path[PATH_MAX];
    if (cli_open(state) != 0 || !realpath(program, path) || !link_here("tests") ||
        !link_here("samples"))
        return -1;
    strcpy(program, path);
    return chdir(folder);
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

int cli_remove(const char *path)
{
    return nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int cli_close(void **state)
{
    return cli_remove(folder);
}
