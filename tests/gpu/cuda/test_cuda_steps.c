/* The work of a decoding step on a GPU, counted on the emulated one: one graph, one wait, and one
 * small read, unless the graph itself tells the host which sentences are done.
 *
 * Outside a step's graph there is only this work: for sentences that enter, the encoder and the
 * storing of their state; the copy that announces a batch with different rows; and the reads of
 * finished sentences. */
#include "gpu/loader.h"
#include "tests/gpu/cuda/emulated_gpu.h"
#include "tests/model/search/searches.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* Counts between two steps. */
struct interval {
    struct cudaemu_counts counts;
    int finished; // jobs, after the step before it and until the end of this one
};

enum { INTERVALS_MOST = 2000 };

struct record {
    struct interval intervals[INTERVALS_MOST];
    int count;
    int finished; // since the last interval
};

static bool listen(void *context, int job)
{
    struct record *record = context;
    if (job >= 0) {
        record->finished++;
        return true;
    }
    assert_true(record->count < INTERVALS_MOST);
    record->intervals[record->count++] =
        (struct interval){.counts = counted(), .finished = record->finished};
    record->finished = 0;
    emulator.reset_counts();
    return true;
}

static struct cudaemu_counts run(struct searches *searches, int beam, int batch,
                                 struct record *record)
{
    struct search_options options = searches_options(searches, beam, batch);
    struct search_listener listener = {listen, record};
    struct cudaemu_counts all;
    *record = (struct record){0};
    emulator.reset_counts();
    searches_run(searches, 0, searches->count, &options, &listener);
    all = counted();
    for (int i = 0; i < record->count; i++) {
        const struct cudaemu_counts *counts = &record->intervals[i].counts;
        all.launches += counts->launches;
        all.graph_launches += counts->graph_launches;
        all.recordings += counts->recordings;
        all.allocations += counts->allocations;
        all.waits += counts->waits;
        all.reads += counts->reads;
    }
    return all;
}

/* How many numbers of sentences a step may be padded to in a batch of `most`, which is one of
 * them. */
static size_t buckets(int most)
{
    static const int sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    size_t count = 0;
    while (sizes[count] < most)
        count++;
    return count + 1;
}

/* A step in the middle: nothing has left just before it, so nothing has entered. */
static void check_plain_step(const struct interval *interval, int batch, size_t reads)
{
    const struct cudaemu_counts *counts = &interval->counts;
    assert_int_equal(counts->launches, 0);
    assert_int_equal(counts->graph_launches, 1);
    assert_int_equal(counts->allocations, 0);
    assert_true(counts->copies - counts->reads <= 1); // which rows there are, when some have left
    assert_int_equal(counts->reads, reads);
    assert_true(counts->read_bytes <= (size_t)batch * sizeof(int32_t));
    assert_int_equal(counts->waits, 1);
}

/* The first interval has the entering, and the steps that are given ahead. */
static int check_steps(const struct record *record, int batch, size_t reads)
{
    int plain = 0;
    for (int i = 1; i < record->count; i++) {
        const struct interval *interval = &record->intervals[i];
        assert_int_equal(interval->counts.allocations, 0);
        if (interval->finished)
            continue;
        check_plain_step(interval, batch, reads);
        plain++;
    }
    return plain;
}

enum { COUNT = 6 };

static void check_model(const char *name, int beam, int batch, size_t reads)
{
    static struct record record;
    struct searches searches;
    searches_open(&searches, name, COUNT);
    struct cudaemu_counts first = run(&searches, beam, batch, &record);
    assert_true(check_steps(&record, batch, reads) > 0);
    assert_in_range(first.recordings, 1, buckets(batch));
    struct cudaemu_counts again = run(&searches, beam, batch, &record);
    assert_true(check_steps(&record, batch, reads) > 0);
    assert_int_equal(again.recordings, 0);
    assert_int_equal(again.allocations, 0);
    assert_int_equal(again.graph_launches, first.graph_launches);
    // One for each step; three reads and two checks for each sentence that leaves, and the last
    // check.
    assert_true(again.waits <= again.graph_launches + 5 * COUNT + 1);
    assert_true(emulator.ready_graphs() <= 64);
    searches_close(&searches);
    assert_int_equal(emulator.ready_graphs(), 0);
}

