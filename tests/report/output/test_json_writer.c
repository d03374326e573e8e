/* Written JSON: always valid, with numbers and control characters as promised. */
#include <math.h>

#include <jansson.h>

#include "report/output/json_writer.h"
#include "tests/support/test.h"

/* Returns the output of `write`; the caller frees it. */
static char *written(void (*write)(struct json_writer *json, const void *what), const void *what)
{
    char *text = NULL;
    size_t size;
    struct json_writer json = {.stream = open_memstream(&text, &size)};
    write(&json, what);
    fclose(json.stream);
    return text;
}

static void write_string(struct json_writer *json, const void *what)
{
    put_string(json, what);
}

static void write_number(struct json_writer *json, const void *what)
{
    put_number(json, *(const double *)what);
}

static void write_nested(struct json_writer *json, const void *what)
{
    const float matrix[] = {1, 0.5f, 0, 0.25f};
    const int ids[] = {1, -2};
    (void)what;
    put_object(json);
    put_key(json, "a");
    put_array(json);
    put_object(json);
    put_object_end(json);
    put_array(json);
    put_array_end(json);
    put_null(json);
    put_array_end(json);
    put_member_bool(json, "b", true);
    put_key(json, "c");
    put_int(json, INT64_MIN);
    put_key(json, "d");
    put_array(json);
    put_floats(json, matrix, 2);
    put_floats(json, matrix + 2, 2);
    put_array_end(json);
    put_key(json, "e");
    put_ints(json, ids, 2);
    put_key(json, "f");
    put_strings(json, (const char *const[]){"x", "y"}, 2);
    put_key(json, "g");
    put_floats(json, matrix, 0);
    put_object_end(json);
}

static void commas_stand_where_they_belong(void **state)
{
    char *text = written(write_nested, NULL);
    assert_string_equal(text,
                        "{\"a\":[{},[],null],\"b\":true,\"c\":-9223372036854775808,"
                        "\"d\":[[1,0.5],[0,0.25]],\"e\":[1,-2],\"f\":[\"x\",\"y\"],\"g\":[]}");
    free(text);
}

static void strings_are_escaped(void **state)
{
    static const char *const cases[][2] = {
        {"", "\"\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\n\t\r\x01\x1f", "\"\\u000a\\u0009\\u000d\\u0001\\u001f\""},
        {"\x7f", "\"\\u007f\""},
        {"\v\f\x1c\x1d\x1e\xC2\x85\xE2\x80\xA8\xE2\x80\xA9",
         "\"\\u000b\\u000c\\u001c\\u001d\\u001e\\u0085\\u2028\\u2029\""}, // all of str.splitlines
        {"\xE2\x80\xA7\xE2\x80\xAF", "\"\xE2\x80\xA7\xE2\x80\xAF\""},     // their neighbours
        {"\xE2\x80\xAA\xE2\x81\xA9", "\"\\u202a\\u2069\""},            // turn what follows around
        {"\xEF\xBF\xBE\xF0\x9F\xBF\xBE", "\"\\ufffe\\ud83f\\udffe\""}, // no characters
        {"\xC2\x80\xC2\x9F\xC2\xA0", "\"\\u0080\\u009f\xC2\xA0\""},
        {"schläft ▁が 🙂", "\"schläft ▁が 🙂\""},
        {"a\xFF"
         "b",
         "\"a\xEF\xBF\xBD"
         "b\""},
        {"\xC3", "\"\xEF\xBF\xBD\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = written(write_string, cases[i][0]);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

static void every_byte_string_becomes_valid_json(void **state)
{
    srand(1);
    for (int round = 0; round < 2000; round++) {
        char bytes[12];
        for (size_t i = 0; i + 1 < sizeof bytes; i++)
            bytes[i] = (char)(rand() % 255 + 1);
        bytes[rand() % (int)sizeof bytes] = '\0';
        bytes[sizeof bytes - 1] = '\0';
        char *text = written(write_string, bytes);
        json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
        if (!value)
            fail_msg("not JSON: %s", text);
        json_decref(value);
        free(text);
    }
}

static void numbers_have_nine_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {1.0 / 3, "0.333333333"},
                 {123456789012.0, "1.23456789e+11"},
                 {1e-5, "1e-05"},
                 {NAN, "null"},
                 {INFINITY, "null"},
                 {-INFINITY, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = written(write_number, &cases[i].value);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void floats_come_back_to_the_bit(void **state)
{
    srand(2);
    for (int round = 0; round < 2000; round++) {
        float value = ldexpf((float)rand() / (float)RAND_MAX - 0.5f, rand() % 40 - 30);
        double wide = value;
        char *text = written(write_number, &wide);
        assert_true(strtof(text, NULL) == value);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_where_they_belong),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(every_byte_string_becomes_valid_json),
        cmocka_unit_test(numbers_have_nine_digits),
        cmocka_unit_test(floats_come_back_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
