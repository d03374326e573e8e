#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/new_file.h"
#include "model/formats/safetensors.h"
#include "model/text/quote.h"

/* Readers may map the file and need aligned tensors. */
enum { ALIGNMENT = 8 };

struct chunk {
    const void *data;
    void *copy; // owned; NULL: `data` is borrowed
    size_t bytes;
};

struct safetensors_writer {
    json_t *header, *metadata; // the metadata is a member of the header
    struct chunk *chunks;      // in the order of the data
    size_t count, capacity, bytes;
};

struct safetensors_writer *safetensors_writer_open(struct status *status)
{
    struct safetensors_writer *writer = memory_new(1, sizeof *writer, status);
    if (!writer)
        return NULL;
    writer->header = json_object();
    writer->metadata = json_object();
    if (json_object_set(writer->header, "__metadata__", writer->metadata) == 0)
        return writer;
    status_no_memory(status);
    safetensors_writer_close(writer);
    return NULL;
}

void safetensors_writer_close(struct safetensors_writer *writer)
{
    if (!writer)
        return;
    for (size_t i = 0; i < writer->count; i++)
        free(writer->chunks[i].copy);
    free(writer->chunks);
    json_decref(writer->metadata);
    json_decref(writer->header);
    free(writer);
}

/* Returns {"dtype", "shape", "data_offsets"}; NULL: out of memory. */
static json_t *describe(const char *dtype, int dimensions, const int64_t *shape, size_t begin,
                        size_t end)
{
    json_t *lengths = json_array();
    for (int i = 0; i < dimensions; i++)
        json_array_append_new(lengths, json_integer(shape[i]));
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtype, "shape", lengths, "data_offsets",
                     (json_int_t)begin, (json_int_t)end);
}

static bool float_bytes(const char *name, int dimensions, const int64_t *shape, size_t *bytes,
                        struct status *status)
{
    *bytes = sizeof(float);
    for (int i = 0; i < dimensions; i++)
        if (shape[i] < 0 || !size_multiply(*bytes, (size_t)shape[i], bytes))
            return status_fail(status, STATUS_MEMORY,
                               "%s: dimension %d of length %lld, expected a size that fits",
                               QUOTED(name), i, (long long)shape[i]);
    return true;
}

/* Adds an entry to the header for data that comes next. */
static bool add_entry(struct safetensors_writer *writer, const char *name, const char *dtype,
                      int dimensions, const int64_t *shape, size_t bytes, struct status *status)
{
    size_t end;
    if (json_object_get(writer->header, name))
        return status_fail(status, STATUS_INVALID, "%s: present already, expected a new name",
                           QUOTED(name));
    if (!size_add(writer->bytes, bytes, &end))
        return status_fail(status, STATUS_MEMORY, "%s: too many bytes of data", QUOTED(name));
    json_t *entry = describe(dtype, dimensions, shape, writer->bytes, end);
    return json_object_set_new(writer->header, name, entry) == 0 ||
           status_fail(status, STATUS_INVALID, "%s: expected a name in UTF-8", QUOTED(name));
}

static bool add_chunk(struct safetensors_writer *writer, struct chunk chunk, struct status *status)
{
    if (!memory_grow((void **)&writer->chunks, &writer->capacity, writer->count + 1,
                     sizeof *writer->chunks, status))
        return false;
    writer->chunks[writer->count++] = chunk;
    writer->bytes += chunk.bytes;
    return true;
}

static bool add_copy(struct safetensors_writer *writer, const float *data, size_t bytes,
                     struct status *status)
{
    float *copy = memory_new(bytes, 1, status);
    if (!copy)
        return false;
    if (bytes > 0)
        memcpy(copy, data, bytes);
    if (add_chunk(writer, (struct chunk){copy, copy, bytes}, status))
        return true;
    free(copy);
    return false;
}

bool safetensors_add(struct safetensors_writer *writer, const char *name, const float *data,
                     int dimensions, const int64_t *shape, struct status *status)
{
    size_t bytes;
    if (!float_bytes(name, dimensions, shape, &bytes, status) ||
        !add_entry(writer, name, "F32", dimensions, shape, bytes, status))
        return false;
    if (add_copy(writer, data, bytes, status))
        return true;
    json_object_del(writer->header, name);
    return false;
}

bool safetensors_borrow(struct safetensors_writer *writer, const struct stored_tensor *tensor,
                        struct status *status)
{
    if (!add_entry(writer, tensor->name, tensor->dtype_name, tensor->dimensions, tensor->shape,
                   tensor->bytes, status))
        return false;
    if (add_chunk(writer, (struct chunk){tensor->data, NULL, tensor->bytes}, status))
        return true;
    json_object_del(writer->header, tensor->name);
    return false;
}

bool safetensors_add_metadata(struct safetensors_writer *writer, const char *key, const char *value,
                              struct status *status)
{
    if (json_object_set_new(writer->metadata, key, json_string(value)) == 0)
        return true;
    return status_fail(status, STATUS_INVALID, "%s: expected a value in UTF-8", QUOTED(key));
}

static bool write_all(FILE *file, const void *data, size_t bytes)
{
    return bytes == 0 || fwrite(data, bytes, 1, file) == 1;
}

/* The header's length includes the blanks after it. */
static bool write_header(FILE *file, const char *text)
{
    size_t bytes = strlen(text);
    size_t padding = (ALIGNMENT - bytes % ALIGNMENT) % ALIGNMENT;
    unsigned char length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)(bytes + padding) >> (8 * i));
    return write_all(file, length, sizeof length) && write_all(file, text, bytes) &&
           write_all(file, "        ", padding);
}

/* The progress of writing all data. */
struct writing {
    FILE *file;
    const struct watch *watch;
    size_t done, bytes;
};

static const char writing[] = "writing";

static bool write_chunk(struct writing *at, const struct chunk *chunk, struct status *status)
{
    enum { STEP = 1 << 22 };
    const char *data = chunk->data;
    size_t step;
    for (size_t i = 0; i < chunk->bytes; i += step) {
        step = chunk->bytes - i < STEP ? chunk->bytes - i : STEP;
        if (!watch_proceed(at->watch, writing, (double)at->done, (double)at->bytes, status) ||
            !write_all(at->file, data + i, step))
            return false;
        at->done += step;
    }
    return true;
}

static bool write_chunks(const struct safetensors_writer *writer, FILE *file,
                         const struct watch *watch, struct status *status)
{
    struct writing at = {file, watch, 0, writer->bytes};
    struct status other;
    double all = (double)writer->bytes;
    bool good = true;
    for (size_t i = 0; good && i < writer->count; i++)
        good = write_chunk(&at, &writer->chunks[i], status);
    return watch_proceed(watch, writing, all, all, good ? status : &other) && good;
}

bool safetensors_write_stream(const struct safetensors_writer *writer, FILE *stream,
                              const struct watch *watch, struct status *status)
{
    char *text = json_dumps(writer->header, JSON_COMPACT);
    if (!text)
        return status_no_memory(status);
    bool good = write_header(stream, text) && write_chunks(writer, stream, watch, status);
    free(text);
    return good;
}

bool safetensors_write(struct safetensors_writer *writer, const struct watch *watch,
                       const char *path, struct status *status)
{
    struct new_file file;
    if (!new_file_open(&file, path, status))
        return false;
    bool good = safetensors_write_stream(writer, file.stream, watch, status);
    return new_file_close(&file, good, status);
}
