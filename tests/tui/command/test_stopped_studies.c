/* Studies at Ctrl-C, which comes when they have shown that so much is finished: what they then say
 * is right, and was all but there. Scores are those of `:bleu --scored` over the sentences that are
 * finished; its cost is the measure of what is left to do. */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "model/study/translating.h"
#include "model/text/conllu/conllu.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "tests/support/commands_support.h"
#include "tests/support/held_support.h"
#include "tests/support/test.h"

enum { TIMES = 3 }; // that the sample's sentences are there

/* Seconds of the processor. */
static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A session on samples/en-de.bin and a test set in files. */
struct stops {
    struct bench bench;
    char source[64], reference[64];
    struct lines references;
    char line[400];
};

/* The lines of a file, several times; freed with free(). */
static char *repeated(const struct lines *lines)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < TIMES * lines->count; i++)
        fprintf(out, "%s\n", lines->text[i % lines->count]);
    fclose(out);
    return text;
}

static void write_repeated(const char *from, char to[64])
{
    struct lines lines;
    struct status status;
    assert_true(sentences_read(from, NULL, &lines, NULL, &status));
    char *text = repeated(&lines);
    write_lines(text, to);
    free(text);
    lines_free(&lines);
}

static void stops_open(struct stops *stops)
{
    struct status status;
    const struct session_spec spec = {.paths = (const char *const[]){"samples/en-de.bin"},
                                      .count = 1,
                                      .device = {.kind = DEVICE_CPU},
                                      .threads = 1};
    *stops = (struct stops){.bench.session = session_open(&spec, &status)};
    if (!stops->bench.session)
        fail_msg("%s", status.message);
    bench_connect(&stops->bench);
    write_repeated("samples/sentences.en", stops->source);
    write_repeated("samples/sentences.de", stops->reference);
    assert_true(sentences_read(stops->reference, NULL, &stops->references, NULL, &status));
}

static void stops_close(struct stops *stops)
{
    unlink(stops->source);
    unlink(stops->reference);
    lines_free(&stops->references);
    session_close(stops->bench.session);
    fclose(stops->bench.sink.stream);
    free(stops->bench.output);
}

/* "COMMAND SOURCE REFERENCE REST", until the next call. */
static const char *line_of(struct stops *stops, const char *command, const char *rest)
{
    snprintf(stops->line, sizeof stops->line, "%s %s %s%s", command, stops->source,
             stops->reference, rest);
    return stops->line;
}

/* Stopping ------------------------------------------------------------------------------------- */

static long awaited;   // sentences
static double pressed; // when the stop came; 0: not yet

static void press_in_time(const char *line)
{
    const char *unit = strstr(line, " sentences ");
    if (pressed != 0 || !unit || strncmp(line, "translating ", 12) != 0)
        return;
    while (unit > line && unit[-1] >= '0' && unit[-1] <= '9')
        unit--;
    if (atol(unit) < awaited)
        return;
    pressed = seconds();
    interrupt_raise();
}

/* Runs a line until the progress says that `sentences` are translated. *spent: seconds from the
 * stop to the end. */
static struct report run_until(struct stops *stops, const char *line, long sentences, double *spent)
{
    struct report result;
    struct status status;
    awaited = sentences;
    pressed = 0;
    progress_show_with(press_in_time);
    bool ok = command_run(stops->bench.session, line, &result, &status);
    *spent = seconds() - pressed;
    progress_show_with(NULL);
    interrupt_clear();
    if (ok || pressed == 0)
        fail_msg("%s: came to its end before %ld sentences", line, sentences);
    assert_int_equal(status.code, STATUS_CANCELLED);
    if (!strstr(status.message, "interrupted: the first "))
        fail_msg("%s: %s", line, status.message);
    return result;
}

/* It was a thirtieth and less where it has been measured; where counting waits for the stop, it is
 * nearly all. What the system takes for itself counts too: so the least of several stops does. */
static void expect_little(const char *what, double (*stop)(double *scoring))
{
    enum { TRIES = 3 };
    double spent = INFINITY, scoring = 0;
    for (int i = 0; i < TRIES && !(spent < scoring / 4); i++) {
        scoring = 0;
        spent = stop(&scoring);
    }
    if (!(spent < scoring / 4))
        fail_msg("%s: %.2f ms after the stop, scoring takes %.2f ms", what, 1e3 * spent,
                 1e3 * scoring);
}

/* Scores of texts ------------------------------------------------------------------------------ */

