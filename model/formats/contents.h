/* The contents of a model's files, with the names of our own format (doc/manual.md, own format):
 * the configuration as JSON text, float tensors, and vocabularies and subword models as tensors of
 * bytes. A reader of another toolkit's format renames that toolkit's tensors; their data stays in
 * the mapped files if the bytes are the same.
 *
 * Order of calls in a reader: contents_file for each file; contents_add, contents_rows,
 * contents_floats, contents_text; contents_configure. contents_open (formats.h) then sorts the
 * tensors and refuses duplicates.
 */
#ifndef ATTNSCOPE_CONTENTS_H
#define ATTNSCOPE_CONTENTS_H

#include <jansson.h>

#include "base/status.h"
#include "model/formats/archive/torch_file.h"
#include "model/formats/safetensors.h"

/* Reported (options_tell_text) by readers whose toolkit rounds activations to 8 bits; we skip that
 * rounding unless products are in PRECISION_INT8. */
#define FLOAT_ACTIVATIONS "activations of 8 bits"

struct contents {
    const char *family;            // "attnscope", "CTranslate2"
    bool own;                      // in our own format
    char notice[300];              // why the model's tokeniser is not used, or ""
    char *config;                  // JSON text of the configuration
    struct stored_tensor *tensors; // (count), by name; with our names
    int count;
    struct mapped_file **files;         // (file_count): every file read, in order of reading
    const struct mapped_file *given[2]; // replaces the model's own tokeniser of each side; or NULL
    int file_count;

    /* Private to model/formats. */
    size_t capacity;
    struct safetensors **parts; // (part_count): of those files
    struct torch_file **torch;  // (torch_count)
    void **memory;              // (memory_count): tensor data that is in no file
    int part_count, torch_count, memory_count;
};

/* Map a file of the model once; contents_part reads the header of a safetensors file,
 * contents_torch the pickle of a PyTorch file. All live as long as the contents. NULL on failure;
 * messages do not name the path. */
const struct mapped_file *contents_file(struct contents *contents, const char *path,
                                        struct status *status);
const struct safetensors *contents_part(struct contents *contents, const struct mapped_file *file,
                                        struct status *status);
struct torch_file *contents_torch(struct contents *contents, const struct mapped_file *file,
                                  struct status *status);

/* `size` bytes per element, zeroed, freed with the contents. NULL: out of memory. */
void *contents_memory(struct contents *contents, int64_t elements, size_t size,
                      struct status *status);

/* Adds a tensor `name` with the data and shape of `from`. */
bool contents_add(struct contents *contents, const char *name, const struct stored_tensor *from,
                  struct status *status);
/* Adds rows `first` … `first + rows - 1` of a tensor, such as one with q, k and v stacked. The
 * caller has checked that the rows exist. */
bool contents_rows(struct contents *contents, const char *name, const struct stored_tensor *from,
                   int64_t first, int64_t rows, struct status *status);
/* Adds floats that live as long as the contents, such as those of contents_memory. */
bool contents_floats(struct contents *contents, const char *name, const float *data, int dimensions,
                     const int64_t *shape, struct status *status);
/* Add a tensor of bytes: a copy of `text`, or the bytes of a file of the contents. */
bool contents_text(struct contents *contents, const char *name, const char *text, size_t bytes,
                   struct status *status);
bool contents_borrow(struct contents *contents, const char *name, const struct mapped_file *file,
                     struct status *status);

/* Sets or replaces the configuration: an object, which is taken (also on failure). */
bool contents_configure(struct contents *contents, json_t *config, struct status *status);

/* Sorts the tensors by name, as contents_find requires; fails if two have the same name. */
bool contents_sort(struct contents *contents, struct status *status);

void contents_close(struct contents *contents); // NULL: nothing

/* Finds a tensor by name, or returns NULL. */
const struct stored_tensor *contents_find(const struct contents *contents, const char *name);
/* Releases the memory of a tensor's mapped bytes (mapped_file.h), after a device has copied
 * them. */
void contents_release(const struct contents *contents, const struct stored_tensor *tensor);
/* Fails if one of the files has been written to since it was opened (mapped_file.h). */
bool contents_unchanged(const struct contents *contents, struct status *status);

#endif
