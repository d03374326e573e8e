/* BLEU and chrF2 against the sacrebleu package (scripts/golden/make_bleu_golden.py), and groups by
 * length. */
#include <math.h>

#include "model/score/length_groups.h"
#include "tests/model/score/bleu_support.h"
#include "tests/support/test.h"

/* Doubles that come from the same sums differ in the order of a few operations. */
static const double RELATIVE = 1e-12;

static void check_number(const char *what, double is, double wanted, double bound)
{
    if (!(fabs(is - wanted) <= bound))
        fail_msg("%s: %.12g, expected %.12g", what, is, wanted);
}

static void check_text(const char *what, const char *is, const char *wanted)
{
    if (strcmp(is, wanted) != 0)
        fail_msg("%s: %s, expected %s", what, is, wanted);
}

static double number_in(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text_in(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void check_score(const char *what, double is, const json_t *expected)
{
    char printed[32];
    check_number(what, is, number_in(expected, "score"), RELATIVE * fmax(1, is));
    snprintf(printed, sizeof printed, "%.2f", is);
    check_text(what, printed, text_in(expected, "printed"));
}

/* Compares without the placeholder for the program's version at the end. */
static void check_signature(const char *what, const json_t *expected)
{
    char wanted[200];
    snprintf(wanted, sizeof wanted, "%s|version:v", text_in(expected, "signature"));
    check_text(what, bleu_written(), wanted);
}

static void check_bleu(const char *what, const json_t *pair, const json_t *expected)
{
    const struct corpus_options options = {.bleu = bleu_options_of(expected)};
    const json_t *references = json_object_get(pair, "references");
    const json_t *sentences = json_object_get(expected, "sentences");
    struct corpus corpus = bleu_corpus(&options, json_object_get(pair, "texts"), references);
    struct corpus_score all = corpus_total(&corpus, NULL, 0);
    check_score(what, all.bleu.score, expected);
    BLEU_WRITTEN(out, bleu_write_verbose(out, &all.bleu));
    check_text(what, bleu_written(), text_in(expected, "verbose"));
    BLEU_WRITTEN(
        out, bleu_write_signature(out, &options.bleu, (int)json_array_size(references), "", "v"));
    check_signature(what, expected);
    for (size_t i = 0; i < json_array_size(sentences); i++)
        check_number(what, corpus_sentence(&corpus, (int)i).bleu.score,
                     json_number_value(json_array_get(sentences, i)), 1e-6);
    corpus_close(&corpus);
}

static void bleu_equals_sacrebleu(void **state)
{
    json_t *golden = bleu_golden(), *pair, *expected;
    size_t p, e, sentences = 0;
    json_array_foreach(json_object_get(golden, "pairs"), p, pair)
    {
        json_array_foreach(json_object_get(pair, "bleu"), e, expected)
        {
            char what[160];
            snprintf(what, sizeof what, "%s, %s", text_in(pair, "name"),
                     text_in(expected, "signature"));
            check_bleu(what, pair, expected);
            sentences += json_array_size(json_object_get(expected, "sentences"));
        }
    }
    assert_true(p >= 30 && sentences > 500);
    json_decref(golden);
}

static void check_chrf(const char *what, const json_t *pair, const json_t *expected)
{
    const struct corpus_options options = {
        .chrf_lowercase = json_is_true(json_object_get(expected, "lowercase"))};
    const json_t *references = json_object_get(pair, "references");
    const json_t *sentences = json_object_get(expected, "sentences");
    struct corpus corpus = bleu_corpus(&options, json_object_get(pair, "texts"), references);
    check_score(what, corpus_total(&corpus, NULL, 0).chrf, expected);
    BLEU_WRITTEN(out, chrf_write_signature(out, options.chrf_lowercase,
                                           (int)json_array_size(references), "", "v"));
    check_signature(what, expected);
    for (size_t i = 0; i < json_array_size(sentences); i++)
        check_number(what, corpus_sentence(&corpus, (int)i).chrf,
                     json_number_value(json_array_get(sentences, i)), 1e-6);
    corpus_close(&corpus);
}

static void chrf_equals_sacrebleu(void **state)
{
    json_t *golden = bleu_golden(), *pair, *expected;
    size_t p, e;
    json_array_foreach(json_object_get(golden, "pairs"), p, pair)
    {
        json_array_foreach(json_object_get(pair, "chrf"), e, expected)
            check_chrf(text_in(pair, "name"), pair, expected);
    }
    json_decref(golden);
}

/* Counts by hand: "a b c d" has 4, 3, 2 and 1 n-grams, of which "a b x d" has 3, 1, 0 and 0. */
static void counts_are_those_on_paper(void **state)
{
    static const char *const references[] = {"a b c d"};
    static const int64_t wanted[BLEU_COUNTS] = {4, 4, 3, 1, 0, 0, 4, 3, 2, 1};
    const struct bleu_options options = {.tokenizer = BLEU_NONE};
    int64_t counts[BLEU_COUNTS];
    struct status status;
    int length;
    assert_true(bleu_count(&options, "a b x d", references, 1, counts, &length, &status));
    assert_memory_equal(counts, wanted, sizeof wanted);
    assert_int_equal(length, 4);
    // 3/4, 1/3, then 1/2 and 1/4 of one n-gram of 2 and of 1.
    double score = bleu_score(&options, counts).score;
    check_number("exp", score, 100 * pow(3.0 / 4 * 1 / 3 * (1.0 / 2 / 2) * (1.0 / 4 / 1), 0.25),
                 1e-9);
}

/* Groups --------------------------------------------------------------------------------------- */

static void check_groups(const struct length_groups *groups, const char *wanted)
{
    char names[256] = "", name[GROUP_NAME_SIZE];
    for (int i = 0; i <= groups->count; i++) {
        length_groups_name(groups, i, name);
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", name);
    }
    check_text("groups", names, wanted);
}

static void groups_are_named_and_bounded_as_in_compare_mt(void **state)
{
    static const struct {
        int length, group;
    } members[] = {{0, 0}, {9, 0}, {10, 1}, {19, 1}, {20, 2}, {21, 3}, {29, 3}, {30, 4}, {900, 4}};
    struct length_groups groups;
    struct status status;
    assert_true(length_groups_parse("10,20,21,30", &groups, &status));
    check_groups(&groups, "<10 [10,20) 20 [21,30) >=30");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_int_equal(length_groups_find(&groups, members[i].length), members[i].group);
}

static void groups_that_cannot_be_are_refused(void **state)
{
    static const char *const wrong[] = {"",      "0",   "10,10", "20,10",      "10,", ",10",
                                        "10 20", "ten", "-1",    "9999999999", "5.5", "1,2;3"};
    struct length_groups groups;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct status status = {.code = STATUS_OK};
        if (length_groups_parse(wrong[i], &groups, &status) || status.code != STATUS_INVALID ||
            !strstr(status.message, "expected rising lengths like 10,20,30"))
            fail_msg("\"%s\": %s", wrong[i], status.message);
    }
}

/* Quartiles of 1 … 8: 2.75, 4.5, 6.25; the lengths there or next above are cutoffs. */
static void quantiles_make_groups_of_as_many(void **state)
{
    static const struct {
        int lengths[8], parts;
        const char *wanted;
    } cases[] = {
        {{8, 7, 6, 5, 4, 3, 2, 1}, 4, "<3 [3,5) [5,7) >=7"},
        {{8, 7, 6, 5, 4, 3, 2, 1}, 1, "all"},
        {{5, 5, 5, 5, 5, 5, 5, 5}, 4, "all"},
        {{1, 1, 1, 1, 1, 1, 1, 9}, 4, "all"},
        {{1, 1, 1, 9, 9, 9, 9, 9}, 4, "<9 >=9"},
        {{0, 0, 100, 100, 200, 200, 300, 300}, 2, "<200 >=200"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct length_groups groups;
        struct status status;
        assert_true(length_groups_quantiles(cases[i].lengths, 8, cases[i].parts, &groups, &status));
        check_groups(&groups, cases[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bleu_equals_sacrebleu),
        cmocka_unit_test(chrf_equals_sacrebleu),
        cmocka_unit_test(counts_are_those_on_paper),
        cmocka_unit_test(groups_are_named_and_bounded_as_in_compare_mt),
        cmocka_unit_test(groups_that_cannot_be_are_refused),
        cmocka_unit_test(quantiles_make_groups_of_as_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
