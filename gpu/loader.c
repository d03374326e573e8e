#include "gpu/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLUGIN "attnscope-cuda.so"

/* The decimal number that is the whole of `text`, or -1. */
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

/* The plug-in's path beside the executable. */
static bool plugin_path(char *path, size_t size, struct status *status)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    char *slash = length > 0 ? memrchr(path, '/', length) : NULL;
    if (!slash || (size_t)(slash + 1 - path) + sizeof PLUGIN > size)
        return status_fail(status, STATUS_DEVICE, "%s: the program's own folder is unknown",
                           PLUGIN);
    memcpy(slash + 1, PLUGIN, sizeof PLUGIN);
    if (access(path, F_OK) != 0)
        return status_fail(status, STATUS_DEVICE, "no %s beside the program", PLUGIN);
    return true;
}

/* The path as dlopen takes it for one. */
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
    void *library = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        status_fail(status, STATUS_DEVICE, "%s", dlerror());
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

static bool open_on(const struct backend *backend, int threads, int ordinal,
                    struct opened_device *out, struct status *status)
{
    struct device_spec spec = {.threads = threads, .ordinal = ordinal};
    out->backend = backend;
    out->device = backend->open(&spec, status);
    return out->device != NULL;
}

static bool open_gpu(const struct device_choice *choice, int threads, struct opened_device *out,
                     struct status *status)
{
    const struct backend *backend = backend_load(choice->plugin, status);
    return backend && open_on(backend, threads, choice->ordinal, out, status);
}

bool device_open(const struct device_choice *choice, int threads, struct opened_device *out,
                 struct status *status)
{
    *out = (struct opened_device){0};
    if (choice->kind == DEVICE_CUDA)
        return open_gpu(choice, threads, out, status);
    struct status reason;
    if (choice->kind == DEVICE_AUTO) {
        if (open_gpu(choice, threads, out, &reason))
            return true;
        snprintf(out->notice, sizeof out->notice, "using the CPU, no GPU: %.360s", reason.message);
    }
    return open_on(&cpu_backend, threads, 0, out, status);
}
