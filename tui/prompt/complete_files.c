#include "tui/prompt/complete_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tui/text/arguments.h"

static bool is_folder(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

/* `folder` as typed, with its slash; "" is the one we are in. */
static bool offer_entry(const char *folder, const char *name,
                        bool (*offer)(void *context, const char *path), void *context)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s/", folder, name) < 0)
        return true;
    if (!is_folder(path))
        path[strlen(path) - 1] = '\0';
    bool ok = offer(context, path);
    free(path);
    return ok;
}

bool complete_files(const char *typed, bool (*offer)(void *context, const char *path),
                    void *context)
{
    const char *slash = strrchr(typed, '/');
    const char *start = slash ? slash + 1 : typed; // of the name
    char *folder = strndup(typed, start - typed);
    DIR *entries = folder ? opendir(*folder ? folder : ".") : NULL;
    bool ok = true;
    for (const struct dirent *entry; ok && entries && (entry = readdir(entries));) {
        bool hidden = entry->d_name[0] == '.' && *start != '.';
        if (!hidden && begins_with(entry->d_name, start))
            ok = offer_entry(folder, entry->d_name, offer, context);
    }
    if (entries)
        closedir(entries);
    free(folder);
    return ok;
}
