/* `:bleu` and `:compare` in a session: what is scored is what :translate prints, and scores are
 * those of the texts (test_bleu has those against the published package). */
#include <math.h>
#include <unistd.h>

#include "tests/model/score/bleu_support.h"
#include "tests/support/held_support.h"
#include "tests/support/report_support.h"
#include "tests/support/scored_support.h"
#include "tests/support/test.h"
#include "tui/command/study/report_study.h"

#define SOURCES "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat\n"
#define REFERENCES "der Hund\neine kleine Katze sieht den Fluss .\n\ner sieht einen Hund\nKatze\n"
enum { SENTENCES = 5 };

/* Writes what `:translate` makes of the sources to a file. */
static void write_translations(struct scored *scored, char path[64])
{
    char line[100], text[2000] = "";
    snprintf(line, sizeof line, ":translate %s", scored->source);
    struct report result = bench_run(&scored->bench, line);
    assert_int_equal(report_count(&result, "translations"), SENTENCES);
    for (int i = 0; i < SENTENCES; i++)
        strcat(strcat(text, report_text_at(&result, "translations", i)), "\n");
    report_free(&result);
    write_lines(text, path);
}

static void translations_score_as_the_same_texts_from_a_file(void **state)
{
    struct scored scored;
    char texts[64], line[200];
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, ":set batch 1");
    write_translations(&scored, texts);
    struct report own = bench_run(&scored.bench, scored_line(&scored, ":bleu", " by 3 group all"));
    snprintf(line, sizeof line, ":bleu --scored %s %s by 3 group all", texts, scored.reference);
    struct report given = bench_run(&scored.bench, line);
    const struct study_result *a = held_study(&own), *b = held_study(&given);
    assert_int_equal(a->sentences, SENTENCES);
    assert_memory_equal(&a->all, &b->all, sizeof a->all);
    assert_int_equal(a->row_count, 2);
    assert_memory_equal(a->rows, b->rows, 2 * sizeof *a->rows);
    assert_string_equal(a->rows[0].name, "<3");
    assert_int_equal(a->rows[0].sentences, 3); // 2, 0 and 1 words
    assert_int_equal(a->list_count, SENTENCES);
    for (int i = 0; i < SENTENCES; i++) {
        assert_int_equal(a->list[i].number, b->list[i].number);
        assert_string_equal(a->list[i].text[0], b->list[i].text[0]);
    }
    report_free(&own);
    report_free(&given);
    unlink(texts);
    scored_close(&scored);
}

/* What is kept is spoilt, so that its use shows. */
static void translations_are_kept_for_the_next_command(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    struct report first = bench_run(&scored.bench, scored_line(&scored, ":bleu", ""));
    const struct result_cache *cache = &scored.bench.session->cache;
    assert_int_equal(cache_count(cache, CACHED_TRANSLATIONS), 1);
    for (int i = 0; i < SENTENCES; i++)
        strcpy(cache_translations_at(cache, 0)->texts[i], "");
    struct report again = bench_run(&scored.bench, scored_line(&scored, ":bleu", ""));
    assert_true(held_study(&first)->all.score[0].chrf > 0);
    assert_true(held_study(&again)->all.score[0].chrf == 0);
    bench_run_quietly(&scored.bench, ":disable enc head 1");
    struct report other = bench_run(&scored.bench, scored_line(&scored, ":bleu", ""));
    assert_int_equal(cache_count(cache, CACHED_TRANSLATIONS), 2);
    assert_true(held_study(&other)->all.score[0].chrf > 0);
    bench_run_quietly(&scored.bench, ":enable");
    for (int beam = 1; beam < 9; beam++) {
        char line[40];
        snprintf(line, sizeof line, ":set beam %d", beam);
        bench_run_quietly(&scored.bench, line);
        bench_run_quietly(&scored.bench, scored_line(&scored, ":bleu", ""));
    }
    assert_int_equal(cache_count(cache, CACHED_TRANSLATIONS), TRANSLATIONS_KEPT);
    report_free(&first);
    report_free(&again);
    report_free(&other);
    scored_close(&scored);
}

