/* What remains of a study in several states after a stop. */
#include <math.h>
#include <string.h>

#include "model/study/several_states.h"
#include "tests/support/test.h"

static void a_stop_says_how_many_states_are_scored(void **state)
{
    static const char *const messages[] = {"interrupted", "interrupted: 1 of 3 states are scored",
                                           "interrupted: 2 of 3 states are scored"};
    for (int done = 0; done < 3; done++) {
        struct several_states several = {.names = {.count = 3}, .done = done};
        struct status status;
        status_fail(&status, STATUS_CANCELLED, "interrupted");
        assert_false(several_states_stop(&several, &status));
        assert_int_equal(status.code, STATUS_CANCELLED);
        assert_string_equal(status.message, messages[done]);
        // Another error stays what it is.
        status_fail(&status, STATUS_INVALID, "line 3: no text");
        assert_false(several_states_stop(&several, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_string_equal(status.message, "line 3: no text");
    }
}

/* The groups are known from the first state on. */
static void rows_are_of_the_states_that_are_scored(void **state)
{
    static const char *const names[] = {"a", "b"};
    struct several_states several = {0};
    struct status status;
    for (int i = 0; i < 2; i++)
        assert_true(strings_add(&several.names, names[i], strlen(names[i]), &status));
    assert_true(several_states_open(false, &several, &status));
    struct study_result *first = several_states_result(&several, 0);
    first->rows = memory_new(1, sizeof *first->rows, &status);
    assert_non_null(first->rows);
    first->row_count = 1;
    first->rows[0] = (struct study_row){.name = "< 7", .sentences = 5};
    first->all = (struct study_row){.name = "all", .sentences = 8};
    several.done = 1;
    assert_int_equal(several_states_groups(&several), 1);
    struct several_row row = several_row(&several, 0);
    assert_string_equal(row.by, "length");
    assert_string_equal(row.name, "< 7");
    assert_int_equal(row.size, 5);
    assert_false(isnan(row.values[0]));
    row = several_row(&several, 1);
    assert_string_equal(row.by, "");
    assert_string_equal(row.name, "all");
    assert_int_equal(row.size, 8);
    several_states_free(&several);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_says_how_many_states_are_scored),
        cmocka_unit_test(rows_are_of_the_states_that_are_scored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
