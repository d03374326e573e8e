#include "tests/support/tmux_support.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

enum { PATIENCE = 60, MOST_WORDS = 400 }; // seconds; words of one command of tmux

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void doze(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
}

static void exec_tmux(char **argv)
{
    unsetenv("TMUX"); // the tmux in which the tests run
    unsetenv("TMUX_PANE");
    execvp(argv[0], argv);
    _exit(127);
}

/* Starts a server as our child, which ends with us. */
static pid_t start_server(const char *socket)
{
    pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    int nothing = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; stream++)
        dup2(nothing, stream);
    setpgid(0, 0); // keeps Ctrl-C at the tests' terminal from the server
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    exec_tmux((char *[]){"tmux", "-D", "-u", "-f", "/dev/null", "-S", (char *)socket, NULL});
    return -1;
}

/* Runs a tmux command; returns its exit code and its output, to be freed. */
static int run_tmux(const struct tmux *tmux, const char *const *words, char **says)
{
    char *argv[MOST_WORDS + 8] = {"tmux", "-N", "-u", "-S", (char *)tmux->socket};
    int count = 5, output = cli_scratch();
    for (; *words; words++) {
        assert_true(count < MOST_WORDS + 7);
        argv[count++] = (char *)*words;
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
        exec_tmux(argv);
    }
    int code = cli_finish(child);
    lseek(output, 0, SEEK_SET);
    *says = cli_read_all(output);
    close(output);
    if (code == 127)
        fail_msg("tmux is missing: scripts/install_packages check installs it");
    return code;
}

#define TMUX(tmux, ...) tmux_do(tmux, (const char *const[]){__VA_ARGS__, NULL})

static char *tmux_ask(const struct tmux *tmux, const char *const *words)
{
    char *says;
    if (run_tmux(tmux, words, &says) != 0)
        fail_msg("tmux %s: %s", words[0], says);
    return says;
}

static void tmux_do(const struct tmux *tmux, const char *const *words)
{
    free(tmux_ask(tmux, words));
}

static void await_server(const struct tmux *tmux)
{
    double end = now() + PATIENCE;
    for (;;) {
        char *says;
        bool there = run_tmux(tmux, (const char *const[]){"show-options", "-s", NULL}, &says) == 0;
        bool late = now() > end;
        if (late && !there)
            fail_msg("no server: %s", says);
        free(says);
        if (there)
            return;
        doze();
    }
}

/* The size stays as given while no client is attached; `window-size manual` crashes tmux 3.3a
 * here. */
static void set_options(const struct tmux *tmux, const struct tmux_spec *spec)
{
    const char *term = spec->term ? spec->term : "tmux-256color";
    TMUX(tmux, "set-option", "-s", "escape-time", "0");
    TMUX(tmux, "set-option", "-s", "set-clipboard", "on");
    TMUX(tmux, "set-option", "-g", "status", "off");
    TMUX(tmux, "set-option", "-g", "remain-on-exit", "on");
    TMUX(tmux, "set-option", "-g", "remain-on-exit-format", "");
    TMUX(tmux, "set-option", "-g", "default-terminal", term);
    if (spec->one_screen)
        TMUX(tmux, "set-option", "-g", "alternate-screen", "off");
}

/* Starts the program through env(1), which sets its environment. Its output is recorded from the
 * first byte: tmux runs both commands before it reads the terminal. */
static void start_program(const struct tmux *tmux, const struct tmux_spec *spec,
                          const char *program)
{
    const char *words[MOST_WORDS];
    char columns[16], rows[16], record[300];
    int count = 0;
    snprintf(columns, sizeof columns, "%d", spec->columns);
    snprintf(rows, sizeof rows, "%d", spec->rows);
    const char *const head[] = {"new-session", "-d", "-x",        columns, "-y",      rows,
                                "env",         "-u", "COLORTERM", "-u",    "NO_COLOR"};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        words[count++] = head[i];
    for (const char *const *one = spec->environment; one && *one && count < MOST_WORDS - 2; one++)
        words[count++] = *one;
    if (program)
        words[count++] = program;
    for (const char *const *one = spec->arguments; *one; one++) {
        assert_true(count < MOST_WORDS - 4);
        words[count++] = *one;
    }
    if (spec->record) {
        snprintf(record, sizeof record, "exec cat >>'%s'", spec->record);
        words[count++] = ";";
        words[count++] = "pipe-pane";
        words[count++] = record;
    }
    words[count] = NULL;
    tmux_do(tmux, words);
}

