/* Languages that are chosen at run time, of a model that has tokens for them. What it translates is
 * compared with its toolkit's in test_golden. */
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/prompt/complete.h"

#define MANY "tests/golden/formats/hf-nllb"                   // deu_Latn, eng_Latn, jpn_Jpan
#define TARGETS "tests/golden/formats/hf-marian-multilingual" // of targets alone

/* A piece of a row's name in the current sentence. */
static const char *piece(const struct bench *bench, enum module module, int row)
{
    struct token_list rows = pair_rows(bench->session->current, module);
    assert_true(row < rows.count);
    return rows.texts[row];
}

static void a_language_that_is_set_is_told_to_the_model(void **state)
{
    struct bench bench = bench_open_model(MANY);
    bench_run_quietly(&bench, "\u2581w1 \u2581w2");
    assert_string_equal(piece(&bench, MODULE_ENCODER, 0), "deu_Latn");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "eng_Latn");
    bench_run_quietly(&bench, ":set source_language jpn_Jpan");
    assert_string_equal(piece(&bench, MODULE_ENCODER, 0), "jpn_Jpan");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "eng_Latn");
    bench_run_quietly(&bench, ":set target_language deu_Latn");
    assert_string_equal(piece(&bench, MODULE_ENCODER, 0), "jpn_Jpan");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "deu_Latn");
    bench_run_quietly(&bench, ":force \u2581w3");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "deu_Latn");
    bench_close(&bench);
}

/* Undone, redone, and named as a state. */
static void a_language_is_part_of_the_state(void **state)
{
    struct bench bench = bench_open_model(MANY);
    bench_run_quietly(&bench, "\u2581w1 \u2581w2");
    bench_run_quietly(&bench, ":set target_language jpn_Jpan");
    bench_run_quietly(&bench, ":state japanese");
    bench_run_quietly(&bench, ":undo");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "eng_Latn");
    bench_run_quietly(&bench, ":redo");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "jpn_Jpan");
    bench_run_quietly(&bench, ":model hf-nllb");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "eng_Latn");
    bench_run_quietly(&bench, ":load " TARGETS);
    bench_run_quietly(&bench, ":set target_language jpn");
    bench_run_quietly(&bench, ":model japanese");
    assert_string_equal(piece(&bench, MODULE_DECODER, 1), "jpn_Jpan");
    struct report shown = bench_run(&bench, ":beside hf-nllb cross");
    report_free(&shown);
    bench_close(&bench);
}

static void what_the_model_does_not_have_is_refused(void **state)
{
    struct bench bench = bench_open_model(MANY);
    bench_refuse(&bench, ":set target_language jpn_Jpn", "did you mean jpn_Jpan?");
    bench_refuse(&bench, ":set source_language xx",
                 "source_language: \"xx\", expected one of 3 languages: `:set source_language` "
                 "lists them");
    bench_run_quietly(&bench, ":load " TARGETS);
    bench_refuse(&bench, ":set source_language jpn",
                 "source_language: \"jpn\", expected eng: the model has this one alone");
    bench_run_quietly(&bench, ":set source_language eng");
    bench_close(&bench);
}

/* The one warning of a command, or NULL. */
static const char *warning_of(const struct report *report)
{
    assert_true(report->warning_count <= 1);
    return report->warning_count ? report->warnings[0] : NULL;
}

#define NO_SUCH "the model has no such language, expected one that `:set target_language` lists"

/* Three sentences of five name languages that the model does not have: every command over files
 * says so once. */
static void languages_of_files_that_the_model_lacks_are_told_once(void **state)
{
    static const struct {
        const char *begin;
        int files;
        const char *rest;
    } commands[] = {

        {":bleu", 2, ""},
        {":bleu", 2, " in current x"},
        {":stats", 1, ""},
        {":stats", 2, ""},
        {":align", 2, ""},
        {":alti", 1, ""},
        {":compare current current", 2, ""},
        {":ablate", 2, " cross"},
        {":contrast", 3, ""},
        {":prune", 2, " until 1"},
    };
    static const char texts[] = ">>zzz<< \u2581w1\n\u2581w2\n>>yyy<< \u2581w3\n>>zzz<< \u2581w4\n"
                                ">>jpn<< \u2581w1\n";
    char path[] = "/tmp/languages-XXXXXX", command[400];
    int file = mkstemp(path);
    assert_int_equal(write(file, texts, sizeof texts - 1), sizeof texts - 1);
    close(file);
    struct bench bench = bench_open_model(TARGETS);
    bench_run_quietly(&bench, ":state x");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        int used = snprintf(command, sizeof command, "%s", commands[i].begin);
        for (int f = 0; f < commands[i].files; f++)
            used += snprintf(command + used, sizeof command - (size_t)used, " %s", path);
        snprintf(command + used, sizeof command - (size_t)used, "%s", commands[i].rest);
        struct report report = bench_run(&bench, command);
        const char *warning = warning_of(&report);
        if (!warning || strcmp(warning, ">>zzz<< and others in 3 of 5 sentences: " NO_SUCH) != 0)
            fail_msg("%s: %s", command, warning ? warning : "no warning");
        report_free(&report);
    }
    bench_close(&bench);
    snprintf(command, sizeof command, ":translate %s", path);
    const char *const translate[] = {CPU, TARGETS, "-e", command, NULL};
    struct outcome outcome = cli_run(translate);
    assert_non_null(strstr(outcome.err, "in 3 of 5 sentences: " NO_SUCH));
    outcome_free(&outcome);
    bench = bench_open_model(MANY); // which has no languages in texts
    snprintf(command, sizeof command, ":bleu %s %s", path, path);
    struct report report = bench_run(&bench, command);
    assert_null(warning_of(&report));
    report_free(&report);
    bench_close(&bench);
    unlink(path);
}

