/* The sample on the emulated GPU and on the CPU: the same tokens, but where a decision of the CPU's
 * search hung on less than the devices may differ by; the same numbers within the
 * bounds below.
 *
 * ATTNSCOPE_TEST_SENTENCES says how many sentences (default: a few; in full, the twenty that are
 * written by hand). */
#include <math.h>

#include "tests/model/net/engine_support.h"
#include "tests/model/net/everyday.h"
#include "tests/model/search/search_replay.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

#define SCORE_BOUND 1e-4
#define ATTENTION_BOUND 1e-5
#define MARGIN_BOUND 1e-4 // of scores

static struct golden *cpu, *gpu;
static struct sentence *sentences;
static int count;
static double furthest_score, furthest_weight; // for the report

static void read_count(void)
{
    const char *wanted = getenv("ATTNSCOPE_TEST_SENTENCES");
    count = wanted ? atoi(wanted) : rounds_of(5, EVERYDAY_WRITTEN);
    assert_true(count > 0);
}

static int open_both(void **state)
{
    static const char sample[] = "samples/en-de.bin";
    const char *plugin = getenv("ATTNSCOPE_TEST_PLUGIN");
    if (!plugin)
        return -1;
    cpu = golden_open_on(sample, NULL, "cpu", 0);
    gpu = golden_open_on(sample, plugin, "cpu", 0);
    read_count();
    sentences = calloc((size_t)count, sizeof *sentences);
    for (int i = 0; i < count; i++) {
        char text[EVERYDAY_MOST];
        struct status status;
        everyday_sentence(i, text);
        if (!sentence_encode(cpu->checkpoint, text, &sentences[i], &status))
            fail_msg("%s: %s", text, status.message);
    }
    return 0;
}

static int close_both(void **state)
{
    for (int i = 0; i < count; i++)
        sentence_free(&sentences[i]);
    free(sentences);
    golden_close(gpu);
    golden_close(cpu);
    return 0;
}

static void assert_near(double got, double expected, double bound, double *furthest,
                        const char *what, int sentence)
{
    const double difference = fabs(got - expected);
    if (!(difference <= bound))
        fail_msg("sentence %d: %s: %.9g on the GPU, %.9g on the CPU, expected within %g", sentence,
                 what, got, expected, bound);
    if (difference > *furthest)
        *furthest = difference;
}

/* Searches --------------------------------------------------------------------------------------*/

static struct search_options options_of(int beam)
{
    struct search_options options = search_defaults(cpu->checkpoint->config);
    options.beam = beam;
    return options;
}

static struct search_job *run_jobs(struct golden *on, const struct search_options *options)
{
    struct status status;
    struct search_job *jobs = calloc((size_t)count, sizeof *jobs);
    for (int i = 0; i < count; i++)
        jobs[i].source = &sentences[i];
    if (!search_run(on->model, jobs, count, options, NULL, &status))
        fail_msg("%s", status.message);
    return jobs;
}

static void free_jobs(struct search_job *jobs)
{
    for (int i = 0; i < count; i++)
        translation_free(&jobs[i].result);
    free(jobs);
}

static bool same_tokens(const struct translation *a, const struct translation *b)
{
    bool same = a->count == b->count;
    for (int h = 0; same && h < a->count; h++) {
        const struct hypothesis *x = &a->hypotheses[h], *y = &b->hypotheses[h];
        same = x->count == y->count && memcmp(x->ids, y->ids, x->count * sizeof *x->ids) == 0;
    }
    return same;
}

static void compare_scores(int sentence, const struct translation *got,
                           const struct translation *expected, double bound)
{
    for (int h = 0; h < got->count; h++) {
        const struct hypothesis *x = &got->hypotheses[h], *y = &expected->hypotheses[h];
        assert_near(x->score, y->score, bound, &furthest_score, "score", sentence);
        for (int i = 0; i < x->count; i++)
            assert_near(x->logprobs[i], y->logprobs[i], bound, &furthest_score, "log-probability",
                        sentence);
    }
}

/* True: the devices chose the same tokens. False: others, and the CPU might as well have. */
static bool compare_job(int sentence, const struct search_job *got,
                        const struct search_job *expected, const struct search_options *options)
{
    char text[EVERYDAY_MOST];
    if (same_tokens(&got->result, &expected->result)) {
        compare_scores(sentence, &got->result, &expected->result, SCORE_BOUND);
        return true;
    }
    struct replay replay;
    replay_search(cpu->model, &sentences[sentence], options, &replay);
    everyday_sentence(sentence, text);
    if (!(replay.margin < MARGIN_BOUND))
        fail_msg("beam %d, \"%s\": other tokens on the GPU, and the CPU's search decided by %g",
                 options->beam, text, replay.margin);
    print_message("beam %d, \"%s\": other tokens, decided by %.3g\n", options->beam, text,
                  replay.margin);
    replay_free(&replay);
    return false;
}