static struct tmux open_with(const struct tmux_spec *spec, const char *program)
{
    static int opened;
    struct tmux tmux;
    char name[32];
    snprintf(name, sizeof name, "tmux-%ld-%d", (long)getpid(), opened++);
    snprintf(tmux.socket, sizeof tmux.socket, "%s", cli_path(name));
    tmux.server = start_server(tmux.socket);
    await_server(&tmux);
    set_options(&tmux, spec);
    start_program(&tmux, spec, program);
    return tmux;
}

struct tmux tmux_open(const struct tmux_spec *spec)
{
    return open_with(spec, NULL);
}

struct tmux tmux_open_program(const struct tmux_spec *spec)
{
    return open_with(spec, cli_program());
}

void tmux_close(struct tmux *tmux)
{
    TMUX(tmux, "kill-server");
    cli_finish(tmux->server);
    unlink(tmux->socket);
    *tmux = (struct tmux){0};
}

void tmux_press(const struct tmux *tmux, const char *names)
{
    const char *words[MOST_WORDS] = {"send-keys"};
    char *copy = strdup(names), *rest = NULL;
    int count = 1;
    assert_non_null(copy);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        assert_true(count < MOST_WORDS - 1);
        words[count++] = strcmp(name, ";") == 0 ? "\\;" : name;
    }
    words[count] = NULL;
    tmux_do(tmux, words);
    free(copy);
}

/* Sends a few at a time: tmux takes at most 16 KiB of a command. */
void tmux_send(const struct tmux *tmux, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    while (count > 0) {
        const char *words[MOST_WORDS] = {"send-keys", "-H"};
        char codes[MOST_WORDS][3];
        int used = 2;
        for (; count > 0 && used < MOST_WORDS - 1; count--, used++) {
            snprintf(codes[used], sizeof codes[used], "%02x", *byte++);
            words[used] = codes[used];
        }
        words[used] = NULL;
        tmux_do(tmux, words);
    }
}

void tmux_type(const struct tmux *tmux, const char *text)
{
    tmux_send(tmux, text, strlen(text));
}

void tmux_click(const struct tmux *tmux, int row, int column, enum tmux_button button)
{
    char bytes[64];
    bool wheel = button >= TMUX_UP;
    if (strcmp(tmux_format(tmux, "#{mouse_any_flag}"), "1") != 0)
        fail_msg("the program does not listen to the mouse");
    if (strcmp(tmux_format(tmux, "#{mouse_sgr_flag}"), "1") == 0) {
        int count = snprintf(bytes, sizeof bytes, "\033[<%d;%d;%dM", button, column + 1, row + 1);
        if (!wheel)
            snprintf(bytes + count, sizeof bytes - count, "\033[<%d;%d;%dm", button, column + 1,
                     row + 1);
        tmux_type(tmux, bytes);
        return;
    }
    if (row > 222 || column > 222)
        fail_msg("row %d, column %d: not in the old protocol of the mouse", row, column);
    int count = snprintf(bytes, sizeof bytes, "\033[M%c%c%c", 32 + button, 33 + column, 33 + row);
    if (!wheel)
        count += snprintf(bytes + count, sizeof bytes - count, "\033[M%c%c%c", 32 + 3, 33 + column,
                          33 + row);
    tmux_send(tmux, bytes, count);
}

static bool has_size(const char *path, int columns, int rows)
{
    struct winsize window = {0};
    int terminal = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool known = terminal >= 0 && ioctl(terminal, TIOCGWINSZ, &window) == 0;
    if (terminal >= 0)
        close(terminal);
    return !known || (window.ws_col == columns && window.ws_row == rows);
}

/* tmux tells the program's terminal a little later. */
void tmux_resize(const struct tmux *tmux, int columns, int rows)
{
    char x[16], y[16], path[1000];
    double end = now() + PATIENCE;
    snprintf(x, sizeof x, "%d", columns);
    snprintf(y, sizeof y, "%d", rows);
    snprintf(path, sizeof path, "%s", tmux_format(tmux, "#{pane_tty}"));
    TMUX(tmux, "resize-window", "-x", x, "-y", y);
    while (!has_size(path, columns, rows)) {
        if (now() > end)
            fail_msg("%s is not %dx%d after %d s", path, columns, rows, PATIENCE);
        doze();
    }
}

const char *tmux_format(const struct tmux *tmux, const char *format)
{
    static char value[1000];
    char *says = tmux_ask(tmux, (const char *const[]){"display-message", "-p", format, NULL});
    snprintf(value, sizeof value, "%.*s", (int)strcspn(says, "\n"), says);
    free(says);
    return value;
}

