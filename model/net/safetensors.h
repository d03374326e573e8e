/* The safetensors format: reading with suspicion, writing whole or not at all.
 *
 * Layout: 8 bytes little-endian header length, a JSON object {name: {dtype, shape, data_offsets},
 * "__metadata__": {string: string}}, then the tensors' bytes without holes, overlaps or rest.
 */
#ifndef ATTNSCOPE_SAFETENSORS_H
#define ATTNSCOPE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/status.h"
#include "model/net/watch.h"

enum stored_dtype {
    STORED_F32,
    STORED_F16,
    STORED_BF16,
    STORED_U8,
    STORED_F64,
    STORED_I64,
    STORED_OTHER
};

struct stored_tensor {
    char *name;
    enum stored_dtype dtype;
    const char *dtype_name; // as the format spells it, "F32"
    int dimensions;
    int64_t shape[8];
    int64_t elements;
    const void *data; // into the map; may be unaligned
    size_t bytes;
};

struct safetensors; // an opened file

/* Maps `path` read-only and checks header (at most 16 MB), names, shapes and offsets; the data is not
 * read. Only a regular file will do, so that nothing waits. NULL on failure; messages begin with the
 * path. */
struct safetensors *safetensors_open(const char *path, struct status *status);
void safetensors_close(struct safetensors *file); // NULL: nothing
/* Fails where the file has been written to since it was opened: its bytes then are others, or past its new
 * end, where reading one is SIGBUS. To be asked shortly before they are read. That its name is gone, or
 * another file's, does no harm. */
bool safetensors_unchanged(const struct safetensors *file, struct status *status);
int safetensors_count(const struct safetensors *file);
const struct stored_tensor *safetensors_tensor(const struct safetensors *file, int index);
const struct stored_tensor *safetensors_find(const struct safetensors *file,
                                             const char *name); // or NULL
/* A string of __metadata__, or NULL. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);
/* The whole file's bytes. */
const void *safetensors_bytes(const struct safetensors *file, size_t *bytes);
const char *safetensors_path(const struct safetensors *file);

/* Writing: gather float32 tensors and metadata, then write them to a temporary name beside `path` and
 * rename. Data is copied by safetensors_add, which refuses a name that is there already; metadata
 * replaces. `watcher` (NULL: nobody) is asked in between. A path that is there must be a regular file; on failure it stays as it was. */
struct safetensors_writer *safetensors_writer_open(struct status *status);
bool safetensors_add(struct safetensors_writer *writer, const char *name, const float *data,
                     int dimensions, const int64_t *shape, struct status *status);
bool safetensors_add_metadata(struct safetensors_writer *writer, const char *key, const char *value,
                              struct status *status);
bool safetensors_write(struct safetensors_writer *writer, const struct watcher *watcher,
                       const char *path, struct status *status);
void safetensors_writer_close(struct safetensors_writer *writer); // NULL: nothing

#endif
