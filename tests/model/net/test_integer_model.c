/* A student of Marian in 8 bits: what the reference says of it (scripts/golden/
 * make_integers_golden.py), and the same bits whatever computes it. */
#include <math.h>

#include "model/net/backward/gradient.h"
#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

/* Rounding of float32 between products; the nearest activation to a half is 1e-5 away. */
static const double BOUND = 1e-5;

static const char expected_path[] = "tests/golden/integers.json";

static struct golden *student_open(const char *isa, int threads)
{
    setenv("ATTNSCOPE_TEST_PRECISION", "int8", 1);
    struct golden *golden = family_open("marian-student", isa, threads);
    unsetenv("ATTNSCOPE_TEST_PRECISION");
    assert_true(model_is_integer(golden->model));
    return golden;
}

static void check_case(const struct golden *golden, const json_t *wanted)
{
    enum { MOST = 64 };
    const char *text = json_string_value(json_object_get(wanted, "source"));
    const json_t *ids = json_object_get(wanted, "ids");
    const json_t *logprobs = json_object_get(wanted, "logprobs");
    const int count = (int)json_array_size(ids);
    struct sentence sentence = {0};
    struct status status;
    int target[MOST];
    float got[MOST];
    assert_in_range(count, 1, MOST);
    for (int i = 0; i < count; i++)
        target[i] = (int)json_integer_value(json_array_get(ids, (size_t)i));
    assert_true(sentence_encode(golden->checkpoint, text, &sentence, &status));
    struct score_job job = {.source = &sentence, .target = target, .count = count, .logprobs = got};
    if (!score_run(golden->model, &job, 1, 1, &status))
        fail_msg("%s: %s", text, status.message);
    for (int i = 0; i < count; i++) {
        const double lp = json_number_value(json_array_get(logprobs, (size_t)i));
        if (!(fabs((double)got[i] - lp) <= BOUND))
            fail_msg("%s, token %d: %.9g, expected %.9g", text, i, (double)got[i], lp);
    }
    sentence_free(&sentence);
}

static void a_student_computes_what_marian_computes(void **state)
{
    json_t *cases = json_load_file(expected_path, 0, NULL);
    struct golden *golden = student_open("cpu", 1);
    assert_true(json_array_size(cases) >= 10);
    for (size_t i = 0; i < json_array_size(cases); i++)
        check_case(golden, json_array_get(cases, i));
    golden_close(golden);
    json_decref(cases);
}

static void every_instruction_set_batch_and_number_of_threads_has_the_same_bits(void **state)
{
    static const struct {
        const char *isa;
        int threads, batch, first, step;
    } runs[] = {{"c", 3, 64, 63, -1},        {"avx2", 1, 5, 7, 11},      {"avx2", 3, 64, 0, 1},
                {"avx512", 2, 64, 0, 1},     {"avxvnni", 1, 7, 0, 1},    {"avxvnni", 3, 64, 0, 1},
                {"avx512vnni", 1, 5, 7, 11}, {"avx512vnni", 3, 64, 0, 1}};
    struct golden *golden = student_open("c", 1);
    struct exact_jobs *jobs = exact_jobs_open(golden);
    struct translation alone[EXACT_JOBS], together[EXACT_JOBS];
    exact_run(golden, jobs, 1, 0, 1, alone);
    golden_close(golden);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        if (!exact_has_isa(runs[i].isa))
            continue;
        golden = student_open(runs[i].isa, runs[i].threads);
        exact_run(golden, jobs, runs[i].batch, runs[i].first, runs[i].step, together);
        exact_same_results(golden->name, runs[i].isa, alone, together);
        exact_free(together);
        golden_close(golden);
    }
    exact_free(alone);
    exact_jobs_close(jobs);
}

static void a_forced_pass_has_the_log_probabilities_of_the_search(void **state)
{
    struct golden *golden = student_open("cpu", 2);
    struct exact_jobs *jobs = exact_jobs_open(golden);
    struct translation results[EXACT_JOBS];
    exact_run(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < EXACT_JOBS; i += 5) {
        const struct hypothesis *target = &results[i].hypotheses[0];
        float *logprobs = calloc((size_t)target->count, sizeof *logprobs);
        struct score_job job = {.source = &jobs->sentences[i],
                                .target = target->ids,
                                .count = target->count,
                                .head_settings = jobs->head_settings[i],
                                .logprobs = logprobs};
        struct status status;
        if (!score_run(golden->model, &job, 1, 1, &status))
            fail_msg("%s", status.message);
        exact_same_bits(golden->name, "a forced pass", logprobs, target->logprobs,
                        (size_t)golden_scored_alike(golden, target->count) * sizeof *logprobs);
        free(logprobs);
    }
    exact_free(results);
    exact_jobs_close(jobs);
    golden_close(golden);
}

static void products_of_8_bits_have_no_derivatives(void **state)
{
    struct golden *golden = student_open("cpu", 1);
    struct status status;
    assert_false(gradient_check(golden->model, &status));
    assert_string_equal(status.message,
                        "products of 8 bits have no derivatives, expected --precision fp32");
    golden_close(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_student_computes_what_marian_computes),
        cmocka_unit_test(every_instruction_set_batch_and_number_of_threads_has_the_same_bits),
        cmocka_unit_test(a_forced_pass_has_the_log_probabilities_of_the_search),
        cmocka_unit_test(products_of_8_bits_have_no_derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
