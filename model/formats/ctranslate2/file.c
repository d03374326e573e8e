#include "model/formats/ctranslate2/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "model/text/quote.h"

/* In the first revision of CTranslate2's specification, names of variables are those of
 * OpenNMT-tf. */

struct replacement {
    const char *old, *name;
};

/* Applied in this order, each to its first occurrence. */
static const struct replacement everywhere[] = {
    {"transformer/", ""},
    {":0", ""},
    {"w_embs", "embeddings/weight"},
    {"kernel", "weight"},
    {"LayerNorm", "layer_norm"},
    {"dense", "projection"},
    {"conv1d_", "linear_"},
    {"conv1d", "linear_0"},
};
static const struct replacement in_encoder[] = {{"multi_head", "self_attention"}};
static const struct replacement elsewhere[] = {{"masked_multi_head", "self_attention"},
                                               {"multi_head", "attention"}};

/* `text` must have room for the longer name. */
static void replace_first(char *text, const struct replacement *replacement)
{
    char *at = strstr(text, replacement->old);
    if (!at)
        return;
    size_t old = strlen(replacement->old), length = strlen(replacement->name);
    memmove(at + length, at + old, strlen(at + old) + 1);
    memcpy(at, replacement->name, length);
}

static void replace_all(char *text, const struct replacement *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        replace_first(text, &list[i]);
}

bool ct2_rename_old(char **name, struct status *status)
{
    enum { LONGEST_GROWTH = 64 }; // more than all replacements together
    char *text = memory_new(strlen(*name) + LONGEST_GROWTH, 1, status);
    if (!text)
        return false;
    strcpy(text, *name);
    replace_all(text, everywhere, sizeof everywhere / sizeof *everywhere);
    if (strstr(text, "encoder"))
        replace_all(text, in_encoder, sizeof in_encoder / sizeof *in_encoder);
    else
        replace_all(text, elsewhere, sizeof elsewhere / sizeof *elsewhere);
    free(*name);
    *name = text;
    return true;
}

enum { FIRST_VERSION = 1, LAST_VERSION = 6, MAX_RANK = 8, LONGEST_NAME = 1000 };

static const size_t type_bytes[CT2_TYPES] = {
    [CT2_FLOAT32] = 4, [CT2_INT8] = 1,    [CT2_INT16] = 2,
    [CT2_INT32] = 4,   [CT2_FLOAT16] = 2, [CT2_BFLOAT16] = 2};

/* The rest of the file; nothing is read beyond its end. */
struct cursor {
    const unsigned char *at, *end;
};

static bool end_fail(struct status *status)
{
    return status_fail(status, STATUS_INVALID,
                       "the file ends in the middle of a variable, expected a whole model");
}

/* Returns NULL if the file ends before. */
static const unsigned char *take(struct cursor *cursor, size_t bytes, struct status *status)
{
    const unsigned char *data = cursor->at;
    if ((size_t)(cursor->end - cursor->at) < bytes) {
        end_fail(status);
        return NULL;
    }
    cursor->at += bytes;
    return data;
}

/* Reads an unsigned number of 1, 2 or 4 bytes. */
static bool take_number(struct cursor *cursor, size_t bytes, uint32_t *number,
                        struct status *status)
{
    const unsigned char *data = take(cursor, bytes, status);
    *number = 0;
    if (!data)
        return false;
    for (size_t i = bytes; i > 0; i--)
        *number = *number << 8 | data[i - 1];
    return true;
}

/* The caller frees the text. */
static bool take_string(struct cursor *cursor, char **text, struct status *status)
{
    uint32_t length;
    const unsigned char *data =
        take_number(cursor, 2, &length, status) ? take(cursor, length, status) : NULL;
    if (!data)
        return false;
    if (length == 0 || memchr(data, '\0', length) != data + length - 1)
        return status_fail(status, STATUS_INVALID,
                           "a name of %u bytes without the zero byte expected at its end", length);
    *text = strdup((const char *)data);
    return *text || status_no_memory(status);
}

/* True if the head has a name here that begins with a letter. */
static bool is_name(const unsigned char *head, bool capital)
{
    unsigned length = head[0] | (unsigned)head[1] << 8;
    unsigned char lower = head[2] | 0x20;
    return length > 1 && length <= LONGEST_NAME && lower >= 'a' && lower <= 'z' &&
           (!capital || head[2] < 'a');
}

