#include "model/formats/contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/text/file_kind.h"
#include "model/text/quote.h"

/* Files ---------------------------------------------------------------------------------------- */

/* Makes room for one more in a list of pointers. */
static bool grow(void *list, int count, struct status *status)
{
    void **grown = realloc(*(void **)list, ((size_t)count + 1) * sizeof(void *));
    if (!grown)
        return status_no_memory(status);
    *(void **)list = grown;
    return true;
}

const struct mapped_file *contents_file(struct contents *contents, const char *path,
                                        struct status *status)
{
    for (int i = 0; i < contents->file_count; i++)
        if (strcmp(contents->files[i]->path, path) == 0)
            return contents->files[i];
    if (!grow(&contents->files, contents->file_count, status))
        return NULL;
    struct mapped_file *file = mapped_file_open(path, status);
    if (!file)
        return NULL;
    if (!file_kind_check(file->data, file->bytes, FILE_OF_MODEL, status)) {
        mapped_file_close(file);
        return NULL;
    }
    contents->files[contents->file_count++] = file;
    return file;
}

const struct safetensors *contents_part(struct contents *contents, const struct mapped_file *file,
                                        struct status *status)
{
    if (!grow(&contents->parts, contents->part_count, status))
        return NULL;
    struct safetensors *part = safetensors_read(file, status);
    if (part)
        contents->parts[contents->part_count++] = part;
    return part;
}

struct torch_file *contents_torch(struct contents *contents, const struct mapped_file *file,
                                  struct status *status)
{
    if (!grow(&contents->torch, contents->torch_count, status))
        return NULL;
    struct torch_file *torch = torch_file_open(file, status);
    if (torch)
        contents->torch[contents->torch_count++] = torch;
    return torch;
}

/* Tensors -------------------------------------------------------------------------------------- */

void *contents_memory(struct contents *contents, int64_t elements, size_t size,
                      struct status *status)
{
    if (!grow(&contents->memory, contents->memory_count, status))
        return NULL;
    void *memory = memory_new(size_max((size_t)elements, 1), size, status);
    if (memory)
        contents->memory[contents->memory_count++] = memory;
    return memory;
}

/* Adds a tensor with nothing but its name. */
static struct stored_tensor *next_tensor(struct contents *contents, const char *name,
                                         struct status *status)
{
    if ((size_t)contents->count == contents->capacity) {
        size_t capacity = size_max(64, 2 * contents->capacity);
        struct stored_tensor *grown = realloc(contents->tensors, capacity * sizeof *grown);
        if (!grown) {
            status_no_memory(status);
            return NULL;
        }
        contents->tensors = grown;
        contents->capacity = capacity;
    }
    struct stored_tensor *tensor = &contents->tensors[contents->count];
    *tensor = (struct stored_tensor){.name = strdup(name)};
    if (!tensor->name) {
        status_no_memory(status);
        return NULL;
    }
    contents->count++;
    return tensor;
}

bool contents_add(struct contents *contents, const char *name, const struct stored_tensor *from,
                  struct status *status)
{
    struct stored_tensor *tensor = next_tensor(contents, name, status);
    if (!tensor)
        return false;
    char *own = tensor->name;
    *tensor = *from;
    tensor->name = own;
    return true;
}

bool contents_rows(struct contents *contents, const char *name, const struct stored_tensor *from,
                   int64_t first, int64_t rows, struct status *status)
{
    struct stored_tensor part = *from;
    size_t row = from->shape[0] ? from->bytes / (size_t)from->shape[0] : 0;
    part.data = (const char *)from->data + (size_t)first * row;
    part.bytes = (size_t)rows * row;
    part.integers = NULL;
    part.elements = from->shape[0] ? from->elements / from->shape[0] * rows : 0;
    part.shape[0] = rows;
    return contents_add(contents, name, &part, status);
}

