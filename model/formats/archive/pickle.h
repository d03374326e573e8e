/* Reads Python's pickles without Python: a machine that builds inert values. It imports and calls
 * nothing. Where a pickle would call a function or instantiate a class, it makes a record of the
 * class's name, the arguments and the state.
 *
 *     struct pickle *pickle = pickle_read(data, bytes, &end, status);
 *     const struct pickle_value *options = pickle_get(pickle_root(pickle), "args");
 *     int64_t layers = pickle_integer_of(options, "encoder_layers", 6);
 *     ...
 *     pickle_close(pickle);
 *
 * Supports protocols 2 to 5; Python's pickletools documents their opcodes. Memory is limited to 64
 * MB plus 64 bytes for each byte of the pickle, and to 1 GB in all. Values form a graph that may
 * have cycles, so code that walks it must limit its steps. Values are read-only and live as long as
 * the pickle; texts end in a zero byte.
 *
 * Every accessor treats NULL, and a value of another kind, as absent.
 */
#ifndef ATTNSCOPE_PICKLE_H
#define ATTNSCOPE_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum pickle_kind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INTEGER,
    PICKLE_BIG, // an integer of more than 64 bits: its bytes, lowest first
    PICKLE_REAL,
    PICKLE_TEXT, // any bytes if from Python 2; else UTF-8
    PICKLE_BYTES,
    PICKLE_LIST,
    PICKLE_TUPLE,
    PICKLE_SET,
    PICKLE_DICT,       // also OrderedDict, defaultdict, Counter
    PICKLE_RECORD,     // an object of an unknown class, or the result of a function
    PICKLE_GLOBAL,     // a class or a function itself
    PICKLE_PERSISTENT, // something outside the pickle: PyTorch's storages
};

struct pickle_value {
    enum pickle_kind kind;
    uint32_t count; // bytes of text; elements of a list, tuple or set; pairs of a dict or record
    union {
        int64_t integer;
        double real;
        const char *text;
        struct pickle_value **items; // (count); for pairs (2 count): key, value, key, value, ...
    };
    struct pickle_object
        *object; // for a record, global or persistent value; for a dict NULL, or its state
};

struct pickle_object {
    const char *module, *name; // "argparse", "Namespace"; "" if a pickle hides them
    struct pickle_value
        *arguments; // that created it, usually a tuple; the identity of a persistent value
    struct pickle_value *state; // its attributes, usually a dict; or NULL
    bool is_list;               // the record's items are elements, not pairs
};

/* Reads one pickle from the beginning of `data`; *end: the byte after it. NULL on failure; messages
 * begin with the position, "byte 12: ...". The data may be freed afterwards. */
struct pickle *pickle_read(const unsigned char *data, size_t bytes, size_t *end,
                           struct status *status);
void pickle_close(struct pickle *pickle); // NULL: nothing
const struct pickle_value *pickle_root(const struct pickle *pickle);

/* Persistent values, in the order of the pickle. */
size_t pickle_persistent_count(const struct pickle *pickle);
const struct pickle_value *pickle_persistent(const struct pickle *pickle, size_t index);

/* The value of a key, or of an attribute of a record. NULL: absent. */
const struct pickle_value *pickle_get(const struct pickle_value *value, const char *key);
/* Elements of a list, tuple or set, or of a record that is a list; NULL beyond the last. */
size_t pickle_count(const struct pickle_value *value);
const struct pickle_value *pickle_item(const struct pickle_value *value, size_t index);
/* Pairs of a dict or record; keys may be of any kind. */
size_t pickle_pairs(const struct pickle_value *value);
const struct pickle_value *pickle_key(const struct pickle_value *value, size_t pair);
const struct pickle_value *pickle_at(const struct pickle_value *value, size_t pair);

/* True if it is None, or absent. */
bool pickle_none(const struct pickle_value *value);
/* True if it is a record or global of this class or function. */
bool pickle_is(const struct pickle_value *value, const char *module, const char *name);
/* An element of the arguments that created a record, or NULL. */
const struct pickle_value *pickle_argument(const struct pickle_value *record, size_t index);

/* pickle_integer: an integer, or a bool as 0 or 1. pickle_number: a number of any kind.
 * pickle_text: text without zero bytes, or NULL. */
bool pickle_integer(const struct pickle_value *value, int64_t *integer);
bool pickle_number(const struct pickle_value *value, double *number);
const char *pickle_text(const struct pickle_value *value);

/* Members by name; `otherwise` if there is none of this kind. */
int64_t pickle_integer_of(const struct pickle_value *value, const char *key, int64_t otherwise);
double pickle_number_of(const struct pickle_value *value, const char *key, double otherwise);
bool pickle_flag_of(const struct pickle_value *value, const char *key, bool otherwise);
const char *pickle_text_of(const struct pickle_value *value, const char *key,
                           const char *otherwise);

#endif
