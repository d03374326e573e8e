/* `:prune` takes the steps that one takes by hand, with `:disable` and `:bleu`; the sentences
 * behind a step are those that a program of its own translates with the heads off. */
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/held_support.h"
#include "tests/support/report_support.h"
#include "tests/support/scored_support.h"
#include "tests/support/test.h"

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

/* By hand -------------------------------------------------------------------------------------- */

/* A head that may go. */
struct candidate {
    const char *module;
    int layer, head; // from 1
};

static double score_now(struct scored *scored)
{
    struct report result = bench_run(&scored->bench, scored_line(scored, ":bleu", ""));
    double score = held_study(&result)->all.score[0].bleu.score;
    report_free(&result);
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
    struct report result = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
    const struct prune_result *prune = held_prune(&result);
    cache_forget(&scored.bench.session->cache, CACHED_TRANSLATIONS);
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
    report_free(&result);
    scored_close(&scored);
}

static void steps_are_those_taken_by_hand(void **state)
{
    static const struct candidate encoder[] = {
        {"encoder", 1, 1}, {"encoder", 1, 2}, {"encoder", 1, 3}, {"encoder", 1, 4},
        {"encoder", 2, 1}, {"encoder", 2, 2}, {"encoder", 2, 3}, {"encoder", 2, 4}};
    static const struct candidate mixed[] = {{"cross", 1, 1},   {"cross", 1, 2},
                                             {"decoder", 1, 2}, {"encoder", 1, 1},
                                             {"encoder", 2, 1}, {"encoder", 3, 1}};
    static const struct candidate dhicm[] = {
        {"cross", 2, 1}, {"cross", 2, 2}, {"cross", 2, 3}, {"cross", 2, 4}};
    check_by_hand("vanilla_post", "", encoder, 8);
    check_by_hand("asymmetric", "cross or dec head 2 or head 1 or cross", mixed, 6);
    check_by_hand("dhicm_last_layers", "cross layer 2", dhicm, 4);
}

/* When it ends --------------------------------------------------------------------------------- */

/* The model's own translations, which every loss can only be worse than. */
static void take_own_references(struct scored *scored)
{
    char line[100], text[2000] = "";
    snprintf(line, sizeof line, ":translate %s", scored->source);
    struct report result = bench_run(&scored->bench, line);
    for (int i = 0; i < report_count(&result, "translations"); i++)
        strcat(strcat(text, report_text_at(&result, "translations", i)), "\n");
    report_free(&result);
    unlink(scored->reference);
    write_lines(text, scored->reference);
}

static void it_ends_with_the_step_that_falls_too_far(void **state)
{
    struct scored scored;
    char rest[60];
    prune_open(&scored, "vanilla_post");
    take_own_references(&scored);
    struct report all = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100"));
    const struct prune_result *curve = held_prune(&all);
    int ended = 0;
    for (int k = 0; k < curve->count; k++) {
        double fall = -curve->steps[k].delta;
        if (fall <= 0)
            continue;
        snprintf(rest, sizeof rest, " until %.17g", fall);
        cache_forget(&scored.bench.session->cache,
                     CACHED_PRUNING); // all steps are taken, none is known
        struct report reached = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
        snprintf(rest, sizeof rest, " until %.17g", fall * 0.999);
        cache_forget(&scored.bench.session->cache, CACHED_PRUNING);
        struct report passed = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
        int first = 0, first_passed = 0;
        while (first < curve->count - 1 && -curve->steps[first].delta <= fall)
            first++;
        while (-curve->steps[first_passed].delta <= fall * 0.999)
            first_passed++;
        assert_int_equal(held_prune(&reached)->count, first + 1);
        assert_int_equal(held_prune(&passed)->count, first_passed + 1);
        assert_memory_equal(held_prune(&passed)->steps, curve->steps,
                            (size_t)held_prune(&passed)->count * sizeof *curve->steps);
        report_free(&reached);
        report_free(&passed);
        ended++;
    }
    assert_true(ended > 0 && curve->base > 99.99);
    report_free(&all);
    scored_close(&scored);
}

static void heads_that_are_off_do_not_count(void **state)
{
    struct scored scored;
    prune_open(&scored, "vanilla_post");
    bench_run_quietly(&scored.bench, ":disable enc layer 1 head 2-3");
    double base = score_now(&scored);
    struct report result =
        bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 1"));
    assert_int_equal(held_prune(&result)->heads, 2);
    assert_true(held_prune(&result)->base == base);
    assert_true(score_now(&scored) == base); // the state is what it was
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    bench_refuse(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 1"),
                 "all selected heads are off");
    report_free(&result);
    scored_close(&scored);
}

