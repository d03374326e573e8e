#include "tests/support/tmux_control.h"
#include "tests/support/test.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

enum { MOST_WORDS = 400 };

struct tmux_control {
    pid_t client;
    FILE *answers;
    char *line; // the last one read
    size_t room;
};

static int commands_of(const char *const *words)
{
    int count = 1;
    for (; *words; words++)
        count += strcmp(*words, ";") == 0;
    return count;
}

static void read_line(struct tmux_control *control)
{
    ssize_t count = getline(&control->line, &control->room, control->answers);
    if (count < 0)
        fail_msg("tmux has ended: %s", control->line ? control->line : "no answer");
}

/* Reads the answer of one command: lines between "%begin" and "%end", or "%error", with the same
 * numbers. Notifications come between answers. */
static bool read_answer(struct tmux_control *control, FILE *says)
{
    char numbers[100], end[120], error[120];
    do
        read_line(control);
    while (sscanf(control->line, "%%begin %99[^\n]", numbers) != 1);
    snprintf(end, sizeof end, "%%end %s\n", numbers);
    snprintf(error, sizeof error, "%%error %s\n", numbers);
    for (;;) {
        read_line(control);
        if (strcmp(control->line, end) == 0)
            return true;
        if (strcmp(control->line, error) == 0)
            return false;
        fputs(control->line, says);
    }
}

static bool read_answers(struct tmux_control *control, int commands, char **says)
{
    size_t size;
    bool good = true;
    FILE *stream = open_memstream(says, &size);
    assert_non_null(stream);
    for (int i = 0; good && i < commands; i++)
        good = read_answer(control, stream);
    assert_int_equal(fclose(stream), 0);
    return good;
}

pid_t tmux_start(const char *const *arguments, int stream, int signal)
{
    pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    for (int i = 0; i < 3; i++)
        dup2(stream, i);
    setpgid(0, 0); // keeps Ctrl-C at the tests' terminal from it
    prctl(PR_SET_PDEATHSIG, signal);
    if (getppid() == parent)
        execvp("tmux", (char **)arguments);
    _exit(127);
}

static pid_t start_client(const char *socket, const char *const *words, int stream)
{
    const char *arguments[MOST_WORDS + 8] = {"tmux", "-N", "-u", "-C", "-S", socket};
    for (int count = 6; *words; words++) {
        assert_true(count < MOST_WORDS + 7);
        arguments[count++] = *words;
    }
    return tmux_start(arguments, stream, SIGKILL);
}

struct tmux_control *tmux_control_open(const char *socket, const char *const *words)
{
    struct tmux_control *control = calloc(1, sizeof *control);
    int ends[2];
    char *says;
    assert_non_null(control);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    control->client = start_client(socket, words, ends[1]);
    close(ends[1]);
    control->answers = fdopen(ends[0], "r");
    assert_non_null(control->answers);
    if (!read_answers(control, commands_of(words), &says))
        fail_msg("tmux %s: %s", words[0], says);
    free(says);
    return control;
}

void tmux_control_close(struct tmux_control *control)
{
    cli_finish(control->client);
    fclose(control->answers);
    free(control->line);
    free(control);
}

/* Quotes a word for tmux, in whose quotes nothing has a meaning. */
static void write_word(FILE *line, const char *word)
{
    if (strcmp(word, ";") == 0) {
        fputs("; ", line);
        return;
    }
    if (strcmp(word, "\\;") == 0)
        word = ";";
    putc('\'', line);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", line);
        else
            putc(*word, line);
    fputs("' ", line);
}

void tmux_control_send(struct tmux_control *control, const char *const *words)
{
    char *text;
    size_t size;
    FILE *line = open_memstream(&text, &size);
    assert_non_null(line);
    for (; *words; words++)
        write_word(line, *words);
    putc('\n', line);
    assert_int_equal(fclose(line), 0);
    for (size_t sent = 0; sent < size;) {
        ssize_t count = send(fileno(control->answers), text + sent, size - sent, MSG_NOSIGNAL);
        if (count <= 0)
            fail_msg("tmux has ended before: %s", text);
        sent += count;
    }
    free(text);
}

bool tmux_control_run(struct tmux_control *control, const char *const *words, char **says)
{
    tmux_control_send(control, words);
    return read_answers(control, commands_of(words), says);
}
