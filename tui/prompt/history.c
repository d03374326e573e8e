#include "tui/prompt/history.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include "terminal/own_files.h"
#include "tui/command/commands.h"

static char *path; // NULL: no file
static bool left;  // the newest line was left without being run

/* Makes the file if there is none. A pipe in its place would make us wait. */
static bool is_usable(const char *name)
{
    struct stat about;
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
    path = own_file_path("history");
    if (path && is_usable(path)) {
        read_history(path);
        return;
    }
    free(path);
    path = NULL;
}

static bool is_newest(const char *line)
{
    HIST_ENTRY *newest = history_length ? history_get(history_base + history_length - 1) : NULL;
    return newest && strcmp(newest->line, line) == 0;
}

static void drop_newest(void)
{
    HIST_ENTRY *newest = history_length ? remove_history(history_length - 1) : NULL;
    if (newest)
        free_history_entry(newest);
}

void history_keep(const char *line)
{
    if (left && is_newest(line))
        drop_newest(); // it was never in the file
    left &= command_blank(line);
    if (command_blank(line) || is_newest(line))
        return;
    add_history(line);
    if (path)
        append_history(1, path);
}

void history_leave(const char *line)
{
    if (command_blank(line))
        return;
    if (left)
        drop_newest();
    left = !is_newest(line);
    if (left)
        add_history(line);
}

void history_settle(void)
{
    HIST_ENTRY **entries = history_list();
    for (int i = 0; entries && entries[i]; i++)
        entries[i]->data = NULL;
}

void history_close(void)
{
    if (path)
        history_truncate_file(path, MOST_HISTORY);
    clear_history();
    left = false;
    free(path);
    path = NULL;
}
