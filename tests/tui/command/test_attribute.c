/* `:attribute` and `:alti`: contributions of source and target tokens to each prediction, ALTI+
 * against the reference's numbers (tests/golden/attribution.expected.gz; other methods have theirs
 * in tests/model/attribution/test_predictions.c), and the share of the source over files. */
#include <math.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

/* The joint matrix of a case whose results are expected; *rows: of the decoder. */
static void check_model(const struct safetensors *expected, const char *model)
{
    struct bench bench = bench_open(model);
    size_t k = 0;
    char name[200];
    const struct stored_tensor *tensor = NULL;
    for (; !tensor && k < json_array_size(bench.cases); k++) {
        snprintf(name, sizeof name, "%s.%zu.cross.alti", model, k);
        tensor = safetensors_find(expected, name);
    }
    assert_non_null(tensor);
    assert_true(bench_force_case(&bench, json_array_get(bench.cases, k - 1)));
    struct report result = bench_run(&bench, ":alti");
    const struct matrix *matrix = bench_matrix(&result);
    int rows = matrix->rows.count, columns = matrix->columns.count;
    int sources = bench.session->current->source.count;
    assert_int_equal(bench_value(&result, NULL, "source_columns")->integer, sources);
    // Rows that predict a start token are not shown: they come first.
    int first = (int)(tensor->elements / columns) - rows;
    assert_int_equal(rows, bench.session->current->translation.hypotheses[0].count);
    double mean = 0;
    for (int i = 0; i < rows; i++) {
        double share = 0;
        for (int j = 0; j < columns; j++) {
            float wanted = ((const float *)tensor->data)[(first + i) * columns + j];
            if (!(fabs((double)matrix->values[i * columns + j] - wanted) <= 1e-5))
                fail_msg("%s [%d][%d]: %.9g, expected %.9g", model, i, j,
                         matrix->values[i * columns + j], wanted);
            share += j < sources ? wanted : 0;
        }
        const struct value *shares = bench_value(&result, NULL, "source_shares");
        assert_true(fabs(shares->list[i].real - share) < 1e-5);
        mean += share / rows;
    }
    assert_true(fabs(bench_value(&result, NULL, "source_share")->real - mean) < 1e-5);
    report_free(&result);
    bench_close(&bench);
}

static void contributions_are_the_references(void **state)
{
    static const char *const models[] = {"vanilla_pre", "context_global", "mma_cross_empty_rows",
                                         "specials_differ"};
    struct safetensors *expected = packed_safetensors_open("tests/golden/attribution.expected.gz");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        check_model(expected, models[i]);
    safetensors_close(expected);
}

#define SOURCES "Two dogs are running.\n\nA man sleeps.\n"
#define TARGETS "Zwei Hunde laufen.\n\nEin Mann schläft.\n"

/* What `:alti` says of one pair. */
static double share_of(struct bench *bench, const char *source, const char *target, int *rows)
{
    char line[200];
    bench_run_quietly(bench, source);
    if (target) {
        snprintf(line, sizeof line, ":force %s", target);
        bench_run_quietly(bench, line);
    }
    struct report result = bench_run(bench, ":alti");
    double share = bench_value(&result, NULL, "source_share")->real;
    *rows = bench_matrix(&result)->rows.count;
    report_free(&result);
    return share;
}

static void check_file(struct bench *bench, const char *line, const char *const *targets)
{
    static const char *const sources[] = {"Two dogs are running.", "A man sleeps."};
    struct report result = bench_run(bench, line);
    const struct table *table = bench_table(&result, "shares");
    double sum = 0, last = 0;
    int rows = 0;
    assert_int_equal(table->row_count, 2);
    for (int i = 0; i < 2; i++) {
        bool second = bench_cell(table, i, "sentence")->integer == 3;
        int count;
        double share = share_of(bench, sources[second], targets ? targets[second] : NULL, &count);
        assert_true(fabs(bench_cell(table, i, "source_share")->real - share) < 1e-9);
        assert_int_equal(bench_cell(table, i, "rows")->integer, count);
        assert_string_equal(bench_cell(table, i, "source")->text, sources[second]);
        assert_true(share >= last);
        last = share;
        sum += share * count;
        rows += count;
    }
    assert_int_equal(bench_value(&result, NULL, "rows")->integer, rows);
    assert_int_equal(bench_value(&result, NULL, "sentences")->integer, 2);
    assert_true(fabs(bench_value(&result, NULL, "source_share")->real - sum / rows) < 1e-9);
    const struct block *block = report_find(&result, BLOCK_PLOT, IN_FIGURE);
    assert_non_null(block);
    assert_string_equal(block->plot->x_title, "share of the source (%)");
    assert_string_equal(block->plot->y_title, "sentences");
    report_free(&result);
}

