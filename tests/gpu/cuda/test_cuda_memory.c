/* Memory of a GPU, on the emulated one: few pieces, none while sentences are decoded, and batches
 * as large as was set, whatever is free. */
#include "tests/gpu/cuda/emulated_gpu.h"
#include "tests/model/search/searches.h"
#include "tests/support/test.h"

static const size_t plenty = (size_t)2 << 30;

static size_t memory_used(const struct golden *golden)
{
    struct device_info info;
    golden->backend->info(golden->device, &info);
    return info.memory_used;
}

static void the_weights_of_a_model_are_one_piece(void **state)
{
    static const char *const models[] = {"vanilla_post", "learned_positions_tied",
                                         "context_all_kinds_keys", "dhicm_last_layers"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct status status;
        struct golden *golden = golden_open(models[i], "cpu", 1);
        size_t before = memory_used(golden);
        emulator.reset_counts();
        struct model *second =
            model_open(golden->checkpoint, golden->backend, golden->device, &status);
        assert_non_null(second);
        assert_int_equal(counted().allocations, 1);
        assert_true(memory_used(golden) > before);
        model_close(second);
        assert_int_equal(memory_used(golden), before);
        golden_close(golden);
    }
}

static void a_model_that_does_not_fit_leaves_nothing_behind(void **state)
{
    struct status status;
    struct device_info info;
    struct golden *golden = golden_open("vanilla_post", "cpu", 1);
    golden->backend->info(golden->device, &info);
    emulator.set_memory(info.memory_total - info.memory_free + 1000);
    assert_null(model_open(golden->checkpoint, golden->backend, golden->device, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    assert_non_null(strstr(status.message, "no memory for"));
    emulator.set_memory(plenty);
    assert_int_equal(memory_used(golden), info.memory_used);
    golden_close(golden);
}

/* Chunk after chunk, as `:translate FILE` does, the longest first. */
static void chunks_of_a_file_allocate_for_the_first_alone(void **state)
{
    enum { CHUNK = 8 };
    struct searches searches;
    searches_open(&searches, "vanilla_post", SEARCHES_MOST);
    struct search_options options = searches_options(&searches, 2, 5);
    for (int round = 0; round < 2; round++)
        for (int first = 0; first < searches.count; first += CHUNK) {
            emulator.reset_counts();
            searches_run(&searches, first, CHUNK, &options, NULL);
            if (first == 0 && round == 0) // the arena, and a table of positions for either stack
                assert_in_range(counted().allocations, 1, 3);
            else if (round > 0)
                assert_int_equal(counted().allocations, 0);
        }
    searches_close(&searches);
}

/* Returns the bytes that a search over all sentences takes besides the weights. */
static size_t memory_of_search(const char *name, int count, const struct search_options *options)
{
    struct searches searches;
    searches_open(&searches, name, count);
    size_t before = memory_used(searches.golden);
    searches_run(&searches, 0, count, options, NULL);
    size_t bytes = memory_used(searches.golden) - before;
    searches_close(&searches);
    return bytes;
}

static void leave_free(const struct golden *golden, size_t bytes)
{
    struct device_info info;
    golden->backend->info(golden->device, &info);
    emulator.set_memory(info.memory_total - info.memory_free + bytes);
}

/* Fewer at once would be other products: the batch is not made smaller behind one's back. */
static void a_batch_without_memory_is_refused_and_a_smaller_one_is_not(void **state)
{
    enum { COUNT = 16 };
    struct searches whole, part;
    struct status status;
    searches_open(&whole, "vanilla_post", COUNT);
    struct search_options options = searches_options(&whole, 5, COUNT);
    size_t needed = memory_of_search("vanilla_post", COUNT, &options);
    searches_run(&whole, 0, COUNT, &options, NULL);
    searches_open(&part, "vanilla_post", COUNT);
    leave_free(part.golden, needed / 2);
    assert_false(search_run(part.golden->model, part.jobs, part.count, &options, NULL, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    assert_non_null(strstr(status.message, "a batch of 16 sources of up to "));
    assert_non_null(strstr(status.message, "with beam 5 (set a smaller batch): cuda:0: no memory"));
    options.batch = 4;
    searches_run(&part, 0, COUNT, &options, NULL);
    emulator.set_memory(plenty);
    searches_expect_same(&whole, &part);
    searches_close(&whole);
    searches_close(&part);
}

/* Other programs have taken all that the batch does not need: it is as large as without them. */
static void a_batch_is_as_large_as_set_whatever_is_free(void **state)
{
    enum { COUNT = 16 };
    size_t steps[2];
    struct searches searches;
    searches_open(&searches, "vanilla_post", COUNT);
    struct search_options options = searches_options(&searches, 5, COUNT);
    size_t needed = memory_of_search("vanilla_post", COUNT, &options);
    searches_close(&searches);
    for (int little = 0; little < 2; little++) {
        searches_open(&searches, "vanilla_post", COUNT);
        if (little)
            leave_free(searches.golden, needed + needed / 20 + 4096);
        emulator.reset_counts();
        searches_run(&searches, 0, COUNT, &options, NULL);
        steps[little] = counted().graph_launches;
        emulator.set_memory(plenty);
        searches_close(&searches);
    }
    assert_int_equal(steps[0], steps[1]);
}

static void a_sentence_that_does_not_fit_is_told_in_one_line(void **state)
{
    struct status status;
    struct searches searches;
    searches_open(&searches, "vanilla_post", 3);
    struct search_options options = searches_options(&searches, 5, 1);
    size_t needed = memory_of_search("vanilla_post", 1, &options);
    leave_free(searches.golden, needed / 8);
    assert_false(
        search_run(searches.golden->model, searches.jobs, searches.count, &options, NULL, &status));
    assert_int_equal(status.code, STATUS_MEMORY);
    assert_non_null(strstr(status.message, "with beam 5: cuda:0: no memory for"));
    assert_null(strchr(status.message, '\n'));
    emulator.set_memory(plenty);
    searches_run(&searches, 0, searches.count, &options, NULL);
    searches_close(&searches);
}

/* Pairs that do not fit together are refused, and are scored by fewer at once where that was
 * set. */
static void scoring_fits_into_small_memory(void **state)
{
    enum { COUNT = 16, LONGEST = 20 };
    static float plain[COUNT][LONGEST], small[COUNT][LONGEST];
    struct searches searches;
    struct score_job jobs[COUNT];
    struct status status;
    searches_open(&searches, "vanilla_post", COUNT);
    struct search_options options = searches_options(&searches, 1, COUNT);
    searches_run(&searches, 0, COUNT, &options, NULL);
    for (int i = 0; i < COUNT; i++) {
        const struct hypothesis *best = &searches.jobs[i].result.hypotheses[0];
        assert_true(best->count <= LONGEST);
        jobs[i] = (struct score_job){
            .source = &searches.sentences[i], .target = best->ids, .count = best->count};
    }
    for (int round = 0; round < 2; round++) {
        struct golden *golden = golden_open("vanilla_post", "cpu", 1);
        for (int i = 0; i < COUNT; i++)
            jobs[i].logprobs = round ? small[i] : plain[i];
        size_t before = memory_used(golden);
        static size_t needed;
        if (round)
            leave_free(golden, needed / 3);
        if (round) {
            assert_false(score_run(golden->model, jobs, COUNT, COUNT, &status));
            assert_int_equal(status.code, STATUS_MEMORY);
            assert_non_null(strstr(status.message, "16 pairs at once (set a smaller batch): "));
        }
        if (!score_run(golden->model, jobs, COUNT, round ? 2 : COUNT, &status))
            fail_msg("%s", status.message);
        if (!round)
            needed = memory_used(golden) - before;
        emulator.set_memory(plenty);
        golden_close(golden);
    }
    for (int i = 0; i < COUNT; i++)
        for (int p = 0; p < jobs[i].count; p++)
            assert_float_equal(small[i][p], plain[i][p], 1e-4f);
    searches_close(&searches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weights_of_a_model_are_one_piece),
        cmocka_unit_test(a_model_that_does_not_fit_leaves_nothing_behind),
        cmocka_unit_test(chunks_of_a_file_allocate_for_the_first_alone),
        cmocka_unit_test(a_batch_without_memory_is_refused_and_a_smaller_one_is_not),
        cmocka_unit_test(a_batch_is_as_large_as_set_whatever_is_free),
        cmocka_unit_test(a_sentence_that_does_not_fit_is_told_in_one_line),
        cmocka_unit_test(scoring_fits_into_small_memory),
    };
    return cmocka_run_group_tests(tests, emulator_find, NULL);
}
