#include "model/formats/archive/torch_file.h"

#include <stdlib.h>
#include <string.h>

#include "model/formats/archive/torch_storage.h"
#include "model/text/quote.h"

enum { COPIES = 4 }; // copies of tensors may take this many times the size of the file
enum { DIMENSIONS = sizeof((struct stored_tensor *)0)->shape / sizeof(int64_t) };

static const unsigned char stream_head[] = {0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46,
                                            0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, '.'};

static bool is_zip(const unsigned char *head)
{
    return memcmp(head, "PK\3\4", 4) == 0;
}

bool torch_begins(const unsigned char *head)
{
    return is_zip(head) || memcmp(head, stream_head, sizeof stream_head) == 0;
}

static bool read_file(struct torch_file *torch, struct status *status)
{
    const struct mapped_file *file = torch->file;
    if (file->bytes < 16 || !torch_begins(file->data))
        return status_fail(status, STATUS_INVALID, "neither an archive nor a stream of PyTorch");
    return is_zip(file->data) ? torch_zip_read(torch, status) : torch_stream_read(torch, status);
}

struct torch_file *torch_file_open(const struct mapped_file *file, struct status *status)
{
    struct torch_file *torch = memory_new(1, sizeof *torch, status);
    if (!torch)
        return NULL;
    torch->file = file;
    if (__builtin_mul_overflow(file->bytes, COPIES, &torch->room))
        torch->room = SIZE_MAX;
    if (read_file(torch, status))
        return torch;
    torch_file_close(torch);
    return NULL;
}

void torch_file_close(struct torch_file *torch)
{
    if (!torch)
        return;
    for (size_t i = 0; i < torch->memory_count; i++)
        free(torch->memory[i]);
    free(torch->memory);
    free(torch->ranges);
    free(torch->prefix);
    zip_reader_close(torch->zip);
    pickle_close(torch->pickle);
    free(torch);
}

const struct pickle_value *torch_root(const struct torch_file *torch)
{
    return pickle_root(torch->pickle);
}

static void *keep_memory(struct torch_file *torch, size_t count, size_t size, struct status *status)
{
    if (!memory_grow((void **)&torch->memory, &torch->memory_capacity, torch->memory_count + 1,
                     sizeof *torch->memory, status))
        return NULL;
    void *memory = memory_new(count, size, status);
    if (memory)
        torch->memory[torch->memory_count++] = memory;
    return memory;
}

/* Tensors -------------------------------------------------------------------------------------- */

/* Returns the tensor in a parameter; no other wrapper is known. */
static const struct pickle_value *unwrap(const struct pickle_value *value)
{
    bool parameter = pickle_is(value, "torch._utils", "_rebuild_parameter") ||
                     pickle_is(value, "torch._utils", "_rebuild_parameter_with_state");
    return parameter ? pickle_argument(value, 0) : value;
}

/* True for _rebuild_tensor(storage, offset, size, stride), possibly with more arguments. */
static bool is_rebuilt(const struct pickle_value *value)
{
    return value && value->kind == PICKLE_RECORD &&
           (pickle_is(value, "torch._utils", "_rebuild_tensor") ||
            pickle_is(value, "torch._utils", "_rebuild_tensor_v2"));
}

bool torch_is_tensor(const struct pickle_value *value)
{
    return is_rebuilt(unwrap(value));
}

/* A tensor within its storage. */
struct view {
    struct torch_storage storage;
    int64_t offset, shape[DIMENSIONS], stride[DIMENSIONS], elements;
    int dimensions;
};

static bool read_shape(struct view *view, const struct pickle_value *shape,
                       const struct pickle_value *stride, struct status *status)
{
    size_t count = pickle_count(shape);
    if (count > DIMENSIONS || pickle_count(stride) != count)
        return status_fail(status, STATUS_INVALID,
                           "%zu dimensions and %zu strides, expected at most %d of each", count,
                           pickle_count(stride), DIMENSIONS);
    view->dimensions = (int)count;
    view->elements = 1;
    for (size_t i = 0; i < count; i++) {
        if (!pickle_integer(pickle_item(shape, i), &view->shape[i]) ||
            !pickle_integer(pickle_item(stride, i), &view->stride[i]) || view->shape[i] < 0 ||
            view->stride[i] < 0 ||
            __builtin_mul_overflow(view->elements, view->shape[i], &view->elements))
            return status_fail(status, STATUS_INVALID,
                               "dimension %zu: an invalid size or stride, expected numbers", i);
        if (view->shape[i] == 1) // never used, so any value is valid
            view->stride[i] = 0;
    }
    return true;
}

/* Strides are not negative, so the element with the highest indices is the last in the storage. */
static bool check_bounds(const struct view *view, struct status *status)
{
    int64_t last = view->offset, step;
    bool good = view->offset >= 0;
    for (int i = 0; i < view->dimensions && view->elements > 0; i++)
        good = good && !__builtin_mul_overflow(view->shape[i] - 1, view->stride[i], &step) &&
               !__builtin_add_overflow(last, step, &last);
    good = good && (view->elements > 0 ? last < view->storage.elements
                                       : view->offset <= view->storage.elements);
    return good || status_fail(status, STATUS_INVALID,
                               "goes beyond its storage of %lld elements, expected a part of it",
                               (long long)view->storage.elements);
}