static void two_states_compare_as_each_scores_alone(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    struct report a = bench_run(&scored.bench, scored_line(&scored, ":bleu", " by 3"));
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    struct report b = bench_run(&scored.bench, scored_line(&scored, ":bleu", " by 3"));
    bench_run_quietly(&scored.bench, ":set beam 1");
    bench_run_quietly(&scored.bench, ":state greedy");
    bench_run_quietly(&scored.bench, ":model vanilla_post.bin");
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    struct report both =
        bench_run(&scored.bench, scored_line(&scored, ":compare vanilla current", " by 3"));
    const struct study_result *study = held_study(&both);
    assert_string_equal(study->request.names[0], "vanilla_post.bin");
    for (int g = 0; g < 2; g++) {
        assert_memory_equal(&study->rows[g].score[0], &held_study(&a)->rows[g].score[0],
                            sizeof(struct corpus_score));
        assert_memory_equal(&study->rows[g].score[1], &held_study(&b)->rows[g].score[0],
                            sizeof(struct corpus_score));
    }
    assert_true(study->tests[STUDY_BLEU].done && study->tests[STUDY_CHRF].done);
    assert_true(study->differing > 0 && study->list_count == study->differing);
    for (int i = 0; i < study->list_count; i++) {
        const struct study_sentence *one = &study->list[i];
        assert_string_not_equal(one->text[0], one->text[1]);
        if (i == 0)
            continue;
        const struct study_sentence *before = &study->list[i - 1];
        assert_true(fabs(before->score[1].bleu.score - before->score[0].bleu.score) >=
                    fabs(one->score[1].bleu.score - one->score[0].bleu.score));
    }
    report_free(&a);
    report_free(&b);
    report_free(&both);
    scored_close(&scored);
}

/* A model with another vocabulary beside it. */
static void states_of_other_models_compare(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, ":load tests/golden/dhicm_last_layers.bin");
    struct report alone = bench_run(&scored.bench, scored_line(&scored, ":bleu", ""));
    struct report both =
        bench_run(&scored.bench, scored_line(&scored, ":compare vanilla dhicm", ""));
    assert_memory_equal(&held_study(&both)->all.score[1], &held_study(&alone)->all.score[0],
                        sizeof(struct corpus_score));
    report_free(&alone);
    report_free(&both);
    scored_close(&scored);
}

static void settings_decide_how_it_is_scored(void **state)
{
    static const struct {
        const char *setting, *signature;
    } cases[] = {
        {":set bleu.tokenize zh", "nrefs:1|case:mixed|eff:no|tok:zh|smooth:exp|version:attnscope-"},
        {":set bleu.lowercase on", "nrefs:1|case:lc|eff:no|tok:zh|smooth:exp|version:attnscope-"},
        {":set bleu.smooth floor", "nrefs:1|case:lc|eff:no|tok:zh|smooth:floor[0.10]|version:"},
        {":set bleu.smooth add-k", "nrefs:1|case:lc|eff:no|tok:zh|smooth:add-k[1.00]|version:"},
        {":set bleu.smooth_value 0.25", "tok:zh|smooth:add-k[0.25]|version:attnscope-"},
        {":set bleu.smooth none", "nrefs:1|case:lc|eff:no|tok:zh|smooth:none|version:attnscope-"},
        {":set chrf.lowercase on", "nrefs:1|case:lc|eff:yes|nc:6|nw:0|space:no|version:attnscope"},
    };
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int metric = strstr(cases[i].setting, "chrf") ? STUDY_CHRF : STUDY_BLEU;
        bench_run_quietly(&scored.bench, cases[i].setting);
        struct report result = bench_run(&scored.bench, scored_line(&scored, ":bleu --scored", ""));
        BLEU_WRITTEN(out, study_write_signature(out, held_study(&result), metric, false));
        if (!strstr(bleu_written(), cases[i].signature))
            fail_msg("%s: %s", cases[i].setting, bleu_written());
        report_free(&result);
    }
    scored_close(&scored);
}

/* Score and signature of sacreBLEU 2.6 for the one-sentence pair of the golden file. */
static void it_prints_as_sacrebleu_does(void **state)
{
    char text[64], reference[64], line[200];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    write_lines("The ferry leaves at 6.15 , rain or shine.\n", text);
    write_lines("The ferry leaves at 6.15 a.m., rain or shine.\n", reference);
    snprintf(line, sizeof line, ":bleu --scored %s %s", text, reference);
    struct report result = bench_run(&bench, line);
    bench.sink.kind->result(&bench.sink, "bleu", &result);
    fflush(bench.sink.stream);
    if (!strstr(bench.output, "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|"
                              "version:attnscope-"))
        fail_msg("%s", bench.output);
    if (!strstr(bench.output, " BLEU 52.66  "))
        fail_msg("%s", bench.output);
    report_free(&result);
    unlink(text);
    unlink(reference);
    bench_close(&bench);
}

/* Messages: tests/transcript/refused.scope. */
static void nothing_is_translated_of_files_that_do_not_match(void **state)
{
    static const char *const commands[] = {":bleu", ":bleu --scored", ":compare other current"};
    struct bench bench = bench_open("vanilla_post");
    char source[64], reference[64], line[256];
    bench_run_quietly(&bench, ":state other");
    write_lines("a\nb\nc\n", source);
    write_lines("a\nb\n", reference);
    for (int c = 0; c < 3; c++) {
        snprintf(line, sizeof line, "%s %s %s", commands[c], source, reference);
        bench_refuse(&bench, line, ":2: the last line, and /tmp/");
    }
    unlink(source);
    unlink(reference);
    assert_int_equal(cache_count(&bench.session->cache, CACHED_TRANSLATIONS), 0);
    bench_close(&bench);
}

