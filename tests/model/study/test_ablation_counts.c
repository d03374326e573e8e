/* Counts of ablations keep up with their translations; scores and tests are computed from the
 * counts. */
#include <math.h>

#include "model/score/corpus.h"
#include "model/score/holm.h"
#include "model/study/ablation.h"
#include "tests/support/test.h"

/* Translations under three settings, in the order in which they come. */
enum { STATES = 3, SENTENCES = 6 };
static const char *const came[STATES][SENTENCES] = {
    {"der Hund", "eine kleine Katze sieht den Fluss .", "", "er sieht einen Hund", "die Katze",
     "sie ist alt und klein"},
    {"der Hund", "eine alte Katze sieht einen Fluss .", "", "er sieht einen Hund", "Katze",
     "sie ist alt und sehr klein"},
    {"ein Hund", "eine kleine alte Katze sieht den Fluss .", "", "er sieht den Hund .", "die Katze",
     "sie ist alt"}};
static const char *const right[SENTENCES] = {"der Hund", "eine kleine alte Katze sieht den Fluss .",
                                             "",         "er sieht einen Hund",
                                             "Katze",    "sie ist alt und klein"};

/* Texts that come one after the other, and what counts them. */
struct coming {
    const char *texts[STATES][SENTENCES];
    const char *const *states[STATES];
    const char *const *references[1];
    struct ablations ablations;
};

static void coming_open(struct coming *coming)
{
    const struct bleu_options options = {.tokenizer = BLEU_13A};
    struct status status;
    *coming = (struct coming){.references = {right}};
    for (int s = 0; s < STATES; s++)
        coming->states[s] = coming->texts[s];
    assert_true(ablations_open(&coming->ablations, &options, coming->states, STATES - 1,
                               coming->references, 1, SENTENCES, &status));
}

/* Against the corpus' scores, which are held against the sacrebleu package's (test_bleu). */
static void expect_scores(const struct ablations *ablations, int sentences)
{
    const char *const *all_right[1] = {right};
    const struct corpus_options options = {.bleu = {.tokenizer = BLEU_13A}};
    double scores[STATES];
    struct status status;
    assert_int_equal(ablations->counted, sentences);
    for (int s = 0; s < STATES; s++) {
        struct corpus corpus;
        assert_true(corpus_open(&corpus, &options, came[s], all_right, 1, sentences, &status) &&
                    corpus_count(&corpus, NULL, &status));
        scores[s] = corpus_total(&corpus, NULL, 0).bleu.score;
        corpus_close(&corpus);
    }
    assert_true(ablations_base(ablations) == scores[0]);
    for (int s = 1; s < STATES; s++) {
        const struct ablation_score score = ablations_score(ablations, s - 1);
        int differing = 0;
        for (int i = 0; i < sentences; i++)
            differing += strcmp(came[s][i], came[0][i]) != 0;
        assert_true(score.score == scores[s] && score.delta == scores[s] - scores[0]);
        assert_int_equal(score.differing, differing);
        assert_true(isnan(score.p) && isnan(score.p_adjusted));
    }
}

/* A text that was counted is taken away: nobody looks at it again. */
static void counts_keep_pace_with_the_texts(void **state)
{
    static const int order[SENTENCES] = {0, 2, 1, 5, 3, 4}, counted[SENTENCES] = {1, 1, 3, 3, 4, 6};
    struct coming coming;
    struct status status;
    coming_open(&coming);
    for (int k = 0, gone = 0; k < SENTENCES; k++) {
        for (int s = 0; s < STATES; s++) {
            expect_scores(&coming.ablations, k ? counted[k - 1] : 0);
            coming.texts[s][order[k]] = came[s][order[k]];
            assert_true(ablations_count(&coming.ablations, NULL, &status));
        }
        for (; gone < coming.ablations.counted; gone++)
            for (int s = 0; s < STATES; s++)
                coming.texts[s][gone] = NULL;
        expect_scores(&coming.ablations, counted[k]);
    }
    ablations_close(&coming.ablations);
}

static int asked;

static bool stop_at_fourth(void *context, const struct work_progress *progress)
{
    (void)context, (void)progress;
    return asked++ < 3;
}

/* The progress callback is called for every sentence. After a stop the counts so far are kept, and
 * counting continues from there. */
static void counting_stops_when_told_to(void **state)
{
    static const struct watch watch = {stop_at_fourth, NULL};
    struct coming coming;
    struct status status;
    coming_open(&coming);
    memcpy(coming.texts, came, sizeof came);
    asked = 0;
    assert_false(ablations_count(&coming.ablations, &watch, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    expect_scores(&coming.ablations, 3);
    assert_true(ablations_count(&coming.ablations, NULL, &status));
    expect_scores(&coming.ablations, SENTENCES);
    ablations_close(&coming.ablations);
}

/* p is only known where the test was not stopped. */
static void a_test_that_is_stopped_has_no_p(void **state)
{
    static const struct watch watch = {stop_at_fourth, NULL};
    struct coming coming;
    struct status status;
    double p = -1;
    coming_open(&coming);
    memcpy(coming.texts, came, sizeof came);
    assert_true(ablations_count(&coming.ablations, NULL, &status));
    asked = 0;
    assert_false(ablations_test(&coming.ablations, 0, 100, 1, &watch, &p, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_true(p == -1);
    assert_true(ablations_test(&coming.ablations, 0, 100, 1, NULL, &p, &status));
    assert_true(p > 0 && p <= 1);
    ablations_close(&coming.ablations);
}

static void check_holm(const double *p, const double *wanted, int count)
{
    double adjusted[8];
    struct status status;
    assert_true(holm_adjust(p, count, adjusted, &status));
    for (int i = 0; i < count; i++)
        if (!(fabs(adjusted[i] - wanted[i]) <= 1e-15))
            fail_msg("p %g is %.17g, expected %.17g", p[i], adjusted[i], wanted[i]);
}

/* By hand: 4·.005, 3·.01, 2·.03, 1·.04; the last must not be below the one before. */
static void holm_counts_the_least_p_most_often(void **state)
{
    check_holm((const double[]){.01, .04, .03, .005}, (const double[]){.03, .06, .06, .02}, 4);
    check_holm((const double[]){.2}, (const double[]){.2}, 1);
    check_holm((const double[]){.5, .5, .5}, (const double[]){1, 1, 1}, 3);
    check_holm((const double[]){.02, .02}, (const double[]){.04, .04}, 2);
    check_holm((const double[]){1, .001, .3}, (const double[]){1, .003, .6}, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_keep_pace_with_the_texts),
        cmocka_unit_test(counting_stops_when_told_to),
        cmocka_unit_test(a_test_that_is_stopped_has_no_p),
        cmocka_unit_test(holm_counts_the_least_p_most_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
