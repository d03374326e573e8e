/* `:prune` takes the steps that one takes by hand, with `:disable` and `:bleu`; the sentences behind a step are those
 * that a program of its own translates with the heads off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/cli_support.h"
#include "tests/scored_support.h"
#include "tui/titles.h"

static const char *const sources[] = {"the dog", "a small old cat sees the river .", "",
                                      "he sees a dog", "she is old"};
enum { SENTENCES = sizeof sources / sizeof *sources };
#define SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nshe is old\n"
#define REFERENCES                                                                                 \
    "der Hund\neine kleine Katze sieht den Fluss .\n\ner sieht einen Hund\nsie ist alt\n"

static void prune_open(struct scored *scored, const char *model)
{
    scored_open(scored, model, SOURCES, REFERENCES);
    bench_run_quietly(&scored->bench, ":set bleu.smooth add-k"); // so that short texts differ
}

/* By hand ---------------------------------------------------------------------------------------- */

/* A head that may go. */
struct candidate {
    const char *module;
    int layer, head; // from 1
};

static double score_now(struct scored *scored)
{
    struct result result = bench_run(&scored->bench, scored_line(scored, ":bleu", ""));
    double score = result.study.all.score[0].bleu.score;
    result_free(&result);
    return score;
}

static void switch_head(struct scored *scored, const char *command, const struct candidate *head)
{
    char line[100];
    snprintf(line, sizeof line, ":%s %s layer %d head %d", command, head->module, head->layer,
             head->head);
    bench_run_quietly(&scored->bench, line);
}

/* Switches off what is best off; returns its index. */
static int step_by_hand(struct scored *scored, const struct candidate *heads, const bool *gone,
                        int count, double *best_score)
{
    int best = -1;
    for (int i = 0; i < count; i++) {
        if (gone[i])
            continue;
        switch_head(scored, "disable", &heads[i]);
        double score = score_now(scored);
        switch_head(scored, "enable", &heads[i]);
        if (best >= 0 && score <= *best_score)
            continue;
        best = i;
        *best_score = score;
    }
    switch_head(scored, "disable", &heads[best]);
    return best;
}

static void check_by_hand(const char *model, const char *selectors, const struct candidate *heads,
                          int count)
{
    enum { MOST = 16 };
    struct scored scored;
    char rest[100];
    bool gone[MOST] = {false};
    prune_open(&scored, model);
    snprintf(rest, sizeof rest, " until 100 %s", selectors);
    struct result result = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
    const struct prune_result *prune = &result.prune;
    translations_free(&scored.bench.session->translations);
    assert_int_equal(prune->heads, count);
    assert_int_equal(prune->count, count);
    assert_true(prune->base == score_now(&scored));
    for (int k = 0; k < count; k++) {
        const struct prune_step *step = &prune->steps[k];
        double score = 0;
        int best = step_by_hand(&scored, heads, gone, count, &score);
        gone[best] = true;
        if (strcmp(module_names[step->module], heads[best].module) != 0 ||
            step->layer + 1 != heads[best].layer || step->head + 1 != heads[best].head)
            fail_msg("%s: step %d is %s layer %d head %d, expected %s layer %d head %d", model,
                     k + 1, module_names[step->module], step->layer + 1, step->head + 1,
                     heads[best].module, heads[best].layer, heads[best].head);
        assert_true(step->score == score);
        assert_true(step->delta == score - prune->base);
        assert_int_equal(step->left, count - k - 1);
    }
    result_free(&result);
    scored_close(&scored);
}