/* Exports -------------------------------------------------------------------------------------- */

/* Exports a view; the file's text is freed with free(). */
static char *exported(struct scored *scored, const char *extension, const char *view)
{
    char path[64], line[500], *text = calloc(1, 1 << 16);
    snprintf(path, sizeof path, "/tmp/attnscope-study-%d.%s", (int)getpid(), extension);
    snprintf(line, sizeof line, ":export %s %s", path, view);
    bench_run_quietly(&scored->bench, line);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

static void check_beginning(const char *text, const char *wanted)
{
    if (strncmp(text, wanted, strlen(wanted)) != 0)
        fail_msg("%s, expected %s", text, wanted);
}

static void tables_have_groups_or_sentences(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    snprintf(scored.line, sizeof scored.line, "bleu --scored %s %s by 5,7", scored.reference,
             scored.reference);
    char *text = exported(&scored, "tsv", scored.line);
    check_beginning(text, "group\tlength\tsentences\tbleu\tchrf\n1\t<5\t4\t100\t100\n"
                          "2\t[5,7)\t0\t\t\n3\t>=7\t1\t100\t100\n\tall\t5\t100\t100\n");
    free(text);
    strcat(scored.line, " group 3");
    text = exported(&scored, "csv", scored.line);
    check_beginning(text,
                    "number,group,length,bleu,chrf,output,reference\n2,3,7,100,100,eine kleine "
                    "Katze sieht den Fluss .,eine kleine Katze sieht den Fluss .\n");
    free(text);
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    text = exported(&scored, "tsv", scored_line(&scored, "compare before current", ""));
    check_beginning(text, "group\tlength\tsentences\tbleu_a\tbleu_b\tchrf_a\tchrf_b\t");
    free(text);
    scored_close(&scored);
}

static void json_tells_how_it_was_made(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    char *text = exported(&scored, "json", scored_line(&scored, "compare before current", " by 3"));
    json_t *object = json_loads(text, 0, NULL), *notes = json_object_get(object, "provenance");
    char wanted[300];
    snprintf(wanted, sizeof wanted, ":compare before current %s %s by 3", scored.source,
             scored.reference);
    assert_string_equal(text_of(notes, "command"), wanted);
    assert_string_equal(text_of(json_object_get(notes, "a"), "state"), "before");
    assert_int_equal(json_array_size(json_object_get(json_object_get(notes, "a"), "disabled")), 0);
    assert_true(json_array_size(json_object_get(json_object_get(notes, "b"), "disabled")) > 0);
    json_decref(object);
    free(text);
    scored_close(&scored);
}

/* What the plain sink writes of a comparison; freed with free(). */
static char *printed(struct scored *scored, const struct report *result)
{
    struct sink *sink = &scored->bench.sink;
    size_t before = scored->bench.output_size;
    sink->kind->result(sink, "compare", result);
    fflush(sink->stream);
    return strdup(scored->bench.output + before);
}

static char *compared(struct scored *scored, const char *states, struct report *result)
{
    *result = bench_run(&scored->bench, scored_line(scored, states, " group all"));
    return printed(scored, result);
}

/* Of n sentences that score differently, 2 of the 2^n ways to exchange them are as far apart as the
 * true one. */
static void few_sentences_show_nothing(void **state)
{
    struct scored scored;
    struct report result;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    for (int i = 0; i < 2; i++) {
        char *text =
            compared(&scored, i ? ":compare before current" : ":compare current current", &result);
        const struct study_test *test = &held_study(&result)->tests[STUDY_BLEU];
        assert_true((test->differing > 1) == i);
        assert_true(i ? test->p >= 0.9 * 2 / pow(2, test->differing) : test->p == 1);
        assert_true(i || test->bootstrap.p == 1);
        report_free(&result);
        free(text);
    }
    scored_close(&scored);
}

/* The same of a study that has been changed since. */
static char *printed_anew(struct scored *scored, const struct study_result *study)
{
    struct report result = {0};
    report_scores(&result, study);
    char *text = printed(scored, &result);
    report_free(&result);
    return text;
}

/* As after Ctrl-C between the tests: those of BLEU are there, and are not denied. */
static void a_test_that_was_stopped_is_named(void **state)
{
    struct scored scored;
    struct report result;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    char *text = compared(&scored, ":compare before current", &result);
    assert_null(strstr(text, "partial"));
    free(text);
    held_study(&result)->tests[STUDY_CHRF].done = false;
    text = printed_anew(&scored, held_study(&result));
    assert_non_null(strstr(text, " partial: chrF2 is not tested\n"));
    free(text);
    held_study(&result)->tests[STUDY_BLEU].done = false;
    text = printed_anew(&scored, held_study(&result));
    assert_non_null(strstr(text, " partial: not tested\n"));
    free(text);
    report_free(&result);
    scored_close(&scored);
}

/* Saves the session; returns the script, freed with free(). */
static char *saved(struct scored *scored)
{
    char path[64], line[100], *text = calloc(1, 1 << 12);
    snprintf(path, sizeof path, "/tmp/attnscope-study-%d.scope", (int)getpid());
    snprintf(line, sizeof line, ":save %s", path);
    bench_run_quietly(&scored->bench, line);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 12) - 1, file) > 0);
    fclose(file);
    unlink(path);
    return text;
}

