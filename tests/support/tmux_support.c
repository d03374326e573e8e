#include "tests/support/tmux_support.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/tmux_control.h"

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

static pid_t start_server(const char *socket)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    pid_t server =
        tmux_start((const char *const[]){"tmux", "-D", "-u", "-f", "/dev/null", "-S", socket, NULL},
                   nothing, SIGTERM);
    close(nothing);
    return server;
}

static char *tmux_ask(const struct tmux *tmux, const char *const *words)
{
    char *says;
    if (!tmux_control_run(tmux->control, words, &says))
        fail_msg("tmux %s: %s", words[0], says);
    return says;
}

#define TMUX(tmux, ...) tmux_do(tmux, (const char *const[]){__VA_ARGS__, NULL})

static void tmux_do(const struct tmux *tmux, const char *const *words)
{
    free(tmux_ask(tmux, words));
}

static bool listens(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client >= 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    bool there = connect(client, (struct sockaddr *)&address, sizeof address) == 0;
    close(client);
    return there;
}

static void await_server(const struct tmux *tmux)
{
    for (double end = now() + PATIENCE; !listens(tmux->socket); doze()) {
        if (waitpid(tmux->server, NULL, WNOHANG) != 0)
            fail_msg("no tmux: scripts/install_packages check installs it");
        if (now() > end)
            fail_msg("no server of tmux in %d s", PATIENCE);
    }
}

struct words {
    const char *word[MOST_WORDS];
    int count;
};

static void add_words(struct words *words, const char *const *more)
{
    for (; more && *more; more++) {
        assert_true(words->count < MOST_WORDS - 1);
        words->word[words->count++] = *more;
    }
}

#define ADD(words, ...) add_words(words, (const char *const[]){__VA_ARGS__, NULL})

static void add_options(struct words *words, const struct tmux_spec *spec)
{
    ADD(words, "set-option", "-s", "escape-time", "0", ";");
    ADD(words, "set-option", "-s", "set-clipboard", "on", ";");
    ADD(words, "set-option", "-g", "status", "off", ";");
    ADD(words, "set-option", "-g", "remain-on-exit", "on", ";");
    ADD(words, "set-option", "-g", "remain-on-exit-format", "", ";");
    ADD(words, "set-option", "-g", "default-terminal", spec->term ? spec->term : "tmux-256color",
        ";");
    if (spec->one_screen)
        ADD(words, "set-option", "-g", "alternate-screen", "off", ";");
}

/* Starts the program through env(1), which sets its environment, with a client that has no size of
 * its own (`window-size manual` crashes tmux 3.3a here). Its output is recorded from the first
 * byte: tmux runs both commands before it reads the terminal. */
static struct tmux_control *start_program(const struct tmux *tmux, const struct tmux_spec *spec,
                                          const char *program)
{
    struct words words = {0};
    char columns[16], rows[16], record[300];
    snprintf(columns, sizeof columns, "%d", spec->columns);
    snprintf(rows, sizeof rows, "%d", spec->rows);
    add_options(&words, spec);
    ADD(&words, "new-session", "-f", "no-output,ignore-size", "-x", columns, "-y", rows);
    ADD(&words, "env", "-u", "COLORTERM", "-u", "NO_COLOR");
    add_words(&words, spec->environment);
    if (program)
        ADD(&words, program);
    add_words(&words, spec->arguments);
    if (spec->record) {
        snprintf(record, sizeof record, "exec cat >>'%s'", spec->record);
        ADD(&words, ";", "pipe-pane", record);
    }
    return tmux_control_open(tmux->socket, words.word);
}

static struct tmux open_with(const struct tmux_spec *spec, const char *program)
{
    static int opened;
    struct tmux tmux;
    char name[32];
    snprintf(name, sizeof name, "tmux-%ld-%d", (long)getpid(), opened++);
    snprintf(tmux.socket, sizeof tmux.socket, "%s", cli_path(name));
    unsetenv("TMUX"); // the tmux in which the tests run
    unsetenv("TMUX_PANE");
    tmux.server = start_server(tmux.socket);
    await_server(&tmux);
    tmux.control = start_program(&tmux, spec, program);
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
    tmux_control_send(tmux->control, (const char *const[]){"kill-server", NULL});
    tmux_control_close(tmux->control);
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

/* What the server says of the pane: a line of numbers, and its text. They come from one command, so
 * that they match. */
static char *ask_pane(const struct tmux *tmux)
{
    return tmux_ask(tmux,
                    (const char *const[]){"display-message", "-p",
                                          "#{pane_height} #{pane_width} #{pane_pid} #{version}",
                                          ";", "capture-pane", "-e", "-p", "-N", NULL});
}

static struct tmux_screen read_pane(char *says)
{
    int rows, columns, major, minor;
    assert_int_equal(sscanf(says, "%d %d %*d%*[^0-9]%d.%d", &rows, &columns, &major, &minor), 4);
    const size_t skip = strcspn(says, "\n");
    assert_int_equal(says[skip], '\n');
    struct tmux_screen screen =
        tmux_screen_parse(says + skip + 1, major * 100 + minor >= 304, rows, columns);
    free(says);
    return screen;
}

/* True if the program of the pane waits, for a key for example, or has ended. */
static bool waits(const char *says)
{
    char path[64], state = 0;
    int pid;
    assert_int_equal(sscanf(says, "%*d %*d %d", &pid), 1);
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    int found = fscanf(file, "%*d (%*[^)]) %c", &state);
    fclose(file);
    return found != 1 || state != 'R';
}

/* The program may be writing: what it has written is complete when it waits, and the server has
 * nothing more to read. */
static char *settled(const struct tmux *tmux)
{
    double end = now() + PATIENCE;
    char *says = ask_pane(tmux);
    for (;;) {
        bool waited = waits(says);
        char *again = ask_pane(tmux);
        bool same = waited && waits(again) && strcmp(says, again) == 0;
        free(says);
        says = again;
        if (same || now() > end)
            return says;
        if (!waited)
            doze();
    }
}

void tmux_settle(const struct tmux *tmux)
{
    free(settled(tmux));
}

struct tmux_screen tmux_capture(const struct tmux *tmux)
{
    return read_pane(settled(tmux));
}

void tmux_expect_that(const struct tmux *tmux, tmux_condition *holds, const void *context,
                      const char *what)
{
    double end = now() + PATIENCE;
    for (;;) {
        bool late = now() > end; // before the capture, so that a slow one still counts
        struct tmux_screen screen = read_pane(ask_pane(tmux));
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
        if (tmux_control_run(tmux->control, (const char *const[]){"show-buffer", NULL}, &says)) {
            TMUX(tmux, "delete-buffer");
            says[strlen(says) - 1] = '\0'; // a newline, which tmux adds
            return says;
        }
        if (late)
            fail_msg("nothing was copied in %d s: %s", PATIENCE, says);
        free(says);
        doze();
    }
}
