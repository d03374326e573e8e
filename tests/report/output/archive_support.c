#include "tests/report/output/archive_support.h"
#include "tests/support/test.h"

#include <ctype.h>

uint32_t crc_of(const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < count; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    }
    return ~crc;
}

static uint64_t number(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Checks the fields that a header and the archive's list have in common, from the version to the
 * lengths of the name and the extra field; returns the file's size. */
static size_t check_about(const unsigned char *about)
{
    assert_int_equal(number(about, 2), 10);              // version needed to read it: 1.0
    assert_int_equal(number(about + 2, 2), 0);           // no flags
    assert_int_equal(number(about + 4, 2), 0);           // stored
    assert_int_equal(number(about + 6, 2), 0);           // midnight
    assert_int_equal(number(about + 8, 2), 1 << 5 | 1);  // 1980-01-01
    assert_true(memcmp(about + 14, about + 18, 4) == 0); // stored size and size
    assert_int_equal(number(about + 24, 2), 0);          // no extra field
    return number(about + 14, 4);
}

/* Takes the entry of the list at `at`, whose header is expected at `begin`; adds the lengths of
 * both to them. */
static void take_entry(struct archive *archive, size_t *at, size_t *begin)
{
    const unsigned char *start = (const unsigned char *)archive->content;
    const unsigned char *central = start + *at, *local = start + *begin;
    struct archive_entry *entry = &archive->entries[archive->count];
    assert_true(archive->count++ < ARCHIVE_ENTRIES_MOST);
    assert_true(*at + 46 <= archive->bytes && memcmp(central, "PK\1\2", 4) == 0);
    assert_true(*begin + 30 <= archive->bytes && memcmp(local, "PK\3\4", 4) == 0);
    assert_memory_equal(local + 4, central + 6, 26);
    entry->bytes = check_about(local + 4);
    size_t length = number(local + 26, 2);
    assert_true(length < sizeof entry->name && *begin + 30 + length + entry->bytes <= *at);
    memcpy(entry->name, local + 30, length);
    assert_memory_equal(local + 30, central + 46, length);
    assert_int_equal(number(central + 32, 2) + number(central + 34, 2) + number(central + 36, 2),
                     0);
    assert_int_equal(number(central + 42, 4), *begin);
    entry->data = local + 30 + length;
    assert_int_equal(number(local + 14, 4), crc_of(entry->data, entry->bytes));
    *at += 46 + length;
    *begin += 30 + length + entry->bytes;
}

struct archive archive_of(char *content, size_t bytes)
{
    struct archive archive = {.content = content, .bytes = bytes};
    const unsigned char *end = (const unsigned char *)content + bytes - 22;
    assert_int_equal(crc_of("123456789", 9), 0xCBF43926);
    assert_true(bytes >= 22 && memcmp(end, "PK\5\6\0\0\0\0", 8) == 0);
    assert_true(memcmp(end + 8, end + 10, 2) == 0);
    size_t list = number(end + 16, 4), at = list, begin = 0;
    assert_int_equal(list + number(end + 12, 4), bytes - 22);
    assert_int_equal(number(end + 20, 2), 0);
    for (uint64_t i = 0; i < number(end + 10, 2); i++)
        take_entry(&archive, &at, &begin);
    assert_int_equal(begin, list);
    assert_int_equal(at, bytes - 22);
    return archive;
}

static size_t element_bytes(const char *type)
{
    return strcmp(type, "<f4") == 0                                 ? 4
           : (strcmp(type, "<i8") == 0 || strcmp(type, "<f8") == 0) ? 8
           : strncmp(type, "<U", 2) == 0 ? 4 * strtoul(type + 2, NULL, 10)
                                         : 0;
}

static void read_array(const struct archive_entry *entry, struct stored_array *array)
{
    char header[1000] = "";
    assert_true(entry->bytes > 10 && memcmp(entry->data, "\x93NUMPY\x01\x00", 8) == 0);
    size_t length = number(entry->data + 8, 2);
    assert_true((10 + length) % 64 == 0 && length < sizeof header && 10 + length <= entry->bytes);
    memcpy(header, entry->data + 10, length);
    assert_int_equal(header[length - 1], '\n');
    assert_int_equal(sscanf(header, "{'descr': '%15[^']'", array->type), 1);
    assert_non_null(strstr(header, "'fortran_order': False"));
    const char *shape = strstr(header, "'shape': (");
    assert_non_null(shape);
    array->count = 1;
    for (shape += 10; isdigit((unsigned char)*shape); shape += strspn(shape, ", ")) {
        array->shape[array->dimensions] = strtoul(shape, (char **)&shape, 10);
        array->count *= array->shape[array->dimensions++];
    }
    assert_int_equal(*shape, ')');
    array->data = entry->data + 10 + length;
    assert_true(element_bytes(array->type) > 0);
    assert_int_equal(entry->bytes, 10 + length + array->count * element_bytes(array->type));
}

struct stored_array archive_array(const struct archive *archive, const char *name)
{
    struct stored_array array = {0};
    for (int i = 0; i < archive->count; i++)
        if (strcmp(archive->entries[i].name, name) == 0) {
            read_array(&archive->entries[i], &array);
            return array;
        }
    fail_msg("no %s in the archive", name);
    return array;
}

float array_float(const struct stored_array *array, size_t i)
{
    assert_string_equal(array->type, "<f4");
    assert_true(i < array->count);
    uint32_t bits = (uint32_t)number(array->data + 4 * i, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double array_real(const struct stored_array *array, size_t i)
{
    assert_string_equal(array->type, "<f8");
    assert_true(i < array->count);
    uint64_t bits = number(array->data + 8 * i, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int64_t array_integer(const struct stored_array *array, size_t i)
{
    assert_string_equal(array->type, "<i8");
    assert_true(i < array->count);
    return (int64_t)number(array->data + 8 * i, 8);
}

static char *put_utf8(char *out, uint32_t character)
{
    if (character < 0x80) {
        *out++ = (char)character;
        return out;
    }
    int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    *out++ = (char)((0xF00 >> (more + 1) & 0xFF) | character >> (6 * more));
    while (more-- > 0)
        *out++ = (char)(0x80 | (character >> (6 * more) & 0x3F));
    return out;
}

const char *array_text(const struct stored_array *array, size_t i)
{
    static char text[1024];
    size_t length = element_bytes(array->type) / 4;
    char *out = text;
    assert_true(array->type[1] == 'U' && i < array->count && length * 4 < sizeof text);
    for (size_t c = 0; c < length; c++) {
        uint32_t character = (uint32_t)number(array->data + (i * length + c) * 4, 4);
        if (character)
            out = put_utf8(out, character);
    }
    *out = '\0';
    return text;
}
