#include "tests/tui/command/study/align_support.h"
#include "tests/support/test.h"

#include "tests/support/cli_support.h"

void align_check_choice(const char *rest, int layer, const char *head, bool shift)
{
    char line[300];
    snprintf(line, sizeof line, ":align %s", rest);
    json_t *answer = cli_answer(SAMPLE, line);
    const json_t *is = json_object_get(answer, "head");
    assert_int_equal(json_integer_value(json_object_get(answer, "layer")), layer);
    if (json_is_string(is))
        assert_string_equal(json_string_value(is), head);
    else
        assert_int_equal(json_integer_value(is), atoi(head));
    assert_int_equal(json_is_true(json_object_get(answer, "shift")), shift);
    json_decref(answer);
}