/* Since version 2, the name of a specification comes before the count of variables and the name of
 * the first one. */
bool ct2_begins(const unsigned char head[16])
{
    unsigned version =
        head[0] | (unsigned)head[1] << 8 | (unsigned)head[2] << 16 | (unsigned)head[3] << 24;
    return version == 1 ? is_name(head + 8, false)
                        : version <= LAST_VERSION && version > 1 && is_name(head + 4, true);
}

/* Reads "TransformerSpec" or, in old files, "TransformerBase" or "TransformerBig". Version 1 has no
 * such name. */
static bool read_specification(struct ct2_file *file, struct cursor *cursor, struct status *status)
{
    uint32_t version, revision = 1;
    if (!take_number(cursor, 4, &version, status))
        return false;
    if (version < FIRST_VERSION || version > LAST_VERSION)
        return status_fail(status, STATUS_INVALID, "version %u is not supported, expected %d to %d",
                           version, FIRST_VERSION, LAST_VERSION);
    file->version = version;
    if (version == 1)
        file->specification = strdup("");
    else if (!take_string(cursor, &file->specification, status) ||
             !take_number(cursor, 4, &revision, status))
        return false;
    file->revision = revision;
    return file->specification || status_no_memory(status);
}

static bool read_shape(struct cursor *cursor, struct ct2_variable *variable, struct status *status)
{
    uint32_t rank;
    if (!take_number(cursor, 1, &rank, status))
        return false;
    if (rank > MAX_RANK)
        return status_fail(status, STATUS_INVALID, "%s: %u dimensions, expected at most %d",
                           QUOTED(variable->name), rank, MAX_RANK);
    variable->dimensions = (int)rank;
    variable->elements = 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t length;
        if (!take_number(cursor, 4, &length, status))
            return false;
        variable->shape[i] = length;
        if (__builtin_mul_overflow(variable->elements, (int64_t)length, &variable->elements))
            return status_fail(status, STATUS_INVALID, "%s: its shape overflows",
                               QUOTED(variable->name));
    }
    return true;
}

/* Before version 4, only the size of an element is given: two bytes mean 16-bit integers. */
static bool read_type(const struct ct2_file *file, struct cursor *cursor,
                      struct ct2_variable *variable, size_t *bytes, struct status *status)
{
    uint32_t first, second;
    if (!take_number(cursor, 1, &first, status) || !take_number(cursor, 4, &second, status))
        return false;
    if (file->version >= 4) {
        if (first >= CT2_TYPES)
            return status_fail(status, STATUS_INVALID, "%s: type %u, expected 0 to %d",
                               QUOTED(variable->name), first, CT2_TYPES - 1);
        variable->type = (enum ct2_type)first;
        *bytes = second;
        return true;
    }
    if (first != 1 && first != 2 && first != 4)
        return status_fail(status, STATUS_INVALID, "%s: elements of %u bytes, expected 1, 2 or 4",
                           QUOTED(variable->name), first);
    variable->type = first == 1 ? CT2_INT8 : first == 2 ? CT2_INT16 : CT2_FLOAT32;
    *bytes = (size_t)first * second;
    return true;
}

static bool read_variable(const struct ct2_file *file, struct cursor *cursor,
                          struct ct2_variable *variable, struct status *status)
{
    size_t wanted;
    if (!take_string(cursor, &variable->name, status) ||
        (file->revision == 1 && !ct2_rename_old(&variable->name, status)))
        return false;
    if (!read_shape(cursor, variable, status) ||
        !read_type(file, cursor, variable, &variable->bytes, status))
        return false;
    if (!size_multiply((size_t)variable->elements, type_bytes[variable->type], &wanted) ||
        wanted != variable->bytes)
        return status_fail(status, STATUS_INVALID, "%s: %zu bytes, expected those of its shape",
                           QUOTED(variable->name), variable->bytes);
    variable->data = take(cursor, variable->bytes, status);
    return variable->data != NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct ct2_variable *first = a, *second = b;
    return strcmp(first->name, second->name);
}

/* Makes room for `each` variables for each of `count` entries. An entry takes some bytes, so the
 * file's size limits their number. */
