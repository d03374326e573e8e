/* What remains of a study in several states after a stop. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_says_how_many_states_are_scored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