static void steps_are_those_taken_by_hand(void **unused)
{
    static const struct candidate encoder[] = {
        {"encoder", 1, 1}, {"encoder", 1, 2}, {"encoder", 1, 3}, {"encoder", 1, 4},
        {"encoder", 2, 1}, {"encoder", 2, 2}, {"encoder", 2, 3}, {"encoder", 2, 4}};
    static const struct candidate mixed[] = {{"cross", 1, 1},   {"cross", 1, 2},
                                             {"decoder", 1, 2}, {"encoder", 1, 1},
                                             {"encoder", 2, 1}, {"encoder", 3, 1}};
    static const struct candidate dhicm[] = {
        {"cross", 2, 1}, {"cross", 2, 2}, {"cross", 2, 3}, {"cross", 2, 4}};
    (void)unused;
    check_by_hand("vanilla_post", "", encoder, 8);
    check_by_hand("asymmetric", "cross or dec head 2 or head 1 or cross", mixed, 6);
    check_by_hand("dhicm_last_layers", "cross layer 2", dhicm, 4);
}

/* When it ends ----------------------------------------------------------------------------------- */

/* The model's own translations, which every loss can only be worse than. */
static void take_own_references(struct scored *scored)
{
    char line[100], text[2000] = "";
    snprintf(line, sizeof line, ":translate %s", scored->source);
    struct result result = bench_run(&scored->bench, line);
    for (int i = 0; i < result.file.sentences; i++)
        strcat(strcat(text, result.file.translations[i]), "\n");
    result_free(&result);
    unlink(scored->reference);
    write_lines(text, scored->reference);
}

static void it_ends_with_the_step_that_falls_too_far(void **unused)
{
    struct scored scored;
    char rest[60];
    (void)unused;
    prune_open(&scored, "vanilla_post");
    take_own_references(&scored);
    struct result all = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100"));
    const struct prune_result *curve = &all.prune;
    int ended = 0;
    for (int k = 0; k < curve->count; k++) {
        double fall = -curve->steps[k].delta;
        if (fall <= 0)
            continue;
        snprintf(rest, sizeof rest, " until %.17g", fall);
        kept_free(&scored.bench.session->kept); // all steps are taken, none is known
        struct result reached = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
        snprintf(rest, sizeof rest, " until %.17g", fall * 0.999);
        kept_free(&scored.bench.session->kept);
        struct result passed = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
        int first = 0, first_passed = 0;
        while (first < curve->count - 1 && -curve->steps[first].delta <= fall)
            first++;
        while (-curve->steps[first_passed].delta <= fall * 0.999)
            first_passed++;
        assert_int_equal(reached.prune.count, first + 1);
        assert_int_equal(passed.prune.count, first_passed + 1);
        assert_memory_equal(passed.prune.steps, curve->steps,
                            (size_t)passed.prune.count * sizeof *curve->steps);
        result_free(&reached);
        result_free(&passed);
        ended++;
    }
    assert_true(ended > 0 && curve->base > 99.99);
    result_free(&all);
    scored_close(&scored);
}

static void heads_that_are_off_do_not_count(void **unused)
{
    struct scored scored;
    (void)unused;
    prune_open(&scored, "vanilla_post");
    bench_run_quietly(&scored.bench, ":disable layer 1 head 2-3");
    double base = score_now(&scored);
    struct result result =
        bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 1"));
    assert_int_equal(result.prune.heads, 2);
    assert_true(result.prune.base == base);
    assert_true(score_now(&scored) == base); // the state is what it was
    bench_run_quietly(&scored.bench, ":disable layer 1");
    bench_refuse(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 1"),
                 "the heads selected are off");
    result_free(&result);
    scored_close(&scored);
}

/* Steps that open -------------------------------------------------------------------------------- */

static struct result show(struct scored *scored, const char *rest, int step)
{
    char text[100];
    snprintf(text, sizeof text, "%s show %d", rest, step);
    return bench_run(&scored->bench, scored_line(scored, ":prune", text));
}

