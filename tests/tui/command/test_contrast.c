/* `:contrast`: every score is that of `:score`, to the bit, and within 1e-4 that of the float64
 * reference (scripts/reference.py contrast); decisions, groups and tests follow from the scores. */
#include <math.h>
#include <unistd.h>

#include "report/output/report_forms.h"
#include "report/report_memory.h"
#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"
#include "tui/command/study/report_contrast.h"

#define AGREEMENT "samples/agreement-en-de.json"
#define SENSES "samples/senses-en-de.json"

/* What the report of a line is made of. */
static const struct contrast_result *contrast_of(const struct report *result)
{
    const struct contrast_result *contrast = report_held(result, contrast_release);
    assert_non_null(contrast);
    return contrast;
}

static double score_alone(struct bench *bench, const char *source, const char *target, int *tokens)
{
    char line[1000];
    snprintf(line, sizeof line, ":score %s ||| %s", source, target);
    struct report result = bench_run(bench, line);
    double logprob = report_real(&result, "logprob");
    *tokens = report_count(&result, "tokens");
    report_free(&result);
    return logprob;
}

/* Scores --------------------------------------------------------------------------------------- */

/* One by one; every `step`th item, for time. */
static void check_scores(struct bench *bench, const char *command, int step)
{
    struct report result = bench_run(bench, command);
    const struct suite_run *run = contrast_of(&result)->run;
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
    report_free(&result);
}

static void every_score_is_that_of_score_to_the_bit(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    check_scores(&bench, ":contrast " SENSES, 1);
    check_scores(&bench, ":contrast " AGREEMENT, 16);
    bench_run_quietly(&bench, ":disable enc head 3");
    bench_run_quietly(&bench, ":disable cross layer 2 head 1");
    bench_run_quietly(&bench, ":set batch 3");
    check_scores(&bench, ":contrast " SENSES, 3);
    bench_close(&bench);
}

/* Scores of the float64 reference: suites [item [candidate]]. */
static void check_reference(struct bench *bench, const char *path, const json_t *expected)
{
    char line[200];
    int correct = 0;
    snprintf(line, sizeof line, ":contrast %s", path);
    struct report result = bench_run(bench, line);
    const struct suite_run *run = contrast_of(&result)->run;
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
    assert_int_equal(contrast_of(&result)->decisions, run->suite.count);
    assert_int_equal(contrast_of(&result)->correct, correct);
    report_free(&result);
}

static void scores_and_accuracy_are_the_references(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    json_t *golden = json_load_file("tests/golden/contrast.json", 0, NULL);
    assert_non_null(golden);
    const json_t *suites = json_object_get(golden, "suites");
    check_reference(&bench, AGREEMENT, json_object_get(suites, "agreement-en-de.json"));
    check_reference(&bench, SENSES, json_object_get(suites, "senses-en-de.json"));
    json_decref(golden);
    bench_close(&bench);
}

/* Decisions ------------------------------------------------------------------------------------ */

/* The same translation twice is a tie. The source's order of candidates is no matter. */
#define TIED                                                                                       \
    "[{\"source\": \"the dog\", \"reference\": \"der Hund\", \"errors\": ["                        \
    "{\"contrastive\": \"der Hund\", \"type\": \"same\"},"                                         \
    "{\"contrastive\": \"der Katze sieht\", \"type\": \"other\"}]},"                               \
    "{\"source\": \"the dog\", \"reference\": \"der Katze sieht\", \"errors\": ["                  \
    "{\"contrastive\": \"der Hund\", \"type\": \"other\"}]}]"