/* Steps that open ------------------------------------------------------------------------------ */

static struct report show(struct scored *scored, const char *rest, int step)
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
    struct report table = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
    translate_apart(model, NULL, 0, whole);
    for (int k = 0; k < held_prune(&table)->count; k++) {
        if (!kept)
            cache_forget(&scored.bench.session->cache, CACHED_TRANSLATIONS);
        struct report step = show(&scored, rest, k + 1);
        assert_int_equal(held_prune(&step)->count, held_prune(&table)->count);
        assert_memory_equal(held_prune(&step)->steps, held_prune(&table)->steps,
                            (size_t)held_prune(&table)->count * sizeof *held_prune(&table)->steps);
        assert_true(held_prune(&step)->base == held_prune(&table)->base &&
                    !held_prune(&step)->partial);
        translate_apart(model, held_prune(&table)->steps, k + 1, without);
        check_listed(&held_prune(&step)->shown, whole, without);
        listed += held_prune(&step)->shown.list_count;
        if (!kept) // nothing else is translated
            assert_int_equal(cache_count(&scored.bench.session->cache, CACHED_TRANSLATIONS), 2);
        report_free(&step);
    }
    assert_true(listed > 0);
    report_free(&table);
    scored_close(&scored);
}

static void sentences_behind_a_step_are_those_of_a_process_of_its_own(void **state)
{
    check_steps("vanilla_post", " until 100", true);
    check_steps("asymmetric", " until 100 cross or dec head 2", false);
}

/* Without what was kept it is the same. */
static void a_step_opens_in_a_session_that_has_not_pruned_yet(void **state)
{
    struct scored scored;
    prune_open(&scored, "vanilla_post");
    struct report first = show(&scored, " until 100 layer 2", 3);
    struct report again = show(&scored, " until 100 layer 2", 3);
    const struct study_result *a = &held_prune(&first)->shown, *b = &held_prune(&again)->shown;
    assert_int_equal(held_prune(&first)->count, 4);
    assert_true(a->list_count > 0);
    assert_int_equal(a->list_count, b->list_count);
    for (int i = 0; i < a->list_count; i++) {
        assert_int_equal(a->list[i].number, b->list[i].number);
        assert_string_equal(a->list[i].text[1], b->list[i].text[1]);
    }
    report_free(&first);
    report_free(&again);
    bench_refuse(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 2 show 5"),
                 "show 5: expected 1 to 4");
    scored_close(&scored);
}

/* A score that is kept is spoilt, so that its use shows. */
static void steps_are_taken_once(void **state)
{
    enum { SPOILT = 12345 };
    struct scored scored;
    prune_open(&scored, "vanilla_post");
    take_own_references(&scored);
    struct report whole = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100"));
    cache_forget(&scored.bench.session->cache, CACHED_PRUNING);
    cache_forget(&scored.bench.session->cache, CACHED_TRANSLATIONS);
    struct report part = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 0"));
    struct cached_pruning *kept = cache_last_pruning(&scored.bench.session->cache);
    assert_true(held_prune(&part)->count < held_prune(&whole)->count);
    assert_int_equal(kept->count, held_prune(&part)->count);
    struct report more = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100"));
    assert_int_equal(held_prune(&more)->count, held_prune(&whole)->count);
    assert_memory_equal(held_prune(&more)->steps, held_prune(&whole)->steps,
                        (size_t)held_prune(&whole)->count * sizeof *held_prune(&whole)->steps);
    assert_true(held_prune(&more)->base == held_prune(&whole)->base);
    kept->steps[1].score = SPOILT;
    struct report step = show(&scored, " until 100", 2);
    assert_true(held_prune(&step)->steps[1].score == SPOILT);
    report_free(&step);
    bench_run_quietly(&scored.bench, ":set bleu.lowercase on"); // another score
    step = show(&scored, " until 100", 2);
    assert_true(held_prune(&step)->steps[1].score != SPOILT);
    report_free(&step);
    report_free(&more);
    report_free(&part);
    report_free(&whole);
    scored_close(&scored);
}

