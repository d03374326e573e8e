/* To the bit on the CPU: nothing that a sentence's result may not depend on changes one bit of
 * it. */
#include <jansson.h>
#include <limits.h>
#include <unistd.h>

#include "tests/model/net/exact_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

static void check_batches(const char *name)
{
    static const struct {
        const char *what;
        int batch, first, step;
    } runs[] = {{"batch of 64", 64, 0, 1},
                {"batch of 64 backwards", 64, 63, -1},
                {"batch of 5 in another order", 5, 7, 11}};
    struct golden *golden = golden_open(name, "cpu", 1);
    struct exact_jobs *jobs = exact_jobs_open(golden);
    struct translation alone[EXACT_JOBS], together[EXACT_JOBS];
    exact_run(golden, jobs, 1, 0, 1, alone);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        exact_run(golden, jobs, runs[i].batch, runs[i].first, runs[i].step, together);
        exact_same_results(name, runs[i].what, alone, together);
        exact_free(together);
    }
    exact_free(alone);
    exact_jobs_close(jobs);
    golden_close(golden);
}

static void a_batch_of_64_is_one_by_one_in_any_order(void **state)
{
    exact_every_model(check_batches);
}

/* More tokens than the encoder takes at once: sentences enter in several waves. */
static void long_sentences_are_one_by_one(void **state)
{
    enum { WORDS = 50 };
    struct golden *golden = golden_open("vanilla_post", "cpu", 1);
    struct exact_jobs *jobs = exact_jobs_open(golden);
    struct translation alone[EXACT_JOBS], together[EXACT_JOBS];
    struct status status;
    for (int i = 0; i < EXACT_JOBS; i++) {
        char text[WORDS * 4 + 1];
        for (int w = 0; w < WORDS; w++)
            memcpy(text + 4 * w, (i >> w % 6) & 1 ? "dog " : "cat ", 5);
        sentence_free(&jobs->sentences[i]);
        assert_true(sentence_encode(golden->checkpoint, text, &jobs->sentences[i], &status));
    }
    exact_run(golden, jobs, 1, 0, 1, alone);
    exact_run(golden, jobs, EXACT_JOBS, 0, 1, together);
    exact_same_results("vanilla_post", "long sentences", alone, together);
    exact_free(together);
    exact_free(alone);
    exact_jobs_close(jobs);
    golden_close(golden);
}

/* The order in which jobs finish. */
struct order {
    int jobs[EXACT_JOBS], count;
};

static bool note_job(void *context, int job)
{
    struct order *order = context;
    if (job >= 0)
        order->jobs[order->count++] = job;
    return true;
}

/* In a batch of one jobs finish as they enter: by turns, in each the longest first. The longest of
 * all is in the last turn, so that every batch is larger than its first job needs. */
static void check_turns(struct golden *golden, const struct exact_jobs *jobs, int batch,
                        const struct translation *alone)
{
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct search_job turned[EXACT_JOBS];
    struct translation results[EXACT_JOBS];
    struct order order = {.count = 0};
    const struct search_listener listener = {note_job, &order};
    struct status status;
    int longest = 0, shortest = INT_MAX;
    for (int i = 0; i < EXACT_JOBS; i++) {
        int length = jobs->sentences[i].count;
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
    }
    assert_true(shortest < longest);
    for (int i = 0; i < EXACT_JOBS; i++)
        turned[i] =
            (struct search_job){.source = &jobs->sentences[i],
                                .head_settings = jobs->head_settings[i],
                                .turn = jobs->sentences[i].count == longest ? 4 : i * 7 % 4};
    options.batch = batch;
    if (!search_run(golden->model, turned, EXACT_JOBS, &options, &listener, &status))
        fail_msg("%s: %s", golden->name, status.message);
    for (int i = 0; i < EXACT_JOBS; i++)
        results[i] = turned[i].result;
    exact_same_results(golden->name, "jobs in turns", alone, results);
    exact_free(results);
    assert_int_equal(order.count, EXACT_JOBS);
    for (int i = 1; batch == 1 && i < EXACT_JOBS; i++) {
        const struct search_job *a = &turned[order.jobs[i - 1]], *b = &turned[order.jobs[i]];
        if (a->turn > b->turn || (a->turn == b->turn && a->source->count < b->source->count))
            fail_msg("job %d of turn %d, length %d is before job %d of turn %d, length %d",
                     order.jobs[i - 1], a->turn, a->source->count, order.jobs[i], b->turn,
                     b->source->count);
    }
}

static void turns_say_who_is_first_and_change_no_bit(void **state)
{
    static const char *const models[] = {"vanilla_post", "context_both_stacks"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct golden *golden = golden_open(models[i], "cpu", 1);
        struct exact_jobs *jobs = exact_jobs_open(golden);
        struct translation alone[EXACT_JOBS];
        exact_run(golden, jobs, 1, 0, 1, alone);
        check_turns(golden, jobs, 1, alone);
        check_turns(golden, jobs, 5, alone);
        exact_free(alone);
        exact_jobs_close(jobs);
        golden_close(golden);
    }
}

typedef struct golden *opening(const char *name, const char *isa, int threads);

/* All that one device gives for a model: searches and captures. Takes the model. */
static void run_device(struct golden *golden, struct translation *results,
                       struct exact_bytes *bytes)
{
    struct exact_jobs *jobs = exact_jobs_open(golden);
    exact_run(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < 8; i++)
        if (results[i].count)
            exact_add_forced(bytes, golden, &jobs->sentences[i], jobs->head_settings[i],
                             &results[i].hypotheses[0]);
    exact_jobs_close(jobs);
    golden_close(golden);
}

