#include "gpu/loader.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

/* Opens a shared library that needs CUDA libraries. The system's loader looks in its usual places.
 * Libraries that it does not find may be in a Python environment, where pip puts them, or in the
 * folder of a CUDA toolkit. */

#define OURS "libcu"
#define PYTHON "/lib/python3*/"
#define PACKAGES "-packages/nvidia/*/lib/"

enum { DEPTH_MOST = 4 }; // depth of libraries that need libraries

/* In the folder that an environment variable names; NULL: in /usr/local. */
static const struct {
    const char *variable, *pattern;
} library_places[] = {
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

/* Escapes a folder's name, so that its characters stand for themselves in a pattern. */
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

/* Finds the CUDA library that dlerror's message calls missing. Returns false if it says anything
 * else. */
static bool missing_name(const char *message, char *name, size_t size)
{
    const char *end = strstr(message, ": cannot open shared object file");
    if (!end || strncmp(message, OURS, strlen(OURS)) != 0 ||
        memchr(message, '/', (size_t)(end - message)))
        return false;
    return snprintf(name, size, "%.*s", (int)(end - message), message) < (int)size;
}

static bool find_and_open(const char *name, int depth);

/* Each round finds one more missing library. */
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

/* The library stays open, so the next one that needs its name gets it. */
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
    for (size_t i = 0; i < sizeof library_places / sizeof *library_places; i++) {
        const char *base =
            library_places[i].variable ? getenv(library_places[i].variable) : "/usr/local";
        char folder[2 * PATH_MAX], pattern[3 * PATH_MAX];
        if (!base || !*base || !quote(base, folder, sizeof folder))
            continue;
        snprintf(pattern, sizeof pattern, "%s%s%s", folder, library_places[i].pattern, name);
        if (open_first(pattern, depth))
            return true;
    }
    return false;
}

/* As dlopen with RTLD_NOW | RTLD_LOCAL. A missing library whose name begins with "libcu" is then
 * looked for, in this order, in
 *     $VIRTUAL_ENV and $CONDA_PREFIX: lib, and lib/python3.N/site-packages/nvidia/NAME/lib;
 *     $HOME/.local and /usr/local: lib/python3.N/site-packages/nvidia/NAME/lib, the same in
 *     dist-packages; /usr/local/cuda and /usr/local/cuda-VERSION: lib64.
 * NULL: *error is one line that says why, valid until the next call of a function of dlfcn.h. */
static void *library_open(const char *path, const char **error)
{
    void *library = open_at(path, 0);
    if (library)
        return library;
    // Once more for its message, which those of the search have replaced.
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *error = library ? NULL : dlerror();
    return library;
}

#define PLUGIN "attnscope-cuda.so"

/* Returns the decimal number that is all of `text`, or -1. */
static int parse_ordinal(const char *text)
{
    int value = 0;
    if (!*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > 9999)
            return -1;
        value = value * 10 + (*text - '0');
    }
    return value;
}

bool device_parse(const char *name, struct device_choice *choice, struct status *status)
{
    choice->kind = DEVICE_CUDA;
    choice->ordinal = 0;
    if (strcmp(name, "auto") == 0)
        choice->kind = DEVICE_AUTO;
    else if (strcmp(name, "cpu") == 0)
        choice->kind = DEVICE_CPU;
    else if (strncmp(name, "cuda:", 5) == 0)
        choice->ordinal = parse_ordinal(name + 5);
    else if (strcmp(name, "cuda") != 0)
        choice->ordinal = -1;
    if (choice->ordinal < 0)
        return status_fail(status, STATUS_INVALID,
                           "device \"%s\": expected auto, cpu, cuda or cuda:N", name);
    return true;
}

const char *const precision_names[] = {
    [PRECISION_FP32] = "fp32", [PRECISION_TF32] = "tf32", [PRECISION_BF16] = "bf16",
    [PRECISION_FP16] = "fp16", [PRECISION_INT8] = "int8", NULL};

void device_describe(const struct backend *backend, const struct device_info *info,
                     char text[DEVICE_TEXT])
{
    const bool named = !backend->exact;
    snprintf(text, DEVICE_TEXT, "%s%s%s %s%s%s", backend->name, named ? " " : "",
             named ? info->name : "", precision_names[info->precision], *info->rounding ? " " : "",
             info->rounding);
}

bool precision_parse(const char *name, enum precision *precision, struct status *status)
{
    for (int i = 0; precision_names[i]; i++)
        if (strcmp(name, precision_names[i]) == 0) {
            *precision = i;
            return true;
        }
    return status_fail(status, STATUS_INVALID,
                       "precision \"%s\": expected fp32, tf32, bf16, fp16 or int8", name);
}