static void a_tie_is_wrong(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char path[64], line[100];
    snprintf(line, sizeof line, ":contrast %s", write_lines(TIED, path));
    struct report result = bench_run(&bench, line);
    const struct contrast_result *contrast = contrast_of(&result);
    assert_int_equal(contrast->decisions, 3);
    assert_int_equal(contrast->groups.count, 2);
    assert_string_equal(contrast->groups.groups[0].name, "same");
    assert_int_equal(contrast->groups.groups[0].correct, 0);
    // Of two texts one is the better, whichever is called right.
    assert_int_equal(contrast->groups.groups[1].decisions, 2);
    assert_int_equal(contrast->groups.groups[1].correct, 1);
    assert_int_equal(contrast->correct, 1);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void what_is_no_number_is_wrong(void **state)
{
    struct decision decision = {0, 0, 1};
    struct suite_item item = {.error_count = 1};
    struct suite suite = {.items = &item, .count = 1};
    struct candidate_score candidates[2] = {{-1, 1}, {NAN, 1}};
    struct contrast_scores scores = {candidates, 1};
    assert_false(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
    candidates[0].logprob = NAN;
    candidates[1].logprob = -1;
    assert_false(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
    candidates[0].logprob = -0.5;
    assert_true(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
}

/* -6 of 3 tokens against -5 of 2: the sum says wrong, the mean right. */
static void length_compares_means(void **state)
{
    struct decision decision = {0, 0, 1};
    struct suite_item item = {.error_count = 1};
    struct suite suite = {.items = &item, .count = 1};
    struct candidate_score candidates[2] = {{-6, 3}, {-5, 2}};
    struct contrast_scores scores = {candidates, 1};
    struct bench bench = bench_open_model("samples/en-de.bin");
    assert_false(decision_correct(&suite, &scores, &decision, NORMALIZE_SUM));
    assert_true(decision_correct(&suite, &scores, &decision, NORMALIZE_LENGTH));
    bench_run_quietly(&bench, ":set contrast.normalize length");
    struct report result = bench_run(&bench, ":contrast " SENSES);
    const struct suite_run *run = contrast_of(&result)->run;
    int correct = 0;
    for (int d = 0; d < run->suite.decision_count; d++)
        correct +=
            decision_correct(&run->suite, &run->scores, &run->suite.decisions[d], NORMALIZE_LENGTH);
    assert_int_equal(contrast_of(&result)->correct, correct);
    report_free(&result);
    bench_close(&bench);
}

/* What is kept is spoilt, so that its use shows; a run that was cut off goes on where it was. */
static void what_was_scored_is_kept(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    struct report first = bench_run(&bench, ":contrast " SENSES);
    struct result_cache *cache = &bench.session->cache;
    int correct = contrast_of(&first)->correct;
    assert_true(correct > 0);
    cache_last_suite(cache)->scores.candidates[0].logprob = 1000;
    cache_last_suite(cache)->scores.items = 10;
    struct report again = bench_run(&bench, ":contrast " SENSES " group all");
    assert_int_equal(cache_count(cache, CACHED_SUITE), 1);
    const struct contrast_result *listed = contrast_of(&again);
    assert_int_equal(listed->correct, correct + 1); // the first item was wrong
    assert_int_equal(listed->list_count, 40);
    assert_int_equal(listed->list[39], 0); // its margin is by far the greatest now
    report_free(&first);
    report_free(&again);
    bench_close(&bench);
}

/* The same suite under another name is not scored again, and is called as it was asked for. */
static void a_suite_is_called_as_it_was_asked_for(void **state)
{
    static const char text[] =
        "[{\"source\": \"The dog sleeps.\", \"reference\": \"Der Hund schläft.\","
        " \"errors\": [{\"contrastive\": \"Der Hund schlafen.\"}]}]";
    struct bench bench = bench_open_model("samples/en-de.bin");
    char paths[2][64], line[100];
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, ":contrast %s", write_lines(text, paths[i]));
        struct report result = bench_run(&bench, line);
        assert_int_equal(cache_count(&bench.session->cache, CACHED_SUITE), 1);
        assert_string_equal(contrast_of(&result)->run->suite.sets[0].paths[0], paths[i]);
        report_free(&result);
    }
    unlink(paths[0]);
    unlink(paths[1]);
    bench_close(&bench);
}

/* Stops when it is asked for the third time while scoring. */
static int asked;

static bool stop_at_third(void *context, const struct work_progress *progress)
{
    (void)context;
    return strcmp(progress->what, "scoring") != 0 || ++asked < 3;
}

static void what_was_finished_before_a_stop_is_right(void **state)
{
    static const struct watch watch = {stop_at_third, NULL};
    struct bench bench = bench_open_model("samples/en-de.bin");
    struct report whole = bench_run(&bench, ":contrast " SENSES);
    struct suite_run *run = cache_last_suite(&bench.session->cache);
    struct contrast_scores scores = {0};
    struct status status;
    asked = 0;
    struct contrast *contrast =
        contrast_open(&run->suite, bench.session->state.model,
                      &bench.session->state.search.languages, &watch, &status);
    assert_non_null(contrast);
    const struct head_settings *own = NULL;
    assert_false(contrast_score(contrast, &own, 1, 4, &watch, &scores, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_int_equal(scores.items, 4); // two portions of two items
    // Each item has one decision.
    for (int items = 0; items <= 4; items++) {
        const struct contrast_scores some = {scores.candidates, items};
        assert_int_equal(contrast_decided(&run->suite, &some), items);
    }
    assert_memory_equal(scores.candidates, run->scores.candidates, 8 * sizeof *scores.candidates);
    assert_true(contrast_score(contrast, &own, 1, 4, NULL, &scores, &status));
    for (int c = 0; c < run->suite.candidates; c++)
        assert_true(scores.candidates[c].logprob == run->scores.candidates[c].logprob);
    contrast_close(contrast);
    contrast_scores_free(&scores);
    report_free(&whole);
    bench_close(&bench);
}

/* A partial result is one, and says so. */
static void a_part_is_marked(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_connect(&bench);
    struct report result = bench_run(&bench, ":contrast " SENSES);
    cache_last_suite(&bench.session->cache)->scores.items = 7;
    struct contrast_result part = {.run = contrast_of(&result)->run};
    struct report shown = {0};
    struct status status;
    part.request.by = CONTRAST_BYS;
    assert_true(contrast_make(&part, &status));
    assert_int_equal(part.decisions, 7);
    report_contrast(&shown, bench.session, &part);
    bench.sink.kind->result(&bench.sink, "contrast", &shown);
    json_sink.result(&bench.sink, "contrast", &shown);
    fflush(bench.sink.stream);
    assert_non_null(strstr(bench.output, " partial: the first 7 of 40 items\n"));
    assert_non_null(strstr(bench.output, "\"items\":7,\"partial\":true,\"decisions\":7,"));
    report_free(&shown);
    contrast_free(&part);
    report_free(&result);
    bench_close(&bench);
}

/* Files ---------------------------------------------------------------------------------------- */

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

static void exports_have_a_line_for_every_candidate(void **state)
{
    static const char first[] =
        "decision\tnumber\ttype\tsense\tdistance\tfrequency\tcorrect\tcandidate\tlogprob\ttokens\t"
        "score\tsource\ttext\n1\t1\tsubj_verb_agreement\t\t1\t\t";
    struct bench bench = bench_open_model("samples/en-de.bin");
    char folder[] = "/tmp/attnscope-contrast-XXXXXX", line[200], path[100];
    int lines = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/items.tsv", folder);
    snprintf(line, sizeof line, ":export %s contrast " AGREEMENT " group all", path);
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
    bench_refuse(&bench, line, "this view cannot be written as .png");
    rmdir(folder);
    bench_close(&bench);
}

/* More suites are asked for than the cache keeps, while what the first was about is still shown. */
static void a_table_outlives_its_suite_in_the_cache(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char path[64], line[100], text[120], *tables[2];
    size_t sizes[2];
    snprintf(line, sizeof line, ":contrast %s group all", write_lines(TIED, path));
    struct report result = bench_run(&bench, line);
    unlink(path);
    for (int i = 0; i < 2; i++) {
        FILE *out = open_memstream(&tables[i], &sizes[i]);
        assert_non_null(out);
        assert_true(table_report(out, TABLE_TSV, &result, NULL));
        fclose(out);
        for (int n = 0; n < SUITES_KEPT + 1; n++) {
            snprintf(text, sizeof text,
                     "[{\"source\": \"a dog %d\", \"reference\": \"Hund\","
                     " \"errors\": [{\"contrastive\": \"Katze\"}]}]",
                     n);
            snprintf(line, sizeof line, ":contrast %s", write_lines(text, path));
            bench_run_quietly(&bench, line);
            unlink(path);
        }
    }
    assert_non_null(strstr(tables[0], "der Katze sieht"));
    assert_string_equal(tables[0], tables[1]);
    free(tables[0]);
    free(tables[1]);
    report_free(&result);
    bench_close(&bench);
}

/* A model of 9 positions. */
static void a_text_that_is_too_long_is_told_with_its_place(void **state)
{
    struct bench bench = bench_open("forced_ends");
    char path[64], line[100], says[200];
    write_lines("[{\"source\":\"a\",\"reference\":\"a\",\"errors\":[{\"contrastive\":\"b\"}]},"
                "{\"source\":\"a\",\"reference\":\"a\",\"errors\":[{\"contrastive\":"
                "\"a a a a a a a a a a a a\"}]}]",
                path);
    snprintf(line, sizeof line, ":contrast %s", path);
    snprintf(says, sizeof says, "%s: item 2: error 1: the target has 13 tokens, expected at most",
             path);
    bench_refuse(&bench, line, says);
    unlink(path);
    bench_close(&bench);
}

/* True if the work that was watched last has come to its end. */
static bool ended;

static bool watch_end(void *context, const struct work_progress *progress)
{
    (void)context;
    ended = progress->done == progress->total;
    return true;
}

/* What fails on the way has an end, too: whoever shows how far it is takes that away. */
static void a_suite_that_cannot_be_read_is_read_to_an_end(void **state)
{
    static const struct watch watch = {watch_end, NULL};
    struct bench bench = bench_open_model("samples/en-de.bin");
    struct suite suite = {0};
    struct status status;
    char *endless = calloc(1, 5000);
    const char *const paths[] = {"s", "r", "e"};
    for (int i = 0; i < 1100; i++)
        strcat(endless, "so ");
    const char *const sources[] = {"so", "so", endless}, *const others[] = {"so", "so", "so"};
    const char *const *const text[] = {sources, others, others};
    const struct suite_texts texts = {paths, text, 3, 3, NULL};
    assert_true(suite_add_texts(&suite, &texts, &status));
    assert_true(suite_finish(&suite, &status));
    assert_null(contrast_open(&suite, bench.session->state.model,
                              &bench.session->state.search.languages, &watch, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_non_null(strstr(status.message, "s:3: the source has"));
    assert_true(ended);
    suite_free(&suite);
    free(endless);
    bench_close(&bench);
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
        cmocka_unit_test(exports_have_a_line_for_every_candidate),
        cmocka_unit_test(a_table_outlives_its_suite_in_the_cache),
        cmocka_unit_test(a_text_that_is_too_long_is_told_with_its_place),
        cmocka_unit_test(a_suite_that_cannot_be_read_is_read_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
