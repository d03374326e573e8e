/* Ranges, positions and ticks of scales: expectations are arithmetic on the values. */
#include <math.h>

#include "render/scale.h"
#include "tests/support/test.h"

enum { ROWS = 2, COLUMNS = 3 };

static void check_range(struct scale_range range, double least, double most)
{
    if (fabs(range.least - least) > 1e-12 * fabs(least) ||
        fabs(range.most - most) > 1e-12 * fabs(most))
        fail_msg("%g to %g, expected %g to %g", range.least, range.most, least, most);
}

/* The least value above 0 of the scale's own panels, or a ten-thousandth of the greatest. */
static void logarithmic_ranges_are_of_their_own_panels(void **state)
{
    static const float first[ROWS * COLUMNS] = {0.5f, 0.25f, 0, -1, NAN, 0.125f};
    static const float second[ROWS * COLUMNS] = {16, 2, 4, 8, 16, 4};
    static const float deep[ROWS * COLUMNS] = {1, 0x1p-20f, 0.5f, 0.5f, 0.5f, 0.5f};
    const struct figure_scale scales[] = {
        {.range = RANGE_LOG}, {.range = RANGE_LOG}, {.range = RANGE_LOG}};
    const struct figure_panel panels[] = {
        {.kind = PANEL_MATRIX,
         .matrix = {.values = first, .rows = ROWS, .columns = COLUMNS, .scale = 0}},
        {.kind = PANEL_LINES},
        {.kind = PANEL_MATRIX,
         .matrix = {.values = second, .rows = ROWS, .columns = COLUMNS, .scale = 1}},
        {.kind = PANEL_MATRIX,
         .matrix = {.values = deep, .rows = ROWS, .columns = COLUMNS, .scale = 2}}};
    const struct figure figure = {
        .rows = 2, .columns = 2, .panels = panels, .scales = scales, .scale_count = 3};
    check_range(scale_find_range(&figure, 0), 0.125, 0.5);
    check_range(scale_find_range(&figure, 1), 2, 16);
    check_range(scale_find_range(&figure, 2), 1e-4, 1);
}

static void positions_lie_between_the_ends(void **state)
{
    const struct scale_range range = {0.01, 100, true}, plain = {-2, 6, false};
    assert_true(scale_position(range, 0.01) == 0);
    assert_true(fabs(scale_position(range, 1) - 0.5) < 1e-12);
    assert_true(fabs(scale_position(range, 100) - 1) < 1e-12);
    // Values without a logarithm are at the lower end; NaN is nowhere.
    assert_true(scale_position(range, 0) == 0);
    assert_true(scale_position(range, -3) == 0);
    assert_true(isnan(scale_position(range, NAN)));
    assert_true(scale_position(plain, 4) == 0.75);
}

static void rows_are_divided_by_their_own_maximum(void **state)
{
    static const float values[ROWS * COLUMNS] = {0.5f, 4, NAN, 2, -8, INFINITY};
    static const float nothing[ROWS * COLUMNS] = {0, -1, NAN, 0, 0, 0};
    struct figure_scale scale = {.range = RANGE_ROW};
    const struct figure figure = {.rows = 1, .columns = 1, .scales = &scale, .scale_count = 1};
    struct figure_matrix matrix = {.values = values, .rows = ROWS, .columns = COLUMNS};
    assert_true(scale_row_divisor(&figure, &matrix, 0, 7) == 4);
    assert_true(scale_row_divisor(&figure, &matrix, 1, 7) == 2);
    scale.range = RANGE_EACH;
    assert_true(scale_divisor(&figure, &matrix) == 4);
    assert_true(scale_row_divisor(&figure, &matrix, 1, 7) == 7);
    matrix.values = nothing;
    assert_true(scale_divisor(&figure, &matrix) == 1);
}

/* The texts of the ticks, joined by blanks. */
static void check_ticks(struct scale_range range, int most, const char *expected)
{
    struct tick ticks[TICKS_MOST];
    char text[TICKS_MOST * sizeof ticks->text] = "";
    int count = scale_ticks(range, most, ticks);
    for (int i = 0; i < count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, ticks[i].text);
        assert_true(ticks[i].value >= range.least && ticks[i].value <= range.most);
    }
    if (strcmp(text, expected) != 0)
        fail_msg("%g to %g: %s, expected %s", range.least, range.most, text, expected);
}

static void ticks_are_multiples_within_the_range(void **state)
{
    // Those at the ends, too.
    check_ticks((struct scale_range){0.01, 1, true}, 12, "1 0.5 0.2 0.1 0.05 0.02 0.01");
    check_ticks((struct scale_range){0.02, 5, true}, 12, "5 2 1 0.5 0.2 0.1 0.05 0.02");
    check_ticks((struct scale_range){0.021, 4.9, true}, 12, "2 1 0.5 0.2 0.1 0.05");
    check_ticks((struct scale_range){0.01, 1, true}, 7, "1 0.5 0.2 0.1 0.05 0.02 0.01");
    check_ticks((struct scale_range){0.01, 1, true}, 6, "1 0.1 0.01");
    check_ticks((struct scale_range){1e-6, 1, true}, 3,
                "1 0.001 1e\xe2\x88\x92"
                "06");
    check_ticks((struct scale_range){0.3, 0.4, true}, 5, "0.3 0.4"); // no multiple: the ends
    check_ticks((struct scale_range){0.3, 0.4, true}, 1, "0.3");
    check_ticks((struct scale_range){0, 1, false}, 11,
                "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
    check_ticks((struct scale_range){0, 1, false}, 10, "0.0 0.2 0.4 0.6 0.8 1.0");
    check_ticks((struct scale_range){0, 0.439, false}, 2, "0.00 0.44"); // 0 alone: the ends
    check_ticks((struct scale_range){-1, 1, false}, 3,
                "\xe2\x88\x92"
                "1 0 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithmic_ranges_are_of_their_own_panels),
        cmocka_unit_test(positions_lie_between_the_ends),
        cmocka_unit_test(rows_are_divided_by_their_own_maximum),
        cmocka_unit_test(ticks_are_multiples_within_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
