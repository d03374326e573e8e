/* In a sentence's first step only its first lane lives. If steps are not recorded, this is the only
 * row that is computed. */
#include "gpu/cpu/device.h"
#include "tests/model/net/engine_support.h"
#include "tests/model/search/search_replay.h"
#include "tests/support/test.h"

enum { SENTENCES = 4, BEAM = 3 };

static int steps, first_rows, rows;
static bool failing;

/* Counts the rows, or fails as if there were no memory. */
static void count_logprob(struct device *device, const struct logprob_args *args)
{
    if (steps++ == 0)
        first_rows = args->rows;
    rows += args->rows;
    if (failing)
        device_fail(device, STATUS_MEMORY, "no memory");
    else
        cpu_backend.logprob(device, args);
}

struct bench {
    struct golden *golden;
    struct backend counting;
    struct model *model;
    struct sentence sentences[SENTENCES];
    struct search_options options;
    struct search_job jobs[SENTENCES];
};

/* One thread, as every thread would count. */
static void bench_open(struct bench *bench)
{
    struct status status;
    *bench =
        (struct bench){.golden = golden_open("vanilla_post", "cpu", 1), .counting = cpu_backend};
    const struct golden *golden = bench->golden;
    bench->counting.logprob = count_logprob;
    bench->model = model_open(golden->checkpoint, &bench->counting, golden->device, &status);
    if (!bench->model)
        fail_msg("%s", status.message);
    for (size_t i = 0; i < SENTENCES; i++) {
        const json_t *given = json_array_get(golden->cases, i % json_array_size(golden->cases));
        const char *source = json_string_value(json_object_get(given, "source"));
        if (!sentence_encode(golden->checkpoint, source, &bench->sentences[i], &status))
            fail_msg("%s", status.message);
        bench->jobs[i].source = &bench->sentences[i];
    }
    bench->options = search_defaults(golden->checkpoint->config);
    bench->options.beam = BEAM;
}

static void bench_forget(struct bench *bench)
{
    for (int i = 0; i < SENTENCES; i++)
        translation_free(&bench->jobs[i].result);
}

static void bench_close(struct bench *bench)
{
    bench_forget(bench);
    for (int i = 0; i < SENTENCES; i++)
        sentence_free(&bench->sentences[i]);
    model_close(bench->model);
    golden_close(bench->golden);
}

static bool try_search(struct bench *bench, int count, struct status *status)
{
    bench_forget(bench);
    bench->options.batch = count;
    steps = rows = first_rows = 0;
    return search_run(bench->model, bench->jobs, count, &bench->options, NULL, status);
}

static void search(struct bench *bench, int count)
{
    struct status status;
    if (!try_search(bench, count, &status))
        fail_msg("%s", status.message);
}

static void a_sentence_begins_with_one_row(void **state)
{
    struct bench bench;
    bench_open(&bench);
    search(&bench, 1);
    assert_true(steps > 2);
    assert_int_equal(first_rows, 1);
    assert_int_equal(rows, 1 + (steps - 1) * BEAM);
    search(&bench, SENTENCES);
    assert_int_equal(first_rows, SENTENCES);
    bench_close(&bench);
}

/* Fails the test unless a search in plain terms finds the same. */
static void expect_replayed(const struct bench *bench, int sentence)
{
    const struct translation *found = &bench->jobs[sentence].result;
    struct replay replay;
    replay_search(bench->golden->model, &bench->sentences[sentence], &bench->options, &replay);
    assert_int_equal(found->count, replay.result.count);
    for (int i = 0; i < found->count; i++) {
        const struct hypothesis *a = &found->hypotheses[i], *b = &replay.result.hypotheses[i];
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->ids, b->ids, (size_t)a->count * sizeof *a->ids);
        assert_memory_equal(&a->score, &b->score, sizeof a->score);
    }
    replay_free(&replay);
}

/* If a hypothesis may have only one token, the first step is the last. */
static void a_search_may_end_with_its_first_step(void **state)
{
    struct bench bench;
    bench_open(&bench);
    bench.options.factor = 0;
    for (bench.options.plus = 1; bench.options.plus <= 3; bench.options.plus++) {
        search(&bench, SENTENCES);
        for (int i = 0; i < SENTENCES; i++)
            expect_replayed(&bench, i);
    }
    bench_close(&bench);
}

/* Whatever the memory holds would be taken for its choice. */
static void nothing_follows_a_first_step_that_failed(void **state)
{
    struct bench bench;
    struct status status;
    bench_open(&bench);
    failing = true;
    assert_false(try_search(&bench, SENTENCES, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    assert_int_equal(steps, 1);
    failing = false;
    search(&bench, SENTENCES);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_follows_a_first_step_that_failed),
        cmocka_unit_test(a_sentence_begins_with_one_row),
        cmocka_unit_test(a_search_may_end_with_its_first_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
