/* What terminfo says of a terminal. */
#include <stdlib.h>

#include "tests/support/test.h"
#include "tui/screen/canvas/description.h"

/* vt100's sequences (infocmp vt100): cup=\E[%i%p1%d;%p2%dH$<5>, el=\E[K$<3>, csr=\E[%i%p1%d;%p2%dr,
 * clear=\E[H\E[J$<50>. Delays are not sent. */
static void delays_are_left_out(void **state)
{
    struct description description;
    char text[200];
    assert_int_equal(setenv("TERM", "vt100", 1), 0);
    assert_true(description_find(&description));
    assert_string_equal(description.name, "vt100");
    assert_string_equal(description.clear, "\33[H\33[J");
    assert_string_equal(description.erase, "\33[K");
    description_whole_region(&description, 24, text, sizeof text);
    assert_string_equal(text, "\33[r");
    description_leave(&description, 24, text, sizeof text);
    assert_non_null(strstr(text, "\33[24;1H\33[K"));
}

static void unknown_terminals_are_refused(void **state)
{
    struct description description;
    assert_int_equal(setenv("TERM", "no-such-terminal", 1), 0);
    assert_false(description_find(&description));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_are_left_out),
        cmocka_unit_test(unknown_terminals_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
