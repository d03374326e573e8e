/* Opens the device chosen by the user.
 *
 * The CPU backend is built in. CUDA is a plug-in loaded at run time: `attnscope-cuda.so`, in the
 * folder of the executable or, after `make install`, in ../lib/attnscope relative to it. It exports
 * one object, `const struct backend attnscope_backend`. A plug-in stays loaded until the program
 * ends. gpu/loader.c documents where cuBLAS is searched for.
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
                  // that 8-bit models are computed in 8 bits where possible
};

/* Parses `auto`, `cpu`, `cuda` or `cuda:N` into kind and ordinal. */
bool device_parse(const char *name, struct device_choice *choice, struct status *status);

/* Names of precisions, indexed by enum precision; NULL-terminated. */
extern const char *const precision_names[];

/* Describes what the last bits of results depend on: "cpu fp32", "cuda NVIDIA H100 fp32 cuBLAS
 * 120405 5f7". */
void device_describe(const struct backend *backend, const struct device_info *info,
                     char text[DEVICE_TEXT]);

/* Parses one of precision_names. */
bool precision_parse(const char *name, enum precision *precision, struct status *status);

/* Loads the plug-in at `path` (NULL: the program's own) and checks its version. A path without a
 * slash is relative to the working directory; the system's library folders are not searched. NULL
 * on failure. */
const struct backend *backend_load(const char *path, struct status *status);

struct opened_device {
    const struct backend *backend;
    struct device *device; // closed with backend->close
    char notice[440];      // one line on why DEVICE_AUTO fell back to the CPU; else ""
    bool short_of_memory;  // it fell back although the GPU could be opened
};

/* Opens the chosen device; DEVICE_AUTO: the first GPU, or the CPU if there is no GPU. `threads` is
 * for the CPU; 0: $OMP_NUM_THREADS, or one per processor. Without NVIDIA's driver, DEVICE_AUTO does
 * not load the program's own plug-in. It fails instead of falling back if the CPU does not support
 * the precision. */
bool device_open(const struct device_choice *choice, int threads, struct opened_device *out,
                 struct status *status);

/* Falls back to the CPU as DEVICE_AUTO does, after a GPU was opened but had too little memory for
 * the model. The caller has closed the GPU; `reason` is the status of the failure. */
bool device_open_instead(const struct device_choice *choice, int threads,
                         const struct status *reason, struct opened_device *out,
                         struct status *status);

#endif
