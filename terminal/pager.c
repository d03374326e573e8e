#include "terminal/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/send.h"
#include "base/system.h"
#include "terminal/text/aligned.h"
#include "terminal/text/display.h"

extern char **environ;

enum { NOT_EXECUTABLE = 126 }; // and above: a shell's code for a command that it cannot start

/* Returns the lines that the text takes in the terminal, or some number above `most`. */
static int rows_of(const char *text, int columns, int most)
{
    int rows = 0;
    while (*text && rows <= most) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        int width = line ? display_width(line) : 0;
        free(line);
        rows += width > columns ? (width + columns - 1) / columns : 1;
        text += length + (text[length] == '\n');
    }
    return rows;
}

/* The prompt needs a line, too. */
static bool is_tall(FILE *stream, const char *text)
{
    struct winsize window;
    if (ioctl(fileno(stream), TIOCGWINSZ, &window) != 0 || window.ws_row == 0)
        return false;
    return rows_of(text, display_columns(stream), window.ws_row) >= window.ws_row;
}

/* Starts the pager with `input` as its standard input. Returns 0 if it cannot be started. */
static pid_t start(const char *command, int input)
{
    const char *const shell[] = {"sh", "-c", command, NULL}, *const less[] = {"less", NULL};
    const char *const *argv = command ? shell : less;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    pid_t child = 0;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE); // ignored signals would be inherited
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    if (posix_spawnp(&child, argv[0], &files, &attributes, (char *const *)argv, environ) != 0)
        child = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return child;
}

/* Returns false if the pager did not start. */
static bool run(const char *command, const char *text)
{
    int ends[2], status = 0;
    if (!pipe_open(ends, true))
        return false;
    pid_t child = start(command, ends[0]);
    close(ends[0]);
    if (child)
        send_bytes(ends[1], text, strlen(text)); // nobody misses what it has not read
    close(ends[1]);
    while (child && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child && !(WIFEXITED(status) && WEXITSTATUS(status) >= NOT_EXECUTABLE);
}

/* A terminal that cannot move its cursor cannot page. */
static bool is_wanted(const char *command)
{
    const char *terminal = getenv("TERM");
    return terminal && *terminal && strcmp(terminal, "dumb") != 0 &&
           (!command || (*command && strcmp(command, "cat") != 0));
}

void pager_show(FILE *stream, const char *text)
{
    const char *command = getenv("PAGER");
    if (is_wanted(command) && is_tall(stream, text)) {
        // Default options for less: colours, no clearing of the screen, and a prompt other than the
        // ":" that our commands begin with.
        setenv("LESS", "FRXPs?e(END) :space goes on, .q ends$", 0);
        setenv("LESSCHARSET", "utf-8", 0);
        fflush(stream);
        if (run(command, text))
            return;
    }
    aligned_write(stream, text);
}
