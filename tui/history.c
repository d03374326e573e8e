#include "tui/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include "tui/commands.h"

static char *path; // NULL: no file

/* Makes the folders of a path that are missing, for their owner alone, as XDG asks. */
static void make_folders(char *file)
{
    for (char *slash = strchr(file + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(file, 0700);
        *slash = '/';
    }
}

static char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *name = NULL;
    int written = -1;
    // A relative path is to be ignored, says XDG.
    if (state && *state == '/')
        written = asprintf(&name, "%s/attnscope/history", state);
    else if (home && *home == '/')
        written = asprintf(&name, "%s/.local/state/attnscope/history", home);
    return written < 0 ? NULL : name;
}

/* Makes the file where there is none; a pipe in its place would make us wait. */
static bool is_usable(char *name)
{
    struct stat about;
    make_folders(name);
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    bool usable = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    if (file >= 0)
        close(file);
    return usable;
}

void history_open(void)
{
    using_history();
    stifle_history(MOST_HISTORY);
    path = history_path();
    if (path && is_usable(path)) {
        read_history(path);
        return;
    }
    free(path);
    path = NULL;
}

void history_keep(const char *line)
{
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (command_blank(line) || (last && strcmp(last->line, line) == 0))
        return;
    add_history(line);
    if (path)
        append_history(1, path);
}

void history_close(void)
{
    if (path)
        history_truncate_file(path, MOST_HISTORY);
    clear_history();
    free(path);
    path = NULL;
}
