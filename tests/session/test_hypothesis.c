/* Hypotheses of the beam that one looks at: everything that captures follows the one chosen. */
#include <unistd.h>

#include "report/output/sink.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Inputs of the decoder are the reference's ids; what is captured is what forcing them captures. */
static void views_follow_the_hypothesis_chosen(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    const json_t *given = json_array_get(bench.cases, 1);
    const json_t *wanted =
        json_object_get(json_array_get(json_object_get(given, "hypotheses"), 2), "ids");
    bench_run_quietly(&bench, text_of(given, "source"));
    int count = bench.session->current->translation.count;
    struct report first = bench_run(&bench, ":attn cross layer 2 head 3");
    bench_run_quietly(&bench, ":hypothesis 3");
    const struct sentence_pair *pair = bench.session->current;
    int starts = session_config(bench.session)->start.count;
    assert_int_equal(pair->inputs.count, starts + (int)json_array_size(wanted) - 1);
    for (size_t i = 0; i + 1 < json_array_size(wanted); i++)
        assert_int_equal(pair->inputs.ids[starts + i],
                         json_integer_value(json_array_get(wanted, i)));
    struct report third = bench_run(&bench, ":attn cross layer 2 head 3");
    char line[256];
    snprintf(line, sizeof line, ":force %s", pair->texts[2]);
    bench_run_quietly(&bench, line);
    struct report forced = bench_run(&bench, ":attn cross layer 2 head 3");
    size_t cells = (size_t)bench_matrix(&third)->rows.count * bench_matrix(&third)->columns.count;
    assert_int_equal(bench_matrix(&third)->rows.count, bench_matrix(&forced)->rows.count);
    assert_memory_equal(bench_matrix(&third)->values, bench_matrix(&forced)->values,
                        cells * sizeof(float));
    assert_int_equal(count, 5);
    report_free(&first);
    report_free(&third);
    report_free(&forced);
    bench_close(&bench);
}

static void an_export_is_of_the_hypothesis_chosen(void **state)
{
    char line[128], path[] = "/tmp/attnscope-states-export.safetensors";
    struct bench bench = bench_open("vanilla_post");
    struct status status;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":hypothesis 4");
    snprintf(line, sizeof line, ":export %s", path);
    bench_run_quietly(&bench, line);
    const struct hypothesis *chosen = &bench.session->current->translation.hypotheses[3];
    struct safetensors *file = safetensors_open(path, &status);
    assert_non_null(file);
    json_t *ids = json_loads(safetensors_metadata(file, "target_ids"), 0, NULL);
    assert_int_equal(json_array_size(ids), chosen->count);
    for (int i = 0; i < chosen->count; i++)
        assert_int_equal(json_integer_value(json_array_get(ids, i)), chosen->ids[i]);
    assert_string_equal(safetensors_metadata(file, "target"), bench.session->current->texts[3]);
    json_decref(ids);
    safetensors_close(file);
    unlink(path);
    bench_close(&bench);
}

/* Numbers are the command's, the one looked at has a star. */
static void hypotheses_are_listed_best_first(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char *text = NULL;
    size_t size;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":hypothesis 2");
    struct report result = bench_run(&bench, ":hypothesis");
    struct sink sink = {.stream = open_memstream(&text, &size), .kind = &plain_sink};
    sink.kind->result(&sink, "hypothesis", &result);
    fclose(sink.stream);
    char *line = text;
    for (int i = 0; i < 5; i++) {
        const struct sentence_pair *pair = bench.session->current;
        const struct hypothesis *one = &pair->translation.hypotheses[i];
        char *wanted = NULL;
        int length = asprintf(&wanted,
                              " %s  number %d  score %.4f  log-probability %.4f  tokens %d\n"
                              "       text       %s\n",
                              i == 1 ? "*" : " ", i + 1, one->score, one->logprob, one->count,
                              pair->texts[i]);
        assert_int_equal(strncmp(line, wanted, (size_t)length), 0);
        line += length;
        free(wanted);
    }
    assert_string_equal(line, "");
    free(text);
    report_free(&result);
    bench_close(&bench);
}

static void hypotheses_that_are_not_there_are_refused(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_refuse(&bench, ":hypothesis 1", "no sentence yet");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":hypothesis 4");
    bench_run_quietly(&bench, ":hypothesis"); // lists them
    bench_refuse(&bench, ":hypothesis 0", "1 to 5");
    bench_refuse(&bench, ":hypothesis 6", "1 to 5");
    bench_refuse(&bench, ":hypothesis 99999999999999999999", "1 to 5");
    bench_refuse(&bench, ":hypothesis 1 2", "\"2\": unexpected argument");
    assert_int_equal(bench.session->current->chosen, 3);
    bench_run_quietly(&bench, ":force der Hund");
    bench_refuse(&bench, ":hypothesis 2", "expected 1, the only one");
    bench_close(&bench);
}

static void a_change_goes_back_to_the_best_hypothesis(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":hypothesis 4");
    bench_run_quietly(&bench, ":attn");
    assert_int_equal(bench.session->current->chosen, 3);
    bench_run_quietly(&bench, ":disable enc head 1");
    assert_int_equal(bench.session->current->chosen, 0);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_follow_the_hypothesis_chosen),
        cmocka_unit_test(an_export_is_of_the_hypothesis_chosen),
        cmocka_unit_test(hypotheses_are_listed_best_first),
        cmocka_unit_test(hypotheses_that_are_not_there_are_refused),
        cmocka_unit_test(a_change_goes_back_to_the_best_hypothesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
