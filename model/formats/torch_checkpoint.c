#include "model/formats/torch_checkpoint.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static bool ends_in_any(const char *name, const char *const *endings)
{
    for (; *endings; endings++)
        if (name_ends(name, *endings))
            return true;
    return false;
}

char *torch_checkpoint_first(const char *folder, const char *const *endings, int *count)
{
    DIR *listing = opendir(folder);
    char *first = NULL;
    *count = 0;
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        if (entry->d_name[0] == '.' || !ends_in_any(entry->d_name, endings))
            continue;
        (*count)++;
        if (first && strcmp(first, entry->d_name) < 0)
            continue;
        free(first);
        first = strdup(entry->d_name);
    }
    if (listing)
        closedir(listing);
    return first;
}

char *torch_checkpoint_name(const struct torch_checkpoint *kind, const struct candidate *candidate)
{
    const char *const endings[] = {kind->ending, NULL};
    int count;
    if (!candidate->is_folder)
        return strdup(name_in_path(candidate->path));
    for (const char *const *name = kind->names; *name; name++)
        if (family_has(candidate->folder, *name))
            return strdup(*name);
    char *first = torch_checkpoint_first(candidate->folder, endings, &count);
    if (count == 1)
        return first;
    free(first);
    return NULL;
}

bool torch_checkpoint_recognise(const struct torch_checkpoint *kind,
                                const struct candidate *candidate)
{
    if (!candidate->is_folder && !torch_begins(candidate->head))
        return false;
    char *name = torch_checkpoint_name(kind, candidate);
    bool is = name && family_is_torch(candidate, name, kind->holds);
    free(name);
    return is;
}
