/* Opens the device that a user names.
 *
 * The CPU backend is built in. CUDA is a plug-in that is loaded at run time: `attnscope-cuda.so`,
 * in the folder of the executable or, after `make install`, in ../lib/attnscope relative to it. It
 * exports one object, `const struct backend attnscope_backend`. A plug-in stays loaded until the
 * program ends. gpu/loader.c says where cuBLAS is looked for.
 */
#ifndef ATTNSCOPE_LOADER_H
#define ATTNSCOPE_LOADER_H

#include "base/status.h"
#include "gpu/backend.h"

enum device_kind { DEVICE_AUTO, DEVICE_CPU, DEVICE_CUDA };

struct device_choice {
    enum device_kind kind;
    int ordinal;              // of the GPU, 0-based
    const char *plugin;       // path of the plug-in for CUDA; NULL: the program's own
    enum precision precision; // the CPU has no PRECISION_TF32, GPUs no PRECISION_FP16 or _INT8
    bool shipped; // instead of `precision`: PRECISION_INT8 on the CPU, PRECISION_FP32 on a GPU, so
                  // that models of 8 bits are computed as they are shipped where that is possible
};

/* Reads `auto`, `cpu`, `cuda` or `cuda:N` into kind and ordinal. */
bool device_parse(const char *name, struct device_choice *choice, struct status *status);

/* Names of precisions, by enum precision; NULL at the end. */
extern const char *const precision_names[];

/* Writes what the last bits of results depend on: "cpu fp32", "cuda NVIDIA H100 fp32 cuBLAS 120405
 * 5f7". */
void device_describe(const struct backend *backend, const struct device_info *info,
                     char text[DEVICE_TEXT]);

/* Reads one of precision_names. */
bool precision_parse(const char *name, enum precision *precision, struct status *status);

/* Loads the plug-in at `path` (NULL: the program's own) and checks its version. A path without a
 * slash is relative to the working directory; the system's library folders are not searched. NULL
 * on failure. */
const struct backend *backend_load(const char *path, struct status *status);

struct opened_device {
    const struct backend *backend;
    struct device *device; // closed with backend->close
    char notice[440];      // DEVICE_AUTO that fell back to the CPU: one line that says why; else ""
    bool short_of_memory;  // it did from a GPU that could be opened
};

/* Opens the chosen device; DEVICE_AUTO: the first GPU, or the CPU where there is none. `threads` is
 * for the CPU; 0: one per processor. DEVICE_AUTO does not fall back to the CPU, but fails, when the
 * CPU does not have the precision. */
bool device_open(const struct device_choice *choice, int threads, struct opened_device *out,
                 struct status *status);

/* Falls back to the CPU as DEVICE_AUTO does, for a GPU that could be opened but has too little
 * memory for the model. The caller has closed it; `reason` is the status of the failure. */
bool device_open_instead(const struct device_choice *choice, int threads,
                         const struct status *reason, struct opened_device *out,
                         struct status *status);

#endif
