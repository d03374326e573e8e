/* A translation of nothing: the end of the sentence at once, as the reference scores it, in every
 * view and file. */
#include "tests/report/output/export_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

/* The reference's log-probability of the end of the sentence as the first token. */
static float expected_end(const struct bench *bench, int number)
{
    const struct config *config = session_config(bench->session);
    int vocabulary = vocabulary_size(bench->session->loaded->checkpoint->vocabulary[SIDE_TARGET]);
    const float *first = bench_expected(bench, (size_t)number, "logprobs") +
                         (ptrdiff_t)(config->start.count - 1) * vocabulary;
    return first[config->special[SPECIAL_EOS][SIDE_TARGET]];
}

static void check_case(struct bench *bench, int number)
{
    static const char *const targets[] = {"", " ", " \"\""};
    char line[1000];
    const char *source = text_of(json_array_get(bench->cases, (size_t)number), "source");
    assert_true(bench_force_case(bench, json_array_get(bench->cases, (size_t)number)));
    float wanted = expected_end(bench, number);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        snprintf(line, sizeof line, ":score %s |||%s", source, targets[i]);
        struct report result = bench_run(bench, line);
        assert_int_equal(report_count(&result, "tokens"), 1);
        assert_float_equal(report_real(&result, "logprob"), wanted, 1e-4);
        report_free(&result);
    }
    bench_run_quietly(bench, ":force \"\"");
    const struct sentence_pair *pair = bench->session->current;
    const struct hypothesis *given = pair_hypothesis(pair);
    assert_true(pair->forced);
    assert_string_equal(pair_target(pair), "");
    assert_int_equal(given->count, 1);
    assert_float_equal(given->logprob, wanted, 1e-4);
    assert_float_equal(given->score, given->logprob / search_penalty(&pair->search, 1), 1e-6);
}

static void the_end_at_once_is_scored_as_in_the_reference(void **state)
{
    static const char *const models[] = {"vanilla_post", "mixture_decoder", "moses_bpe",
                                         "learned_positions_tied", "forced_ends"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct bench bench = bench_open(models[i]);
        for (size_t k = 0; k < json_array_size(bench.cases); k++)
            check_case(&bench, (int)k);
        bench_close(&bench);
    }
}

/* Rows are start tokens alone. */
static void views_have_the_start_alone(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees");
    bench_run_quietly(&bench, ":force \"\"");
    struct report own = bench_run(&bench, ":attn dec");
    assert_int_equal(bench_matrix(&own)->rows.count, 1);
    assert_int_equal(bench_matrix(&own)->columns.count, 1);
    assert_float_equal(bench_matrix(&own)->values[0], 1, 1e-6);
    report_free(&own);
    struct report cross = bench_run(&bench, ":attn cross");
    struct report align = bench_run(&bench, ":align layer 1 head 1");
    struct report first = bench_run(&bench, ":attn cross layer 1 head 1");
    assert_int_equal(bench_matrix(&cross)->rows.count, 1);
    assert_int_equal(bench_matrix(&align)->rows.count, 1);
    assert_close(bench_matrix(&align)->values, bench_matrix(&first)->values,
                 (size_t)bench_matrix(&first)->columns.count, 1e-7, "align");
    report_free(&cross);
    report_free(&align);
    report_free(&first);
    struct report heads = bench_run(&bench, ":heads cross word");
    assert_int_equal(bench_matrix(&heads)->rows.count, 1);
    report_free(&heads);
    bench_run_quietly(&bench, ":token 1 dec");
    bench_run_quietly(&bench, ":attn enc word");
    bench_run_quietly(&bench, ":hypothesis");
    // A change of state keeps it.
    bench_run_quietly(&bench, ":disable enc head 2");
    assert_true(bench.session->current->forced);
    assert_string_equal(pair_target(bench.session->current), "");
    bench_run_quietly(&bench, ":beside before");
    bench_close(&bench);
}

/* Each file is written, and says that the empty target was given. */
static void files_hold_it(void **state)
{
    static const char *const names[] = {"a.png", "a.pdf", "a.svg", "a.csv",
                                        "a.tsv", "a.npy", "a.npz"};
    static const char *const views[] = {"attn dec", "attn cross",  "align",      "align word",
                                        "heads",    "heads cross", "token 1 dec"};
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees");
    bench_run_quietly(&bench, ":force \"\"");
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            size_t bytes;
            export_view(&bench, names[i], views[v]);
            free(export_read(names[i], &bytes));
            assert_true(bytes > 0);
        }
        json_t *object = export_json(&bench, views[v]);
        const json_t *notes = json_object_get(object, "provenance");
        assert_string_equal(text_of(notes, "target"), "");
        assert_true(json_is_true(json_object_get(notes, "forced")));
        json_decref(object);
    }
    size_t bytes;
    export_view(&bench, "a.safetensors", "");
    free(export_read("a.safetensors", &bytes));
    assert_true(bytes > 0);
    bench_close(&bench);
}

static void without_an_argument_it_is_the_reference_still(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees");
    bench_refuse(&bench, ":force", "no test set with references is open");
    bench_refuse(&bench, ":force  ", "no test set with references is open");
    bench_refuse(&bench, ":score  ||| der Hund", "expected SRC ||| TGT");
    bench_refuse(&bench, ":score |||", "expected SRC ||| TGT");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_at_once_is_scored_as_in_the_reference),
        cmocka_unit_test(views_have_the_start_alone),
        cmocka_unit_test(files_hold_it),
        cmocka_unit_test(without_an_argument_it_is_the_reference_still),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
