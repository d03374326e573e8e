#include "model/net/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/net/quote.h"

/* Room for 100,000 tensors, and small enough to be parsed in a moment and a fraction of a gigabyte
 * whatever it holds. */
enum { LENGTH_BYTES = 8, MAX_HEADER = 16 * 1000 * 1000 };
enum { MAX_DIMENSIONS = sizeof((struct stored_tensor *)0)->shape / sizeof(int64_t) };

struct safetensors {
    char *path;
    int descriptor; // -1: not open
    struct timespec modified;
    const unsigned char *map;
    size_t bytes;  // of the file
    size_t header; // of the header
    json_t *metadata;
    struct stored_tensor *tensors; // (count), by name
    int count;
};

/* Every type of the format; model files use a few. */
static const struct {
    const char *name;
    enum stored_dtype dtype;
    size_t bytes;
} dtypes[] = {
    {"F32", STORED_F32, 4},       {"F16", STORED_F16, 2},       {"BF16", STORED_BF16, 2},
    {"U8", STORED_U8, 1},         {"F64", STORED_F64, 8},       {"I64", STORED_I64, 8},
    {"I32", STORED_OTHER, 4},     {"I16", STORED_OTHER, 2},     {"I8", STORED_OTHER, 1},
    {"U64", STORED_OTHER, 8},     {"U32", STORED_OTHER, 4},     {"U16", STORED_OTHER, 2},
    {"BOOL", STORED_OTHER, 1},    {"C64", STORED_OTHER, 8},     {"F8_E4M3", STORED_OTHER, 1},
    {"F8_E5M2", STORED_OTHER, 1}, {"F8_E8M0", STORED_OTHER, 1},
};

static bool tensor_fail(const struct stored_tensor *tensor, struct status *status,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool tensor_fail(const struct stored_tensor *tensor, struct status *status,
                        const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status_fail(status, STATUS_INVALID, "%s: %s", QUOTED(tensor->name), message);
}

static const char *file_kind(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Only a regular file has a size that can be checked and pages that can be mapped. */
static bool map_descriptor(struct safetensors *file, int descriptor, struct status *status)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return status_fail(status, STATUS_IO, "cannot be examined: %s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return status_fail(status, STATUS_INVALID, "%s, expected a model file",
                           file_kind(about.st_mode));
    if (about.st_size < LENGTH_BYTES)
        return status_fail(
            status, STATUS_INVALID,
            "%jd bytes, expected a safetensors file (8 bytes of header length first)",
            (intmax_t)about.st_size);
    file->bytes = (size_t)about.st_size;
    file->modified = about.st_mtim;
    void *map = mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (map == MAP_FAILED)
        return status_fail(status, STATUS_IO, "cannot be mapped: %s", strerror(errno));
    file->map = map;
    return true;
}

/* O_NONBLOCK: the open of a pipe without a writer would wait for one. */
static bool map_file(struct safetensors *file, struct status *status)
{
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->descriptor < 0)
        return status_fail(status, STATUS_IO, "cannot be opened: %s, expected a model file",
                           strerror(errno));
    return map_descriptor(file, file->descriptor, status);
}

static bool read_header_length(struct safetensors *file, struct status *status)
{
    uint64_t length = 0;
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        length = length << 8 | file->map[i];
    size_t rest = file->bytes - LENGTH_BYTES;
    size_t limit = rest < MAX_HEADER ? rest : MAX_HEADER;
    if (length < 2 || length > limit)
        return status_fail(status, STATUS_INVALID,
                           "not a model file: header length %" PRIu64
                           ", expected 2 to %zu (a file of %zu "
                           "bytes)",
                           length, limit, file->bytes);
    if (file->map[LENGTH_BYTES] != '{')
        return status_fail(status, STATUS_INVALID,
                           "header begins with byte 0x%02X, expected '{' (a safetensors file)",
                           (unsigned)file->map[LENGTH_BYTES]);
    file->header = (size_t)length;
    return true;
}

static bool read_dtype(const json_t *value, struct stored_tensor *tensor, size_t *size,
                       struct status *status)
{
    const char *name = json_string_value(value);
    if (!name)
        return tensor_fail(tensor, status, "dtype: %s, expected a string",
                           value ? "not a string" : "missing");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (strcmp(name, dtypes[i].name) == 0) {
            tensor->dtype = dtypes[i].dtype;
            tensor->dtype_name = dtypes[i].name;
            *size = dtypes[i].bytes;
            return true;
        }
    return tensor_fail(tensor, status, "dtype: \"%s\", expected one of the format's, as \"F32\"",
                       QUOTED(name));
}

