/* Contrastive suites in all their layouts, and their groups. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/study/contrast/contrast_groups.h"
#include "model/study/contrast/suite_files.h"
#include "tests/model/study/contrast/suite_texts.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

/* A suite of files, which must be one. */
static struct suite suite_of(const char *const *paths, int count)
{
    struct strings pieces = {0};
    struct suite suite;
    struct status status;
    for (int i = 0; i < count; i++)
        assert_true(strings_add(&pieces, paths[i], strlen(paths[i]), &status));
    if (!suite_read(&pieces, NULL, &suite, &status))
        fail_msg("%s: %s", paths[0], status.message);
    strings_free(&pieces);
    return suite;
}

static struct suite suite_of_json(const char *text)
{
    return suite_of((const char *const[]){cli_write("suite.json", text)}, 1);
}

/* Layouts -------------------------------------------------------------------------------------- */

static void every_error_of_lingeval_is_a_decision(void **state)
{
    struct suite suite = suite_of_json(LINGEVAL);
    const struct decision *decisions = suite.decisions;
    assert_int_equal(suite.count, 3);
    assert_int_equal(suite.candidates, 6);
    assert_int_equal(suite.decision_count, 3);
    assert_string_equal(decision_type(&suite, &decisions[0]), "a");
    assert_int_equal(decision_distance(&suite, &decisions[0]), 3);
    assert_int_equal(decision_frequency(&suite, &decisions[0]), 0);
    assert_string_equal(decision_type(&suite, &decisions[1]), "b");
    assert_int_equal(decision_distance(&suite, &decisions[1]), SUITE_ABSENT);
    assert_int_equal(decision_frequency(&suite, &decisions[1]), 10001);
    assert_null(decision_type(&suite, &decisions[2]));
    assert_int_equal(decisions[2].item, 2);
    assert_int_equal(suite.items[2].first, 4);
    assert_int_equal(suite.items[2].number, 3);
    assert_string_equal(suite_candidate(&suite.items[0], 0), "r");
    assert_string_equal(suite_candidate(&suite.items[0], 2), "y");
    suite_free(&suite);
}

static void an_ambiguous_word_is_one_decision(void **state)
{
    struct suite suite = suite_of_json(
        "[{\"source\": \"s\", \"reference\": \"r\", \"ambig word\": \"Bank\", \"sense\": \"bank\","
        "\"frequency of sense/ambig word in wmt16\": \"2500/3000\", \"errors\": ["
        "{\"type\": \"word_sense\", \"contrastive\": \"x\", \"replacement\": \"bench\"},"
        "{\"type\": \"word_sense\", \"contrastive\": \"y\", \"replacement\": \"seat\"}]}]");
    assert_int_equal(suite.decision_count, 1);
    assert_int_equal(suite.decisions[0].count, 2);
    assert_string_equal(suite.items[0].sense, "Bank: bank");
    assert_int_equal(decision_frequency(&suite, &suite.decisions[0]), 2500);
    assert_string_equal(decision_type(&suite, &suite.decisions[0]), "word_sense");
    suite_free(&suite);
}

