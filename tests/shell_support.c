#include "tests/shell_support.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/cli_support.h"

enum { MOST_VARIABLES = 16 };

/* The prompt begins its line: in a terminal left raw, it could otherwise be broken at the edge. */
struct tmux shell_open(const struct tmux_spec *spec)
{
    static const char *const arguments[] = {"sh", "-i", NULL};
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
    unlink(shell.record);
    struct tmux tmux = tmux_open(&shell);
    tmux_expect(&tmux, SHELL_READY);
    return tmux;
}

/* What the marks are is not what is typed: the line stands on the screen as well. */
void shell_run(const struct tmux *tmux, const char *command)
{
    char line[8 * PATH_MAX];
    snprintf(line, sizeof line, "clear; stty -g >%s; %s; echo code=$?; stty -g >%s; echo do''ne\r",
             cli_path("before"), command, cli_path("after"));
    tmux_type(tmux, line);
}

void shell_look(const struct tmux *tmux)
{
    static int looks;
    char line[2 * PATH_MAX], mark[32];
    snprintf(line, sizeof line, "clear; stty -g >%s; echo loo''ked %d\r", cli_path("after"),
             ++looks);
    snprintf(mark, sizeof mark, "looked %d", looks);
    tmux_type(tmux, line);
    tmux_expect(tmux, mark);
}

/* This tmux does not tell whether it was asked for brackets around what is pasted. */
static void check_brackets(void)
{
    static const char mode[] = "\033[?2004";
    char *sent = cli_read(cli_path("sent"), NULL), last = 'l';
    for (char *at = sent; (at = strstr(at, mode)); at += sizeof mode - 1)
        last = at[sizeof mode - 1];
    free(sent);
    assert_int_equal(last, 'l');
}

void shell_check_restored(const struct tmux *tmux)
{
    char *before = cli_read(cli_path("before"), NULL), *after = cli_read(cli_path("after"), NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
    tmux_expect_format(tmux, SHELL_STATE, SHELL_FOUND);
    check_brackets();
}

void shell_expect_end(const struct tmux *tmux, int code)
{
    char mark[32];
    snprintf(mark, sizeof mark, "code=%d", code);
    tmux_expect(tmux, "done");
    tmux_expect(tmux, mark);
    shell_check_restored(tmux);
}
