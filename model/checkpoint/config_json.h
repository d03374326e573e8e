/* Reading untrusted JSON: a table of fields for each kind of object defines its keys, types and
 * ranges. Messages name the field by its path, such as "attention[2].heads".
 *
 * Only for config*.c.
 */
#ifndef ATTNSCOPE_CONFIG_JSON_H
#define ATTNSCOPE_CONFIG_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* The path of a value, as a chain up to the root, whose parent is NULL and whose key is the name of
 * the text. */
struct place {
    const struct place *parent;
    const char *key; // NULL: an element of an array
    int index;
};

enum field_kind {
    FIELD_ANY,     // only its presence is checked; the caller reads it
    FIELD_OBJECT,  // by its own table `fields`, into the structure at `offset`
    FIELD_EACH,    // such an object, or one value for all of its fields, which have one kind
    FIELD_STRING,  // char *, allocated
    FIELD_INTEGER, // int, low … high
    FIELD_FLOAT,   // float, finite
    FIELD_DOUBLE,  // double
    FIELD_BOOL,    // bool
    FIELD_NAME,    // enum: the index of the name; names[0] NULL stands for null
    FIELD_SWITCH,  // bool: the index of one of two names
    FIELD_IDS      // struct id_list, allocated; each id >= 0, or -1 - i for the name i
};

struct config_field {
    const char *key;
    enum field_kind kind;
    size_t offset;                     // of the member to fill in
    bool optional;                     // absent: the member is unchanged
    int low, high;                     // FIELD_INTEGER
    const char *const *names;          // FIELD_NAME, FIELD_SWITCH, FIELD_IDS: `count` of them
    const struct config_field *fields; // FIELD_OBJECT, FIELD_EACH: `count` of them
    int count;
};

/* An id of each vocabulary, by side, into int [2]: "source" and "target". */
extern const struct config_field id_fields[2];

/* Fills `into` from an object: checks for unknown and missing keys, types and ranges. */
bool fields_read(const json_t *object, const struct place *place, const struct config_field *fields,
                 int count, void *into, struct status *status);

/* Reads one value as defined by the field; `place` is that of the value. */
bool field_value(const json_t *value, const struct place *place, const struct config_field *field,
                 void *into, struct status *status);

/* "PLACE: message". Returns false. */
bool place_fail(const struct place *place, struct status *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "PLACE: VALUE, expected …" */
bool value_fail(const json_t *value, const struct place *place, const char *expected,
                struct status *status);

/* Fails with jansson's message about the text called `name`. Returns false. */
bool json_error_fail(const json_error_t *error, const char *name, struct status *status);

#endif
