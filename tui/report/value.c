#include "tui/report/blocks.h"

#include <math.h>

struct value value_text(const char *text)
{
    return (struct value){.kind = text ? VALUE_TEXT : VALUE_NULL, .text = text};
}

struct value value_int(int64_t integer)
{
    return (struct value){.kind = VALUE_INT, .integer = integer};
}

struct value value_real(double real)
{
    return (struct value){.kind = VALUE_REAL, .real = real};
}

struct value value_bool(bool truth)
{
    return (struct value){.kind = VALUE_BOOL, .truth = truth};
}

struct value value_null(void)
{
    return (struct value){.kind = VALUE_NULL};
}

struct value value_texts(const char *const *texts, int count)
{
    return (struct value){.kind = VALUE_TEXTS, .count = count, .texts = texts};
}

struct value value_ints(const int *ints, int count)
{
    return (struct value){.kind = VALUE_INTS, .count = count, .ints = ints};
}

struct value value_list(const struct value *list, int count)
{
    return (struct value){.kind = VALUE_LIST, .count = count, .list = list};
}

struct value value_array(const struct array *array)
{
    return (struct value){.kind = VALUE_ARRAY, .array = array};
}

struct value value_table(const struct table *table)
{
    return (struct value){.kind = VALUE_TABLE, .table = table};
}

struct value value_object(const struct blocks *blocks)
{
    return (struct value){.kind = VALUE_GROUP, .blocks = blocks};
}

const struct value *value_plain(const struct value *value)
{
    return value->kind == VALUE_SHOWN ? &value->shown->value : value;
}

bool value_absent(const struct value *value)
{
    return value->kind == VALUE_NULL || (value->kind == VALUE_REAL && isnan(value->real));
}

double value_order(const struct value *value)
{
    switch (value->kind) {
    case VALUE_INT:
        return (double)value->integer;
    case VALUE_REAL:
        return value->real;
    case VALUE_SHOWN:
        return value->shown->order;
    default:
        return NAN;
    }
}