static void check_beam(int beam)
{
    const struct search_options options = options_of(beam);
    struct search_job *expected = run_jobs(cpu, &options), *got = run_jobs(gpu, &options);
    int excused = 0;
    for (int i = 0; i < count; i++)
        excused += !compare_job(i, &got[i], &expected[i], &options);
    print_message("beam %d: %d sentences, %d excused by a margin under %g; scores and "
                  "log-probabilities within %.2g\n",
                  beam, count, excused, MARGIN_BOUND, furthest_score);
    free_jobs(expected);
    free_jobs(got);
}

static void greedy_search_chooses_the_same_tokens(void **state)
{
    check_beam(1);
}

static void beam_search_chooses_the_same_tokens(void **state)
{
    check_beam(5);
}

/* The margin that excuses a difference must come from the same search that the CPU makes. */
static void margins_are_of_the_search_that_the_cpu_makes(void **state)
{
    double least = INFINITY;
    for (int beam = 1; beam <= 5; beam += 4) {
        const struct search_options options = options_of(beam);
        struct search_job *jobs = run_jobs(cpu, &options);
        for (int i = 0; i < count && i < EVERYDAY_WRITTEN; i++) {
            struct replay replay;
            replay_search(cpu->model, &sentences[i], &options, &replay);
            if (!same_tokens(&replay.result, &jobs[i].result))
                fail_msg("sentence %d, beam %d: another result", i, beam);
            compare_scores(i, &replay.result, &jobs[i].result, 0);
            assert_true(replay.margin >= 0 && replay.margin < INFINITY);
            least = fmin(least, replay.margin);
            replay_free(&replay);
        }
        free_jobs(jobs);
    }
    print_message("the least margin is %.3g\n", least);
}

/* Forced passes ---------------------------------------------------------------------------------*/

static void compare_arrays(int sentence, const char *what, const float *got, const float *expected,
                           size_t size, double bound, double *furthest)
{
    assert_true(got && expected);
    for (size_t i = 0; i < size; i++)
        assert_near(got[i], expected[i], bound, furthest, what, sentence);
}

static void compare_captures(int sentence, const struct capture *got,
                             const struct capture *expected)
{
    const size_t n = (size_t)expected->source_count, m = (size_t)expected->target_rows;
    const size_t d = (size_t)cpu->checkpoint->config->d_model;
    const size_t vocabulary = vocabulary_size(cpu->checkpoint->vocabulary[SIDE_TARGET]);
    for (int module = 0; module < MODULE_COUNT; module++) {
        const size_t rows = module == MODULE_ENCODER ? n : m;
        const size_t columns = module == MODULE_DECODER ? m : n;
        const int matrices = expected->layers[module] * expected->heads[module];
        assert_true(matrices > 0);
        for (int i = 0; i < matrices; i++)
            compare_arrays(sentence, module_names[module], got->weights[module][i],
                           expected->weights[module][i], rows * columns, ATTENTION_BOUND,
                           &furthest_weight);
    }
    compare_arrays(sentence, "encoder states", got->encoder_output, expected->encoder_output, n * d,
                   SCORE_BOUND, &furthest_score);
    compare_arrays(sentence, "logits", got->logits, expected->logits, m * vocabulary, SCORE_BOUND,
                   &furthest_score);
    compare_arrays(sentence, "log-probabilities", got->logprobs, expected->logprobs, m * vocabulary,
                   SCORE_BOUND, &furthest_score);
}

static void capture_on(struct golden *on, int sentence, const struct hypothesis *target,
                       struct capture *capture)
{
    struct status status;
    struct capture_request request = golden_request(on, true);
    if (!force_run(on->model, &sentences[sentence], target->ids, target->count, NULL, &request,
                   capture, &status))
        fail_msg("%s", status.message);
    golden_request_free(&request);
}

static void forced_passes_give_the_same_attention(void **state)
{
    const struct search_options options = options_of(5);
    struct search_job *jobs = run_jobs(cpu, &options);
    for (int i = 0; i < count; i++) {
        struct capture got, expected;
        capture_on(cpu, i, &jobs[i].result.hypotheses[0], &expected);
        capture_on(gpu, i, &jobs[i].result.hypotheses[0], &got);
        compare_captures(i, &got, &expected);
        capture_free(&got);
        capture_free(&expected);
    }
    free_jobs(jobs);
    print_message("%d forced passes: attention within %.2g, the other numbers within %.2g\n", count,
                  furthest_weight, furthest_score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_are_of_the_search_that_the_cpu_makes),
        cmocka_unit_test(greedy_search_chooses_the_same_tokens),
        cmocka_unit_test(beam_search_chooses_the_same_tokens),
        cmocka_unit_test(forced_passes_give_the_same_attention),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