/* The groups of evaluate.py of ContraPro: pronouns in small letters, distances above 3 together. */
static void a_pronoun_of_contrapro_is_one_decision(void **state)
{
    static const struct {
        enum contrast_by by;
        const char *name;
        int decisions;
    } wanted[] = {
        {BY_PRONOUN, "it:sie", 2},      {BY_PRONOUN, "it:er", 2}, {BY_INTRASEGMENTAL, "false", 2},
        {BY_INTRASEGMENTAL, "true", 1}, {BY_DISTANCE, "0", 1},    {BY_DISTANCE, "3", 1},
        {BY_DISTANCE, ">3", 2},
    };
    struct suite suite = suite_of_json("[" CONTRAPRO("It", "Sie", "3", "false") "," CONTRAPRO(
        "it", "sie", "0", "true") "," CONTRAPRO("it", "er", "4",
                                                "false") "," CONTRAPRO("It", "Er", "22",
                                                                       "null") "]");
    struct candidate_score scores[12] = {{-1, 1}};
    struct contrast_scores of = {.candidates = scores, .items = 4};
    struct contrast_groups groups;
    struct status status;
    assert_int_equal(suite.decision_count, 4);
    assert_int_equal(suite.decisions[3].count, 2);
    assert_true(suite.without_context);
    assert_null(decision_type(&suite, &suite.decisions[0]));
    assert_true(contrast_groups_make(&suite, &of, 4, NORMALIZE_SUM, &groups, &status));
    assert_int_equal(groups.count, sizeof wanted / sizeof *wanted);
    for (int i = 0; i < groups.count; i++) {
        assert_int_equal(groups.groups[i].by, wanted[i].by);
        assert_string_equal(groups.groups[i].name, wanted[i].name);
        assert_int_equal(groups.groups[i].decisions, wanted[i].decisions);
    }
    contrast_groups_free(&groups);
    suite_free(&suite);
}

/* Items as in deixis_test.json of good-translation-wrong-in-context, whose evaluate_consistency.py
 * asks for the lowest loss of all `dst`, and counts by `ctx_dist`. */
static void a_translation_in_context_is_one_decision(void **state)
{
    struct suite suite = suite_of_json(
        "[{\"src\": \"a . _eos b . _eos c . _eos d .\", \"dst\": [\"A . _eos B . _eos C . _eos "
        "wrong .\", "
        "\"A . _eos B . _eos C . _eos right .\", \"A . _eos B . _eos C . _eos bad .\"], "
        "\"true_ind\": 1, \"ctx_dist\": 3}, {\"src\": \"e\", \"dst\": [\"f\", \"g\"], "
        "\"true_ind\": 0, \"ctx_dist\": 1}]");
    assert_int_equal(suite.decision_count, 2);
    assert_int_equal(suite.candidates, 5);
    assert_true(suite.without_context);
    assert_int_equal(suite.decisions[0].count, 2);
    assert_string_equal(suite.items[0].source, "d .");
    assert_string_equal(suite.items[0].reference, "right .");
    assert_string_equal(suite.items[0].errors[0].text, "wrong .");
    assert_string_equal(suite.items[0].errors[1].text, "bad .");
    assert_int_equal(decision_distance(&suite, &suite.decisions[0]), 3);
    assert_string_equal(suite.items[1].reference, "f");
    assert_string_equal(suite.items[1].errors[0].text, "g");
    suite_free(&suite);
}

/* In the order of the numbers; the last of the sentences is the one to translate. */
static void pairs_of_discevalmt_are_decisions(void **state)
{
    struct suite suite = suite_of_json(
        "{\"10\": {\"src\": [\"a\", \"b\"], \"trg\": [{\"correct\": [\"c\", \"d\"], \"incorrect\": "
        "[\"c\", \"e\"], \"type\": \"m.sg\"}, {\"semi-correct\": [\"f\", \"g\"], \"incorrect\": "
        "[\"f\", "
        "\"h\"], \"type\": \"f.sg\"}]}, \"2\": {\"inspired by\": [\"x\"], \"type\": \"repet\", "
        "\"examples\": [{\"src\": [\"i\", \"j\"], \"trg\": {\"correct\": [\"k\", \"l\"], "
        "\"incorrect\": [\"k\", \"m\"]}}]}}");
    static const char *const wanted[][5] = {{"j", "l", "m", "repet", NULL},
                                            {"b", "d", "e", "m.sg", "correct"},
                                            {"b", "g", "h", "f.sg", "semi-correct"}};
    assert_int_equal(suite.decision_count, 3);
    assert_true(suite.without_context);
    for (int i = 0; i < 3; i++) {
        const struct suite_item *item = &suite.items[i];
        assert_string_equal(item->source, wanted[i][0]);
        assert_string_equal(item->reference, wanted[i][1]);
        assert_string_equal(item->errors[0].text, wanted[i][2]);
        assert_string_equal(decision_type(&suite, &suite.decisions[i]), wanted[i][3]);
        assert_int_equal(item->number, i ? 10 : 2);
        assert_string_equal(item->standard ? item->standard : "", wanted[i][4] ? wanted[i][4] : "");
    }
    suite_free(&suite);
}

