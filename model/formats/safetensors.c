#include "model/formats/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/text/quote.h"

/* Enough for 100,000 tensors, yet small enough that any header is parsed in a moment, in a fraction
 * of a gigabyte. */
enum { LENGTH_BYTES = 8, MAX_HEADER = 16 * 1000 * 1000 };
enum { MAX_DIMENSIONS = sizeof((struct stored_tensor *)0)->shape / sizeof(int64_t) };

struct safetensors {
    const struct mapped_file *file;
    struct mapped_file *own; // the same file if closed with this; or NULL
    size_t header;           // bytes of the header
    json_t *metadata;
    struct stored_tensor *tensors; // (count), sorted by name
    int count;
};

/* Elements ------------------------------------------------------------------------------------- */

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* IEEE half precision, subnormals, infinities and NaN included; exact. */
static float float_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = (half >> 10) & 31;
    uint32_t mantissa = half & 0x3FF;
    if (exponent == 31)
        return float_of_bits(sign | 0x7F800000 | mantissa << 13);
    if (exponent == 0) {
        float value = (float)mantissa * 0x1p-24f;
        return sign ? -value : value;
    }
    return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
}

float stored_value(const struct stored_tensor *tensor, int64_t index)
{
    uint16_t bits;
    float value;
    if (tensor->dtype == STORED_F32) {
        memcpy(&value, (const char *)tensor->data + sizeof value * (size_t)index, sizeof value);
        return value;
    }
    memcpy(&bits, (const char *)tensor->data + sizeof bits * (size_t)index, sizeof bits);
    return tensor->dtype == STORED_F16 ? float_of_half(bits) : float_of_bits((uint32_t)bits << 16);
}

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

static bool read_header_length(struct safetensors *file, struct status *status)
{
    uint64_t length = 0;
    if (file->file->bytes < LENGTH_BYTES)
        return status_fail(
            status, STATUS_INVALID,
            "%zu bytes, expected a safetensors file (8 bytes of header length first)",
            file->file->bytes);
    for (int i = LENGTH_BYTES - 1; i >= 0; i--)
        length = length << 8 | file->file->data[i];
    size_t rest = file->file->bytes - LENGTH_BYTES;
    size_t limit = size_min(rest, MAX_HEADER);
    if (length < 2 || length > limit)
        return status_fail(status, STATUS_INVALID,
                           "not an attnscope model (safetensors); see README, Your own model: "
                           "header length %" PRIu64 ", expected 2 to %zu (a file of %zu bytes)",
                           length, limit, file->file->bytes);
    if (file->file->data[LENGTH_BYTES] != '{')
        return status_fail(status, STATUS_INVALID,
                           "header begins with byte 0x%02X, expected '{' (a safetensors file)",
                           (unsigned)file->file->data[LENGTH_BYTES]);
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

/* Reads shape, elements and bytes, none of which may overflow. */
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
    size_t data = file->file->bytes - LENGTH_BYTES - file->header;
    const json_t *first = json_array_get(value, 0);
    const json_t *last = json_array_get(value, 1);
    if (json_array_size(value) != 2 || !json_is_integer(first) || !json_is_integer(last))
        return tensor_fail(tensor, status, "data_offsets: %s, expected two integers",
                           value ? "malformed" : "missing");
    json_int_t begin = json_integer_value(first), end = json_integer_value(last);
    if (begin < 0 || end < begin || (uint64_t)end > data)
        return tensor_fail(tensor, status,
                           "data_offsets: [%" JSON_INTEGER_FORMAT ", %" JSON_INTEGER_FORMAT
                           "], expected a range within the %zu bytes of data%s",
                           begin, end, data,
                           begin >= 0 && end > begin ? "; is the file whole?" : "");
    if ((uint64_t)(end - begin) != tensor->bytes)
        return tensor_fail(tensor, status,
                           "data_offsets: %" JSON_INTEGER_FORMAT
                           " bytes, expected %zu (dtype and shape)",
                           end - begin, tensor->bytes);
    tensor->data = file->file->data + LENGTH_BYTES + file->header + begin;
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
            return status_fail(status, STATUS_INVALID, "__metadata__.%s: expected a string",
                               QUOTED(key));
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
            return status_no_memory(status);
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

/* The data must consist of the tensors, one after the other: no holes, no overlaps, nothing left
 * over. */
static bool check_cover(struct safetensors *file, struct status *status)
{
    const unsigned char *data = file->file->data + LENGTH_BYTES + file->header;
    size_t data_bytes = file->file->bytes - LENGTH_BYTES - file->header;
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
    json_t *header = json_loadb((const char *)file->file->data + LENGTH_BYTES, file->header,
                                JSON_REJECT_DUPLICATES, &error);
    if (!header) {
        struct quoted text; // jansson repeats the file's bytes in its message
        return status_fail(status, STATUS_INVALID, "header: byte %d: %s, expected JSON",
                           error.position, quote_bytes(&text, error.text, strlen(error.text)));
    }
    bool good = read_tensors(file, header, status) && check_cover(file, status);
    json_decref(header);
    return good;
}

struct safetensors *safetensors_read(const struct mapped_file *file, struct status *status)
{
    struct safetensors *tensors = memory_new(1, sizeof *tensors, status);
    if (!tensors)
        return NULL;
    tensors->file = file;
    if (read_header_length(tensors, status) && read_header(tensors, status))
        return tensors;
    safetensors_close(tensors);
    return NULL;
}

struct safetensors *safetensors_open(const char *path, struct status *status)
{
    struct mapped_file *file = mapped_file_open(path, status);
    struct safetensors *tensors = file ? safetensors_read(file, status) : NULL;
    if (tensors) {
        tensors->own = file;
        return tensors;
    }
    mapped_file_close(file);
    status_prefix(status, "%s", QUOTED_PATH(path));
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
    mapped_file_close(file->own);
    free(file);
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

const struct mapped_file *safetensors_file(const struct safetensors *file)
{
    return file->file;
}
