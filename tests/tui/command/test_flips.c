/* `:flips` and `:contrast … ablate`: what is decided otherwise with heads off, and McNemar's test
 * of it. */
#include <limits.h>
#include <math.h>
#include <unistd.h>

#include "model/score/mcnemar.h"
#include "report/report_memory.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/command/study/report_contrast.h"

#define AGREEMENT "samples/agreement-en-de.json"
#define SENSES "samples/senses-en-de.json"

/* What reports are made of. */
static const struct flips_result *flips_of(const struct report *result)
{
    const struct flips_result *flips = report_held(result, flips_release);
    assert_non_null(flips);
    return flips;
}

static const struct contrast_ablate_result *ablate_of(const struct report *result)
{
    const struct contrast_ablate_result *ablate = report_held(result, contrast_ablate_release);
    assert_non_null(ablate);
    return ablate;
}

/* Binomial by hand: of n coins the fewer show k or less, twice. 1+5 of 2^5; 1+10+45 of 2^10. */
static void mcnemar_is_the_exact_binomial_test(void **state)
{
    static const struct {
        int lost, won;
        double p;
    } cases[] = {
        {0, 0, 1},           {1, 0, 1}, {0, 5, 2.0 / 32}, {1, 4, 12.0 / 32}, {8, 2, 112.0 / 1024},
        {10, 0, 2.0 / 1024}, {2, 2, 1}, {3, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double p = mcnemar_test(cases[i].lost, cases[i].won);
        if (!(fabs(p - cases[i].p) < 1e-12))
            fail_msg("%d lost, %d won: p = %.12g, expected %.12g", cases[i].lost, cases[i].won, p,
                     cases[i].p);
    }
}

/* By scipy.stats.binomtest(lost, lost + won, 0.5) of SciPy 1.17. */
static void mcnemar_is_exact_for_any_counts(void **state)
{
    static const struct {
        int lost, won;
        double p;
    } cases[] = {{30, 50, 0.03299261842648},
                 {12, 1000, 1.040649615914e-277},
                 {499000, 501000, 0.04560829986539},
                 {501000, 499000, 0.04560829986539},
                 {5000000, 5010000, 0.001575624812644},
                 {100000000, 100020000, 0.1573407191839},
                 {INT_MAX - 33647, INT_MAX, 0.6076720855647},
                 {INT_MAX, INT_MAX, 1},
                 {0, INT_MAX, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double p = mcnemar_test(cases[i].lost, cases[i].won);
        if (!(fabs(p - cases[i].p) <= 1e-9 * cases[i].p))
            fail_msg("%d lost, %d won: p = %.12g, expected %.12g", cases[i].lost, cases[i].won, p,
                     cases[i].p);
    }
}

/* Right or wrong of every decision in the current state. */
static bool *verdicts(struct bench *bench, const char *command)
{
    struct report result = bench_run(bench, command);
    const struct suite_run *run = cache_last_suite(&bench->session->cache);
    bool *out = calloc((size_t)run->suite.decision_count, sizeof *out);
    for (int d = 0; d < run->suite.decision_count; d++)
        out[d] =
            decision_correct(&run->suite, &run->scores, &run->suite.decisions[d], NORMALIZE_SUM);
    report_free(&result);
    return out;
}

static void flips_are_what_the_state_before_decided_otherwise(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    int lost = 0, won = 0;
    bench_refuse(&bench, ":flips", "no suite yet");
    bool *before = verdicts(&bench, ":contrast " AGREEMENT);
    bench_refuse(&bench, ":flips", "one run of the suite");
    bench_run_quietly(&bench, ":disable cross layer 1");
    bench_run_quietly(&bench, ":contrast " SENSES); // another suite between the two
    bool *after = verdicts(&bench, ":contrast " AGREEMENT);
    struct report result = bench_run(&bench, ":flips");
    const struct flips_result *flips = flips_of(&result);
    int next = 0;
    for (int d = 0; d < flips->decisions; d++) {
        lost += before[d] && !after[d];
        won += !before[d] && after[d];
        if (before[d] != after[d])
            assert_int_equal(flips->list[next++], d);
    }
    assert_int_equal(flips->decisions, 432);
    assert_true(lost > 0 && won > 0);
    assert_int_equal(flips->lost, lost);
    assert_int_equal(flips->won, won);
    assert_true(flips->p == mcnemar_test(lost, won));
    assert_int_equal(flips->correct[1] - flips->correct[0], won - lost);
    report_free(&result);
    // Back again: what was lost is won.
    bench_run_quietly(&bench, ":enable");
    bench_run_quietly(&bench, ":contrast " AGREEMENT);
    result = bench_run(&bench, ":flips");
    assert_int_equal(flips_of(&result)->lost, won);
    assert_int_equal(flips_of(&result)->won, lost);
    report_free(&result);
    free(before);
    free(after);
    bench_close(&bench);
}

/* Several settings at once have the bits of each alone: of one source for several items in a row,
 * in portions that tear them apart or hold them all, whatever layers they share. */
static void settings_scored_together_have_the_bits_of_each_alone(void **state)
{
    enum { SETTINGS = 5 };
    static const int batches[] = {1, 7, 64};
    char source[64], right[64], wrong[64], line[240];
    struct bench bench = bench_open_model("samples/en-de.bin");
    snprintf(line, sizeof line, ":contrast %s %s %s",
             write_lines("A man sleeps .\nA man sleeps .\nA man sleeps .\nA dog runs .\n"
                         "A dog runs .\nA man sleeps .\n",
                         source),
             write_lines("Mann\nEin Mann schläft .\nEin Mann\nHund\nEin Hund .\nMann\n", right),
             write_lines("Frau\nEin Mann läuft .\nEine Frau\nMann\nKatze\nHund\n", wrong));
    struct report whole = bench_run(&bench, line);
    const struct suite *suite = &cache_last_suite(&bench.session->cache)->suite;
    struct model *model = bench.session->state.model;
    const struct head_settings *head_settings[SETTINGS] = {NULL};
    struct head_settings *changed[SETTINGS] = {NULL};
    struct contrast_scores alone[SETTINGS] = {0};
    struct status status;
    for (int s = 1; s < SETTINGS; s++) {
        head_settings[s] = changed[s] = head_settings_copy(model_head_settings(model), &status);
        assert_non_null(changed[s]);
        *head_settings_gain(changed[s], s < 4 ? MODULE_ENCODER : MODULE_CROSS, s % 4, 2) = 0;
    }
    struct contrast *contrast =
        contrast_open(suite, model, &bench.session->state.search.languages, NULL, &status);
    assert_non_null(contrast);
    for (int s = 0; s < SETTINGS; s++)
        assert_true(contrast_score(contrast, &head_settings[s], 1, 1, NULL, &alone[s], &status));
    assert_int_not_equal(memcmp(alone[0].candidates, alone[3].candidates,
                                (size_t)suite->candidates * sizeof *alone[0].candidates),
                         0);
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        struct contrast_scores scores[SETTINGS] = {0};
        assert_true(
            contrast_score(contrast, head_settings, SETTINGS, batches[b], NULL, scores, &status));
        for (int s = 0; s < SETTINGS; s++) {
            assert_int_equal(scores[s].items, suite->count);
            for (int c = 0; c < suite->candidates; c++)
                if (!(scores[s].candidates[c].logprob == alone[s].candidates[c].logprob) ||
                    scores[s].candidates[c].tokens != alone[s].candidates[c].tokens)
                    fail_msg("batch %d: setting %d: candidate %d differs", batches[b], s, c);
            contrast_scores_free(&scores[s]);
        }
    }
    for (int s = 0; s < SETTINGS; s++) {
        contrast_scores_free(&alone[s]);
        head_settings_free(changed[s]);
    }
    contrast_close(contrast);
    report_free(&whole);
    bench_close(&bench);
    unlink(source);
    unlink(right);
    unlink(wrong);
}

/* Each ablation is what :disable does: the same decisions, one state after the other. */
static void ablations_are_the_states_with_heads_off(void **state)
{
    enum { HEADS = 8, SHOWN = 6 };
    struct bench bench = bench_open_model("samples/en-de.bin");
    double least[HEADS];
    struct report result =
        bench_run(&bench, ":contrast " SENSES " ablate by layer,head cross layer 2 show 6");
    const struct contrast_ablate_result *ablate = ablate_of(&result);
    assert_int_equal(ablate->ablations.count, HEADS);
    assert_int_equal(ablate->done, HEADS);
    bool *before = verdicts(&bench, ":contrast " SENSES);
    for (int h = 0; h < HEADS; h++) {
        char line[100];
        int lost = 0, won = 0, correct = 0;
        snprintf(line, sizeof line, ":disable cross layer 2 head %d", h + 1);
        bench_run_quietly(&bench, line);
        bool *after = verdicts(&bench, ":contrast " SENSES);
        for (int d = 0; d < 40; d++) {
            lost += before[d] && !after[d];
            won += !before[d] && after[d];
            correct += after[d];
        }
        const struct decider *row = &ablate->rows[h];
        assert_int_equal(row->lost, lost);
        assert_int_equal(row->won, won);
        assert_int_equal(row->correct, correct);
        assert_true(row->p == mcnemar_test(lost, won));
        least[h] = row->p;
        if (h + 1 == SHOWN) {
            const struct suite_run *run = cache_last_suite(&bench.session->cache);
            assert_int_equal(ablate->shown.lost + ablate->shown.won, lost + won);
            assert_memory_equal(ablate->shown_scores->candidates, run->scores.candidates,
                                (size_t)run->suite.candidates * sizeof *run->scores.candidates);
        }
        free(after);
        bench_run_quietly(&bench, ":enable");
    }
    // Holm: the least of eight counts eight times.
    int first = 0;
    for (int h = 1; h < HEADS; h++)
        first = least[h] < least[first] ? h : first;
    assert_true(fabs(ablate->rows[first].p_adjusted - fmin(1, HEADS * least[first])) < 1e-12);
    free(before);
    report_free(&result);
    bench_close(&bench);
}

/* What is kept is spoilt, so that its use shows: no reference is right any more. */
static void ablations_are_scored_once(void **state)
{
    enum { HEADS = 8, SHOWN = 6 };
    static const char table[] = ":contrast " SENSES " ablate by layer,head cross layer 2";
    struct bench bench = bench_open_model("samples/en-de.bin");
    char line[200];
    struct report first = bench_run(&bench, table);
    assert_int_equal(ablate_of(&first)->done, HEADS);
    struct suite_run *run = cache_last_suite(&bench.session->cache);
    assert_int_equal(run->variant_count, HEADS);
    snprintf(line, sizeof line, "%s show %d", table, SHOWN);
    struct report row = bench_run(&bench, line);
    assert_memory_equal(ablate_of(&row)->rows, ablate_of(&first)->rows,
                        HEADS * sizeof *ablate_of(&first)->rows);
    assert_int_equal(ablate_of(&row)->shown.lost, ablate_of(&first)->rows[SHOWN - 1].lost);
    assert_int_equal(ablate_of(&row)->shown.won, ablate_of(&first)->rows[SHOWN - 1].won);
    report_free(&row);
    for (int i = 0; i < run->suite.candidates; i++)
        run->variants[SHOWN - 1].scores.candidates[i].logprob = -1;
    row = bench_run(&bench, line);
    assert_int_equal(ablate_of(&row)->rows[SHOWN - 1].correct, 0);
    report_free(&row);
    row = bench_run(&bench, ":contrast " SENSES " ablate cross layer 2 head 6 or dec head 1");
    assert_int_equal(ablate_of(&row)->rows[0].correct, 0);
    assert_true(ablate_of(&row)->rows[1].correct > 0);
    report_free(&row);
    bench_run_quietly(&bench, ":disable dec layer 1 head 1");
    row = bench_run(&bench, line);
    assert_true(ablate_of(&row)->rows[SHOWN - 1].correct > 0);
    report_free(&row);
    report_free(&first);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mcnemar_is_the_exact_binomial_test),
        cmocka_unit_test(mcnemar_is_exact_for_any_counts),
        cmocka_unit_test(flips_are_what_the_state_before_decided_otherwise),
        cmocka_unit_test(settings_scored_together_have_the_bits_of_each_alone),
        cmocka_unit_test(ablations_are_the_states_with_heads_off),
        cmocka_unit_test(ablations_are_scored_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
