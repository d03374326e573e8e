/* Paired tests against the sacrebleu package (scripts/golden/make_bleu_golden.py), whose random
 * numbers are others: what two runs of N samples may differ by is known. */
#include <math.h>

#include "model/score/significance.h"
#include "tests/model/score/bleu_support.h"
#include "tests/support/test.h"

enum { SEED = 12345 };

/* Standard deviations; the seed is fixed, so that a run that passes always does. */
static const double SIGMAS = 4;

static double number_in(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Both are shares of N samples. */
static void check_p(const char *what, double is, double wanted, double samples)
{
    double middle = (is + wanted) / 2;
    double bound = SIGMAS * sqrt(2 * middle * (1 - middle) / samples) + 2 / samples;
    if (!(fabs(is - wanted) <= bound))
        fail_msg("%s: p = %.5f, expected %.5f ± %.5f", what, is, wanted, bound);
}

/* A mean of N samples is off by σ/√N; half of what 95% of a normal distribution are in is 1.96 σ,
 * and off by 1.36/√(2N) of itself. */
static void check_resampled(const char *what, const struct bootstrap_result *is, int system,
                            const json_t *expected, double samples)
{
    double mean = json_number_value(json_array_get(json_object_get(expected, "mean"), system));
    double half = json_number_value(json_array_get(json_object_get(expected, "half"), system));
    double own = (is->interval[system].high - is->interval[system].low) / 2;
    double bound = SIGMAS * sqrt(2 / samples) * half / 1.96;
    if (!(fabs(is->mean[system] - mean) <= bound))
        fail_msg("%s: mean %.4f, expected %.4f ± %.4f", what, is->mean[system], mean, bound);
    bound = SIGMAS * 1.36 / sqrt(samples) * half;
    if (!(fabs(own - half) <= bound))
        fail_msg("%s: ± %.4f, expected %.4f ± %.4f", what, own, half, bound);
}

struct pair_of_systems {
    struct corpus a, b;
};

static struct pair_of_systems pair_open(const json_t *test)
{
    const struct corpus_options options = {.bleu = {.tokenizer = BLEU_13A}};
    const json_t *references = json_object_get(test, "references");
    return (struct pair_of_systems){bleu_corpus(&options, json_object_get(test, "a"), references),
                                    bleu_corpus(&options, json_object_get(test, "b"), references)};
}

static void pair_close(struct pair_of_systems *pair)
{
    corpus_close(&pair->a);
    corpus_close(&pair->b);
}

static void check_test(const char *name, const struct paired *paired, const char *metric,
                       const json_t *test)
{
    char what[100];
    struct status status;
    struct bootstrap_result bootstrap;
    const json_t *by_bootstrap = json_object_get(json_object_get(test, "bootstrap"), metric);
    const json_t *by_shuffle = json_object_get(json_object_get(test, "randomisation"), metric);
    int samples = (int)number_in(test, "samples");
    double p;
    snprintf(what, sizeof what, "%s, %s", name, metric);
    assert_true(bootstrap_test(paired, samples, SEED, NULL, &bootstrap, &status));
    assert_true(randomisation_test(paired, samples, SEED, NULL, &p, &status));
    // Where nothing differs the package does not count the ties, which are all.
    const bool differs = paired_differing(paired) > 0;
    check_p(what, bootstrap.p, differs ? number_in(by_bootstrap, "p") : 1, samples);
    check_p(what, p, differs ? number_in(by_shuffle, "p") : 1, samples);
    check_resampled(what, &bootstrap, 0, by_bootstrap, samples);
    check_resampled(what, &bootstrap, 1, by_bootstrap, samples);
}

static void tests_equal_sacrebleus_within_chance(void **state)
{
    const struct bleu_options options = {.tokenizer = BLEU_13A};
    const struct metric bleu = bleu_metric(&options), chrf = chrf_metric();
    json_t *golden = bleu_golden(), *test;
    size_t i;
    json_array_foreach(json_object_get(golden, "tests"), i, test)
    {
        const char *name = json_string_value(json_object_get(test, "name"));
        struct pair_of_systems pair = pair_open(test);
        int sentences = pair.a.sentences;
        check_test(name, &(struct paired){&bleu, pair.a.bleu, pair.b.bleu, sentences}, "BLEU",
                   test);
        check_test(name, &(struct paired){&chrf, pair.a.chrf, pair.b.chrf, sentences}, "chrF2",
                   test);
        pair_close(&pair);
    }
    assert_true(i >= 5);
    json_decref(golden);
}

/* A score that is the first count's mean over the second one. */
static double ratio(const void *unused, const int64_t *sums)
{
    (void)unused;
    return (double)sums[0] / (double)sums[1];
}

static const struct metric ratio_metric = {2, ratio, NULL};

/* Four sentences, of which each is worth 1 more in b: of the 16 ways to let coins fall two make as
 * great a difference, those that exchange none and all. With +1, -1 of two sentences the true
 * difference is 0, which every way reaches. */
static void shuffles_on_paper(void **state)
{
    static const int64_t a[] = {0, 1, 0, 1, 0, 1, 0, 1}, b[] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t c[] = {0, 1, 1, 1}, d[] = {1, 1, 0, 1};
    const int trials = 20000;
    struct status status;
    double p;
    assert_true(randomisation_test(&(struct paired){&ratio_metric, a, b, 4}, trials, SEED, NULL, &p,
                                   &status));
    check_p("an eighth", p, 0.125, trials);
    assert_true(randomisation_test(&(struct paired){&ratio_metric, c, d, 2}, trials, SEED, NULL, &p,
                                   &status));
    assert_true(p == 1);
}

/* If both systems are the same, every trial and every resample has the true difference, 0. If one
 * sentence is worth more in b, the difference is as great with it exchanged. */
static void few_sentences_that_differ_show_nothing(void **state)
{
    static const int64_t a[] = {0, 1, 3, 1, 2, 1}, b[] = {1, 1, 3, 1, 2, 1};
    const struct paired same = {&ratio_metric, a, a, 3}, one = {&ratio_metric, a, b, 3};
    struct bootstrap_result bootstrap;
    struct status status;
    double p;
    assert_int_equal(paired_differing(&same), 0);
    assert_int_equal(paired_differing(&one), 1);
    assert_true(bootstrap_test(&same, 100, SEED, NULL, &bootstrap, &status));
    assert_true(bootstrap.p == 1);
    assert_true(randomisation_test(&same, 100, SEED, NULL, &p, &status));
    assert_true(p == 1);
    assert_true(randomisation_test(&one, 100, SEED, NULL, &p, &status));
    assert_true(p == 1);
}

/* The difference is 1 in every resample: its interval is a point. */
static void an_interval_on_paper(void **state)
{
    static const int64_t a[] = {0, 1, 2, 1, 4, 1}, b[] = {1, 1, 3, 1, 5, 1};
    const struct paired paired = {&ratio_metric, a, b, 3};
    struct bootstrap_result result;
    struct status status;
    assert_true(bootstrap_test(&paired, 4000, SEED, NULL, &result, &status));
    assert_true(fabs(result.difference.low - 1) < 1e-9 && fabs(result.difference.high - 1) < 1e-9);
    // The mean of three draws of 0, 2, 4 is 2; its variance is (8/3)/3.
    assert_true(fabs(result.mean[0] - 2) < SIGMAS * sqrt(8.0 / 9 / 4000));
    // 1 of 27 resamples is all 0, 1 all 4: more than a fortieth each.
    assert_true(result.interval[0].low == 0 && result.interval[0].high == 4);
    assert_true(fabs(result.p - 1 / 4001.0) < 1e-12);
}

static bool been_through;

/* Stops what comes after all resamples are drawn. */
static bool stop_after_drawing(void *context, const struct work_progress *progress)
{
    bool drawing = strcmp(progress->what, "resampling") == 0;
    (void)context;
    been_through |= drawing && progress->done == progress->total;
    return drawing;
}

/* Finding the intervals can be stopped too. */
static void a_stop_after_the_last_resample_counts(void **state)
{
    enum { MANY = 100000 };
    static const struct watch watch = {stop_after_drawing, NULL};
    static const int64_t a[] = {0, 1, 2, 1, 4, 1}, b[] = {1, 1, 3, 1, 5, 1};
    const struct paired paired = {&ratio_metric, a, b, 3};
    struct bootstrap_result result;
    struct status status;
    been_through = false;
    assert_false(bootstrap_test(&paired, MANY, SEED, &watch, &result, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_true(been_through);
    assert_true(bootstrap_test(&paired, MANY, SEED, NULL, &result, &status));
    assert_true(fabs(result.mean[0] - 2) < SIGMAS * sqrt(8.0 / 9 / MANY));
    assert_true(result.interval[0].low == 0 && result.interval[0].high == 4);
    assert_true(result.interval[1].low == 1 && result.interval[1].high == 5);
    assert_true(fabs(result.p - 1.0 / (MANY + 1)) < 1e-12);
}

static void the_same_seed_gives_the_same(void **state)
{
    static const int64_t a[] = {0, 1, 2, 1, 4, 1, 7, 1}, b[] = {1, 1, 1, 1, 6, 1, 6, 1};
    const struct paired paired = {&ratio_metric, a, b, 4};
    struct bootstrap_result one, same, other;
    struct status status;
    assert_true(bootstrap_test(&paired, 100, 1, NULL, &one, &status));
    assert_true(bootstrap_test(&paired, 100, 1, NULL, &same, &status));
    assert_true(bootstrap_test(&paired, 100, 2, NULL, &other, &status));
    assert_memory_equal(&one, &same, sizeof one);
    assert_memory_not_equal(&one, &other, sizeof one);
}

static bool refuse(void *context, const struct work_progress *progress)
{
    const double done = progress->done, total = progress->total;
    (void)context;
    return strcmp(progress->what, "resampling") == 0 ? done < total / 2 : done < total;
}

static void tests_stop_when_told_to(void **state)
{
    static const struct watch watch = {refuse, NULL};
    static const int64_t a[] = {0, 1, 2, 1}, b[] = {1, 1, 1, 1};
    const struct paired paired = {&ratio_metric, a, b, 2};
    struct bootstrap_result result;
    struct status status;
    double p;
    assert_false(bootstrap_test(&paired, 100, 1, &watch, &result, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_false(randomisation_test(&paired, 100, 1, &watch, &p, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_equal_sacrebleus_within_chance),
        cmocka_unit_test(shuffles_on_paper),
        cmocka_unit_test(few_sentences_that_differ_show_nothing),
        cmocka_unit_test(an_interval_on_paper),
        cmocka_unit_test(a_stop_after_the_last_resample_counts),
        cmocka_unit_test(the_same_seed_gives_the_same),
        cmocka_unit_test(tests_stop_when_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