/* Shape, elements and bytes; none of which may overflow. */
static bool read_shape(const json_t *value, struct stored_tensor *tensor, size_t size,
                       struct status *status)
{
    size_t count = json_array_size(value);
    if (!json_is_array(value))
        return tensor_fail(tensor, status, "shape: %s, expected a list of integers",
                           value ? "not a list" : "missing");
    if (count > MAX_DIMENSIONS)
        return tensor_fail(tensor, status, "shape: %zu dimensions, expected at most %d", count,
                           MAX_DIMENSIONS);
    size_t bytes = size;
    int64_t elements = 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *dimension = json_array_get(value, i);
        int64_t length = json_integer_value(dimension);
        if (!json_is_integer(dimension) || length < 0)
            return tensor_fail(tensor, status, "shape[%zu]: expected an integer, 0 or more", i);
        if (!size_multiply(bytes, (size_t)length, &bytes) ||
            __builtin_mul_overflow(elements, length, &elements))
            return tensor_fail(tensor, status, "shape: its product overflows, expected %s",
                               "the size of the tensor's data");
        tensor->shape[i] = length;
    }
    tensor->dimensions = (int)count;
    tensor->elements = elements;
    tensor->bytes = bytes;
    return true;
}

static bool read_offsets(const struct safetensors *file, const json_t *value,
                         struct stored_tensor *tensor, struct status *status)
{
    size_t data = file->bytes - LENGTH_BYTES - file->header;
    const json_t *first = json_array_get(value, 0);
    const json_t *last = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_integer(first) || !json_is_integer(last))
        return tensor_fail(tensor, status, "data_offsets: %s, expected two integers",
                           value ? "malformed" : "missing");
    json_int_t begin = json_integer_value(first), end = json_integer_value(last);
    if (begin < 0 || end < begin || (uint64_t)end > data)
        return tensor_fail(tensor, status,
                           "data_offsets: [%" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
                           "], expected a range within the %zu bytes of data",
                           begin, end, data);
    if ((uint64_t)(end - begin) != tensor->bytes)
        return tensor_fail(tensor, status,
                           "data_offsets: %" JSON_INTEGER_FORMAT
                           " bytes, expected %zu (dtype and shape)",
                           end - begin, tensor->bytes);
    tensor->data = file->map + LENGTH_BYTES + file->header + begin;
    return true;
}

static bool read_tensor(const struct safetensors *file, const json_t *value,
                        struct stored_tensor *tensor, struct status *status)
{
    if (!json_is_object(value))
        return tensor_fail(tensor, status, "not an object, expected dtype, shape, data_offsets");
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        if (strcmp(key, "dtype") != 0 && strcmp(key, "shape") != 0 &&
            strcmp(key, "data_offsets") != 0)
            return tensor_fail(tensor, status,
                               "%s: unknown key, expected dtype, shape, data_offsets", QUOTED(key));
    }
    size_t size = 0;
    return read_dtype(json_object_get(value, "dtype"), tensor, &size, status) &&
           read_shape(json_object_get(value, "shape"), tensor, size, status) &&
           read_offsets(file, json_object_get(value, "data_offsets"), tensor, status);
}

static bool read_metadata(struct safetensors *file, json_t *value, struct status *status)
{
    if (!json_is_object(value))
        return status_fail(status, STATUS_INVALID, "__metadata__: not an object, expected strings");
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member)
    {
        if (!json_is_string(member))
            return status_fail(status, STATUS_INVALID,
                               "__metadata__.%s: not a string, expected one", QUOTED(key));
    }
    file->metadata = json_incref(value);
    return true;
}

static bool read_tensors(struct safetensors *file, json_t *header, struct status *status)
{
    size_t count = json_object_size(header);
    file->tensors = memory_new(count, sizeof *file->tensors, status);
    if (!file->tensors)
        return false;
    const char *name;
    json_t *value;
    json_object_foreach(header, name, value)
    {
        if (strcmp(name, "__metadata__") == 0) {
            if (!read_metadata(file, value, status))
                return false;
            continue;
        }
        struct stored_tensor *tensor = &file->tensors[file->count];
        tensor->name = strdup(name);
        if (!tensor->name)
            return status_fail(status, STATUS_MEMORY, "out of memory");
        file->count++;
        if (!read_tensor(file, value, tensor, status))
            return false;
    }
    return true;
}

