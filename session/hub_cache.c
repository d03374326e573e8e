#include "session/model_folders.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/text/quote.h"

#define PREFIX "models--"

enum { LONGEST_NAME = 96 }; // of a part of a name, as on the hub

/* Names ---------------------------------------------------------------------------------------- */

/* True for a part of a name, or the name of a snapshot: no separators, and nothing that a shell or
 * a path interprets. */
static bool is_part(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("-_.", text[i]))
            return false;
    return bytes > 0 && bytes <= LONGEST_NAME && *text != '.' && *text != '-';
}

bool hub_is_name(const char *name)
{
    size_t first = strcspn(name, "/");
    const char *rest = name[first] ? name + first + 1 : NULL;
    return is_part(name, first) && (!rest || is_part(rest, strlen(rest)));
}

char *hub_name(const char *entry)
{
    if (strncmp(entry, PREFIX, strlen(PREFIX)) != 0)
        return NULL;
    char *name = strdup(entry + strlen(PREFIX));
    char *mark = name ? strstr(name, "--") : NULL;
    if (mark) {
        *mark = '/';
        memmove(mark + 1, mark + 2, strlen(mark + 2) + 1);
    }
    if (name && hub_is_name(name))
        return name;
    free(name);
    return NULL;
}

/* Folders -------------------------------------------------------------------------------------- */

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

