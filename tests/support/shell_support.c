#include "tests/support/shell_support.h"
#include "tests/support/test.h"

#include <limits.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

enum { MOST_VARIABLES = 16 };

/* What the shell prints when the last command is done; different for each command of a
 * recording. */
static char last_mark[32];

/* Makes a new file, because the previous recording's file may still be written to. It exists at
 * once, even if its writer starts late. */
static void new_file(const char *path)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

/* The prompt begins with a carriage return: in a terminal left raw, it could be broken at the
 * edge. */
struct tmux shell_open(const struct tmux_spec *spec)
{
    static const char *const arguments[] = {"sh", "-i", "-o", "ignoreeof", NULL};
    const char *environment[MOST_VARIABLES + 1] = {
        "PS1=\r" SHELL_READY, "ENV=",
        "ASAN_OPTIONS=handle_segv=0:handle_abort=0:allow_user_segv_handler=1:allocator_may_return_"
        "null=1"};
    struct tmux_spec shell = *spec;
    int count = 3;
    for (const char *const *one = spec->environment; one && *one; one++) {
        assert_true(count < MOST_VARIABLES);
        environment[count++] = *one;
    }
    shell.environment = environment;
    shell.arguments = arguments;
    shell.record = cli_path("sent");
    new_file(shell.record);
    struct tmux tmux = tmux_open(&shell);
    tmux_expect(&tmux, SHELL_READY);
    return tmux;
}

/* The mark printed must differ from what is typed, because the typed line is on the screen as
 * well. */
static int next_mark(const char *word)
{
    static int marks;
    snprintf(last_mark, sizeof last_mark, "%s %d", word, ++marks);
    return marks;
}

void shell_run(const struct tmux *tmux, const char *command)
{
    char line[8 * PATH_MAX];
    snprintf(line, sizeof line,
             "clear; stty -g >%s; %s; echo code=$?; stty -g >%s; echo do''ne %d\r",
             cli_path("before"), command, cli_path("after"), next_mark("done"));
    tmux_type(tmux, line);
}

bool shell_is_done(const struct tmux_screen *screen)
{
    return strstr(screen->text, last_mark) != NULL;
}

void shell_look(const struct tmux *tmux)
{
    char line[2 * PATH_MAX];
    snprintf(line, sizeof line, "clear; stty -g >%s; echo loo''ked %d\r", cli_path("after"),
             next_mark("looked"));
    tmux_type(tmux, line);
    tmux_expect(tmux, last_mark);
}

/* Another process records what was sent, later than tmux shows it. */
static bool is_recorded(const struct tmux_screen *screen, const void *mark)
{
    (void)screen;
    char *sent = cli_read(cli_path("sent"), NULL);
    bool is = strstr(sent, mark);
    free(sent);
    return is;
}

/* Returns the last place of a sequence, or NULL. */
static const char *last_sent(const char *sent, const char *sequence)
{
    const char *last = NULL;
    for (const char *at = sent; (at = strstr(at, sequence)); at++)
        last = at;
    return last;
}

/* True if `undone` was sent after `done`, or if neither was sent. */
static bool is_undone(const char *sent, const char *done, const char *undone)
{
    const char *on = last_sent(sent, done), *off = last_sent(sent, undone);
    return !on || (off && off > on);
}

/* This tmux does not tell whether bracketed paste is on, nor the cursor's shape. */
static void check_sent(const struct tmux *tmux)
{
    tmux_expect_that(tmux, is_recorded, last_mark, "the end of the recording");
    char *sent = cli_read(cli_path("sent"), NULL);
    assert_true(is_undone(sent, "\033[?2004h", "\033[?2004l"));
    assert_true(is_undone(sent, "\033[6 q", "\033[0 q"));
    free(sent);
}

void shell_check_restored(const struct tmux *tmux)
{
    char *before = cli_read(cli_path("before"), NULL), *after = cli_read(cli_path("after"), NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
    tmux_expect_format(tmux, SHELL_STATE, SHELL_FOUND);
    check_sent(tmux);
}

void shell_expect_end(const struct tmux *tmux, int code)
{
    char mark[32];
    snprintf(mark, sizeof mark, "code=%d", code);
    tmux_expect(tmux, last_mark); // the word "done" by itself is also in a message of the program
    tmux_expect(tmux, mark);
    shell_check_restored(tmux);
}