static void a_step_is_one_graph_and_one_wait(void **state)
{
    check_model("vanilla_post", 1, 1, 0);
    check_model("vanilla_post", 5, 3, 0);
    check_model("vanilla_pre", 1, COUNT, 0);
    check_model("words_everywhere_bpe", 5, 1, 0);
    check_model("mixture_decoder", 2, 3, 0);
}

static void a_step_that_does_not_tell_its_ends_is_followed_by_one_read(void **state)
{
    setenv("ATTNSCOPE_CUDA", "-told-ends", 1);
    check_model("vanilla_post", 5, 1, 1);
    check_model("mixture_decoder", 2, 3, 1);
    unsetenv("ATTNSCOPE_CUDA");
}

/* All enter at once; afterwards they only leave. */
static void nothing_is_launched_beside_graphs_when_all_have_entered(void **state)
{
    static struct record record;
    struct searches searches;
    searches_open(&searches, "vanilla_post", COUNT);
    run(&searches, 5, COUNT, &record);
    assert_true(record.count > 3);
    for (int i = 1; i < record.count; i++)
        assert_int_equal(record.intervals[i].counts.launches, 0);
    searches_close(&searches);
}

/* Kernels of every step in the middle of a search for one sentence after the other. */
static void expect_kernels(const char *shortcuts, const char *model, size_t a_layer, size_t a_step)
{
    static struct record record;
    struct searches searches;
    int plain = 0;
    setenv("ATTNSCOPE_CUDA", shortcuts, 1);
    searches_open(&searches, model, 3);
    size_t layers = (size_t)searches.golden->checkpoint->config->stacks[STACK_DECODER].layers;
    run(&searches, 5, 1, &record);
    for (int i = 2; i < record.count; i++) {
        if (record.intervals[i].finished || record.intervals[i - 1].finished)
            continue;
        assert_int_equal(record.intervals[i].counts.kernels, a_layer * layers + a_step);
        plain++;
    }
    assert_true(plain > 0);
    searches_close(&searches);
    unsetenv("ATTNSCOPE_CUDA");
}

/* Of a layer: q, k and v in one product, self-attention, o, norm; q, cross-attention, o, norm; two
 * products of the feed-forward, norm. Of a step: select, embed, the logits, their slices, joining
 * them, advance; and with pre-norm the first norm. All norms are read by a product, which may
 * compute them. */
static void a_step_of_one_sentence_is_eight_kernels_a_layer_and_three_norms(void **state)
{
    expect_kernels("", "vanilla_post", 8, 6);
    expect_kernels("", "gated_ffn", 9, 6);    // with pre-norm, and a gate
    expect_kernels("", "vanilla_pre", 11, 7); // a width that is no multiple of 4
    expect_kernels("-norm-in-product", "vanilla_post", 11, 6);
    expect_kernels("-norm-in-product", "vanilla_pre", 11, 7);
}

/* The same for more than eight rows, before the first sentence leaves. */
static void expect_kernels_of_many(const char *shortcuts, size_t a_layer, size_t a_step)
{
    static struct record record;
    struct searches searches;
    setenv("ATTNSCOPE_CUDA", shortcuts, 1);
    searches_open(&searches, "vanilla_post", 4);
    size_t layers = (size_t)searches.golden->checkpoint->config->stacks[STACK_DECODER].layers;
    run(&searches, 5, 4, &record);
    assert_true(record.count > 2);
    for (int i = 1; i < record.count && !record.intervals[i].finished; i++)
        assert_int_equal(record.intervals[i].counts.kernels, a_layer * layers + a_step);
    searches_close(&searches);
    unsetenv("ATTNSCOPE_CUDA");
}

/* Of a layer: q, k and v in one product, what brings them to their places, self-attention, o, norm;
 * q, cross-attention, o, norm; two products of the feed-forward, norm. Without epilogues two
 * kernels more,
 * which add biases; without late ones five. */
static void a_step_of_many_sentences_is_twelve_kernels_a_layer(void **state)
{
    expect_kernels_of_many("", 12, 6);
    expect_kernels_of_many("-product-epilogues", 14, 6);
    expect_kernels_of_many("-product-epilogues,-late-bias", 17, 7);
}

static void keep_results(struct searches *searches, struct translation *kept)
{
    for (int i = 0; i < searches->count; i++) {
        kept[i] = searches->jobs[i].result;
        searches->jobs[i].result = (struct translation){0};
    }
}