static double member(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static double importance_of(const json_t *heads, const json_t *step)
{
    size_t i;
    const json_t *head;
    json_array_foreach(heads, i, head)
    {
        if (json_equal(json_object_get(head, "module"), json_object_get(step, "module")) &&
            json_equal(json_object_get(head, "layer"), json_object_get(step, "layer")) &&
            json_equal(json_object_get(head, "head"), json_object_get(step, "head")))
            return member(head, "importance");
    }
    fail_msg("a step with a head that :importance does not have");
    return 0;
}

/* Heads go in the order of what `:importance` says of them, and only those of which it says
 * something. */
static void by_importance_the_least_important_head_goes_first(void **state)
{
    const char *source = cli_write("important.source", SOURCES);
    const char *reference = cli_write("important.reference", REFERENCES);
    char line[400];
    snprintf(line, sizeof line, ":importance %s", source);
    json_t *answer = cli_answer("tests/golden/dhicm_last_layers.bin", line);
    snprintf(line, sizeof line, ":prune %s %s until 100 by importance", source, reference);
    json_t *pruned = cli_answer("tests/golden/dhicm_last_layers.bin", line);
    const json_t *heads = json_object_get(answer, "heads"),
                 *steps = json_object_get(pruned, "steps");
    assert_true(json_array_size(heads) > 4);
    assert_int_equal(json_array_size(steps), json_array_size(heads));
    for (size_t i = 1; i < json_array_size(steps); i++)
        assert_true(importance_of(heads, json_array_get(steps, i - 1)) <=
                    importance_of(heads, json_array_get(steps, i)));
    assert_true(member(json_array_get(steps, 0), "left") == (double)json_array_size(heads) - 1);
    json_decref(answer);
    json_decref(pruned);
    struct scored scored;
    prune_open(&scored, "vanilla_post");
    bench_refuse(&scored.bench, scored_line(&scored, ":prune", " until 1 by importance"),
                 "by importance: no layer combines heads by dhicm");
    bench_refuse(
        &scored.bench, scored_line(&scored, ":prune", " until 1 by importance enc 1.1"),
        "encoder layer 1: its heads have no importance, as it does not combine them by dhicm");
    scored_close(&scored);
}

/* What a row runs is of the same pruning. */
static void a_row_says_exactly_how_far_it_goes(void **state)
{
    static const char *const cases[] = {"0.1", "100", "3.14159265", "0.12345678901234566"};
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rest[60], wanted[420];
        snprintf(rest, sizeof rest, " until %s enc layer 1 head 1", cases[i]);
        struct report result = bench_run(&scored.bench, scored_line(&scored, ":prune", rest));
        const struct table *steps = report_sheet(&result);
        assert_string_equal(result.command, scored.line + 1);
        snprintf(wanted, sizeof wanted, "%s show 1", scored.line);
        assert_string_equal(steps->rows[steps->row_count - 1].command, wanted);
        report_free(&result);
    }
    scored_close(&scored);
}

/* Shown ---------------------------------------------------------------------------------------- */

static void exports_are_the_curve(void **state)
{
    struct scored scored;
    char path[64], line[500], wanted[600];
    prune_open(&scored, "asymmetric");
    struct report result =
        bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100 dec layer 1"));
    const struct prune_step *steps = held_prune(&result)->steps;
    snprintf(path, sizeof path, "/tmp/attnscope-prune-%d.csv", (int)getpid());
    snprintf(line, sizeof line, ":export %s", path);
    bench_run_quietly(&scored.bench, line);
    char *text = cli_read(path, NULL);
    snprintf(wanted, sizeof wanted,
             "step,module,layer,head,left,score,delta\n0,,,,,%.9g,\n"
             "1,decoder,1,%d,1,%.9g,%.9g\n2,decoder,1,%d,0,%.9g,%.9g\n",
             held_prune(&result)->base, steps[0].head + 1, steps[0].score, steps[0].delta,
             steps[1].head + 1, steps[1].score, steps[1].delta);
    assert_string_equal(text, wanted);
    free(text);
    report_free(&result);
    snprintf(line, sizeof line, ":export %s prune %s %s until 100 dec layer 1 show 2", path,
             scored.source, scored.reference);
    bench_run_quietly(&scored.bench, line);
    text = cli_read(path, NULL);
    assert_int_equal(strncmp(text, "number,group,length,bleu_a,bleu_b,", 34), 0);
    unlink(path);
    free(text);
    strcpy(strstr(line, ".csv"), ".png");
    strcat(line, scored_line(&scored, " prune", " until 100 dec layer 1 show 2"));
    bench_refuse(&scored.bench, line, "this view cannot be written as .png");
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
        cmocka_unit_test(by_importance_the_least_important_head_goes_first),
        cmocka_unit_test(a_row_says_exactly_how_far_it_goes),
        cmocka_unit_test(exports_are_the_curve),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