/* The state before the last change is not what it was when the script has run. */
static void a_comparison_is_saved_if_its_states_come_back(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    bench_run_quietly(&scored.bench, scored_line(&scored, ":compare vanilla current", ""));
    char *text = saved(&scored);
    assert_non_null(strstr(text, scored.line));
    free(text);
    bench_run_quietly(&scored.bench, scored_line(&scored, ":compare before current", ""));
    text = saved(&scored);
    assert_null(strstr(text, ":compare"));
    free(text);
    bench_run_quietly(&scored.bench, scored_line(&scored, ":bleu", " in vanilla_post.bin current"));
    text = saved(&scored);
    assert_non_null(strstr(text, scored.line));
    free(text);
    bench_run_quietly(&scored.bench, scored_line(&scored, ":bleu", " in current before"));
    text = saved(&scored);
    assert_null(strstr(text, ":bleu"));
    free(text);
    scored_close(&scored);
}

/* They need no sentence, but with one they come after it. */
static void scores_are_saved_with_and_without_a_sentence(void **state)
{
    struct scored scored;
    char wanted[500];
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    bench_run_quietly(&scored.bench, scored_line(&scored, ":bleu", " by 3"));
    char *text = saved(&scored);
    snprintf(wanted, sizeof wanted, ":reset\n%s\n", scored.line);
    assert_non_null(strstr(text, wanted));
    free(text);
    bench_run_quietly(&scored.bench, "the dog");
    text = saved(&scored);
    snprintf(wanted, sizeof wanted, ":reset\nthe dog\n%s\n", scored.line);
    assert_non_null(strstr(text, wanted));
    free(text);
    scored_close(&scored);
}

/* A script has not scored the suite in the state before. */
static void suites_are_saved_but_no_flips(void **state)
{
    struct scored scored;
    char errors[64], line[300];
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    unlink(scored.source);
    unlink(scored.reference);
    write_lines("the dog\nthe cat\n", scored.source);
    write_lines("der Hund\ndie Katze\n", scored.reference);
    snprintf(line, sizeof line, ":contrast %s %s %s", scored.source, scored.reference,
             write_lines("die Hund\nder Katze\n", errors));
    bench_run_quietly(&scored.bench, line);
    bench_run_quietly(&scored.bench, ":disable enc layer 1");
    bench_run_quietly(&scored.bench, line);
    char *text = saved(&scored);
    assert_non_null(strstr(text, ":contrast"));
    free(text);
    snprintf(line + strlen(line), sizeof line - strlen(line), " ablate in enc head 1");
    bench_run_quietly(&scored.bench, line);
    text = saved(&scored);
    assert_non_null(strstr(text, " ablate in enc head 1\n"));
    free(text);
    bench_run_quietly(&scored.bench, ":flips");
    text = saved(&scored);
    assert_null(strstr(text, ":flips"));
    free(text);
    unlink(errors);
    scored_close(&scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translations_score_as_the_same_texts_from_a_file),
        cmocka_unit_test(translations_are_kept_for_the_next_command),
        cmocka_unit_test(two_states_compare_as_each_scores_alone),
        cmocka_unit_test(states_of_other_models_compare),
        cmocka_unit_test(settings_decide_how_it_is_scored),
        cmocka_unit_test(it_prints_as_sacrebleu_does),
        cmocka_unit_test(nothing_is_translated_of_files_that_do_not_match),
        cmocka_unit_test(tables_have_groups_or_sentences),
        cmocka_unit_test(json_tells_how_it_was_made),
        cmocka_unit_test(few_sentences_show_nothing),
        cmocka_unit_test(a_test_that_was_stopped_is_named),
        cmocka_unit_test(a_comparison_is_saved_if_its_states_come_back),
        cmocka_unit_test(scores_are_saved_with_and_without_a_sentence),
        cmocka_unit_test(suites_are_saved_but_no_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