static void expect_bytes(const struct translation *a, const struct translation *b)
{
    assert_int_equal(a->count, b->count);
    for (int h = 0; h < a->count; h++) {
        assert_int_equal(a->hypotheses[h].count, b->hypotheses[h].count);
        const size_t count = (size_t)a->hypotheses[h].count;
        assert_memory_equal(a->hypotheses[h].ids, b->hypotheses[h].ids, count * sizeof(int));
        assert_memory_equal(a->hypotheses[h].logprobs, b->hypotheses[h].logprobs,
                            count * sizeof(float));
    }
}

/* A list of shortcuts, and the batch: of few rows and of many. */
static void search_with(const char *shortcuts, const char *precision, const char *model, int beam,
                        int batch, struct translation *kept)
{
    static struct record record;
    struct searches searches;
    setenv("ATTNSCOPE_CUDA", shortcuts, 1);
    setenv("ATTNSCOPE_TEST_PRECISION", precision, 1);
    searches_open(&searches, model, 4);
    run(&searches, beam, batch, &record);
    keep_results(&searches, kept);
    searches_close(&searches);
    unsetenv("ATTNSCOPE_TEST_PRECISION");
    unsetenv("ATTNSCOPE_CUDA");
}

static void expect_no_bit_changed(const char *precision, const char *model, int beam, int batch)
{
    struct translation without[4], with[4];
    search_with("none", precision, model, beam, batch, without);
    search_with("all,-split-product,-narrow-caches", precision, model, beam, batch, with);
    for (int i = 0; i < 4; i++) {
        expect_bytes(&without[i], &with[i]);
        translation_free(&without[i]);
        translation_free(&with[i]);
    }
}

/* The shortcuts that only change which kernel does the work. */
static void shortcuts_change_no_bit(void **state)
{
    const char *const models[] = {"gated_ffn", "vanilla_post", "context_both_stacks",
                                  "gated_ffn_post", "dhicm_decoder"};
    for (int m = 0; m < rounds_of(1, sizeof models / sizeof *models); m++) {
        expect_no_bit_changed("fp32", models[m], 4, 1);
        expect_no_bit_changed(m % 2 ? "bf16" : "fp32", models[m], 4, 4);
        expect_no_bit_changed(m % 2 ? "fp32" : "bf16", models[m], 4, 4);
    }
    for (int beam = 1; beam <= 9; beam += 4) { // of few hypotheses there are up to 8
        expect_no_bit_changed("fp32", "vanilla_post", beam - (beam > 8), 1);
        expect_no_bit_changed("bf16", "vanilla_post", beam, 3);
    }
}

/* The device may be one step ahead of the host's question: then it has already reported ends that
 * do not concern the host yet. */
static void ends_that_are_told_early_change_nothing(void **state)
{
    const char *const models[] = {"vanilla_post", "words_everywhere_bpe"};
    for (int m = 0; m < 2; m++) {
        static struct record record[2];
        struct translation kept[2][COUNT];
        for (int ahead = 0; ahead < 2; ahead++) {
            struct searches searches;
            emulator.set_eager(ahead);
            searches_open(&searches, models[m], COUNT);
            run(&searches, 3, 3, &record[ahead]);
            keep_results(&searches, kept[ahead]);
            searches_close(&searches);
        }
        emulator.set_eager(0);
        assert_int_equal(record[0].count, record[1].count);
        for (int i = 0; i < record[0].count; i++)
            assert_int_equal(record[0].intervals[i].finished, record[1].intervals[i].finished);
        for (int i = 0; i < COUNT; i++) {
            expect_bytes(&kept[0][i], &kept[1][i]);
            translation_free(&kept[0][i]);
            translation_free(&kept[1][i]);
        }
    }
}

/* Products that cuBLAS does not finish are finished as without the shortcut, and the reason is
 * reported. */
static void products_that_cublas_does_not_finish_are_finished_after_it(void **state)
{
    static struct record record;
    struct searches searches;
    struct translation with[4], without[4];
    struct device_info info;
    search_with("", "fp32", "vanilla_post", 4, 4, with);
    emulator.refuse_epilogues(1);
    searches_open(&searches, "vanilla_post", 4);
    run(&searches, 4, 4, &record);
    keep_results(&searches, without);
    searches.golden->backend->info(searches.golden->device, &info);
    assert_non_null(strstr(info.unfinished, "cuBLAS has no product of "));
    assert_non_null(strstr(info.unfinished, " with a bias (error 15)"));
    searches_close(&searches);
    emulator.refuse_epilogues(0);
    for (int i = 0; i < 4; i++) {
        expect_bytes(&without[i], &with[i]);
        translation_free(&without[i]);
        translation_free(&with[i]);
    }
}