static bool read_view(struct torch_file *torch, const struct pickle_value *value, struct view *view,
                      struct status *status)
{
    struct torch_identity identity;
    if (!torch_identity_read(pickle_argument(value, 0), &identity, status) ||
        !(torch->zip ? torch_zip_storage(torch, &identity, &view->storage, status)
                     : torch_stream_storage(torch, &identity, &view->storage, status)))
        return false;
    if (!pickle_integer(pickle_argument(value, 1), &view->offset))
        return status_fail(status, STATUS_INVALID, "no offset, expected a number");
    return read_shape(view, pickle_argument(value, 2), pickle_argument(value, 3), status) &&
           check_bounds(view, status);
}

/* The stride of a dimension of size 1 is never used. */
static bool is_contiguous(const struct view *view)
{
    int64_t step = 1;
    for (int i = view->dimensions; i-- > 0;) {
        if (view->shape[i] != 1 && view->stride[i] != step)
            return false;
        step *= view->shape[i];
    }
    return true;
}

/* Copies the elements in the order of their indices, the last index changing fastest. */
static void gather(const struct view *view, unsigned char *to)
{
    size_t bytes = view->storage.type->bytes;
    int64_t index[DIMENSIONS] = {0}, place = view->offset;
    for (int64_t n = 0; n < view->elements; n++) {
        memcpy(to + (size_t)n * bytes, view->storage.data + (size_t)place * bytes, bytes);
        for (int i = view->dimensions; i-- > 0;) {
            place += view->stride[i];
            if (++index[i] < view->shape[i])
                break;
            place -= view->stride[i] * view->shape[i];
            index[i] = 0;
        }
    }
}

/* Many tensors may share a storage, so a short file could demand much memory: copies are
 * limited. */
static void *keep_copy(struct torch_file *torch, int64_t elements, size_t size,
                       struct status *status)
{
    size_t bytes = (size_t)elements * size; // at most twice the size of the file
    if (bytes > torch->room) {
        status_fail(status, STATUS_INVALID,
                    "more copies of tensors than a file of this size needs, expected weights");
        return NULL;
    }
    torch->room -= bytes;
    return keep_memory(torch, (size_t)elements, size, status);
}

/* Copies a transposed tensor. A tensor that repeats its elements (stride 0) could have any size; no
 * weight does that. */
static const unsigned char *contiguous(struct torch_file *torch, const struct view *view,
                                       struct status *status)
{
    if (view->elements == 0 || is_contiguous(view))
        return view->storage.data + (size_t)view->offset * view->storage.type->bytes;
    if (view->elements > view->storage.elements) {
        status_fail(status, STATUS_INVALID, "repeats its elements, expected each of them");
        return NULL;
    }
    unsigned char *copy = keep_copy(torch, view->elements, view->storage.type->bytes, status);
    if (copy)
        gather(view, copy);
    return copy;
}

static const void *narrowed(struct torch_file *torch, const unsigned char *data, int64_t elements,
                            struct status *status)
{
    float *floats = keep_copy(torch, elements, sizeof *floats, status);
    for (int64_t i = 0; floats && i < elements; i++) {
        double value;
        memcpy(&value, data + (size_t)i * sizeof value, sizeof value);
        floats[i] = (float)value;
    }
    return floats;
}

/* Describes a tensor without a name. Its data stay in the mapped file if they are contiguous and
 * not float64. Otherwise they are copied (float64 as float32); the copy lives as long as the torch
 * file. Returns false on failure. */
static bool torch_tensor(struct torch_file *torch, const struct pickle_value *value,
                         struct stored_tensor *tensor, struct status *status)
{
    struct view view = {.dimensions = 0};
    if (!torch_is_tensor(value))
        return status_fail(status, STATUS_INVALID, "not a tensor");
    if (!read_view(torch, unwrap(value), &view, status))
        return false;
    const struct torch_type *type = view.storage.type;
    bool wide = type->dtype == STORED_F64;
    const void *data = contiguous(torch, &view, status);
    if (data && wide)
        data = narrowed(torch, data, view.elements, status);
    *tensor = (struct stored_tensor){.dtype = wide ? STORED_F32 : type->dtype,
                                     .dtype_name = wide ? "F32" : type->name,
                                     .dimensions = view.dimensions,
                                     .elements = view.elements,
                                     .data = data,
                                     .bytes = (size_t)view.elements * (wide ? 4 : type->bytes)};
    memcpy(tensor->shape, view.shape, sizeof tensor->shape);
    return data;
}

/* All tensors of a dict ------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    const struct stored_tensor *first = a, *second = b;
    return strcmp(first->name, second->name);
}

const struct stored_tensor *torch_tensors(struct torch_file *torch, const struct pickle_value *dict,
                                          int *count, struct status *status)
{
    size_t pairs = pickle_pairs(dict);
    struct stored_tensor *tensors = keep_memory(torch, pairs, sizeof *tensors, status);
    *count = 0;
    if (!tensors)
        return NULL;
    for (size_t i = 0; i < pairs; i++) {
        const char *name = pickle_text(pickle_key(dict, i));
        if (!name || !torch_is_tensor(pickle_at(dict, i)))
            continue;
        if (!torch_tensor(torch, pickle_at(dict, i), &tensors[*count], status)) {
            status_prefix(status, "%s", QUOTED(name));
            return NULL;
        }
        tensors[(*count)++].name = (char *)name; // of the pickle
    }
    qsort(tensors, (size_t)*count, sizeof *tensors, by_name);
    for (int i = 1; i < *count; i++)
        if (strcmp(tensors[i - 1].name, tensors[i].name) == 0) {
            status_fail(status, STATUS_INVALID, "%s: present twice; expected once",
                        QUOTED(tensors[i].name));
            return NULL;
        }
    return tensors;
}
