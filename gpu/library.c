#include "gpu/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OURS "libcu"
#define PYTHON "/lib/python3*/"
#define PACKAGES "-packages/nvidia/*/lib/"

enum { DEPTH_MOST = 4 }; // of libraries that need libraries that are looked for

/* Below the folder that an environment variable names; NULL: below /usr/local. */
static const struct {
    const char *variable, *pattern;
} places[] = {
    {"VIRTUAL_ENV", "/lib/"},
    {"VIRTUAL_ENV", PYTHON "site" PACKAGES},
    {"CONDA_PREFIX", "/lib/"},
    {"CONDA_PREFIX", PYTHON "site" PACKAGES},
    {"HOME", "/.local" PYTHON "site" PACKAGES},
    {NULL, PYTHON "site" PACKAGES},
    {NULL, PYTHON "dist" PACKAGES},
    {NULL, "/cuda/lib64/"},
    {NULL, "/cuda-*/lib64/"},
};

/* The characters of a folder's name stand for themselves in a pattern. */
static bool quote(const char *folder, char *out, size_t size)
{
    size_t length = 0;
    for (; *folder && length + 3 <= size; folder++) {
        if (strchr("*?[]\\", *folder))
            out[length++] = '\\';
        out[length++] = *folder;
    }
    out[length] = '\0';
    return !*folder;
}

/* The library that a message of dlerror says is missing, which is one of CUDA's; false: it says something else. */
static bool missing_name(const char *message, char *name, size_t size)
{
    const char *end = strstr(message, ": cannot open shared object file");
    if (!end || strncmp(message, OURS, strlen(OURS)) != 0 ||
        memchr(message, '/', (size_t)(end - message)))
        return false;
    return snprintf(name, size, "%.*s", (int)(end - message), message) < (int)size;
}

static bool find_and_open(const char *name, int depth);

/* Each round finds one more library that was missing. */
static void *open_at(const char *path, int depth)
{
    char name[NAME_MAX], before[NAME_MAX] = "";
    for (;;) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const char *message = library ? NULL : dlerror();
        if (library || depth == DEPTH_MOST || !missing_name(message, name, sizeof name) ||
            strcmp(name, before) == 0 || !find_and_open(name, depth + 1))
            return library;
        strcpy(before, name);
    }
}

/* The library stays open, and the next one that needs its name gets it. */
static bool open_first(const char *pattern, int depth)
{
    glob_t found;
    bool opened = false;
    if (glob(pattern, 0, NULL, &found) != 0)
        return false;
    for (size_t i = 0; i < found.gl_pathc && !opened; i++)
        opened = open_at(found.gl_pathv[i], depth) != NULL;
    globfree(&found);
    return opened;
}

static bool find_and_open(const char *name, int depth)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *base = places[i].variable ? getenv(places[i].variable) : "/usr/local";
        char folder[2 * PATH_MAX], pattern[3 * PATH_MAX];
        if (!base || !*base || !quote(base, folder, sizeof folder))
            continue;
        snprintf(pattern, sizeof pattern, "%s%s%s", folder, places[i].pattern, name);
        if (open_first(pattern, depth))
            return true;
    }
    return false;
}

void *library_open(const char *path, const char **error)
{
    void *library = open_at(path, 0);
    if (library)
        return library;
    // Once more for its message, which those of the search have overwritten.
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *error = library ? NULL : dlerror();
    return library;
}