/* In the middle of a search for one sentence, which uses no product of cuBLAS. */
static void expect_early(const char *shortcuts, int major, bool early)
{
    static struct record record;
    struct searches searches;
    setenv("ATTNSCOPE_CUDA", shortcuts, 1);
    emulator.set_major(major);
    searches_open(&searches, "vanilla_post", 1);
    run(&searches, 5, 1, &record);
    assert_true(record.count > 3);
    for (int i = 1; i < record.count; i++) {
        const struct cudaemu_counts *counts = &record.intervals[i].counts;
        assert_true(counts->kernels > 0);
        assert_int_equal(counts->early, early ? counts->kernels : 0);
    }
    searches_close(&searches);
    emulator.set_major(9);
    unsetenv("ATTNSCOPE_CUDA");
}

static void kernels_are_launched_early_in_graphs_where_the_gpu_can(void **state)
{
    expect_early("early-launch", 9, true);
    expect_early("-early-launch", 9, false);
    expect_early("early-launch", 8, false);
}

static void an_unknown_shortcut_is_an_error(void **state)
{
    const struct device_choice choice = {.kind = DEVICE_CUDA,
                                         .plugin = getenv("ATTNSCOPE_TEST_PLUGIN")};
    struct opened_device opened;
    struct status status;
    setenv("ATTNSCOPE_CUDA", "none,late-bias,-nosuch", 1);
    assert_false(device_open(&choice, 1, &opened, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_non_null(strstr(status.message, "ATTNSCOPE_CUDA: no shortcut \"-nosuch\""));
    unsetenv("ATTNSCOPE_CUDA");
}

/* A session translates a sentence, shows its attention, translates the next. */
static void sentences_and_their_attention_in_turn_share_recordings(void **state)
{
    static struct record record;
    struct searches searches;
    searches_open(&searches, "vanilla_post", 4);
    struct capture_request request = golden_request(searches.golden, true);
    size_t recordings = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < searches.count; i++) {
            struct search_options options = searches_options(&searches, 4, 64);
            struct search_listener listener = {listen, &record};
            struct capture capture;
            struct status status;
            const struct hypothesis *best;
            record = (struct record){0};
            emulator.reset_counts();
            searches_run(&searches, i, 1, &options, &listener);
            best = &searches.jobs[i].result.hypotheses[0];
            if (!force_run(searches.golden->model, &searches.sentences[i], best->ids, best->count,
                           NULL, &request, &capture, &status))
                fail_msg("%s", status.message);
            capture_free(&capture);
            if (round == 0)
                continue;
            recordings += counted().recordings;
            assert_int_equal(counted().allocations, 0);
            for (int k = 0; k < record.count; k++) {
                recordings += record.intervals[k].counts.recordings;
                assert_int_equal(record.intervals[k].counts.allocations, 0);
            }
        }
    assert_int_equal(recordings, 0);
    golden_request_free(&request);
    searches_close(&searches);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_one_graph_and_one_wait),
        cmocka_unit_test(a_step_that_does_not_tell_its_ends_is_followed_by_one_read),
        cmocka_unit_test(nothing_is_launched_beside_graphs_when_all_have_entered),
        cmocka_unit_test(a_step_of_one_sentence_is_eight_kernels_a_layer_and_three_norms),
        cmocka_unit_test(shortcuts_change_no_bit),
        cmocka_unit_test(ends_that_are_told_early_change_nothing),
        cmocka_unit_test(a_step_of_many_sentences_is_twelve_kernels_a_layer),
        cmocka_unit_test(products_that_cublas_does_not_finish_are_finished_after_it),
        cmocka_unit_test(kernels_are_launched_early_in_graphs_where_the_gpu_can),
        cmocka_unit_test(an_unknown_shortcut_is_an_error),
        cmocka_unit_test(sentences_and_their_attention_in_turn_share_recordings),
    };
    return cmocka_run_group_tests(tests, emulator_find, NULL);
}
