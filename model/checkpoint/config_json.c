#include "model/checkpoint/config_json.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config.h"
#include "model/text/quote.h"

const struct config_field id_fields[2] = {
    {"source", FIELD_INTEGER, .offset = SIDE_SOURCE * sizeof(int), .high = INT_MAX},
    {"target", FIELD_INTEGER, .offset = SIDE_TARGET * sizeof(int), .high = INT_MAX},
};

/* Appends as much to a text of `size` bytes as fits. */
__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void place_write(const struct place *place, char *text, size_t size)
{
    if (!place->parent)
        return;
    place_write(place->parent, text, size);
    if (!place->key)
        append(text, size, "[%d]", place->index);
    else
        append(text, size, "%s%s", *text ? "." : "", QUOTED(place->key));
}

bool place_fail(const struct place *place, struct status *status, const char *format, ...)
{
    char path[256] = "";
    place_write(place, path, sizeof path);
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const struct place *root = place;
    while (root->parent)
        root = root->parent;
    return status_fail(status, STATUS_INVALID, "%s: %s", *path ? path : root->key, message);
}

/* Returns a value as messages show it. */
static const char *value_text(const json_t *value, struct quoted *out)
{
    char number[64] = "";
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        out->text[0] = '"';
        struct quoted inner;
        snprintf(out->text, sizeof out->text, "\"%.*s\"", (int)sizeof out->text - 3,
                 quote_bytes(&inner, json_string_value(value), json_string_length(value)));
        return out->text;
    default:
        json_dumpb(value, number, sizeof number - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
        snprintf(out->text, sizeof out->text, "%s", number);
        return out->text;
    }
}

bool value_fail(const json_t *value, const struct place *place, const char *expected,
                struct status *status)
{
    if (!value)
        return place_fail(place, status, "missing, expected %s", expected);
    struct quoted shown;
    return place_fail(place, status, "%s, expected %s", value_text(value, &shown), expected);
}

/* Lists the names that a field may have: "post" or "pre". */
static const char *names_text(const struct config_field *field, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < field->count; i++) {
        const char *name = field->names[i];
        const char *between = i == 0 ? "" : i + 1 < field->count ? ", " : " or ";
        append(text, size, name ? "%s\"%s\"" : "%s%s", between, name ? name : "null");
    }
    return text;
}

/* Returns the values that a field expects, for messages. */
static const char *expected_text(const struct config_field *field, char *text, size_t size)
{
    char kind[128]; // of each kind's values
    switch (field->kind) {
    case FIELD_STRING:
        return "a string";
    case FIELD_INTEGER:
        snprintf(text, size, "an integer from %d to %d", field->low, field->high);
        return text;
    case FIELD_FLOAT:
        return "a number within float32";
    case FIELD_DOUBLE:
        return "a number";
    case FIELD_BOOL:
        return "true or false";
    case FIELD_NAME:
    case FIELD_SWITCH:
        return names_text(field, text, size);
    case FIELD_IDS:
        return "a list of ids";
    case FIELD_OBJECT:
        return "an object";
    case FIELD_EACH:
        snprintf(text, size, "%s, or an object with one for each of",
                 expected_text(field->fields, kind, sizeof kind));
        for (int i = 0; i < field->count; i++)
            append(text, size, "%s %s", i ? "," : "", field->fields[i].key);
        return text;
    case FIELD_ANY:
        break;
    }
    return "a value";
}

static bool integer_value(const json_t *value, int low, int high, int *out)
{
    json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < low || number > high)
        return false;
    *out = (int)number;
    return true;
}

static bool float_value(const json_t *value, float *out)
{
    float number = (float)json_number_value(value);
    if (!json_is_number(value) || !isfinite(number))
        return false;
    *out = number;
    return true;
}

static bool double_value(const json_t *value, double *out)
{
    if (!json_is_number(value))
        return false;
    *out = json_number_value(value);
    return true;
}

static bool bool_value(const json_t *value, bool *out)
{
    if (!json_is_boolean(value))
        return false;
    *out = json_is_true(value);
    return true;
}

/* Returns the index of the name that `value` spells, or -1. */
static int name_index(const json_t *value, const struct config_field *field)
{
    for (int i = 0; i < field->count; i++) {
        const char *name = field->names[i];
        if (name ? json_is_string(value) && strcmp(json_string_value(value), name) == 0
                 : json_is_null(value))
            return i;
    }
    return -1;
}

