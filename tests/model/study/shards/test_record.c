/* Records: what a shape declares is what is read. */
#include <math.h>

#include "model/study/shards/record.h"
#include "tests/support/test.h"

/* Two rows or three of two integers from -1 to 4, then a share, then a text. */
static struct record_field fields[] = {
    {.rows = 0, .width = 2, .least = -1, .most = 4, .whole = true},
    {.rows = RECORD_ONE, .width = 1, .least = 0, .most = 1}};
static const struct record_shape shape = {
    .dimensions = {{2, 3}}, .dimension_count = 1, .fields = fields, .count = 2, .text = true};

static void what_is_written_is_read(void **state)
{
    struct record record = {.count = 0}, read = {.count = 0};
    struct status status;
    static const double numbers[] = {2, -1, 4, 0, 3, 0.1};
    record_clear(&record);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(record_put(&record, numbers[i], &status));
    record.text = "two words";
    char *value = record_write(&record, &status);
    assert_string_equal(value, "6 2 -1 4 0 3 0x1.999999999999ap-4 two words");
    assert_true(record_read(value, &shape, &read, &status));
    assert_int_equal(read.count, 6);
    assert_memory_equal(read.numbers, numbers, sizeof numbers);
    assert_string_equal(read.text, "two words");
    int rows;
    assert_true(record_numbers(&shape, &read, 1, &rows)[0] == 0.1 && rows == 1);
    assert_true(record_numbers(&shape, &read, 0, &rows)[1] == 4 && rows == 2);
    free(value);
    record_free(&record);
    record_free(&read);
}

static void what_is_not_of_the_shape_is_refused(void **state)
{
    static const char *const values[] = {
        "",
        " ",
        "x",
        "6",
        "6 ",
        "-1 ",
        "0 ",
        "6 2 -1 4 0 3",                      // too few
        "6 2 -1 4 0 3 x ",                   // no number
        "6 2 -1 4 0 3 0.5",                  // no text
        "7 2 -1 4 0 3 0.5 0.5 ",             // too many
        "6 1 -1 4 0 3 0.5 ",                 // a row less than any
        "10 4 0 0 0 0 0 0 0 0 0.5 ",         // a row more than any
        "6 2.5 -1 4 0 3 0.5 ",               // half a row
        "6 nan -1 4 0 3 0.5 ",               // none
        "6 2 -2 4 0 3 0.5 ",                 // an integer below
        "6 2 -1 5 0 3 0.5 ",                 // above
        "6 2 -1 4 0.5 3 0.5 ",               // between
        "6 2 nan 4 0 3 0.5 ",                //
        "6 2 -1 4 0 3 nan ",                 // a share that is none
        "6 2 -1 4 0 3 -0x1p-1074 ",          //
        "6 2 -1 4 0 3 0x1.0000000000001p0 ", //
        "6 2 -1 4 0 3 inf ",                 //
        "2147483647 2 -1 4 0 3 0.5 ",        //
        "99999999999999999999 2 -1 4 0 3 0.5 ",
    };
    struct record record = {.count = 0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct status status = {0};
        if (record_read(values[i], &shape, &record, &status))
            fail_msg("\"%s\": read", values[i]);
        assert_int_equal(status.code, STATUS_INVALID);
    }
    struct record_shape without = shape;
    struct status status;
    without.text = false;
    assert_true(record_read("6 2 -1 4 0 3 0.5 ", &without, &record, &status));
    assert_false(record_read("6 2 -1 4 0 3 0.5 text", &without, &record, &status));
    without.dimensions[0].most = 4;
    assert_true(record_read("10 4 0 0 0 0 0 0 0 0 0.5 ", &without, &record, &status));
    record_free(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_not_of_the_shape_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