static void text_files_are_a_decision_a_line(void **state)
{
    char paths[4][300];
    static const char *const texts[] = {"a\r\nb\n", "c\nd\n", "e\nf\n", "g\nh"};
    const char *list[4];
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "text%d", i);
        snprintf(paths[i], sizeof paths[i], "%s", cli_write(name, texts[i]));
        list[i] = paths[i];
    }
    struct suite suite = suite_of(list, 4);
    assert_int_equal(suite.decision_count, 2);
    assert_string_equal(suite.items[0].source, "a");
    assert_int_equal(suite.decisions[1].count, 2);
    assert_string_equal(suite_candidate(&suite.items[1], 2), "h");
    assert_null(decision_type(&suite, &suite.decisions[0]));
    suite_free(&suite);
}

static void make_folder(const char *name)
{
    if (mkdir(cli_path(name), 0700) != 0)
        fail_msg("no folder %s", name);
}

static void folders_are_sets_of_text_files(void **state)
{
    make_folder("commute");
    cli_write("commute/src.en", "a\nb\n");
    cli_write("commute/correct.de", "c\nd\n");
    cli_write("commute/incorrect.de", "d\nc\n");
    cli_write("commute/img.order", "1.jpg\n");
    struct suite one = suite_of((const char *const[]){cli_path("commute")}, 1);
    assert_int_equal(one.decision_count, 2);
    assert_string_equal(suite_candidate(&one.items[1], 1), "c");
    assert_null(decision_type(&one, &one.decisions[0]));

    make_folder("distil");
    make_folder("distil/one.mt");
    make_folder("distil/two.mt");
    make_folder("distil/empty");
    cli_write("distil/LICENSE", "text\n");
    for (int i = 0; i < 2; i++) {
        char name[60];
        static const char *const sets[] = {"one", "two"}, *const roles[] = {"src.en",
                                                                            "tgt.correct.de",
                                                                            "tgt.incorrect.de"};
        for (int role = 0; role < 3; role++) {
            snprintf(name, sizeof name, "distil/%s.mt/%s", sets[i], roles[role]);
            cli_write(name, roles[role]);
        }
    }
    struct suite two = suite_of((const char *const[]){cli_path("distil")}, 1);
    assert_int_equal(two.decision_count, 2);
    assert_string_equal(decision_type(&two, &two.decisions[0]), "one.mt");
    assert_string_equal(decision_type(&two, &two.decisions[1]), "two.mt");
    assert_string_equal(two.items[1].source, "src.en");
    assert_false(suite_equal(&one, &two));
    suite_free(&one);
    suite_free(&two);
}

/* Groups --------------------------------------------------------------------------------------- */