static char *joined(char *const *lines, int count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s\n", lines[i]);
    fclose(out);
    return text;
}

/* `:bleu --scored` of the first of these texts; adds the seconds that it takes to *cost. */
static struct report score_texts(struct stops *stops, char *const *texts, int count, double *cost)
{
    char own[64], reference[64], line[200];
    char *text = joined(texts, count), *others = joined(stops->references.text, count);
    write_lines(text, own);
    write_lines(others, reference);
    snprintf(line, sizeof line, ":bleu --scored %s %s", own, reference);
    double began = seconds();
    struct report result = bench_run(&stops->bench, line);
    *cost += seconds() - began;
    unlink(own);
    unlink(reference);
    free(text);
    free(others);
    return result;
}

/* What the session has translated with exactly these head_settings. */
static char **texts_under(const struct stops *stops, const struct head_settings *head_settings)
{
    const struct translated *made;
    for (int i = 0; (made = cache_translations_at(&stops->bench.session->cache, i)); i++)
        if (head_settings_equal(made->head_settings, head_settings))
            return made->texts;
    fail_msg("the session has no such translations");
    return NULL;
}

static void expect_same_rows(const struct study_result *is, int system,
                             const struct study_result *expected)
{
    assert_int_equal(is->sentences, expected->sentences);
    assert_memory_equal(&is->all.score[system], &expected->all.score[0], sizeof is->all.score[0]);
    for (int i = 0; i < is->row_count && is->request.systems == 1; i++) {
        assert_string_equal(is->rows[i].name, expected->rows[i].name);
        assert_memory_equal(&is->rows[i].score, &expected->rows[i].score, sizeof is->rows[i].score);
    }
}

/* ---------------------------------------------------------------------------------------------- */

static double stop_score(double *scoring)
{
    struct stops stops;
    double spent;
    stops_open(&stops);
    struct report result = run_until(&stops, line_of(&stops, ":bleu", ""), 400, &spent);
    const struct study_result *study = held_study(&result);
    assert_true(study->sentences > 256 && study->sentences < study->lines);
    char **texts = texts_under(&stops, stops.bench.session->state.head_settings);
    struct report scored = score_texts(&stops, texts, study->sentences, scoring);
    assert_int_equal(study->row_count, held_study(&scored)->row_count);
    expect_same_rows(study, 0, held_study(&scored));
    report_free(&scored);
    report_free(&result);
    stops_close(&stops);
    return spent;
}

static void a_stopped_score_is_that_of_what_is_finished(void **state)
{
    expect_little(":bleu", stop_score);
}

static double stop_comparison(double *scoring)
{
    struct stops stops;
    struct bench *bench = &stops.bench;
    double spent;
    stops_open(&stops);
    bench_run_quietly(bench, ":state one");
    bench_run_quietly(bench, ":disable enc head 1");
    struct report result =
        run_until(&stops, line_of(&stops, ":compare one current", " by source 8,12"), 400, &spent);
    const struct study_result *study = held_study(&result);
    assert_true(study->sentences >= 64 && study->sentences < study->lines);
    for (int s = 0; s < 2; s++) {
        bench_run_quietly(bench, s ? ":disable enc head 1" : ":model one");
        char **texts = texts_under(&stops, bench->session->state.head_settings);
        struct report scored = score_texts(&stops, texts, study->sentences, scoring);
        expect_same_rows(study, s, held_study(&scored));
        report_free(&scored);
    }
    report_free(&result);
    stops_close(&stops);
    return spent;
}

static void a_stopped_comparison_is_of_what_both_states_finished(void **state)
{
    expect_little(":compare", stop_comparison);
}

static void check_ablation(struct stops *stops, const struct ablate_result *ablate, int number,
                           char *const *base, double *scoring)
{
    const struct ablation_score *score = &ablate->scores[number];
    struct status status;
    struct head_settings *head_settings = ablation_head_settings(
        stops->bench.session->state.head_settings, &ablate->ablations.items[number], &status);
    char **texts = texts_under(stops, head_settings);
    struct report scored = score_texts(stops, texts, ablate->sentences, scoring);
    int differing = 0;
    for (int i = 0; i < ablate->sentences; i++)
        differing += strcmp(texts[i], base[i]) != 0;
    assert_true(score->score == held_study(&scored)->all.score[0].bleu.score);
    assert_true(score->delta == score->score - ablate->base);
    assert_int_equal(score->differing, differing);
    if (ablate->request.shown == number + 1) {
        assert_int_equal(ablate->shown.differing, differing);
        expect_same_rows(&ablate->shown, 1, held_study(&scored));
    }
    report_free(&scored);
    head_settings_free(head_settings);
}

