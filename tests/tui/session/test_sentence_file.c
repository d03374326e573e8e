/* Ctrl-C while the sentences of a file are averaged: what is counted is what was added. */
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/session/sentence_file.h"
#include "tui/terminal/interrupt.h"

/* What an average holds, and after how many sentences Ctrl-C comes. */
struct average {
    int sentences, stop;
};

static bool measure(const struct state *state, const struct sentence_pair *pair, void *context,
                    struct sentence_numbers *out, struct status *status)
{
    (void)state;
    (void)pair;
    (void)context;
    return sentence_numbers_put(out, 1, status);
}

static bool add(void *context, const struct sentence_numbers *numbers, struct status *status)
{
    struct average *average = context;
    (void)status;
    assert_int_equal(numbers->count, 1);
    if (++average->sentences == average->stop)
        interrupt_raise();
    return true;
}

static void a_sentence_that_is_added_is_counted(void **state)
{
    enum { LINES = 5 };
    char path[64];
    struct bench bench = bench_open("vanilla_post");
    write_lines("the dog sees\na cat\nthe dog\na dog\nthe cat\n", path);
    for (int stop = 1; stop <= LINES; stop++) {
        struct average average = {.stop = stop};
        struct sentence_file file = {.path = path, .what = "averaging", .encoder = true};
        const struct sentence_work work = {measure, add, &average};
        struct status status = {0};
        bool whole = sentence_file_walk(bench.session, &file, &work, &status);
        interrupt_clear();
        assert_int_equal(average.sentences, stop);
        assert_int_equal(file.sentences, stop);
        assert_int_equal(file.taken, stop);
        assert_int_equal(whole, stop == LINES); // then there is nothing left to stop
        if (!whole)
            assert_int_equal(status.code, STATUS_CANCELLED);
    }
    unlink(path);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_that_is_added_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