/* The bins of lingeval97's and ContraWSD's own evaluation. */
static void groups_are_those_of_the_suites_own_evaluation(void **state)
{
    static const struct {
        int frequency;
        const char *error, *sense;
    } bins[] = {{0, "0", "0-20"},
                {1, "1", "0-20"},
                {2, "2", "0-20"},
                {3, ">2", "0-20"},
                {6, ">5", "0-20"},
                {11, ">10", "0-20"},
                {20, ">10", "0-20"},
                {21, ">20", ">20"},
                {51, ">50", ">50"},
                {101, ">100", ">100"},
                {201, ">200", ">200"},
                {501, ">500", ">500"},
                {1001, ">1k", ">1k"},
                {2001, ">2k", ">2k"},
                {5000, ">2k", ">2k"},
                {5001, ">5k", ">5k"},
                {10000, ">5k", ">5k"},
                {10001, ">10k", ">10k"},
                {2147483647, ">10k", ">10k"}};
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++)
        for (int sense = 0; sense < 2; sense++) {
            char text[400];
            struct candidate_score candidates[] = {{-1, 2}, {-2, 2}};
            struct contrast_scores scores = {candidates, 1};
            struct contrast_groups groups;
            struct status status;
            if (sense)
                snprintf(text, sizeof text,
                         "[{\"source\":\"s\",\"reference\":\"r\",\"ambig word\":\"w\",\"sense\":"
                         "\"v\",\"frequency of sense/x\":\"%d/2\",\"errors\":[{\"contrastive\":"
                         "\"x\"}]}]",
                         bins[i].frequency);
            else
                snprintf(
                    text, sizeof text,
                    "[{\"source\":\"s\",\"reference\":\"r\",\"errors\":[{\"contrastive\":\"x\","
                    "\"frequency\":%d}]}]",
                    bins[i].frequency);
            struct suite suite = suite_of_json(text);
            assert_true(contrast_groups_make(&suite, &scores, 1, NORMALIZE_SUM, &groups, &status));
            const struct contrast_group *last = &groups.groups[groups.count - 1];
            assert_int_equal(last->by, BY_FREQUENCY);
            assert_string_equal(last->name, sense ? bins[i].sense : bins[i].error);
            contrast_groups_free(&groups);
            suite_free(&suite);
        }
}

/* On paper: six decisions of two types; the second and the fourth are wrong, by a tie and by
 * far. */
static void groups_count_their_decisions(void **state)
{
    static const struct {
        const char *type;
        int distance;
        double margin;
    } items[] = {{"b", 2, 1}, {"a", 0, 0}, {"b", 15, 1}, {"b", 16, -9}, {"a", 99, 1}, {"a", 2, 1}};
    static const struct {
        const char *name;
        int decisions, correct;
    } expected[] = {{"b", 3, 2}, {"a", 3, 2},  {"0", 1, 0},
                    {"2", 2, 2}, {"15", 1, 1}, {">15", 2, 1}};
    char text[1000] = "[";
    struct candidate_score candidates[12];
    struct contrast_scores scores = {candidates, 6};
    struct contrast_groups groups;
    struct status status;
    for (int i = 0; i < 6; i++) {
        sprintf(text + strlen(text),
                "%s{\"source\":\"s\",\"reference\":\"r\",\"errors\":[{\"contrastive\":\"x\","
                "\"type\":\"%s\",\"distance\":%d}]}",
                i ? "," : "", items[i].type, items[i].distance);
        candidates[2 * i] = (struct candidate_score){items[i].margin - 20, 3};
        candidates[2 * i + 1] = (struct candidate_score){-20, 3};
    }
    struct suite suite = suite_of_json(strcat(text, "]"));
    assert_true(contrast_groups_make(&suite, &scores, 6, NORMALIZE_SUM, &groups, &status));
    assert_int_equal(groups.count, 6);
    for (int g = 0; g < 6; g++) {
        assert_string_equal(groups.groups[g].name, expected[g].name);
        assert_int_equal(groups.groups[g].decisions, expected[g].decisions);
        assert_int_equal(groups.groups[g].correct, expected[g].correct);
    }
    assert_true(contrast_group_has(&groups, 5, 4) && !contrast_group_has(&groups, 5, 2));
    contrast_groups_free(&groups);
    suite_free(&suite);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_error_of_lingeval_is_a_decision),
        cmocka_unit_test(an_ambiguous_word_is_one_decision),
        cmocka_unit_test(a_pronoun_of_contrapro_is_one_decision),
        cmocka_unit_test(a_translation_in_context_is_one_decision),
        cmocka_unit_test(pairs_of_discevalmt_are_decisions),
        cmocka_unit_test(text_files_are_a_decision_a_line),
        cmocka_unit_test(folders_are_sets_of_text_files),
        cmocka_unit_test(groups_are_those_of_the_suites_own_evaluation),
        cmocka_unit_test(groups_count_their_decisions),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
