#include "tests/support/report_support.h"
#include "tests/support/test.h"

const struct value *report_says(const struct report *result, const char *key)
{
    static const struct value none = {.kind = VALUE_NULL};
    const struct blocks *blocks = &result->blocks;
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind == BLOCK_FIELD && (block->in & IN_JSON) &&
            strcmp(block->field.key, key) == 0)
            return &block->field.value;
    }
    fail_msg("the report says no %s", key);
    return &none;
}

const char *report_text(const struct report *result, const char *key)
{
    const struct value *value = report_says(result, key);
    assert_int_equal(value->kind, VALUE_TEXT);
    return value->text;
}

int report_int(const struct report *result, const char *key)
{
    const struct value *value = report_says(result, key);
    assert_int_equal(value->kind, VALUE_INT);
    return (int)value->integer;
}

double report_real(const struct report *result, const char *key)
{
    const struct value *value = report_says(result, key);
    assert_int_equal(value->kind, VALUE_REAL);
    return value->real;
}

int report_count(const struct report *result, const char *key)
{
    return report_says(result, key)->count;
}

const char *report_text_at(const struct report *result, const char *key, int index)
{
    const struct value *value = report_says(result, key);
    assert_in_range(index, 0, value->count - 1);
    if (value->kind == VALUE_TEXTS)
        return value->texts[index];
    assert_int_equal(value->kind, VALUE_LIST);
    assert_int_equal(value->list[index].kind, VALUE_TEXT);
    return value->list[index].text;
}

void assert_reports(const struct report *result, const char *name)
{
    assert_string_equal(result->name, name);
}