static const struct {
    const char *isa;
    int threads;
} devices[] = {{"cpu", 3}, {"avx512", 2}, {"avx2", 2}, {"c", 1}};
enum { DEVICES = sizeof devices / sizeof *devices, FAST_DEVICES = DEVICES - 1 };

/* On the first `count` of them. */
static void check_devices(const char *name, opening *open, size_t count)
{
    struct translation first[EXACT_JOBS], other[EXACT_JOBS];
    struct exact_bytes first_bytes = {0}, other_bytes = {0};
    run_device(open(name, "cpu", 1), first, &first_bytes);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(devices[i].isa, "cpu") != 0 && !exact_has_isa(devices[i].isa))
            continue;
        other_bytes.count = 0;
        run_device(open(name, devices[i].isa, devices[i].threads), other, &other_bytes);
        char what[64];
        snprintf(what, sizeof what, "%s with %d threads", devices[i].isa, devices[i].threads);
        exact_same_results(name, what, first, other);
        assert_int_equal(first_bytes.count, other_bytes.count);
        exact_same_bits(name, what, first_bytes.data, other_bytes.data, first_bytes.count);
        exact_free(other);
    }
    exact_free(first);
    free(first_bytes.data);
    free(other_bytes.data);
}

static void check_golden_devices(const char *name)
{
    check_devices(name, golden_open, DEVICES);
}

/* Threads share the operations of models that are not small, too: of one such, unless all are
 * wanted. */
static void threads_and_instruction_sets_give_the_same_bits(void **state)
{
    static const char *const samples[] = {"en-de-context", "en-de", "en-de-dhicm"};
    exact_every_model(check_golden_devices);
    for (int i = 0; i < rounds_of(1, sizeof samples / sizeof *samples); i++)
        check_devices(samples[i], sample_open, FAST_DEVICES);
}

/* The forced pass of a hypothesis against the log-probabilities that the search saw. */
static void check_incremental(const char *name)
{
    struct golden *golden = golden_open(name, "cpu", 1);
    struct exact_jobs *jobs = exact_jobs_open(golden);
    struct translation results[EXACT_JOBS];
    exact_run(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < EXACT_JOBS; i++)
        for (int h = 0; h < results[i].count; h++) {
            const struct hypothesis *target = &results[i].hypotheses[h];
            const int first = golden_scored_alike(golden, target->count);
            struct capture plain, captured;
            struct capture_request nothing = {0}, all = golden_request(golden, true);
            struct status status;
            assert_true(force_run(golden->model, &jobs->sentences[i], target->ids, target->count,
                                  jobs->head_settings[i], &nothing, &plain, &status));
            assert_true(force_run(golden->model, &jobs->sentences[i], target->ids, target->count,
                                  jobs->head_settings[i], &all, &captured, &status));
            exact_same_bits(name, "incremental and forced", target->logprobs + first,
                            plain.token_logprobs + first, (target->count - first) * sizeof(float));
            exact_same_bits(name, "capture on and off", captured.token_logprobs,
                            plain.token_logprobs, target->count * sizeof(float));
            capture_free(&plain);
            capture_free(&captured);
            golden_request_free(&all);
        }
    exact_free(results);
    exact_jobs_close(jobs);
    golden_close(golden);
}

static void the_forced_pass_gives_the_bits_the_search_saw(void **state)
{
    exact_every_model(check_incremental);
}

/* Scoring many pairs in batches gives what a forced pass of each gives. */
static void check_scores(const char *name)
{
    struct golden *golden = golden_open(name, "cpu", 2);
    struct exact_jobs *jobs = exact_jobs_open(golden);
    struct translation results[EXACT_JOBS];
    struct score_job scored[EXACT_JOBS];
    struct status status;
    int count = 0;
    exact_run(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < EXACT_JOBS; i++)
        if (results[i].count) {
            const struct hypothesis *target = &results[i].hypotheses[results[i].count - 1];
            scored[count++] = (struct score_job){.source = &jobs->sentences[i],
                                                 .target = target->ids,
                                                 .count = target->count,
                                                 .head_settings = jobs->head_settings[i],
                                                 .logprobs = calloc(target->count, sizeof(float))};
        }
    if (!score_run(golden->model, scored, count, 16, &status))
        fail_msg("%s: %s", name, status.message);
    for (int i = 0, job = 0; i < EXACT_JOBS; i++)
        if (results[i].count) {
            const struct hypothesis *target = &results[i].hypotheses[results[i].count - 1];
            const int first = golden_scored_alike(golden, target->count);
            exact_same_bits(name, "scored in batches", scored[job].logprobs + first,
                            target->logprobs + first, (target->count - first) * sizeof(float));
            free(scored[job++].logprobs);
        }
    exact_free(results);
    exact_jobs_close(jobs);
    golden_close(golden);
}

static void scoring_in_batches_gives_the_bits_the_search_saw(void **state)
{
    exact_every_model(check_scores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_64_is_one_by_one_in_any_order),
        cmocka_unit_test(long_sentences_are_one_by_one),
        cmocka_unit_test(turns_say_who_is_first_and_change_no_bit),
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(the_forced_pass_gives_the_bits_the_search_saw),
        cmocka_unit_test(scoring_in_batches_gives_the_bits_the_search_saw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
