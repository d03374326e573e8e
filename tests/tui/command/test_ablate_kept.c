/* `:ablate` again: what a study computed is kept for the same study, and for nothing else. */
#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/tui/command/ablate_support.h"

/* What is kept is spoilt, so that its use shows. */
static void nothing_is_translated_twice(void **state)
{
    struct scored scored;
    ablate_open(&scored, "vanilla_post");
    struct report first = ablate_line(&scored, ABLATE_EVERYWHERE);
    const struct ablation_list *list = &held_ablate(&first)->ablations;
    assert_int_equal(list->count, 24);
    for (int i = 0; i < list->count; i++)
        strcpy(ablate_texts(&scored, &list->items[i])[0], "");
    struct report again = ablate_line(&scored, ABLATE_EVERYWHERE);
    for (int i = 0; i < list->count; i++)
        assert_string_equal(ablate_texts(&scored, &list->items[i])[0], "");
    bench_run_quietly(&scored.bench, ":disable dec layer 2 head 3");
    struct report one = bench_run(&scored.bench, scored_line(&scored, ":bleu", " group all"));
    assert_string_equal(held_study(&one)->list[0].text[0], ""); // of the sweep
    report_free(&first);
    report_free(&again);
    report_free(&one);
    scored_close(&scored);
}

/* Rows that open ------------------------------------------------------------------------------- */

enum { SPOILT = 12345 }; // no BLEU

static void spoil(struct scored *scored, int row)
{
    struct cached_ablation *kept = cache_last_ablation(&scored->bench.session->cache);
    assert_non_null(kept);
    kept->scores[row].score = SPOILT;
}

/* What is kept is spoilt, so that its use shows. */
static void a_row_opens_without_translations_or_tests(void **state)
{
    struct scored scored;
    ablate_open(&scored, "vanilla_post");
    struct report table = ablate_line(&scored, " by layer"),
                  again = ablate_line(&scored, " by layer show 2");
    const struct ablation_list *list = &held_ablate(&table)->ablations;
    const struct study_result *shown = &held_ablate(&again)->shown;
    assert_memory_equal(held_ablate(&again)->scores, held_ablate(&table)->scores,
                        (size_t)list->count * sizeof *held_ablate(&table)->scores);
    assert_true(held_ablate(&again)->base == held_ablate(&table)->base &&
                held_ablate(&again)->tested);
    assert_int_equal(shown->list_count, held_ablate(&table)->scores[1].differing);
    assert_true(shown->list_count > 0);
    char **texts = ablate_texts(&scored, &list->items[1]);
    int number = shown->list[0].number;
    assert_string_equal(texts[number - 1], shown->list[0].text[1]);
    report_free(&again);
    texts[number - 1][0] = 'X';
    spoil(&scored, 0);
    again = ablate_line(&scored, " by layer show 2");
    shown = &held_ablate(&again)->shown;
    int found = 0;
    for (int i = 0; i < shown->list_count; i++)
        found += shown->list[i].number == number && shown->list[i].text[1][0] == 'X';
    assert_int_equal(found, 1);
    assert_true(held_ablate(&again)->scores[0].score == SPOILT);
    report_free(&again);
    again = ablate_line(&scored, " by layer"); // nor does the table
    assert_true(held_ablate(&again)->scores[0].score == SPOILT);
    report_free(&again);
    report_free(&table);
    scored_close(&scored);
}

/* Those of its row and of the model as it is alone. */
static void a_row_whose_translations_are_gone_is_translated_again(void **state)
{
    struct scored scored;
    char apart[2][ABLATE_SENTENCES][APART_BYTES];
    ablate_open(&scored, "vanilla_post");
    struct report table = ablate_line(&scored, " by layer,head");
    cache_forget(&scored.bench.session->cache, CACHED_TRANSLATIONS);
    struct report row = ablate_line(&scored, " by layer,head show 3");
    const struct study_result *shown = &held_ablate(&row)->shown;
    assert_int_equal(cache_count(&scored.bench.session->cache, CACHED_TRANSLATIONS), 2);
    assert_string_equal(ablate_row_text(&held_ablate(&row)->ablations.items[2]),
                        "encoder layer 1 head 3");
    scored_apart("vanilla_post", NULL, 0, ablate_sources, ABLATE_SENTENCES, apart[0]);
    scored_apart("vanilla_post", (const char *const[]){":disable enc layer 1 head 3"}, 1,
                 ablate_sources, ABLATE_SENTENCES, apart[1]);
    assert_true(shown->list_count > 0);
    for (int i = 0; i < shown->list_count; i++)
        for (int s = 0; s < 2; s++)
            assert_string_equal(shown->list[i].text[s], apart[s][shown->list[i].number - 1]);
    int differing = 0;
    for (int i = 0; i < ABLATE_SENTENCES; i++)
        differing += strcmp(apart[0][i], apart[1][i]) != 0;
    assert_int_equal(shown->differing, differing);
    assert_int_equal(held_ablate(&table)->scores[2].differing, differing);
    report_free(&row);
    report_free(&table);
    scored_close(&scored);
}

/* True if spoilt scores are taken for those after a change. */
static bool survives(const char *change, const char *rest)
{
    struct scored scored;
    ablate_open(&scored, "vanilla_post");
    bench_run_quietly(&scored.bench, ":set significance.resamples 20");
    struct report result = ablate_line(&scored, " by layer");
    report_free(&result);
    spoil(&scored, 1);
    if (*change == ':') {
        bench_run_quietly(&scored.bench, change);
    } else if (*change) {
        FILE *file = fopen(scored.reference, "w");
        assert_non_null(file);
        fputs(change, file);
        fclose(file);
    }
    result = ablate_line(&scored, rest);
    bool spoilt = held_ablate(&result)->scores[1].score == SPOILT;
    report_free(&result);
    scored_close(&scored);
    return spoilt;
}

static void only_the_same_study_is_taken_again(void **state)
{
    static const struct {
        const char *change, *rest;
        bool same;
    } cases[] = {
        {"", " by layer", true},
        {"", " by layer show 1", true},
        {"", " layer 1 or layer 2 show 2", true},
        {":set compare.sentences 1", " by layer show 1", true},
        {":set batch 2", " by layer show 1", true},
        {":set chrf.lowercase on", " by layer show 1", true},
        {"", " by layer cross", false},
        {"", " layer 2 or layer 1 show 2", false},
        {":disable dec head 1", " by layer show 1", false},
        {":set beam 2", " by layer show 1", false},
        {":set bleu.lowercase on", " by layer show 1", false},
        {":set bleu.tokenize char", " by layer show 1", false},
        {":set bleu.smooth floor", " by layer show 1", false},
        {":set significance.trials 30", " by layer show 1", false},
        {":set significance.seed 1", " by layer show 1", false},
        {":load tests/golden/vanilla_pre.bin", " by layer show 1", false},
        {"der\neine Katze\n\ner\nKatze\nsie\n", " by layer show 1", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (survives(cases[i].change, cases[i].rest) != cases[i].same)
            fail_msg("%s%s: expected %s", cases[i].change, cases[i].rest,
                     cases[i].same ? "what is kept" : "a new study");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_translated_twice),
        cmocka_unit_test(a_row_opens_without_translations_or_tests),
        cmocka_unit_test(a_row_whose_translations_are_gone_is_translated_again),
        cmocka_unit_test(only_the_same_study_is_taken_again),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