static void a_file_has_the_shares_of_its_sentences(void **state)
{
    static const char *const targets[] = {"Zwei Hunde laufen.", "Ein Mann schläft."};
    struct bench bench = bench_open_model("samples/en-de.bin");
    char source[64], target[64], line[200];
    write_lines(SOURCES, source);
    write_lines(TARGETS, target);
    snprintf(line, sizeof line, ":alti %s", source);
    check_file(&bench, line, NULL);
    snprintf(line, sizeof line, ":alti %s %s", source, target);
    check_file(&bench, line, targets);
    unlink(source);
    unlink(target);
    bench_close(&bench);
}

/* If all weights are 0, there are no shares. */
static void without_heads_there_are_no_shares(void **state)
{
    static const char *const setup[] = {"Two dogs are running.", ":disable enc", ":disable dec",
                                        ":disable cross", ":force Zwei Hunde."};
    struct bench bench = bench_open_model("samples/en-de.bin");
    char source[64], line[200];
    write_lines("Two dogs.\n", source);
    for (int i = 0; i < COUNT(setup); i++)
        bench_run_quietly(&bench, setup[i]);
    snprintf(line, sizeof line, ":attribute gradient-attention %s", source);
    const char *const lines[] = {line, ":attribute gradient-attention"};
    for (int i = 0; i < 2; i++) {
        struct report result = bench_run(&bench, lines[i]);
        assert_null(strstr(result.title, "nan"));
        assert_int_equal(bench_value(&result, NULL, "source_share")->kind, VALUE_NULL);
        report_free(&result);
    }
    unlink(source);
    bench_close(&bench);
}

/* Sums of integrated gradients are what the log-probabilities gain on the way, to 1% at 64
 * steps. */
static void integrated_gradients_are_complete(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report result = bench_run(&bench, ":attribute integrated-gradients");
    const struct matrix *matrix = bench_matrix(&result);
    const struct value *totals = bench_value(&result, NULL, "totals");
    double off = 0, size = 0;
    for (int i = 0; i < matrix->rows.count; i++) {
        double sum = 0;
        for (int j = 0; j < matrix->columns.count; j++)
            sum += (double)matrix->values[i * matrix->columns.count + j];
        off += fabs(sum - totals->list[i].real);
        size += fabs(totals->list[i].real);
    }
    assert_int_equal(bench_value(&result, NULL, "steps")->integer, 64);
    assert_true(size > 10 && off <= 0.01 * size);
    assert_true(fabs(bench_value(&result, NULL, "error")->real - off / size) < 1e-9);
    report_free(&result);
    bench_close(&bench);
}

/* A contrast with the token that was predicted is nothing; with another translation of the same
 * length, token by token, it is that with each of them. */
static void a_contrast_is_the_difference_of_two_tokens(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report word = bench_run(&bench, ":attribute gradient-input against Zwei");
    struct report other = bench_run(&bench, ":attribute gradient-input against Zwei Hunde Hunde.");
    const int columns = bench_matrix(&word)->columns.count;
    const float *first = bench_matrix(&word)->values, *second = bench_matrix(&other)->values;
    for (int j = 0; j < columns; j++) {
        assert_true(first[j] == 0 && second[j] == 0 && second[columns + j] == 0);
        assert_true(second[3 * columns + j] == 0 && second[4 * columns + j] == 0);
    }
    struct report third = bench_run(&bench, ":attribute gradient-input against Hunde");
    assert_memory_equal(bench_matrix(&third)->values + 2 * columns, second + 2 * columns,
                        (size_t)columns * sizeof *second);
    assert_string_equal(bench_value(&other, NULL, "against")->text, "Zwei Hunde Hunde.");
    report_free(&word);
    report_free(&other);
    report_free(&third);
    bench_close(&bench);
}

static void questions_without_an_answer_get_one_line(void **state)
{
    static const struct {
        const char *model, *line, *message;
    } cases[] = {
        {"samples/en-de.bin", ":attribute norms",
         "\"norms\": expected rollout, flow, alti, saliency"},
        {"samples/en-de.bin", ":attribute saliency against Katzen",
         "against: \"Katzen\" is 2 tokens, expected 1, or a translation of 4"},
        {"samples/en-de.bin", ":attribute saliency against \u4e2d",
         "against: \"\u4e2d\" is not in the target vocabulary"},
        {"samples/en-de.bin", ":attribute alti against Hunde",
         "alti: expected a method that has a derivative, or erasure, for a contrast"},
        {"samples/en-de.bin", ":attn as saliency", "as saliency: expected weights, norms"},
        {"tests/golden/recurrent_post.bin", ":attribute gradient-attention",
         "gradient-attention: the decoder has a recurrence (SSRU), which mixes tokens without "
         "attention weights"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_open_model(cases[i].model);
        bench_run_quietly(&bench, "Two dogs are running.");
        bench_refuse(&bench, cases[i].line, cases[i].message);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contributions_are_the_references),
        cmocka_unit_test(a_file_has_the_shares_of_its_sentences),
        cmocka_unit_test(without_heads_there_are_no_shares),
        cmocka_unit_test(integrated_gradients_are_complete),
        cmocka_unit_test(a_contrast_is_the_difference_of_two_tokens),
        cmocka_unit_test(questions_without_an_answer_get_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
