/* A checkpoint file: a memory-mapped safetensors file whose every length, offset, shape, dtype, name,
 * rule and id has been checked.
 *
 * checkpoint_open maps and checks; the tensors point into the map until checkpoint_close.
 * Messages begin with the path: "model.bin: encoder.layers.0.norm1.weight: shape [16], expected [32]".
 */
#ifndef ATTNSCOPE_CHECKPOINT_H
#define ATTNSCOPE_CHECKPOINT_H

#include <stdint.h>

#include "gpu/status.h"
#include "model/net/config.h"
#include "model/net/safetensors.h"
#include "model/net/watch.h"
#include "model/text/text.h"

struct checkpoint {
    struct safetensors *file;
    struct config *config;
    struct vocabulary *vocabulary[2]; // [SIDE_SOURCE], [SIDE_TARGET]; the same one where shared
    struct tokenizer *tokenizer[2];   // likewise
    int64_t parameters;               // elements of all float tensors in the file
    const struct watcher *watcher; // of long work with it (watch.h), set by who opens it; or NULL
};

/* NULL on failure. */
struct checkpoint *checkpoint_open(const char *path, struct status *status);
void checkpoint_close(struct checkpoint *checkpoint); // NULL: nothing

/* The tensor that printf-named, or NULL where the file (rightly) has none, as an optional bias. */
const struct stored_tensor *checkpoint_tensor(const struct checkpoint *checkpoint,
                                              const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* SHA-256 of the whole file as 64 hexadecimal digits and \0. Fails where the file is no longer what was
 * opened. */
bool checkpoint_digest(const struct checkpoint *checkpoint, char hex[65], struct status *status);

#endif