/* Those of a program of its own, which switches off the heads of the steps up to one. */
static void translate_apart(const char *model, const struct prune_step *steps, int count,
                            char texts[][APART_BYTES])
{
    enum { MOST = 16 };
    char disable[MOST][100];
    const char *commands[MOST];
    for (int k = 0; k < count; k++) {
        snprintf(disable[k], sizeof disable[k], ":disable %s layer %d head %d",
                 module_names[steps[k].module], steps[k].layer + 1, steps[k].head + 1);
        commands[k] = disable[k];
    }
    scored_apart(model, commands, count, sources, SENTENCES, texts);
}

/* All that differ are listed, with both texts. */
static void check_listed(const struct study_result *shown, char a[][APART_BYTES],
                         char b[][APART_BYTES])
{
    int differing = 0;
    for (int i = 0; i < SENTENCES; i++)
        differing += strcmp(a[i], b[i]) != 0;
    assert_int_equal(shown->differing, differing);
    assert_int_equal(shown->list_count, differing);
    for (int i = 0; i < shown->list_count; i++) {
        const struct study_sentence *sentence = &shown->list[i];
        assert_string_equal(sentence->text[0], a[sentence->number - 1]);
        assert_string_equal(sentence->text[1], b[sentence->number - 1]);
        assert_string_not_equal(sentence->text[0], sentence->text[1]);
    }
}

/* `kept`: what the pruning has translated is there. */
static void check_steps(const char *model, const char *rest, bool kept)
{
    struct scored scored;
    char whole[SENTENCES][APART_BYTES], without[SENTENCES][APART_BYTES];
    int listed = 0;
    prune_open(&scored, model);
    struct result table = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
    translate_apart(model, NULL, 0, whole);
    for (int k = 0; k < table.prune.count; k++) {
        if (!kept)
            translations_free(&scored.bench.session->translations);
        struct result step = show(&scored, rest, k + 1);
        assert_int_equal(step.prune.count, table.prune.count);
        assert_memory_equal(step.prune.steps, table.prune.steps,
                            (size_t)table.prune.count * sizeof *table.prune.steps);
        assert_true(step.prune.base == table.prune.base && !step.prune.partial);
        translate_apart(model, table.prune.steps, k + 1, without);
        check_listed(&step.prune.shown, whole, without);
        listed += step.prune.shown.list_count;
        if (!kept) // nothing else is translated
            assert_int_equal(scored.bench.session->translations.count, 2);
        result_free(&step);
    }
    assert_true(listed > 0);
    result_free(&table);
    scored_close(&scored);
}

static void sentences_behind_a_step_are_those_of_a_process_of_its_own(void **unused)
{
    (void)unused;
    check_steps("vanilla_post", " until 100", true);
    check_steps("asymmetric", " until 100 cross or dec head 2", false);
}

/* Without what was kept it is the same. */
static void a_step_opens_in_a_session_that_has_not_pruned_yet(void **unused)
{
    struct scored scored;
    (void)unused;
    prune_open(&scored, "vanilla_post");
    struct result first = show(&scored, " until 100 layer 2", 3);
    struct result again = show(&scored, " until 100 layer 2", 3);
    const struct study_result *a = &first.prune.shown, *b = &again.prune.shown;
    assert_int_equal(first.prune.count, 4);
    assert_true(a->list_count > 0);
    assert_int_equal(a->list_count, b->list_count);
    for (int i = 0; i < a->list_count; i++) {
        assert_int_equal(a->list[i].number, b->list[i].number);
        assert_string_equal(a->list[i].text[1], b->list[i].text[1]);
    }
    result_free(&first);
    result_free(&again);
    bench_refuse(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 2 show 5"),
                 "show 5: expected 1 to 4");
    scored_close(&scored);
}