bool contents_floats(struct contents *contents, const char *name, const float *data, int dimensions,
                     const int64_t *shape, struct status *status)
{
    struct stored_tensor tensor = {
        .dtype = STORED_F32, .dtype_name = "F32", .dimensions = dimensions, .elements = 1};
    for (int i = 0; i < dimensions; i++) {
        tensor.shape[i] = shape[i];
        tensor.elements *= shape[i];
    }
    tensor.data = data;
    tensor.bytes = (size_t)tensor.elements * sizeof *data;
    return contents_add(contents, name, &tensor, status);
}

static bool add_bytes(struct contents *contents, const char *name, const void *data, size_t bytes,
                      struct status *status)
{
    const struct stored_tensor tensor = {.dtype = STORED_U8,
                                         .dtype_name = "U8",
                                         .dimensions = 1,
                                         .shape = {(int64_t)bytes},
                                         .elements = (int64_t)bytes,
                                         .data = data,
                                         .bytes = bytes};
    return contents_add(contents, name, &tensor, status);
}

bool contents_text(struct contents *contents, const char *name, const char *text, size_t bytes,
                   struct status *status)
{
    char *copy = contents_memory(contents, (int64_t)bytes, 1, status);
    if (!copy)
        return false;
    memcpy(copy, text, bytes);
    return add_bytes(contents, name, copy, bytes, status);
}

bool contents_borrow(struct contents *contents, const char *name, const struct mapped_file *file,
                     struct status *status)
{
    return add_bytes(contents, name, file->data ? (const void *)file->data : "", file->bytes,
                     status);
}

bool contents_configure(struct contents *contents, json_t *config, struct status *status)
{
    char *text = config ? json_dumps(config, JSON_REAL_PRECISION(17)) : NULL;
    json_decref(config);
    if (!text)
        return status_no_memory(status);
    free(contents->config);
    contents->config = text;
    return true;
}

/* The whole ------------------------------------------------------------------------------------ */

void contents_close(struct contents *contents)
{
    if (!contents)
        return;
    for (int i = 0; i < contents->count; i++)
        free(contents->tensors[i].name);
    for (int i = 0; i < contents->memory_count; i++)
        free(contents->memory[i]);
    for (int i = 0; i < contents->part_count; i++)
        safetensors_close(contents->parts[i]);
    for (int i = 0; i < contents->torch_count; i++)
        torch_file_close(contents->torch[i]);
    for (int i = 0; i < contents->file_count; i++)
        mapped_file_close(contents->files[i]);
    free(contents->tensors);
    free(contents->memory);
    free(contents->parts);
    free(contents->torch);
    free(contents->files);
    free(contents->config);
    free(contents);
}

static int by_name(const void *a, const void *b)
{
    const struct stored_tensor *first = a, *second = b;
    return strcmp(first->name, second->name);
}

const struct stored_tensor *contents_find(const struct contents *contents, const char *name)
{
    const struct stored_tensor key = {.name = (char *)name};
    return bsearch(&key, contents->tensors, (size_t)contents->count, sizeof key, by_name);
}

void contents_release(const struct contents *contents, const struct stored_tensor *tensor)
{
    for (int i = 0; i < contents->file_count; i++)
        mapped_file_release(contents->files[i], tensor->data, tensor->bytes);
}

bool contents_unchanged(const struct contents *contents, struct status *status)
{
    for (int i = 0; i < contents->file_count; i++)
        if (!mapped_file_unchanged(contents->files[i], status))
            return false;
    return true;
}

bool contents_sort(struct contents *contents, struct status *status)
{
    if (contents->count)
        qsort(contents->tensors, (size_t)contents->count, sizeof *contents->tensors, by_name);
    for (int i = 1; i < contents->count; i++)
        if (strcmp(contents->tensors[i - 1].name, contents->tensors[i].name) == 0)
            return status_fail(status, STATUS_INVALID, "%s: present twice; expected once",
                               QUOTED(contents->tensors[i].name));
    return true;
}
