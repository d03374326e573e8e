/* Accesses the values of a pickle. */
#include "model/formats/archive/pickle.h"

#include <string.h>

static bool is_text(const struct pickle_value *value, const char *text, size_t bytes)
{
    return value->kind == PICKLE_TEXT && value->count == bytes &&
           memcmp(value->text, text, bytes) == 0;
}

size_t pickle_pairs(const struct pickle_value *value)
{
    if (!value)
        return 0;
    bool pairs =
        value->kind == PICKLE_DICT || (value->kind == PICKLE_RECORD && !value->object->is_list);
    return pairs ? value->count : 0;
}

const struct pickle_value *pickle_key(const struct pickle_value *value, size_t pair)
{
    return pair < pickle_pairs(value) ? value->items[2 * pair] : NULL;
}

const struct pickle_value *pickle_at(const struct pickle_value *value, size_t pair)
{
    return pair < pickle_pairs(value) ? value->items[2 * pair + 1] : NULL;
}

/* Of equal keys, the last one counts, as in Python. */
static const struct pickle_value *find(const struct pickle_value *value, const char *key)
{
    size_t bytes = strlen(key);
    for (size_t i = pickle_pairs(value); i-- > 0;)
        if (is_text(value->items[2 * i], key, bytes))
            return value->items[2 * i + 1];
    return NULL;
}

const struct pickle_value *pickle_get(const struct pickle_value *value, const char *key)
{
    const struct pickle_value *found = find(value, key);
    if (found || !value || (value->kind != PICKLE_RECORD && value->kind != PICKLE_DICT) ||
        !value->object)
        return found;
    const struct pickle_value *state = value->object->state;
    found = find(state, key);
    // An object with slots has two states: of its attributes and of its slots.
    for (size_t i = 0; !found && i < 2 && state && state->kind == PICKLE_TUPLE; i++)
        found = find(pickle_item(state, i), key);
    return found;
}

size_t pickle_count(const struct pickle_value *value)
{
    if (!value)
        return 0;
    bool elements = value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE ||
                    value->kind == PICKLE_SET ||
                    (value->kind == PICKLE_RECORD && value->object->is_list);
    return elements ? value->count : 0;
}

const struct pickle_value *pickle_item(const struct pickle_value *value, size_t index)
{
    return index < pickle_count(value) ? value->items[index] : NULL;
}

bool pickle_none(const struct pickle_value *value)
{
    return !value || value->kind == PICKLE_NONE;
}

bool pickle_is(const struct pickle_value *value, const char *module, const char *name)
{
    return value && (value->kind == PICKLE_RECORD || value->kind == PICKLE_GLOBAL) &&
           strcmp(value->object->module, module) == 0 && strcmp(value->object->name, name) == 0;
}

const struct pickle_value *pickle_argument(const struct pickle_value *record, size_t index)
{
    bool made = record && record->kind == PICKLE_RECORD;
    return made ? pickle_item(record->object->arguments, index) : NULL;
}

bool pickle_integer(const struct pickle_value *value, int64_t *integer)
{
    if (!value || (value->kind != PICKLE_INTEGER && value->kind != PICKLE_BOOL))
        return false;
    *integer = value->integer;
    return true;
}

bool pickle_number(const struct pickle_value *value, double *number)
{
    int64_t integer = 0;
    bool real = value && value->kind == PICKLE_REAL;
    if (!real && !pickle_integer(value, &integer))
        return false;
    *number = real ? value->real : (double)integer;
    return true;
}

const char *pickle_text(const struct pickle_value *value)
{
    bool text = value && value->kind == PICKLE_TEXT && !memchr(value->text, 0, value->count);
    return text ? value->text : NULL;
}

int64_t pickle_integer_of(const struct pickle_value *value, const char *key, int64_t otherwise)
{
    int64_t integer = 0;
    return pickle_integer(pickle_get(value, key), &integer) ? integer : otherwise;
}

double pickle_number_of(const struct pickle_value *value, const char *key, double otherwise)
{
    double number = 0;
    return pickle_number(pickle_get(value, key), &number) ? number : otherwise;
}

bool pickle_flag_of(const struct pickle_value *value, const char *key, bool otherwise)
{
    return pickle_integer_of(value, key, otherwise) != 0;
}

const char *pickle_text_of(const struct pickle_value *value, const char *key, const char *otherwise)
{
    const char *text = pickle_text(pickle_get(value, key));
    return text ? text : otherwise;
}
