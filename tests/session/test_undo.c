/* `:undo` and `:redo`: every step back gives, to the bit, what was there before. */
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static const char *const changes[] = {
    ":disable enc head 3",
    ":mask enc head 1 local 1",
    ":pattern enc head 2 last",
    ":set beam 1",
    ":enable",
    ":load tests/golden/fixed_8f.bin",
    ":disable cross",
    ":set length_penalty wu",
    ":model vanilla",
    ":disable dec layer 1",
    ":reset",
    ":model before",
};
enum { CHANGES = sizeof changes / sizeof *changes };

/* What the user can see: heads, search and model; the translations; one head's attention. As
 * JSON. */
static char *seen(struct bench *bench)
{
    static const char *const views[] = {":disabled",
                                        ":set beam",
                                        ":set length_penalty",
                                        ":info",
                                        ":attn cross layer 1 head mean",
                                        "the dog sees a cat"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct sink sink = {.stream = out, .kind = &json_sink};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct report result = bench_run(bench, views[i]);
        // What is asked of the device changes by itself: its memory.
        if (strcmp(views[i], ":info") == 0)
            fprintf(out, "%s\n", session_config(bench->session)->name);
        else
            sink.kind->result(&sink, "seen", &result);
        report_free(&result);
    }
    // Not rounded to print them.
    const struct translation *translation = &bench->session->current->translation;
    for (int i = 0; i < translation->count; i++)
        fprintf(out, "%a\n", translation->hypotheses[i].score);
    fclose(out);
    return text;
}

static void every_change_is_undone_and_done_again(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char *states[CHANGES + 1];
    bench_run_quietly(&bench, "the dog sees a cat");
    states[0] = seen(&bench);
    for (int i = 0; i < CHANGES; i++) {
        bench_run_quietly(&bench, changes[i]);
        states[i + 1] = seen(&bench);
        assert_string_not_equal(states[i + 1], states[i]);
    }
    for (int turn = 0; turn < 2; turn++) {
        for (int i = CHANGES - 1; i >= 0; i--) {
            bench_run_quietly(&bench, ":undo");
            char *now = seen(&bench);
            assert_string_equal(now, states[i]);
            free(now);
        }
        bench_refuse(&bench, ":undo", "nothing to undo");
        bench_refuse(&bench, ":model before", "nothing has been changed yet");
        for (int i = 0; i < CHANGES; i++) {
            bench_run_quietly(&bench, ":redo");
            char *now = seen(&bench);
            assert_string_equal(now, states[i + 1]);
            free(now);
        }
        bench_refuse(&bench, ":redo", "nothing to redo");
    }
    for (int i = 0; i <= CHANGES; i++)
        free(states[i]);
    bench_close(&bench);
}

static void a_new_change_forgets_what_was_undone(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":undo", "nothing to undo");
    bench_refuse(&bench, ":redo", "nothing to redo");
    bench_refuse(&bench, ":undo 2", "\"2\": unexpected argument");
    bench_run_quietly(&bench, ":disable enc head 1");
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, ":undo");
    bench_run_quietly(&bench, ":enable enc head 4"); // is on already: no change
    bench_run_quietly(&bench, ":set batch 3");
    bench_run_quietly(&bench, ":redo");
    assert_int_equal(bench.session->settings.search.batch, 3);
    bench_run_quietly(&bench, ":undo");
    bench_run_quietly(&bench, ":disable enc head 3");
    bench_refuse(&bench, ":redo", "nothing to redo");
    bench_run_quietly(&bench, ":undo");
    bench_run_quietly(&bench, ":undo");
    bench_refuse(&bench, ":undo", "nothing to undo");
    bench_close(&bench);
}

static void as_many_changes_are_remembered_as_promised(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    int undone = 0, redone = 0;
    struct report result;
    struct status status;
    for (int i = 0; i < 250; i++)
        bench_run_quietly(&bench, i % 2 ? ":enable" : ":disable enc head 1");
    for (; command_run(bench.session, ":undo", &result, &status); undone++)
        report_free(&result);
    report_free(&result);
    for (; command_run(bench.session, ":redo", &result, &status); redone++)
        report_free(&result);
    report_free(&result);
    assert_int_equal(undone, 200); // as the help says
    assert_int_equal(redone, 200);
    bench_close(&bench);
}

/* mma_encoder takes 32 tokens, vanilla_post 64. */
static void what_cannot_be_undone_leaves_all_as_it_is(void **state)
{
    char line[256] = "";
    struct bench bench = bench_open("mma_encoder");
    for (int i = 0; i < 40; i++)
        strcat(line, "cat ");
    bench_run_quietly(&bench, ":load tests/golden/vanilla_post.bin");
    bench_run_quietly(&bench, line);
    const struct sentence_pair *pair = bench.session->current;
    bench_refuse(&bench, ":undo", "the source has 41");
    assert_ptr_equal(bench.session->current, pair);
    assert_string_equal(session_config(bench.session)->name, "vanilla_post");
    bench_run_quietly(&bench, "the cat");
    bench_run_quietly(&bench, ":undo");
    assert_string_equal(session_config(bench.session)->name, "mma_encoder");
    bench_run_quietly(&bench, ":redo");
    assert_string_equal(session_config(bench.session)->name, "vanilla_post");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_change_is_undone_and_done_again),
        cmocka_unit_test(a_new_change_forgets_what_was_undone),
        cmocka_unit_test(as_many_changes_are_remembered_as_promised),
        cmocka_unit_test(what_cannot_be_undone_leaves_all_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