static void the_models_languages_are_offered(void **state)
{
    struct bench bench = bench_open_model(MANY);
    struct completions completions;
    struct status status;
    static const char line[] = ":set target_language ";
    assert_true(complete(bench.session, line, strlen(line), &completions, &status));
    assert_int_equal(completions.words.count, 3);
    assert_string_equal(completions.words.text[2], "jpn_Jpan");
    completions_free(&completions);
    struct report shown = bench_run(&bench, ":set target_language");
    assert_string_equal(bench_value(&shown, NULL, "value")->text, "eng_Latn");
    report_free(&shown);
    bench_close(&bench);
}

static double scored(struct bench *bench)
{
    struct report shown = bench_run(bench, ":score \u2581w1 \u2581w2 ||| \u2581w3 \u2581w4");
    double logprob = bench_value(&shown, NULL, "logprob")->real;
    report_free(&shown);
    return logprob;
}

static void a_score_is_of_its_languages(void **state)
{
    struct bench bench = bench_open_model(MANY);
    double english = scored(&bench);
    bench_run_quietly(&bench, ":set target_language jpn_Jpan");
    double japanese = scored(&bench);
    assert_true(english < 0 && japanese < 0 && english != japanese);
    bench_run_quietly(&bench, ":set target_language eng_Latn");
    assert_true(scored(&bench) == english);
    bench_close(&bench);
}

/* Suites and translations that were computed between other languages are others. */
static void results_are_kept_by_language(void **state)
{
    char sources[64], right[64], wrong[64], contrast[256], bleu[256];
    double accuracy[3], chrf[3];
    struct bench bench = bench_open_model(MANY);
    write_lines("\u2581w1 \u2581w2\n\u2581w3\n\u2581w4 \u2581w5\n\u2581w6\n\u2581w7\n", sources);
    write_lines("\u2581w8\n\u2581w2\n\u2581w4\n\u2581w5\n\u2581w9\n", right);
    write_lines("\u2581w9\n\u2581w1\n\u2581w5\n\u2581w6\n\u2581w8\n", wrong);
    snprintf(contrast, sizeof contrast, ":contrast %s %s %s", sources, right, wrong);
    snprintf(bleu, sizeof bleu, ":bleu %s %s", sources, right);
    for (int i = 0; i < 3; i++) {
        bench_run_quietly(&bench, i == 1 ? ":set target_language deu_Latn"
                                         : ":set target_language jpn_Jpan");
        struct report shown = bench_run(&bench, contrast);
        accuracy[i] = bench_value(&shown, NULL, "accuracy")->real;
        report_free(&shown);
        bench_run_quietly(&bench, bleu);
        shown = bench_run(&bench, "\u2581w1 \u2581w2");
        report_free(&shown);
        chrf[i] = bench.session->current->translation.hypotheses[0].score;
    }
    assert_true(accuracy[0] == accuracy[2] && chrf[0] == chrf[2] && chrf[0] != chrf[1]);
    struct report flips = bench_run(&bench, ":flips");
    report_free(&flips);
    unlink(sources);
    unlink(right);
    unlink(wrong);
    bench_close(&bench);
}

/* With -e the change is told, and a figure says what it was made with. */
static void figures_record_the_languages(void **state)
{
    char *figure = strdup(cli_path("languages.json")), command[200];
    snprintf(command, sizeof command, ":export %s attn cross", figure);
    const char *const make[] = {
        CPU, MANY, "-e", ":set target_language jpn_Jpan", "-e", "\u2581w1", "-e", command, NULL};
    struct outcome outcome = cli_run(make);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.err, "search: target_language jpn_Jpan\n"));
    outcome_free(&outcome);
    char *text = cli_read(figure, NULL);
    assert_non_null(strstr(text, ":set target_language jpn_Jpan"));
    assert_non_null(strstr(text, "\"target_language\":\"jpn_Jpan\""));
    free(text);
    const char *const again[] = {CPU, "--replay", figure, MANY, NULL};
    outcome = cli_run(again);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "the same, byte for byte"));
    outcome_free(&outcome);
    free(figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_language_that_is_set_is_told_to_the_model),
        cmocka_unit_test(a_language_is_part_of_the_state),
        cmocka_unit_test(what_the_model_does_not_have_is_refused),
        cmocka_unit_test(languages_of_files_that_the_model_lacks_are_told_once),
        cmocka_unit_test(the_models_languages_are_offered),
        cmocka_unit_test(a_score_is_of_its_languages),
        cmocka_unit_test(results_are_kept_by_language),
        cmocka_unit_test(figures_record_the_languages),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
