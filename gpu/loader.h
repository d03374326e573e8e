/* Finds and opens the device that a user asks for by name.
 *
 * The CPU is always there. CUDA is a plug-in, opened at run time: `attnscope-cuda.so` beside the executable or,
 * as `make install` has it, in ../lib/attnscope from there. It exports one object, `const struct backend
 * attnscope_backend`. A plug-in, once opened, stays until the program ends.
 */
#ifndef ATTNSCOPE_LOADER_H
#define ATTNSCOPE_LOADER_H

#include "gpu/backend.h"
#include "gpu/status.h"

enum device_kind { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA };

struct device_choice {
    enum device_kind kind;
    int ordinal;              // of the GPU, 0-based
    const char *plugin;       // path of the plug-in for CUDA; NULL: the program's own
    enum precision precision; // the CPU has PRECISION_FP32 alone
};

/* Reads `auto`, `cpu`, `cuda` or `cuda:N` into kind and ordinal. */
bool device_parse(const char *name, struct device_choice *choice, struct status *status);

/* What precisions are called, by enum precision; NULL at the end. */
extern const char *const precision_names[];

/* Reads one of precision_names. */
bool precision_parse(const char *name, enum precision *precision, struct status *status);

/* Opens the plug-in at `path` (NULL: the program's own) and checks its version. A path is a path
 * also without a slash: libraries of the system are not searched. */
const struct backend *backend_load(const char *path, struct status *status);

struct opened_device {
    const struct backend *backend;
    struct device *device; // closed with backend->close
    char notice[440];      // of DEVICE_AUTO: one line, that the CPU is used and why; else ""
};

/* Opens the device chosen; DEVICE_AUTO: the first GPU, else the CPU. `threads` is the CPU's, 0 for as
 * many as there are processors. A precision that the CPU does not have was asked for by name, so
 * DEVICE_AUTO fails then rather than compute in another one. */
bool device_open(const struct device_choice *choice, int threads, struct opened_device *out,
                 struct status *status);

/* What DEVICE_AUTO does without a GPU, as device_open: for one that opens, but has too little memory for
 * what is put there. The caller has closed it; `reason` says what was missing. */
bool device_open_instead(const struct device_choice *choice, int threads,
                         const struct status *reason, struct opened_device *out,
                         struct status *status);

#endif
