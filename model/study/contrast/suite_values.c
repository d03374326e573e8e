#include "model/study/contrast/suite_values.h"

#include <limits.h>
#include <string.h>

#include "model/study/contrast/suite.h"

const char *const json_type_names[] = {
    [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
    [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",      [JSON_NULL] = "null"};

bool json_fail_type(const json_t *value, const char *key, const char *expected,
                    struct status *status)
{
    return status_fail(status, STATUS_INVALID, "\"%s\" is %s, expected %s", key,
                       value ? json_type_names[json_typeof(value)] : "missing", expected);
}

const char *json_get_text(const json_t *object, const char *key, struct status *status)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        json_fail_type(value, key, "a text", status);
    return json_string_value(value);
}

bool json_get_optional(const json_t *object, const char *key, const char **out,
                       struct status *status)
{
    const json_t *value = json_object_get(object, key);
    *out = json_string_value(value);
    return !value || json_is_null(value) || *out || json_fail_type(value, key, "a text", status);
}

bool json_parse_count(const char *text, int *out, const char **end)
{
    size_t digits = strspn(text, "0123456789");
    *out = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = text[i] - '0';
        if (*out > (INT_MAX - digit) / 10)
            return false;
        *out = *out * 10 + digit;
    }
    *end = text + digits;
    return digits > 0;
}

bool json_get_count(const json_t *object, const char *key, int *out, struct status *status)
{
    const json_t *value = json_object_get(object, key);
    const char *end = "";
    *out = SUITE_ABSENT;
    if (!value || json_is_null(value))
        return true;
    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        if (number < 0 || number > INT_MAX)
            return status_fail(status, STATUS_INVALID,
                               "\"%s\" is %" JSON_INTEGER_FORMAT ", expected 0 to %d", key, number,
                               INT_MAX);
        *out = (int)number;
        return true;
    }
    if (json_is_string(value) && json_parse_count(json_string_value(value), out, &end) && !*end)
        return true;
    return json_fail_type(value, key, "a whole number", status);
}