static bool make_room(struct ct2_file *file, const struct cursor *cursor, uint32_t count,
                      size_t each, struct status *status)
{
    enum { LEAST_BYTES = 6 };
    if (count > (size_t)(cursor->end - cursor->at) / LEAST_BYTES)
        return end_fail(status);
    size_t all = (size_t)file->count + each * count;
    struct ct2_variable *grown = realloc(file->variables, (all + 1) * sizeof *grown);
    if (!grown)
        return status_no_memory(status);
    file->variables = grown;
    return true;
}

static bool read_variables(struct ct2_file *file, struct cursor *cursor, struct status *status)
{
    uint32_t count;
    if (!take_number(cursor, 4, &count, status) || !make_room(file, cursor, count, 1, status))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct ct2_variable *variable = &file->variables[file->count++];
        *variable = (struct ct2_variable){0};
        if (!read_variable(file, cursor, variable, status))
            return false;
    }
    return true;
}

/* Adds an alias for a variable and, with "_scale" appended, for its quantisation scale. */
static bool add_alias(struct ct2_file *file, const char *alias, const char *name, int sorted,
                      const char *behind, struct status *status)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", name, behind);
    const struct ct2_variable key = {.name = full};
    const struct ct2_variable *variable =
        bsearch(&key, file->variables, (size_t)sorted, sizeof key, by_name);
    if (!variable)
        return *behind ||
               status_fail(status, STATUS_INVALID, "%s: an alias of %s, which is missing",
                           QUOTED(alias), QUOTED(name));
    snprintf(full, sizeof full, "%s%s", alias, behind);
    struct ct2_variable *added = &file->variables[file->count];
    *added = *variable;
    added->name = strdup(full);
    if (!added->name)
        return status_no_memory(status);
    file->count++;
    return true;
}

static bool read_aliases(struct ct2_file *file, struct cursor *cursor, struct status *status)
{
    uint32_t count;
    int sorted = file->count;
    if (file->version < 3)
        return true;
    if (!take_number(cursor, 4, &count, status) || !make_room(file, cursor, count, 2, status))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        char *alias = NULL, *name = NULL;
        bool ok = take_string(cursor, &alias, status) && take_string(cursor, &name, status) &&
                  add_alias(file, alias, name, sorted, "", status) &&
                  add_alias(file, alias, name, sorted, "_scale", status);
        free(alias);
        free(name);
        if (!ok)
            return false;
    }
    return true;
}

static bool check_duplicates(const struct ct2_file *file, struct status *status)
{
    for (int i = 1; i < file->count; i++)
        if (strcmp(file->variables[i - 1].name, file->variables[i].name) == 0)
            return status_fail(status, STATUS_INVALID, "%s: present twice; expected once",
                               QUOTED(file->variables[i].name));
    return true;
}

static bool read_file(struct ct2_file *file, struct cursor *cursor, struct status *status)
{
    if (!read_specification(file, cursor, status) || !read_variables(file, cursor, status))
        return false;
    qsort(file->variables, (size_t)file->count, sizeof *file->variables, by_name);
    if (!read_aliases(file, cursor, status))
        return false;
    qsort(file->variables, (size_t)file->count, sizeof *file->variables, by_name);
    if (cursor->at != cursor->end)
        return status_fail(status, STATUS_INVALID, "%zu bytes after the last variable, expected 0",
                           (size_t)(cursor->end - cursor->at));
    return check_duplicates(file, status);
}

struct ct2_file *ct2_open(const struct mapped_file *file, struct status *status)
{
    struct ct2_file *opened = memory_new(1, sizeof *opened, status);
    if (!opened)
        return NULL;
    if (!file->data) {
        end_fail(status);
        ct2_close(opened);
        return NULL;
    }
    struct cursor cursor = {file->data, file->data + file->bytes};
    if (read_file(opened, &cursor, status))
        return opened;
    ct2_close(opened);
    return NULL;
}

void ct2_close(struct ct2_file *file)
{
    if (!file)
        return;
    for (int i = 0; i < file->count; i++)
        free(file->variables[i].name);
    free(file->variables);
    free(file->specification);
    free(file);
}

struct ct2_variable *ct2_find(const struct ct2_file *file, const char *name)
{
    const struct ct2_variable key = {.name = (char *)name};
    return bsearch(&key, file->variables, (size_t)file->count, sizeof key, by_name);
}