/* Gets size and text from one command of the server, so that they match. */
struct tmux_screen tmux_capture(const struct tmux *tmux)
{
    int rows, columns, major, minor;
    char *says = tmux_ask(tmux, (const char *const[]){"display-message", "-p",
                                                      "#{pane_height} #{pane_width} #{version}",
                                                      ";", "capture-pane", "-e", "-p", "-N", NULL});
    assert_int_equal(sscanf(says, "%d %d%*[^0-9]%d.%d", &rows, &columns, &major, &minor), 4);
    const size_t skip = strcspn(says, "\n");
    assert_int_equal(says[skip], '\n');
    struct tmux_screen screen =
        tmux_screen_parse(says + skip + 1, major * 100 + minor >= 304, rows, columns);
    free(says);
    return screen;
}

void tmux_expect_that(const struct tmux *tmux, tmux_condition *holds, const void *context,
                      const char *what)
{
    double end = now() + PATIENCE;
    for (;;) {
        bool late = now() > end; // before the capture, so that a slow one still counts
        struct tmux_screen screen = tmux_capture(tmux);
        bool good = holds(&screen, context);
        if (!good && late) {
            fprintf(stderr, "%s", screen.text); // longer than a message of cmocka's can be
            fail_msg("not in %d s: %s; the screen is above (%s)", PATIENCE, what,
                     tmux_format(tmux, "#{pane_width}x#{pane_height}, dead: #{pane_dead}"));
        }
        tmux_screen_free(&screen);
        if (good)
            return;
        doze();
    }
}

static bool has_text(const struct tmux_screen *screen, const void *text)
{
    return strstr(screen->text, text) != NULL;
}

static bool lacks_text(const struct tmux_screen *screen, const void *text)
{
    return !has_text(screen, text);
}

static bool has_match(const struct tmux_screen *screen, const void *expression)
{
    return regexec(expression, screen->text, 0, NULL, 0) == 0;
}

void tmux_expect(const struct tmux *tmux, const char *text)
{
    tmux_expect_that(tmux, has_text, text, text);
}

void tmux_expect_gone(const struct tmux *tmux, const char *text)
{
    char what[1000];
    snprintf(what, sizeof what, "without %s", text);
    tmux_expect_that(tmux, lacks_text, text, what);
}

void tmux_expect_match(const struct tmux *tmux, const char *pattern)
{
    regex_t expression;
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NEWLINE | REG_NOSUB) != 0)
        fail_msg("not a regular expression: %s", pattern);
    tmux_expect_that(tmux, has_match, &expression, pattern);
    regfree(&expression);
}

void tmux_expect_format(const struct tmux *tmux, const char *format, const char *value)
{
    double end = now() + PATIENCE;
    for (;;) {
        bool late = now() > end;
        const char *is = tmux_format(tmux, format);
        if (strcmp(is, value) == 0)
            return;
        if (late)
            fail_msg("%s is \"%s\" after %d s, expected \"%s\"", format, is, PATIENCE, value);
        doze();
    }
}

pid_t tmux_pid(const struct tmux *tmux)
{
    pid_t pid = (pid_t)strtol(tmux_format(tmux, "#{pane_pid}"), NULL, 10);
    assert_true(pid > 1);
    return pid;
}

/* tmux marks the pane dead before it knows the reason. Sometimes tmux 3.3a misses the signal, and
 * leaves a zombie until the next one. */
static void await_reason(const struct tmux *tmux)
{
    double end = now() + PATIENCE;
    tmux_expect_format(tmux, "#{pane_dead}", "1");
    while (strcmp(tmux_format(tmux, "#{pane_dead_signal}#{pane_dead_status}"), "") == 0) {
        if (now() > end)
            fail_msg("tmux does not know why the program ended");
        kill(tmux->server, SIGCHLD);
        doze();
    }
}

int tmux_finish(const struct tmux *tmux)
{
    int code;
    await_reason(tmux);
    if (sscanf(tmux_format(tmux, "#{pane_dead_signal}"), "%d", &code) == 1)
        return 256 + code;
    assert_int_equal(sscanf(tmux_format(tmux, "#{pane_dead_status}"), "%d", &code), 1);
    return code;
}

char *tmux_copied(const struct tmux *tmux)
{
    double end = now() + PATIENCE;
    for (;;) {
        char *says;
        bool late = now() > end;
        if (run_tmux(tmux, (const char *const[]){"show-buffer", NULL}, &says) == 0) {
            TMUX(tmux, "delete-buffer");
            return says;
        }
        if (late)
            fail_msg("nothing was copied in %d s: %s", PATIENCE, says);
        free(says);
        doze();
    }
}