char *hub_cache_folder(void)
{
    const struct {
        const char *value, *below;
    } places[] = {{getenv("HF_HUB_CACHE"), ""},
                  {getenv("HUGGINGFACE_HUB_CACHE"), ""},
                  {getenv("HF_HOME"), "/hub"},
                  {getenv("XDG_CACHE_HOME"), "/huggingface/hub"},
                  {getenv("HOME"), "/.cache/huggingface/hub"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = places[i].value;
        char *path = NULL;
        if (value && *value)
            return asprintf(&path, "%s%s", value, places[i].below) < 0 ? NULL : path;
    }
    return NULL;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Snapshots ------------------------------------------------------------------------------------ */

/* Fails with "FOLDER: WHAT; `hf download ORG/NAME` brings it". */
static bool incomplete(const char *model, const char *file, const char *what, struct status *status)
{
    const char *entry = strrchr(model, '/');
    char *name = hub_name(entry ? entry + 1 : model);
    status_fail(status, STATUS_INVALID, "%s: %s%s%s; `hf download %s` brings it", QUOTED(model),
                file ? QUOTED(file) : "", file ? ": " : "", what, name ? name : "ORG/NAME");
    free(name);
    return false;
}

/* True for a file of weights of any toolkit; a snapshot must have one. */
static bool holds_weights(const char *file)
{
    static const char *const endings[] = {".safetensors", ".bin", ".pt", ".ckpt", ".npz"};
    size_t length = strlen(file);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(file + length - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

/* Links whose file in blobs/ is missing, or that form a cycle, come from a download that was cut
 * off. */
static bool check_snapshot(const char *model, const char *snapshot, struct status *status)
{
    DIR *entries = opendir(snapshot);
    bool weights = false, good = true;
    for (const struct dirent *entry; good && entries && (entry = readdir(entries));) {
        char *path = join(snapshot, entry->d_name);
        struct stat about;
        good = path || status_no_memory(status);
        if (path && stat(path, &about) != 0)
            good = incomplete(model, entry->d_name, "its file is missing in blobs", status);
        weights |= path && holds_weights(entry->d_name);
        free(path);
    }
    if (entries)
        closedir(entries);
    return good && (weights || incomplete(model, NULL, "no weights in its snapshot", status));
}

/* Reads refs/main; "" if there is none. Fails unless it is the name of a folder. */
static bool read_main(const char *model, char *name, size_t bytes, struct status *status)
{
    char *path = join(model, "refs/main");
    int file = path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    ssize_t got = file >= 0 ? read(file, name, bytes - 1) : 0;
    size_t length = got > 0 ? (size_t)got : 0;
    bool there = file >= 0;
    if (there)
        close(file);
    free(path);
    while (length && isspace((unsigned char)name[length - 1]))
        length--;
    name[length] = '\0';
    return !there || (is_part(name, length) && strlen(name) == length) ||
           incomplete(model, "refs/main", "not the name of a snapshot", status);
}

static bool is_newer(const char *path, const struct stat *than)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode) &&
           (about.st_mtim.tv_sec > than->st_mtim.tv_sec ||
            (about.st_mtim.tv_sec == than->st_mtim.tv_sec &&
             about.st_mtim.tv_nsec >= than->st_mtim.tv_nsec));
}

/* Returns the snapshot made last, for a cache without refs/main. NULL: none. */
static char *newest(const char *snapshots)
{
    DIR *entries = opendir(snapshots);
    char *best = NULL;
    struct stat of = {0};
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        char *path = entry->d_name[0] == '.' ? NULL : join(snapshots, entry->d_name);
        if (path && is_newer(path, &of) && stat(path, &of) == 0) {
            free(best);
            best = path;
        } else {
            free(path);
        }
    }
    if (entries)
        closedir(entries);
    return best;
}

/* Chooses a snapshot of an existing folder models--…. */
static bool choose(const char *model, char **snapshot, struct status *status)
{
    char name[LONGEST_NAME + 2];
    if (!read_main(model, name, sizeof name, status))
        return false;
    char *snapshots = join(model, "snapshots");
    *snapshot = !snapshots ? NULL : *name ? join(snapshots, name) : newest(snapshots);
    free(snapshots);
    if (*snapshot && is_folder(*snapshot) && check_snapshot(model, *snapshot, status))
        return true;
    bool said = *snapshot && is_folder(*snapshot);
    free(*snapshot);
    *snapshot = NULL;
    return !said && incomplete(model, NULL, "its snapshot is missing", status);
}

/* Cuts off the last part of a path and returns it: "snapshots" of "A/snapshots/". NULL: there is
 * only one part. */
static char *cut_last(char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        path[--length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return slash ? slash + 1 : NULL;
}

static bool names_model(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = hub_name(slash ? slash + 1 : path);
    free(name);
    return name != NULL;
}

/* Cuts a real path to its folder models--…. True if the path is that folder (`depth` 0), its
 * snapshots/ (1), or a folder in there (2). */
static bool cut_to_model(char *path, int *depth)
{
    if (names_model(path))
        return true;
    char *last = cut_last(path);
    *depth = 1;
    if (last && strcmp(last, "snapshots") == 0 && names_model(path))
        return true;
    char *middle = last ? cut_last(path) : NULL;
    *depth = 2;
    return middle && strcmp(middle, "snapshots") == 0 && names_model(path);
}

bool hub_snapshot(const char *path, char **snapshot, struct status *status)
{
    int depth = 0;
    char *model = is_folder(path) ? realpath(path, NULL) : NULL;
    bool good = true;
    *snapshot = NULL;
    if (model && cut_to_model(model, &depth)) {
        good = depth < 2 ? choose(model, snapshot, status) : check_snapshot(model, path, status);
        if (good && depth == 2 && !(*snapshot = strdup(path)))
            good = status_no_memory(status);
    }
    free(model);
    return good;
}

bool hub_find(const char *name, char **snapshot, struct status *status)
{
    char *cache = hub_cache_folder(), *model = NULL;
    const char *slash = strchr(name, '/');
    int first = (int)(slash ? slash - name : (ptrdiff_t)strlen(name));
    *snapshot = NULL;
    if (cache && asprintf(&model, "%s/" PREFIX "%.*s%s%s", cache, first, name, slash ? "--" : "",
                          slash ? slash + 1 : "") < 0)
        model = NULL;
    bool good = !model || !is_folder(model) || choose(model, snapshot, status);
    free(cache);
    free(model);
    return good;
}

char *hub_model_of(const char *path)
{
    char *folder = strdup(path), *last = NULL;
    int depth = 0;
    char *name = folder && cut_to_model(folder, &depth) && depth == 2
                     ? hub_name(strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder)
                     : NULL;
    if (name && strchr(name, '/'))
        last = strdup(strchr(name, '/') + 1);
    free(folder);
    if (!name || !strchr(name, '/'))
        return name;
    free(name);
    return last;
}
