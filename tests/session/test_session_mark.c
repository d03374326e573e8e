/* A session goes back to where a mark was set, whatever has changed since. */
#include "session/session_mark.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static void a_session_goes_back_to_its_mark(void **state)
{
    static const char *const changes[][3] = {
        {NULL},
        {":undo", NULL},                                  // done again
        {":undo", ":undo", NULL},                         //
        {":disable enc layer 2", NULL},                   // undone
        {":disable dec", ":enable", NULL},                //
        {":undo", ":disable cross layer 1 head 1", NULL}, // which cannot be done again
        {":mask enc layer 1 head 1 backward", ":undo", NULL},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bench bench = bench_open_model("tests/golden/vanilla_pre.bin");
        struct session *session = bench.session;
        struct session_mark mark;
        struct status status;
        bench_run_quietly(&bench, "the dog sees a cat");
        bench_run_quietly(&bench, ":disable enc layer 1 head 1");
        bench_run_quietly(&bench, ":disable enc layer 1 head 2");
        assert_true(session_mark_set(session, ":attn enc", &mark, &status));
        for (int c = 0; changes[i][c]; c++)
            bench_run_quietly(&bench, changes[i][c]);
        bench_run_quietly(&bench, ":attn cross");
        assert_true(session_mark_return(session, &mark, &status));
        const struct saved_state now = states_current(session);
        assert_true(states_equal(&now, &mark.state));
        assert_string_equal(session->shown, ":attn enc");
        session_mark_free(&mark);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_goes_back_to_its_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
