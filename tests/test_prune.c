/* `:prune` takes the steps that one takes by hand, with `:disable` and `:bleu`. */
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
        struct result reached = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
        snprintf(rest, sizeof rest, " until %.17g", fall * 0.999);
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
    unlink(path);
    free(text);
    result_free(&result);
    scored_close(&scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_taken_by_hand),
        cmocka_unit_test(it_ends_with_the_step_that_falls_too_far),
        cmocka_unit_test(heads_that_are_off_do_not_count),
        cmocka_unit_test(exports_are_the_curve),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