static int by_place(const void *a, const void *b)
{
    const struct stored_tensor *first = a, *second = b;
    uintptr_t one = (uintptr_t)first->data, other = (uintptr_t)second->data;
    if (one != other)
        return one < other ? -1 : 1;
    return (first->bytes > second->bytes) - (first->bytes < second->bytes);
}

static int by_name(const void *a, const void *b)
{
    const struct stored_tensor *first = a, *second = b;
    return strcmp(first->name, second->name);
}

/* The tensors, one after the other, are the data: no holes, no overlaps, nothing left over. */
static bool check_cover(struct safetensors *file, struct status *status)
{
    const unsigned char *data = file->map + LENGTH_BYTES + file->header;
    size_t data_bytes = file->bytes - LENGTH_BYTES - file->header;
    size_t end = 0;
    qsort(file->tensors, (size_t)file->count, sizeof *file->tensors, by_place);
    for (int i = 0; i < file->count; i++) {
        const struct stored_tensor *tensor = &file->tensors[i];
        size_t begin = (size_t)((const unsigned char *)tensor->data - data);
        if (begin != end)
            return tensor_fail(tensor, status,
                               "data_offsets: begins at byte %zu, expected %zu (%s)", begin, end,
                               begin < end ? "an overlap" : "a hole");
        end += tensor->bytes;
    }
    if (end != data_bytes)
        return status_fail(status, STATUS_INVALID,
                           "%zu bytes of data, expected %zu (the end of the last tensor)",
                           data_bytes, end);
    qsort(file->tensors, (size_t)file->count, sizeof *file->tensors, by_name);
    return true;
}

static bool read_header(struct safetensors *file, struct status *status)
{
    json_error_t error;
    json_t *header = json_loadb((const char *)file->map + LENGTH_BYTES, file->header,
                                JSON_REJECT_DUPLICATES, &error);
    if (!header) {
        struct quoted text; // jansson repeats the file's bytes in it
        return status_fail(status, STATUS_INVALID, "header: byte %d: %s, expected JSON",
                           error.position, quote_bytes(&text, error.text, strlen(error.text)));
    }
    bool good = read_tensors(file, header, status) && check_cover(file, status);
    json_decref(header);
    return good;
}

struct safetensors *safetensors_open(const char *path, struct status *status)
{
    struct safetensors *file = memory_new(1, sizeof *file, status);
    if (!file)
        return NULL;
    file->descriptor = -1;
    file->path = strdup(path);
    bool good = file->path || status_fail(status, STATUS_MEMORY, "out of memory");
    if (good && map_file(file, status) && read_header_length(file, status) &&
        read_header(file, status))
        return file;
    status_prefix(status, "%s", QUOTED_PATH(path));
    safetensors_close(file);
    return NULL;
}

void safetensors_close(struct safetensors *file)
{
    if (!file)
        return;
    for (int i = 0; i < file->count; i++)
        free(file->tensors[i].name);
    free(file->tensors);
    json_decref(file->metadata);
    if (file->map)
        munmap((void *)file->map, file->bytes);
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->path);
    free(file);
}

bool safetensors_unchanged(const struct safetensors *file, struct status *status)
{
    struct stat about;
    if (fstat(file->descriptor, &about) == 0 && (size_t)about.st_size == file->bytes &&
        about.st_mtim.tv_sec == file->modified.tv_sec &&
        about.st_mtim.tv_nsec == file->modified.tv_nsec)
        return true;
    return status_fail(status, STATUS_IO,
                       "%s: the file has changed since it was loaded, expected it as it was",
                       QUOTED_PATH(file->path));
}

int safetensors_count(const struct safetensors *file)
{
    return file->count;
}

const struct stored_tensor *safetensors_tensor(const struct safetensors *file, int index)
{
    return &file->tensors[index];
}

const struct stored_tensor *safetensors_find(const struct safetensors *file, const char *name)
{
    struct stored_tensor key = {.name = (char *)name};
    return bsearch(&key, file->tensors, (size_t)file->count, sizeof key, by_name);
}

const char *safetensors_metadata(const struct safetensors *file, const char *key)
{
    return json_string_value(json_object_get(file->metadata, key));
}

const void *safetensors_bytes(const struct safetensors *file, size_t *bytes)
{
    *bytes = file->bytes;
    return file->map;
}

const char *safetensors_path(const struct safetensors *file)
{
    return file->path;
}