/* Where the plug-in may be, relative to the executable's folder: beside it after `make`, or
 * elsewhere after `make install`. */
static const char *const plugin_places[] = {PLUGIN, "../lib/attnscope/" PLUGIN};

/* Finds the first of plugin_places with a plug-in. */
static bool plugin_path(char *path, size_t size, struct status *status)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    const char *slash = length > 0 ? memory_find_last(program, '/', (size_t)length) : NULL;
    if (!slash)
        return status_fail(status, STATUS_DEVICE, "%s: the program's own folder is unknown",
                           PLUGIN);
    int folder = (int)(slash + 1 - program);
    for (size_t i = 0; i < sizeof plugin_places / sizeof *plugin_places; i++)
        if (snprintf(path, size, "%.*s%s", folder, program, plugin_places[i]) < (int)size &&
            access(path, F_OK) == 0)
            return true;
    return status_fail(status, STATUS_DEVICE, "no %s beside the program or in ../lib/attnscope",
                       PLUGIN);
}

/* Writes the path so that dlopen takes it for a path, not for a library's name. */
static bool given_path(const char *path, char *out, size_t size, struct status *status)
{
    const char *here = strchr(path, '/') ? "" : "./";
    return snprintf(out, size, "%s%s", here, path) < (int)size ||
           status_fail(status, STATUS_DEVICE, "%.100s...: a path this long names no plug-in", path);
}

const struct backend *backend_load(const char *path, struct status *status)
{
    char full[PATH_MAX];
    if (!(path ? given_path(path, full, sizeof full, status)
               : plugin_path(full, sizeof full, status)))
        return NULL;
    const char *error;
    void *library = library_open(full, &error);
    if (!library) {
        status_fail(status, STATUS_DEVICE, "%s", error);
        // If a library that the plug-in needs is missing, the message names only that one.
        if (!strstr(status->message, full))
            status_prefix(status, "%s", full);
        return NULL;
    }
    const struct backend *backend = dlsym(library, "attnscope_backend");
    if (!backend || backend->version != BACKEND_VERSION) {
        status_fail(status, STATUS_DEVICE, "%s: %s", full,
                    backend ? "made for another version of attnscope"
                            : "not a plug-in of attnscope");
        dlclose(library);
        return NULL;
    }
    return backend;
}

static bool open_on(const struct backend *backend, const struct device_choice *choice, int threads,
                    struct opened_device *out, struct status *status)
{
    const enum precision shipped = backend->integers ? PRECISION_INT8 : PRECISION_FP32;
    struct device_spec spec = {.threads = threads,
                               .ordinal = choice->ordinal,
                               .precision = choice->shipped ? shipped : choice->precision};
    out->backend = backend;
    out->device = backend->open(&spec, status);
    return out->device != NULL;
}

/* Opens NVIDIA's driver and keeps it open for the plug-in, which cannot work without it. Loading
 * the plug-in, mostly cuBLAS, just to find that out would take 0.1 s. */
static bool open_driver(struct status *status)
{
    static void *driver;
    if (!driver)
        driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    return driver || status_fail(status, STATUS_DEVICE, "cuda: this machine has no NVIDIA driver");
}

static bool open_gpu(const struct device_choice *choice, int threads, struct opened_device *out,
                     struct status *status)
{
    const struct backend *backend = backend_load(choice->plugin, status);
    return backend && open_on(backend, choice, threads, out, status);
}

bool device_open_instead(const struct device_choice *choice, int threads,
                         const struct status *reason, struct opened_device *out,
                         struct status *status)
{
    const char *missing = reason->code == STATUS_MEMORY ? "too little memory on the GPU" : "no GPU";
    *out = (struct opened_device){.short_of_memory = reason->code == STATUS_MEMORY};
    if (choice->precision == PRECISION_TF32)
        return status_fail(status, reason->code,
                           "%s: %.360s; expected one for tf32, which the CPU does not have",
                           missing, reason->message);
    snprintf(out->notice, sizeof out->notice, "using the CPU, %s: %.360s", missing,
             reason->message);
    return open_on(&cpu_backend, choice, threads, out, status);
}

bool device_open(const struct device_choice *choice, int threads, struct opened_device *out,
                 struct status *status)
{
    struct status reason;
    *out = (struct opened_device){0};
    switch (choice->kind) {
    case DEVICE_CPU:
        return open_on(&cpu_backend, choice, threads, out, status);
    case DEVICE_CUDA:
        return open_gpu(choice, threads, out, status);
    case DEVICE_AUTO:
        break;
    }
    // A plug-in that the user names may need no driver.
    return ((choice->plugin || open_driver(&reason)) && open_gpu(choice, threads, out, &reason)) ||
           device_open_instead(choice, threads, &reason, out, status);
}
