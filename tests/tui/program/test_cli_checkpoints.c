/* Malformed checkpoints as a user meets them: the program says what is wrong in one line and ends.
 * Every few of them, unless all are wanted: test_checkpoint has each. */
#include <unistd.h>

#include "tests/model/checkpoint/checkpoint_support.h"
#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

static void malformed_checkpoints_end_in_one_line(void **state)
{
    char path[] = "/tmp/attnscope-malformed-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    const char *const arguments[] = {CPU, path, "-e", SENTENCE, NULL};
    for (int i = 0; i < checkpoint_malformed_count(); i += rounds_of(7, 1)) {
        const struct checkpoint_case *given = checkpoint_malformed(i);
        checkpoint_case_write(given->edits, path);
        struct outcome outcome = cli_run(arguments);
        if (outcome.code != 1 || *outcome.out)
            fail_msg("%s: ends with %d: %s%s", given->expected, outcome.code, outcome.out,
                     outcome.err);
        cli_check_message(arguments, &outcome, 1, given->expected);
        cli_check_message(arguments, &outcome, 1, path);
        outcome_free(&outcome);
    }
    unlink(path);
    assert_true(checkpoint_malformed_count() >= 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_checkpoints_end_in_one_line),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
