/* `:contrast` and `:flips`: every score is that of `:score`, to the bit, and within 1e-4 that of the float64
 * reference (scripts/reference.py contrast); decisions, groups and tests follow from the scores. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/study/mcnemar.h"
#include "tests/commands_support.h"

#define AGREEMENT "samples/agreement-en-de.json"
#define SENSES "samples/senses-en-de.json"

/* A session on samples/en-de.bin. */
static struct bench sample_session(void)
{
    struct bench bench = {0};
    struct status status;
    struct session_spec spec = {.paths = (const char *const[]){"samples/en-de.bin"},
                                .count = 1,
                                .device = {.kind = DEVICE_CPU},
                                .threads = 1};
    bench.session = session_open(&spec, &status);
    if (!bench.session)
        fail_msg("%s", status.message);
    return bench;
}

static void sample_close(struct bench *bench)
{
    session_close(bench->session);
    if (bench->sink.stream)
        fclose(bench->sink.stream);
    free(bench->output);
}

static double score_alone(struct bench *bench, const char *source, const char *target, int *tokens)
{
    char line[1000];
    snprintf(line, sizeof line, ":score %s ||| %s", source, target);
    struct result result = bench_run(bench, line);
    double logprob = result.score.logprob;
    *tokens = result.score.count;
    result_free(&result);
    return logprob;
}

/* Scores ----------------------------------------------------------------------------------------- */

/* One by one; every `step`th item, for time. */
static void check_scores(struct bench *bench, const char *command, int step)
{
    struct result result = bench_run(bench, command);
    const struct contrasted *run = result.contrast.run;
    assert_int_equal(run->scores.items, run->suite.count);
    for (int i = 0; i < run->suite.count; i += step) {
        const struct suite_item *item = &run->suite.items[i];
        for (int c = 0; c <= item->error_count; c++) {
            const struct candidate_score *score = &run->scores.candidates[item->first + c];
            int tokens;
            double alone = score_alone(bench, item->source, suite_candidate(item, c), &tokens);
            if (memcmp(&alone, &score->logprob, sizeof alone) != 0 || tokens != score->tokens)
                fail_msg("%s: item %d, candidate %d: %.9g of %d, expected %.9g of %d", command, i,
                         c, score->logprob, score->tokens, alone, tokens);
        }
    }
    result_free(&result);
}

static void every_score_is_that_of_score_to_the_bit(void **unused)
{
    struct bench bench = sample_session();
    (void)unused;
    check_scores(&bench, ":contrast " SENSES, 1);
    check_scores(&bench, ":contrast " AGREEMENT, 16);
    bench_run_quietly(&bench, ":disable enc head 3");
    bench_run_quietly(&bench, ":disable cross layer 2 head 1");
    bench_run_quietly(&bench, ":set batch 3");
    check_scores(&bench, ":contrast " SENSES, 3);
    sample_close(&bench);
}

/* Scores of the float64 reference: suites [item [candidate]]. */
static void check_reference(struct bench *bench, const char *path, const json_t *expected)
{
    char line[200];
    int correct = 0;
    snprintf(line, sizeof line, ":contrast %s", path);
    struct result result = bench_run(bench, line);
    const struct contrasted *run = result.contrast.run;
    assert_int_equal(run->suite.count, json_array_size(expected));
    for (int i = 0; i < run->suite.count; i++) {
        const struct suite_item *item = &run->suite.items[i];
        const json_t *scores = json_array_get(expected, (size_t)i);
        double reference = json_number_value(json_array_get(scores, 0)), best = -INFINITY;
        assert_int_equal(json_array_size(scores), item->error_count + 1);
        for (int c = 0; c <= item->error_count; c++) {
            double wanted = json_number_value(json_array_get(scores, (size_t)c));
            double is = run->scores.candidates[item->first + c].logprob;
            if (!(fabs(is - wanted) <= 1e-4))
                fail_msg("%s: item %d, candidate %d: %.9g, expected %.9g", path, i + 1, c, is,
                         wanted);
            best = c > 0 && wanted > best ? wanted : best;
        }
        correct += reference > best; // every item of both suites is one decision
    }
    assert_int_equal(result.contrast.decisions, run->suite.count);
    assert_int_equal(result.contrast.correct, correct);
    result_free(&result);
}

