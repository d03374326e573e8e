/* Cells of tables as people read them. */
#include <math.h>

#include "report/blocks.h"
#include "tests/support/test.h"

static void check(const struct column *column, struct value value, const char *expected)
{
    char *text = cell_text(column, &value);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void lists_are_written_whole(void **state)
{
    static const char *const texts[] = {"one", "two", "behind"};
    static const int ints[] = {3, 5, 7};
    const struct column column = {.digits = 2};
    const struct value list[] = {value_real(0.125), value_null(), value_int(4), value_int(9)};
    check(&column, value_texts(texts, 0), "");
    check(&column, value_texts(texts, 1), "one");
    check(&column, value_texts(texts, 2), "one, two");
    check(&column, value_ints(ints, 2), "3, 5");
    check(&column, value_list(list, 3), "0.12, , 4");
}

static void numbers_have_the_digits_of_their_column(void **state)
{
    const struct column column = {.digits = 3};
    check(&column, value_real(1.5), "1.500");
    check(&column, value_real(NAN), "");
    check(&column, value_int(-7), "-7");
    check(&column, value_null(), "");
}

/* As in the APA's manual: three decimals, and smaller p are shown as <0.001. */
static void shares_and_p_values_are_those_of_papers(void **state)
{
    const struct column share = {.type = COLUMN_PERCENT, .digits = 2}, p = {.type = COLUMN_P};
    char text[P_BYTES];
    check(&share, value_real(0.8337), "83.4");
    check(&share, value_real(1), "100.0");
    check(&p, value_real(0.007992), "0.008");
    check(&p, value_real(0.0495), "0.050");
    check(&p, value_real(0.001), "0.001");
    check(&p, value_real(0.00099), "<0.001");
    check(&p, value_real(1), "1.000");
    assert_string_equal(p_equation(0.5, text), "p = 0.500");
    assert_string_equal(p_equation(1e-9, text), "p < 0.001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_written_whole),
        cmocka_unit_test(numbers_have_the_digits_of_their_column),
        cmocka_unit_test(shares_and_p_values_are_those_of_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
