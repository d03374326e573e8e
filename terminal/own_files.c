#include "terminal/own_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The folders are readable by their owner only, as XDG asks. */
static void make_folders(char *file)
{
    for (char *slash = strchr(file + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(file, 0700);
        *slash = '/';
    }
}

char *own_file_path(const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int written = -1;
    // XDG: a relative path is to be ignored.
    if (state && *state == '/')
        written = asprintf(&path, "%s/attnscope/%s", state, name);
    else if (home && *home == '/')
        written = asprintf(&path, "%s/.local/state/attnscope/%s", home, name);
    if (written < 0)
        return NULL;
    make_folders(path);
    return path;
}