/* A score that is kept is spoilt, so that its use shows. */
static void steps_are_taken_once(void **unused)
{
    enum { SPOILT = 12345 };
    struct scored scored;
    (void)unused;
    prune_open(&scored, "vanilla_post");
    take_own_references(&scored);
    struct result whole = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100"));
    kept_free(&scored.bench.session->kept);
    translations_free(&scored.bench.session->translations);
    struct result part = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 0"));
    struct kept_prune *kept = &scored.bench.session->kept.prune;
    assert_true(part.prune.count < whole.prune.count);
    assert_int_equal(kept->count, part.prune.count);
    struct result more = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100"));
    assert_int_equal(more.prune.count, whole.prune.count);
    assert_memory_equal(more.prune.steps, whole.prune.steps,
                        (size_t)whole.prune.count * sizeof *whole.prune.steps);
    assert_true(more.prune.base == whole.prune.base);
    kept->steps[1].score = SPOILT;
    struct result step = show(&scored, " until 100", 2);
    assert_true(step.prune.steps[1].score == SPOILT);
    result_free(&step);
    bench_run_quietly(&scored.bench, ":set bleu.lowercase on"); // another score
    step = show(&scored, " until 100", 2);
    assert_true(step.prune.steps[1].score != SPOILT);
    result_free(&step);
    result_free(&more);
    result_free(&part);
    result_free(&whole);
    scored_close(&scored);
}

/* What a row runs is of the same pruning. */
static void a_view_says_exactly_how_far_it_goes(void **unused)
{
    static const char *const cases[] = {"0.1", "100", "3.14159265", "0.12345678901234566"};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result view = {.kind = RESULT_PRUNE};
        struct status status;
        char wanted[60];
        view.prune.request.until = strtod(cases[i], NULL);
        view.prune.request.shown = 2;
        snprintf(wanted, sizeof wanted, "prune  until %s show 2", cases[i]);
        char *command = view_command(&view, &status);
        assert_string_equal(command, wanted);
        free(command);
    }
}

/* Shown ------------------------------------------------------------------------------------------ */

static void exports_are_the_curve(void **unused)
{
    struct scored scored;
    char path[64], line[500], wanted[600];
    (void)unused;
    prune_open(&scored, "asymmetric");
    struct result result =
        bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100 dec layer 1"));
    const struct prune_step *steps = result.prune.steps;
    snprintf(path, sizeof path, "/tmp/attnscope-prune-%d.csv", (int)getpid());
    snprintf(line, sizeof line, ":export %s", path);
    bench_run_quietly(&scored.bench, line);
    char *text = cli_read(path, NULL);
    snprintf(wanted, sizeof wanted,
             "step,module,layer,head,left,score,delta\n0,,,,,%.9g,\n"
             "1,decoder,1,%d,1,%.9g,%.9g\n2,decoder,1,%d,0,%.9g,%.9g\n",
             result.prune.base, steps[0].head + 1, steps[0].score, steps[0].delta,
             steps[1].head + 1, steps[1].score, steps[1].delta);
    assert_string_equal(text, wanted);
    free(text);
    result_free(&result);
    snprintf(line, sizeof line, ":export %s prune %s %s until 100 dec layer 1 show 2", path,
             scored.source, scored.reference);
    bench_run_quietly(&scored.bench, line);
    text = cli_read(path, NULL);
    assert_int_equal(strncmp(text, "number,group,length,bleu_a,bleu_b,", 34), 0);
    unlink(path);
    free(text);
    strcpy(strstr(line, ".csv"), ".png");
    strcat(line, scored_line(&scored, " prune", " until 100 dec layer 1 show 2"));
    bench_refuse(&scored.bench, line, "lists of texts make no png");
    scored_close(&scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_taken_by_hand),
        cmocka_unit_test(it_ends_with_the_step_that_falls_too_far),
        cmocka_unit_test(heads_that_are_off_do_not_count),
        cmocka_unit_test(sentences_behind_a_step_are_those_of_a_process_of_its_own),
        cmocka_unit_test(a_step_opens_in_a_session_that_has_not_pruned_yet),
        cmocka_unit_test(steps_are_taken_once),
        cmocka_unit_test(a_view_says_exactly_how_far_it_goes),
        cmocka_unit_test(exports_are_the_curve),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