static double stop_ablations(double *scoring)
{
    struct stops stops;
    double spent;
    stops_open(&stops);
    struct report result =
        run_until(&stops, line_of(&stops, ":ablate", " by head show 2"), 800, &spent);
    const struct ablate_result *ablate = held_ablate(&result);
    assert_true(ablate->sentences >= 50 && ablate->sentences < ablate->lines);
    assert_false(ablate->tested);
    char **base = texts_under(&stops, stops.bench.session->state.head_settings);
    struct report scored = score_texts(&stops, base, ablate->sentences, scoring);
    assert_true(ablate->base == held_study(&scored)->all.score[0].bleu.score);
    for (int i = 0; i < ablate->ablations.count; i++)
        check_ablation(&stops, ablate, i, base, scoring);
    report_free(&scored);
    report_free(&result);
    stops_close(&stops);
    return spent;
}

static void stopped_ablations_are_of_what_all_of_them_finished(void **state)
{
    expect_little(":ablate", stop_ablations);
}

/* Chunks --------------------------------------------------------------------------------------- */

enum { LINES = 256, STOP = 128 };

static bool stop_after(void *context, struct status *status)
{
    int *left = context;
    (void)status;
    if (--*left == 0)
        interrupt_raise();
    return true;
}

/* With batches of 64: half of the first chunk is finished, and of that the first batch's are the
 * first lines. Were the longest sentences of the chunk first, there would be the first two or
 * three. */
static void the_first_chunk_begins_with_the_first_lines(void **state)
{
    struct stops stops;
    struct lines lines;
    struct status status;
    char *texts[LINES] = {0};
    int left = STOP, there = 0, finished = 0;
    stops_open(&stops);
    const struct follower follower = {stop_after, &left};
    assert_int_equal(stops.bench.session->state.search.batch, 64);
    assert_int_equal(translating_step(&stops.bench.session->state, 1), LINES);
    assert_true(sentences_read(stops.source, NULL, &lines, NULL, &status));
    struct work_progress progress = translating_progress();
    struct translating translating = {.state = &stops.bench.session->state,
                                      .path = stops.source,
                                      .lines = &lines,
                                      .texts = texts,
                                      .progress = &progress,
                                      .watch = &progress_watch,
                                      .follower = &follower};
    assert_false(translating_chunk(&translating, 1, 0, LINES, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    interrupt_clear();
    while (texts[finished])
        finished++;
    for (int i = 0; i < LINES; i++)
        there += texts[i] != NULL;
    assert_int_equal(there, STOP);
    if (finished < 64)
        fail_msg("%d of %d translations are the first lines', expected 64", finished, STOP);
    for (int i = 0; i < LINES; i++)
        free(texts[i]);
    lines_free(&lines);
    stops_close(&stops);
}

static bool refuse(void *context, struct status *status)
{
    (void)context;
    return status_fail(status, STATUS_IO, "the follower is full");
}

static void what_a_follower_says_is_why_it_ends(void **state)
{
    struct stops stops;
    struct lines lines;
    struct status status;
    char *texts[LINES] = {0};
    const struct follower follower = {refuse, NULL};
    stops_open(&stops);
    assert_true(sentences_read(stops.source, NULL, &lines, NULL, &status));
    struct work_progress progress = translating_progress();
    struct translating translating = {.state = &stops.bench.session->state,
                                      .path = stops.source,
                                      .lines = &lines,
                                      .texts = texts,
                                      .progress = &progress,
                                      .watch = &progress_watch,
                                      .follower = &follower};
    assert_false(translating_chunk(&translating, 1, 0, 64, &status));
    assert_int_equal(status.code, STATUS_IO);
    assert_string_equal(status.message, "the follower is full");
    for (int i = 0; i < LINES; i++)
        free(texts[i]);
    lines_free(&lines);
    stops_close(&stops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_score_is_that_of_what_is_finished),
        cmocka_unit_test(a_stopped_comparison_is_of_what_both_states_finished),
        cmocka_unit_test(stopped_ablations_are_of_what_all_of_them_finished),
        cmocka_unit_test(the_first_chunk_begins_with_the_first_lines),
        cmocka_unit_test(what_a_follower_says_is_why_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
