/* The places of the storages in a PyTorch file. Private to its reader: torch_zip.c,
 * torch_stream.c. */
#ifndef ATTNSCOPE_TORCH_STORAGE_H
#define ATTNSCOPE_TORCH_STORAGE_H

#include "model/formats/archive/pickle.h"
#include "model/formats/archive/zip_reader.h"
#include "model/formats/safetensors.h"

struct torch_type {
    const char *storage; // torch.FloatStorage
    const char *name;    // "F32"
    enum stored_dtype dtype;
    size_t bytes; // of an element
};

/* A range of elements of one type. */
struct torch_storage {
    const struct torch_type *type;
    const unsigned char *data;
    int64_t elements;
};

/* One storage of a stream. */
struct torch_range {
    const char *key;
    const struct torch_type *type;
    const unsigned char *data; // NULL: not found yet
    int64_t elements;
};

struct torch_file {
    const struct mapped_file *file;
    struct pickle *pickle;
    /* An archive's reader, and the folder with which all names begin, "archive/"; NULL for a
     * stream. */
    struct zip_reader *zip;
    char *prefix;
    struct torch_range *ranges; // (range_count), by key: of a stream
    size_t range_count;
    /* Memory allocated for its tensors. */
    void **memory; // (memory_count)
    size_t memory_count, memory_capacity;
    size_t room; // bytes left for copies
};

/* The reader of each layout: sets the pickle and finds the storages. */
bool torch_zip_read(struct torch_file *torch, struct status *status);
bool torch_stream_read(struct torch_file *torch, struct status *status);

/* The identity of a storage: ("storage", type, key, device, elements, view). */
struct torch_identity {
    const struct torch_type *type;
    const char *key;
    int64_t elements;
    const struct pickle_value *view; // (key, offset, elements) of old streams; or None
};
bool torch_identity_read(const struct pickle_value *value, struct torch_identity *identity,
                         struct status *status);

/* The storage of an archive, or of a stream. */
bool torch_zip_storage(struct torch_file *torch, const struct torch_identity *identity,
                       struct torch_storage *storage, struct status *status);
bool torch_stream_storage(const struct torch_file *torch, const struct torch_identity *identity,
                          struct torch_storage *storage, struct status *status);

#endif