/* Reads a value of a kind that takes no memory. */
static bool plain_value(const json_t *value, const struct config_field *field, void *member)
{
    int name;
    switch (field->kind) {
    case FIELD_INTEGER:
        return integer_value(value, field->low, field->high, member);
    case FIELD_FLOAT:
        return float_value(value, member);
    case FIELD_DOUBLE:
        return double_value(value, member);
    case FIELD_BOOL:
        return bool_value(value, member);
    case FIELD_NAME:
        name = name_index(value, field);
        memcpy(member, &name, sizeof name);
        return name >= 0;
    case FIELD_SWITCH:
        name = name_index(value, field);
        *(bool *)member = name > 0;
        return name >= 0;
    default:
        return true;
    }
}

static bool string_value(const json_t *value, const struct place *place, char **out,
                         struct status *status)
{
    if (!json_is_string(value))
        return value_fail(value, place, "a string", status);
    *out = strdup(json_string_value(value));
    return *out || status_no_memory(status);
}

/* Reads an id, or a name that stands for one. */
static bool id_value(const json_t *value, const struct config_field *field, int *out)
{
    int name = json_is_string(value) ? name_index(value, field) : -1;
    if (name >= 0)
        *out = -1 - name;
    return name >= 0 || integer_value(value, 0, INT_MAX, out);
}

static bool ids_value(const json_t *value, const struct place *place,
                      const struct config_field *field, struct id_list *out, struct status *status)
{
    if (!json_is_array(value))
        return value_fail(value, place, "a list of ids", status);
    size_t count = json_array_size(value);
    if (count > INT_MAX)
        return place_fail(place, status, "%zu ids, expected at most %d", count, INT_MAX);
    out->ids = memory_new(count, sizeof *out->ids, status);
    if (!out->ids)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct place at = {place, NULL, (int)i};
        const json_t *id = json_array_get(value, i);
        char names[128], expected[200];
        if (id_value(id, field, &out->ids[i]))
            continue;
        snprintf(expected, sizeof expected, "an id, an integer from 0%s%s",
                 field->count ? ", or " : "", names_text(field, names, sizeof names));
        return value_fail(id, &at, expected, status);
    }
    out->count = (int)count;
    return true;
}

/* Gives all fields of a FIELD_EACH the same value. */
static bool each_value(const json_t *value, const struct place *place,
                       const struct config_field *field, void *member, struct status *status)
{
    char expected[256];
    for (int i = 0; i < field->count; i++)
        if (!value ||
            !plain_value(value, &field->fields[i], (char *)member + field->fields[i].offset))
            return value_fail(value, place, expected_text(field, expected, sizeof expected),
                              status);
    return true;
}

bool field_value(const json_t *value, const struct place *place, const struct config_field *field,
                 void *into, struct status *status)
{
    void *member = (char *)into + field->offset;
    if (field->kind == FIELD_EACH && !json_is_object(value))
        return each_value(value, place, field, member, status);
    if (field->kind == FIELD_EACH)
        return fields_read(value, place, field->fields, field->count, member, status);
    if (value && field->kind == FIELD_OBJECT)
        return fields_read(value, place, field->fields, field->count, member, status);
    if (value && field->kind == FIELD_STRING)
        return string_value(value, place, member, status);
    if (value && field->kind == FIELD_IDS)
        return ids_value(value, place, field, member, status);
    char expected[256];
    if (!value || !plain_value(value, field, member))
        return value_fail(value, place, expected_text(field, expected, sizeof expected), status);
    return true;
}

static const struct config_field *field_find(const struct config_field *fields, int count,
                                             const char *key)
{
    for (int i = 0; i < count; i++)
        if (strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

static bool unknown_key_fail(const struct place *place, const struct config_field *fields,
                             int count, struct status *status)
{
    char keys[300] = "";
    for (int i = 0; i < count; i++)
        append(keys, sizeof keys, "%s%s", i == 0 ? "" : ", ", fields[i].key);
    return place_fail(place, status, "unknown key, expected %s%s", count > 1 ? "one of " : "",
                      keys);
}

bool fields_read(const json_t *object, const struct place *place, const struct config_field *fields,
                 int count, void *into, struct status *status)
{
    if (!json_is_object(object))
        return value_fail(object, place, "an object", status);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        const struct place at = {place, key, 0};
        if (!field_find(fields, count, key))
            return unknown_key_fail(&at, fields, count, status);
    }
    for (int i = 0; i < count; i++) {
        const struct place at = {place, fields[i].key, 0};
        value = json_object_get(object, fields[i].key);
        if (!value && fields[i].optional)
            continue;
        if (!field_value(value, &at, &fields[i], into, status))
            return false;
    }
    return true;
}

bool json_error_fail(const json_error_t *error, const char *name, struct status *status)
{
    struct quoted text; // jansson repeats the file's bytes in its message
    return status_fail(status, STATUS_INVALID, "%s: byte %d: %s, expected JSON", name,
                       error->position, quote_bytes(&text, error->text, strlen(error->text)));
}
