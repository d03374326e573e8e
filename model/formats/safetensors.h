/* The safetensors format: reads untrusted files, writes files atomically.
 *
 * Layout: 8 bytes little-endian header length, a JSON object {name: {dtype, shape, data_offsets},
 * "__metadata__": {string: string}}, then the tensors' bytes without gaps, overlaps or trailing
 * bytes.
 */
#ifndef ATTNSCOPE_SAFETENSORS_H
#define ATTNSCOPE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "base/watch.h"
#include "model/formats/mapped_file.h"

enum stored_dtype {
    STORED_F32,
    STORED_F16,
    STORED_BF16,
    STORED_U8,
    STORED_F64,
    STORED_I64,
    STORED_OTHER
};

/* A matrix in the 8-bit integers that its toolkit multiplies with (struct integer_spec,
 * gpu/backend.h). */
struct stored_integers {
    const int8_t *values; // of the tensor's shape
    float scale, activation;
    bool shifted;
};

struct stored_tensor {
    char *name;
    enum stored_dtype dtype;
    const char *dtype_name; // in the format's spelling, "F32"
    int dimensions;
    int64_t shape[8];
    int64_t elements;
    const void *data; // into the map; may be unaligned
    size_t bytes;
    const struct stored_integers *integers; // besides the floats; NULL: none
};

/* An element of a tensor of one of the three float types that we read, exactly. */
float stored_value(const struct stored_tensor *tensor, int64_t index);
static inline bool stored_is_float(const struct stored_tensor *tensor)
{
    return tensor->dtype == STORED_F32 || tensor->dtype == STORED_F16 ||
           tensor->dtype == STORED_BF16;
}

struct safetensors; // an opened file

/* Maps `path` read-only and checks header (at most 16 MB), names, shapes and offsets, without
 * reading the data. The path must be a regular file, because opening others could block. NULL on
 * failure; messages begin with the path. */
struct safetensors *safetensors_open(const char *path, struct status *status);
/* Reads a file that is already mapped and must outlive the result; messages do not name it. */
struct safetensors *safetensors_read(const struct mapped_file *file, struct status *status);
void safetensors_close(struct safetensors *file); // NULL: nothing
int safetensors_count(const struct safetensors *file);
const struct stored_tensor *safetensors_tensor(const struct safetensors *file, int index);
const struct stored_tensor *safetensors_find(const struct safetensors *file,
                                             const char *name); // or NULL
/* A string of __metadata__, or NULL. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);
/* The mapped file, which lives as long. */
const struct mapped_file *safetensors_file(const struct safetensors *file);

/* Writing. Call order: safetensors_writer_open; safetensors_add, safetensors_borrow and
 * safetensors_add_metadata; safetensors_write or safetensors_write_stream;
 * safetensors_writer_close. safetensors_add copies the data, safetensors_borrow does not (it must
 * outlive the writer); both refuse duplicate names. safetensors_add_metadata replaces.
 * safetensors_write reports progress to `watch` (NULL: none) and writes atomically (new_file.h). */
struct safetensors_writer *safetensors_writer_open(struct status *status);
bool safetensors_add(struct safetensors_writer *writer, const char *name, const float *data,
                     int dimensions, const int64_t *shape, struct status *status);
bool safetensors_borrow(struct safetensors_writer *writer, const struct stored_tensor *tensor,
                        struct status *status);
bool safetensors_add_metadata(struct safetensors_writer *writer, const char *key, const char *value,
                              struct status *status);
bool safetensors_write(struct safetensors_writer *writer, const struct watch *watch,
                       const char *path, struct status *status);
/* The caller checks the stream for write errors (ferror). */
bool safetensors_write_stream(const struct safetensors_writer *writer, FILE *stream,
                              const struct watch *watch, struct status *status);
void safetensors_writer_close(struct safetensors_writer *writer); // NULL: nothing

#endif