static void scores_and_accuracy_are_the_references(void **unused)
{
    struct bench bench = sample_session();
    json_t *golden = json_load_file("tests/golden/contrast.json", 0, NULL);
    (void)unused;
    assert_non_null(golden);
    const json_t *suites = json_object_get(golden, "suites");
    check_reference(&bench, AGREEMENT, json_object_get(suites, "agreement-en-de.json"));
    check_reference(&bench, SENSES, json_object_get(suites, "senses-en-de.json"));
    json_decref(golden);
    sample_close(&bench);
}

/* Decisions -------------------------------------------------------------------------------------- */

/* The same translation twice is a tie. The source's order of candidates is no matter. */
#define TIED                                                                                       \
    "[{\"source\": \"the dog\", \"reference\": \"der Hund\", \"errors\": ["                        \
    "{\"contrastive\": \"der Hund\", \"type\": \"same\"},"                                         \
    "{\"contrastive\": \"der Katze sieht\", \"type\": \"other\"}]},"                               \
    "{\"source\": \"the dog\", \"reference\": \"der Katze sieht\", \"errors\": ["                  \
    "{\"contrastive\": \"der Hund\", \"type\": \"other\"}]}]"

static void a_tie_is_wrong(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    char path[64], line[100];
    (void)unused;
    snprintf(line, sizeof line, ":contrast %s", write_lines(TIED, path));
    struct result result = bench_run(&bench, line);
    const struct contrast_result *contrast = &result.contrast;
    assert_int_equal(contrast->decisions, 3);
    assert_int_equal(contrast->groups.count, 2);
    assert_string_equal(contrast->groups.groups[0].name, "same");
    assert_int_equal(contrast->groups.groups[0].correct, 0);
    // Of two texts one is the better, whichever is called right.
    assert_int_equal(contrast->groups.groups[1].decisions, 2);
    assert_int_equal(contrast->groups.groups[1].correct, 1);
    assert_int_equal(contrast->correct, 1);
    result_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void what_is_no_number_is_wrong(void **unused)
{
    struct decision decision = {0, 0, 1};
    struct suite_item item = {.error_count = 1};
    struct suite suite = {.items = &item, .count = 1};
    struct candidate_score candidates[2] = {{-1, 1}, {NAN, 1}};
    struct contrast_scores scores = {candidates, 1};
    (void)unused;
    assert_false(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
    candidates[0].logprob = NAN;
    candidates[1].logprob = -1;
    assert_false(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
    candidates[0].logprob = -0.5;
    assert_true(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
}

/* -6 of 3 tokens against -5 of 2: the sum says wrong, the mean right. */
static void length_compares_means(void **unused)
{
    struct decision decision = {0, 0, 1};
    struct suite_item item = {.error_count = 1};
    struct suite suite = {.items = &item, .count = 1};
    struct candidate_score candidates[2] = {{-6, 3}, {-5, 2}};
    struct contrast_scores scores = {candidates, 1};
    struct bench bench = sample_session();
    (void)unused;
    assert_false(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
    assert_true(decision_correct(&suite, &scores, &decision, NORMALIZE_LENGTH));
    bench_run_quietly(&bench, ":set contrast.normalize length");
    struct result result = bench_run(&bench, ":contrast " SENSES);
    const struct contrasted *run = result.contrast.run;
    int correct = 0;
    for (int d = 0; d < run->suite.decision_count; d++)
        correct +=
            decision_correct(&run->suite, &run->scores, &run->suite.decisions[d], NORMALIZE_LENGTH);
    assert_int_equal(result.contrast.correct, correct);
    result_free(&result);
    sample_close(&bench);
}

/* What is kept is spoilt, so that its use shows; a run that was cut off goes on where it was. */
static void what_was_scored_is_kept(void **unused)
{
    struct bench bench = sample_session();
    (void)unused;
    struct result first = bench_run(&bench, ":contrast " SENSES);
    struct contrasts *kept = &bench.session->contrasts;
    int correct = first.contrast.correct;
    assert_true(correct > 0);
    kept->runs[0]->scores.candidates[0].logprob = 1000;
    kept->runs[0]->scores.items = 10;
    struct result again = bench_run(&bench, ":contrast " SENSES " group all");
    assert_int_equal(kept->count, 1);
    assert_int_equal(again.contrast.correct, correct + 1); // the first item was wrong
    assert_int_equal(again.contrast.list_count, 40);
    assert_int_equal(again.contrast.list[39], 0); // its margin is by far the greatest now
    result_free(&first);
    result_free(&again);
    sample_close(&bench);
}

/* The same suite under another name is not scored again, and is called as it was asked for. */
static void a_suite_is_called_as_it_was_asked_for(void **unused)
{
    static const char text[] =
        "[{\"source\": \"The dog sleeps.\", \"reference\": \"Der Hund schläft.\","
        " \"errors\": [{\"contrastive\": \"Der Hund schlafen.\"}]}]";
    struct bench bench = sample_session();
    char paths[2][64], line[100];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, ":contrast %s", write_lines(text, paths[i]));
        struct result result = bench_run(&bench, line);
        assert_int_equal(bench.session->contrasts.count, 1);
        assert_string_equal(result.contrast.run->suite.sets[0].paths[0], paths[i]);
        result_free(&result);
    }
    unlink(paths[0]);
    unlink(paths[1]);
    sample_close(&bench);
}

/* Stops when it is asked for the third time while scoring. */
static int asked;

static bool stop_at_third(const char *what, double done, double total)
{
    (void)done;
    (void)total;
    return strcmp(what, "scoring") != 0 || ++asked < 3;
}

static void what_was_finished_before_a_stop_is_right(void **unused)
{
    static const struct watcher watcher = {stop_at_third};
    struct bench bench = sample_session();
    struct result whole = bench_run(&bench, ":contrast " SENSES);
    struct contrasted *run = bench.session->contrasts.runs[0];
    struct contrast_scores scores = {0};
    struct status status;
    (void)unused;
    asked = 0;
    struct contrast *contrast =
        contrast_open(&run->suite, bench.session->state.model, &watcher, &status);
    assert_non_null(contrast);
    const struct dials *own = NULL;
    assert_false(contrast_score(contrast, &own, 1, 4, &watcher, &scores, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_int_equal(scores.items, 4); // two portions of two items
    assert_int_equal(contrast_decided(&run->suite, &scores), 4);
    assert_memory_equal(scores.candidates, run->scores.candidates, 8 * sizeof *scores.candidates);
    assert_true(contrast_score(contrast, &own, 1, 4, NULL, &scores, &status));
    for (int c = 0; c < run->suite.candidates; c++)
        assert_true(scores.candidates[c].logprob == run->scores.candidates[c].logprob);
    contrast_close(contrast);
    contrast_scores_free(&scores);
    result_free(&whole);
    sample_close(&bench);
}

/* A partial result is one, and says so. */
static void a_part_is_marked(void **unused)
{
    struct bench bench = sample_session();
    (void)unused;
    bench_connect(&bench);
    struct result result = bench_run(&bench, ":contrast " SENSES);
    bench.session->contrasts.runs[0]->scores.items = 7;
    contrast_groups_free(&result.contrast.groups);
    struct status status;
    assert_true(contrast_make(&result.contrast, &status));
    assert_int_equal(result.contrast.decisions, 7);
    bench.sink.kind->result(&bench.sink, bench.session, "contrast", &result);
    json_sink.result(&bench.sink, bench.session, "contrast", &result);
    fflush(bench.sink.stream);
    assert_non_null(strstr(bench.output, " partial: the first 7 of 40 items\n"));
    assert_non_null(strstr(bench.output, "\"items\":7,\"partial\":true,\"decisions\":7,"));
    result_free(&result);
    sample_close(&bench);
}

/* Flips ------------------------------------------------------------------------------------------ */

/* Binomial by hand: of n coins the fewer show k or less, twice. 1+5 of 2^5; 1+10+45 of 2^10. */
static void mcnemar_is_the_exact_binomial_test(void **unused)
{
    static const struct {
        int lost, won;
        double p;
    } cases[] = {
        {0, 0, 1},           {1, 0, 1}, {0, 5, 2.0 / 32}, {1, 4, 12.0 / 32}, {8, 2, 112.0 / 1024},
        {10, 0, 2.0 / 1024}, {2, 2, 1}, {3, 2, 1}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double p = mcnemar_test(cases[i].lost, cases[i].won);
        if (!(fabs(p - cases[i].p) < 1e-12))
            fail_msg("%d lost, %d won: p = %.12g, expected %.12g", cases[i].lost, cases[i].won, p,
                     cases[i].p);
    }
}

/* By scipy.stats.binomtest(lost, lost + won, 0.5) of SciPy 1.17. */
static void mcnemar_is_exact_for_any_counts(void **unused)
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
    (void)unused;
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
    struct result result = bench_run(bench, command);
    const struct contrasted *run = result.contrast.run;
    bool *out = calloc((size_t)run->suite.decision_count, sizeof *out);
    for (int d = 0; d < run->suite.decision_count; d++)
        out[d] =
            decision_correct(&run->suite, &run->scores, &run->suite.decisions[d], NORMALIZE_SUM);
    result_free(&result);
    return out;
}

static void flips_are_what_the_state_before_decided_otherwise(void **unused)
{
    struct bench bench = sample_session();
    int lost = 0, won = 0;
    (void)unused;
    bench_refuse(&bench, ":flips", "no suite yet");
    bool *before = verdicts(&bench, ":contrast " AGREEMENT);
    bench_refuse(&bench, ":flips", "one run of the suite");
    bench_run_quietly(&bench, ":disable cross layer 1");
    bench_run_quietly(&bench, ":contrast " SENSES); // another suite between the two
    bool *after = verdicts(&bench, ":contrast " AGREEMENT);
    struct result result = bench_run(&bench, ":flips");
    const struct flips_result *flips = &result.flips;
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
    result_free(&result);
    // Back again: what was lost is won.
    bench_run_quietly(&bench, ":enable");
    bench_run_quietly(&bench, ":contrast " AGREEMENT);
    result = bench_run(&bench, ":flips");
    assert_int_equal(result.flips.lost, won);
    assert_int_equal(result.flips.won, lost);
    result_free(&result);
    free(before);
    free(after);
    sample_close(&bench);
}

/* Several settings at once have the bits of each alone: of one source for several items in a row, in portions that
 * tear them apart or hold them all, whatever layers they share. */
static void settings_scored_together_have_the_bits_of_each_alone(void **unused)
{
    enum { SETTINGS = 5 };
    static const int batches[] = {1, 7, 64};
    char source[64], right[64], wrong[64], line[240];
    struct bench bench = sample_session();
    snprintf(line, sizeof line, ":contrast %s %s %s",
             write_lines("A man sleeps .\nA man sleeps .\nA man sleeps .\nA dog runs .\n"
                         "A dog runs .\nA man sleeps .\n",
                         source),
             write_lines("Mann\nEin Mann schläft .\nEin Mann\nHund\nEin Hund .\nMann\n", right),
             write_lines("Frau\nEin Mann läuft .\nEine Frau\nMann\nKatze\nHund\n", wrong));
    struct result whole = bench_run(&bench, line);
    const struct suite *suite = &bench.session->contrasts.runs[0]->suite;
    struct model *model = bench.session->state.model;
    const struct dials *dials[SETTINGS] = {NULL};
    struct dials *changed[SETTINGS] = {NULL};
    struct contrast_scores alone[SETTINGS] = {0};
    struct status status;
    (void)unused;
    for (int s = 1; s < SETTINGS; s++) {
        dials[s] = changed[s] = dials_copy(model_dials(model), &status);
        assert_non_null(changed[s]);
        *dials_gain(changed[s], s < 4 ? MODULE_ENCODER : MODULE_CROSS, s % 4, 2) = 0;
    }
    struct contrast *contrast = contrast_open(suite, model, NULL, &status);
    assert_non_null(contrast);
    for (int s = 0; s < SETTINGS; s++)
        assert_true(contrast_score(contrast, &dials[s], 1, 1, NULL, &alone[s], &status));
    assert_int_not_equal(memcmp(alone[0].candidates, alone[3].candidates,
                                (size_t)suite->candidates * sizeof *alone[0].candidates),
                         0);
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        struct contrast_scores scores[SETTINGS] = {0};
        assert_true(contrast_score(contrast, dials, SETTINGS, batches[b], NULL, scores, &status));
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
        dials_free(changed[s]);
    }
    contrast_close(contrast);
    result_free(&whole);
    sample_close(&bench);
    unlink(source);
    unlink(right);
    unlink(wrong);
}

/* Each ablation is what :disable does: the same decisions, one state after the other. */
static void ablations_are_the_states_with_heads_off(void **unused)
{
    enum { HEADS = 8, SHOWN = 6 };
    struct bench bench = sample_session();
    double least[HEADS];
    (void)unused;
    struct result result =
        bench_run(&bench, ":contrast " SENSES " ablate by layer,head cross layer 2 show 6");
    const struct contrast_ablate_result *ablate = &result.contrast_ablate;
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
            const struct contrasted *run = bench.session->contrasts.runs[0];
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
    result_free(&result);
    sample_close(&bench);
}

/* What is kept is spoilt, so that its use shows: no reference is right any more. */
static void ablations_are_scored_once(void **unused)
{
    enum { HEADS = 8, SHOWN = 6 };
    static const char table[] = ":contrast " SENSES " ablate by layer,head cross layer 2";
    struct bench bench = sample_session();
    char line[200];
    (void)unused;
    struct result first = bench_run(&bench, table);
    assert_int_equal(first.contrast_ablate.done, HEADS);
    struct contrasted *run = bench.session->contrasts.runs[0];
    assert_int_equal(run->variant_count, HEADS);
    snprintf(line, sizeof line, "%s show %d", table, SHOWN);
    struct result row = bench_run(&bench, line);
    assert_memory_equal(row.contrast_ablate.rows, first.contrast_ablate.rows,
                        HEADS * sizeof *first.contrast_ablate.rows);
    assert_int_equal(row.contrast_ablate.shown.lost, first.contrast_ablate.rows[SHOWN - 1].lost);
    assert_int_equal(row.contrast_ablate.shown.won, first.contrast_ablate.rows[SHOWN - 1].won);
    result_free(&row);
    for (int i = 0; i < run->suite.candidates; i++)
        run->variants[SHOWN - 1].scores.candidates[i].logprob = -1;
    row = bench_run(&bench, line);
    assert_int_equal(row.contrast_ablate.rows[SHOWN - 1].correct, 0);
    result_free(&row);
    row = bench_run(&bench, ":contrast " SENSES " ablate cross layer 2 head 6 or dec head 1");
    assert_int_equal(row.contrast_ablate.rows[0].correct, 0);
    assert_true(row.contrast_ablate.rows[1].correct > 0);
    result_free(&row);
    bench_run_quietly(&bench, ":disable dec layer 1 head 1");
    row = bench_run(&bench, line);
    assert_true(row.contrast_ablate.rows[SHOWN - 1].correct > 0);
    result_free(&row);
    result_free(&first);
    sample_close(&bench);
}

/* Files ------------------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &bytes, '\0', file) > 0);
    fclose(file);
    return text;
}

static void exports_have_a_line_for_every_candidate(void **unused)
{
    static const char first[] =
        "decision\tnumber\ttype\tsense\tdistance\tfrequency\tcorrect\tcandidate\tlogprob\ttokens\t"
        "score\tsource\ttext\n1\t1\tsubj_verb_agreement\t\t1\t\t";
    struct bench bench = sample_session();
    char folder[] = "/tmp/attnscope-contrast-XXXXXX", line[200], path[100];
    int lines = 0;
    (void)unused;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/items.tsv", folder);
    snprintf(line, sizeof line, ":export %s contrast " AGREEMENT, path);
    bench_run_quietly(&bench, line);
    char *text = read_file(path);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 1 + 2 * 432);
    if (strncmp(text, first, strlen(first)) != 0)
        fail_msg("%.300s", text);
    free(text);
    unlink(path);
    snprintf(line, sizeof line, ":export %s/items.png contrast " AGREEMENT " group 1", folder);
    bench_refuse(&bench, line, "lists of texts make no png");
    rmdir(folder);
    sample_close(&bench);
}

static void wrong_words_are_refused(void **unused)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {":contrast", "expected FILE, or SRC CORRECT INCORRECT…"},
        {":contrast a b", "expected FILE, or SRC CORRECT INCORRECT…"},
        {":contrast " SENSES " group", "group: expected a number or all after it"},
        {":contrast " SENSES " group 0", "group: "},
        {":contrast " SENSES " group 99", "group 99: expected 1 to 41, or all"},
        {":contrast " SENSES " group 1 more", "\"more\": expected nothing more"},
        {":contrast README.md", "README.md:1: "},
        {":flips now", "now"},
        {":contrast " SENSES " ablate by word", "by: expected by head, by layer or by layer,head"},
        {":contrast " SENSES " ablate show 9", "show 9: expected 1 to 8"},
        {":contrast " SENSES " ablate group 1", "\"group\": expected"},
        {":contrast ablate", "expected FILE, or SRC CORRECT INCORRECT…"},
    };
    struct bench bench = sample_session();
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bench_refuse(&bench, cases[i].line, cases[i].says);
    sample_close(&bench);
}

/* A model of 9 positions. */
static void a_text_that_is_too_long_is_told_with_its_place(void **unused)
{
    struct bench bench = bench_open("forced_ends");
    char path[64], line[100], says[200];
    (void)unused;
    write_lines("[{\"source\":\"a\",\"reference\":\"a\",\"errors\":[{\"contrastive\":\"b\"}]},"
                "{\"source\":\"a\",\"reference\":\"a\",\"errors\":[{\"contrastive\":"
                "\"a a a a a a a a a a a a\"}]}]",
                path);
    snprintf(line, sizeof line, ":contrast %s", path);
    snprintf(says, sizeof says, "%s: item 2: error 1: the target has 13 tokens, at most", path);
    bench_refuse(&bench, line, says);
    unlink(path);
    bench_close(&bench);
}

/* Whether the work that was watched last has come to its end. */
static bool ended;

static bool watch_end(const char *what, double done, double total)
{
    (void)what;
    ended = done == total;
    return true;
}

/* What fails on the way has an end, too: whoever shows how far it is takes that away. */
static void a_suite_that_cannot_be_read_is_read_to_an_end(void **unused)
{
    static const struct watcher watcher = {watch_end};
    struct bench bench = sample_session();
    struct suite suite = {0};
    struct status status;
    char *endless = calloc(1, 5000);
    const char *const paths[] = {"s", "r", "e"};
    (void)unused;
    for (int i = 0; i < 1100; i++)
        strcat(endless, "so ");
    const char *const sources[] = {"so", "so", endless}, *const others[] = {"so", "so", "so"};
    const char *const *const text[] = {sources, others, others};
    const struct suite_texts texts = {paths, text, 3, 3, NULL};
    assert_true(suite_add_texts(&suite, &texts, &status));
    assert_true(suite_finish(&suite, &status));
    assert_null(contrast_open(&suite, bench.session->state.model, &watcher, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_non_null(strstr(status.message, "s:3: the source has"));
    assert_true(ended);
    suite_free(&suite);
    free(endless);
    sample_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_score_is_that_of_score_to_the_bit),
        cmocka_unit_test(scores_and_accuracy_are_the_references),
        cmocka_unit_test(a_tie_is_wrong),
        cmocka_unit_test(what_is_no_number_is_wrong),
        cmocka_unit_test(length_compares_means),
        cmocka_unit_test(what_was_scored_is_kept),
        cmocka_unit_test(a_suite_is_called_as_it_was_asked_for),
        cmocka_unit_test(what_was_finished_before_a_stop_is_right),
        cmocka_unit_test(a_part_is_marked),
        cmocka_unit_test(mcnemar_is_the_exact_binomial_test),
        cmocka_unit_test(mcnemar_is_exact_for_any_counts),
        cmocka_unit_test(flips_are_what_the_state_before_decided_otherwise),
        cmocka_unit_test(settings_scored_together_have_the_bits_of_each_alone),
        cmocka_unit_test(ablations_are_the_states_with_heads_off),
        cmocka_unit_test(ablations_are_scored_once),
        cmocka_unit_test(exports_have_a_line_for_every_candidate),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(a_text_that_is_too_long_is_told_with_its_place),
        cmocka_unit_test(a_suite_that_cannot_be_read_is_read_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
