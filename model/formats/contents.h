/* The contents of a model's files, in the words of our own format (doc/manual.md, own format): the
 * configuration as JSON text, float tensors, and vocabularies and subword models as tensors of
 * bytes. A reader of another toolkit's format names that toolkit's tensors anew; their data stays
 * in the mapped files wherever the bytes are the same.
 *
 * Order of calls of a reader: contents_file for each file; contents_add, contents_rows,
 * contents_floats, contents_text; contents_configure. contents_open (formats.h) then sorts the
 * tensors and refuses duplicates.
 */
#ifndef ATTNSCOPE_CONTENTS_H
#define ATTNSCOPE_CONTENTS_H

#include <jansson.h>

#include "base/status.h"
#include "model/formats/archive/torch_file.h"
#include "model/formats/safetensors.h"

/* Reported by readers (options_tell_text) whose toolkit rounds activations to 8 bits; that rounding
 * is skipped unless products are in PRECISION_INT8. */
#define FLOAT_ACTIVATIONS "activations of 8 bits"

struct contents {
    const char *family;            // "attnscope", "CTranslate2"
    bool own;                      // it is our own format
    char notice[300];              // why a tokeniser of the model is not used, or ""
    char *config;                  // JSON text of the configuration
    struct stored_tensor *tensors; // (count), by name; named in our words
    int count;
    struct mapped_file **files; // (file_count): every file that was read, in the order of reading
    const struct mapped_file
        *given[2]; // the tokeniser of each side, in place of the model's own; or NULL
    int file_count;

    /* Inside model/formats. */
    size_t capacity;
    struct safetensors **parts; // (part_count): of those files
    struct torch_file **torch;  // (torch_count)
    void **memory;              // (memory_count): data of tensors that is in no file
    int part_count, torch_count, memory_count;
};

/* Maps a file that belongs to the model, once; reads the header of one that is a safetensors file,
 * or the pickle of one of PyTorch. All live as long as the contents. NULL on failure; messages do
 * not name the path. */
const struct mapped_file *contents_file(struct contents *contents, const char *path,
                                        struct status *status);
const struct safetensors *contents_part(struct contents *contents, const struct mapped_file *file,
                                        struct status *status);
struct torch_file *contents_torch(struct contents *contents, const struct mapped_file *file,
                                  struct status *status);

/* `size` bytes per element, zeroed, freed with the contents. NULL: out of memory. */
void *contents_memory(struct contents *contents, int64_t elements, size_t size,
                      struct status *status);

/* A tensor `name` with the data and the shape of `from`. */
bool contents_add(struct contents *contents, const char *name, const struct stored_tensor *from,
                  struct status *status);
/* Rows `first` … `first + rows - 1` of a tensor: of one with q, k and v one above the other. The
 * caller has checked that it has them. */
bool contents_rows(struct contents *contents, const char *name, const struct stored_tensor *from,
                   int64_t first, int64_t rows, struct status *status);
/* Floats that live as long as the contents, as those of contents_memory. */
bool contents_floats(struct contents *contents, const char *name, const float *data, int dimensions,
                     const int64_t *shape, struct status *status);
/* A tensor of bytes: a copy of them, or those of a file of the contents. */
bool contents_text(struct contents *contents, const char *name, const char *text, size_t bytes,
                   struct status *status);
bool contents_borrow(struct contents *contents, const char *name, const struct mapped_file *file,
                     struct status *status);

/* Sets the configuration, or replaces it by a changed one: an object that is taken over (also on
 * failure). */
bool contents_configure(struct contents *contents, json_t *config, struct status *status);

/* Sorts the tensors by name, which contents_find relies on; fails where two have one name. */
bool contents_sort(struct contents *contents, struct status *status);

void contents_close(struct contents *contents); // NULL: nothing

/* The tensor of a name, or NULL. */
const struct stored_tensor *contents_find(const struct contents *contents, const char *name);
/* Gives back the memory that a tensor's bytes take while they are mapped (mapped_file.h): a device
 * has copied them. */
void contents_release(const struct contents *contents, const struct stored_tensor *tensor);
/* Fails where one of the files has been written to since it was opened (mapped_file.h). */
bool contents_unchanged(const struct contents *contents, struct status *status);

#endif
