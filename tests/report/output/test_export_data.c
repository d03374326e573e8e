/* Views as arrays and tables, read back by readers of this test's own, against the reference. */
#include <math.h>
#include <unistd.h>

#include "report/output/export.h"
#include "tests/report/output/export_data_support.h"
#include "tests/support/test.h"

static struct bench open_given(const char *name, size_t k, const json_t **given)
{
    struct bench bench = bench_open(name);
    char line[4096];
    *given = json_array_get(bench.cases, k);
    assert_true(bench_set_head_settings(&bench, *given));
    snprintf(line, sizeof line, " %s", text_of(*given, "source"));
    bench_run_quietly(&bench, line);
    snprintf(line, sizeof line, ":force %s", text_of(*given, "target"));
    bench_run_quietly(&bench, line);
    return bench;
}

/* Arrays --------------------------------------------------------------------------------------- */

static void check_shape(const struct npy_read *array, int dimensions, const size_t *shape)
{
    assert_int_equal(array->dimensions, dimensions);
    for (int i = 0; i < dimensions; i++)
        assert_int_equal(array->shape[i], shape[i]);
}

static void arrays_are_the_references(void **state)
{
    const json_t *given;
    struct bench bench = open_given("vanilla_post", 1, &given);
    size_t m = bench.session->current->inputs.count, n = bench.session->current->source.count;
    export_view(&bench, "a.npy", "attn cross layer 2 head 3");
    struct npy_read array = read_npy("a.npy");
    check_shape(&array, 2, (size_t[]){m, n});
    const float *cross = bench_expected(&bench, 1, "cross.1.weights");
    assert_close(array.values, cross + 2 * m * n, m * n, 1e-5, "attn");
    free(array.content);

    export_view(&bench, "h.npy", "heads cross head 2-4");
    array = read_npy("h.npy");
    check_shape(&array, 4, (size_t[]){2, 3, m, n});
    assert_close(array.values + 3 * m * n, cross + m * n, 3 * m * n, 1e-5, "heads");
    free(array.content);

    export_view(&bench, "t.npy", "token 2 dec layer 2 head 1");
    array = read_npy("t.npy");
    check_shape(&array, 4, (size_t[]){2, 1, 1, m});
    const float *decoder = bench_expected(&bench, 1, "decoder.1.weights");
    assert_close(array.values, decoder + m, m, 1e-5, "from");
    for (size_t row = 0; row < m; row++)
        assert_close(array.values + m + row, decoder + row * m + 1, 1, 1e-5, "to");
    free(array.content);

    export_view(&bench, "c.npy", "token 2 cross layer 1");
    array = read_npy("c.npy");
    check_shape(&array, 4, (size_t[]){1, 1, 4, n});
    free(array.content);
    bench_close(&bench);
}

/* Over no tokens there are directions, layers and heads all the same. */
static void an_array_without_numbers_keeps_its_shape(void **state)
{
    const float none = 0;
    struct status status;
    for (int directions = 1; directions <= 2; directions++) {
        const struct array array_of_none = {.values = &none, .dimensions = 3, .shape = {2, 3, 0}};
        struct report empty = {.stacked = true};
        for (int d = 0; d < directions; d++)
            report_field(&empty, IN_ARRAYS, d ? "to" : "from", NULL, value_array(&array_of_none));
        FILE *file = fopen(export_path("e.npy"), "wb");
        assert_non_null(file);
        assert_true(npy_report(file, &empty, NULL, &status));
        report_free(&empty);
        assert_int_equal(fclose(file), 0);
        struct npy_read array = read_npy("e.npy");
        check_shape(&array, 4, (size_t[]){directions, 2, 3, 0});
        free(array.content);
    }
}

static void arrays_of_gates_have_nan_where_there_are_none(void **state)
{
    const json_t *given;
    struct bench bench = open_given("context_some_layers", 0, &given);
    int layers = module_layers(session_config(bench.session), MODULE_ENCODER), missing = 0;
    size_t n = bench.session->current->source.count;
    export_view(&bench, "g.npy", "gates enc k");
    struct npy_read array = read_npy("g.npy");
    check_shape(&array, 2, (size_t[]){n, layers});
    for (int layer = 0; layer < layers; layer++) {
        char name[64];
        snprintf(name, sizeof name, "encoder.%d.gate_k", layer);
        const float *wanted = bench_expected(&bench, 0, name);
        missing += !wanted;
        for (size_t row = 0; row < n; row++)
            if (wanted)
                assert_close(array.values + row * layers + layer, wanted + row, 1, 1e-5, name);
            else
                assert_true(isnan(array.values[row * layers + layer]));
    }
    assert_true(missing > 0 && missing < layers);
    free(array.content);
    bench_close(&bench);
}

static void arrays_of_importance_are_the_references(void **state)
{
    const json_t *given;
    struct bench bench = open_given("dhicm_last_layers", 0, &given);
    export_view(&bench, "i.npy", "importance enc");
    struct npy_read array = read_npy("i.npy");
    const struct config *config = session_config(bench.session);
    char name[64];
    snprintf(name, sizeof name, "encoder.%d.importance", module_layers(config, MODULE_ENCODER) - 1);
    check_shape(
        &array, 2,
        (size_t[]){bench.session->current->source.count, module_heads(config, MODULE_ENCODER)});
    assert_close(array.values, bench_expected(&bench, 0, name), array.count, 1e-5, name);
    free(array.content);
    bench_close(&bench);
}

static void arrays_of_averages_have_one_dimension(void **state)
{
    struct bench bench = bench_open("mixture_decoder");
    char lines[64], view[100];
    write_lines("the dog sees\na cat\n", lines);
    snprintf(view, sizeof view, ":gates %s by position", lines);
    struct report shown = bench_run(&bench, view);
    export_view(&bench, "g.npy", view);
    struct npy_read array = read_npy("g.npy");
    check_shape(&array, 1, (size_t[]){bench_groups(&shown)});
    for (int i = 0; i < bench_groups(&shown); i++) {
        assert_true(fabs(array.values[i] - bench_group_mean(&shown, i)) < 1e-6);
    }
    free(array.content);
    report_free(&shown);
    unlink(lines);
    bench_close(&bench);
}

/* Tables --------------------------------------------------------------------------------------- */

static void check_matrix(const struct cells *cells, const char *const *rows,
                         const char *const *columns, const float *wanted, int row_count,
                         int column_count)
{
    assert_int_equal(cells->columns, column_count + 1);
    assert_int_equal(cells->count, (row_count + 1) * (column_count + 1));
    assert_string_equal(cells->text[0], "");
    for (int c = 0; c < column_count; c++)
        assert_string_equal(cells->text[1 + c], columns[c]);
    for (int r = 0; r < row_count; r++) {
        char *const *line = cells->text + (size_t)(r + 1) * cells->columns;
        assert_string_equal(line[0], rows[r]);
        for (int c = 0; c < column_count; c++) {
            char *end;
            double value = strtod(line[1 + c], &end);
            assert_true(*line[1 + c] && !*end);
            assert_true(fabs(value - wanted[(size_t)r * column_count + c]) < 1e-6);
        }
    }
}

/* Tokens with everything that a table must protect. */
static void tables_keep_labels_and_weights(void **state)
{
    static const char *const sources[] = {"a,b", "\"q\"", "x\"y", "back\\slash",
                                          "\\t", "猫",    "</s>"};
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "a,b \"q\" x\"y back\\slash \\t 猫");
    bench_run_quietly(&bench, ":attn layer 2 head 1");
    struct report shown = bench_run(&bench, ":attn");
    export_view(&bench, "a.csv", "");
    export_view(&bench, "a.tsv", "");
    struct cells csv = read_table("a.csv", take_csv), tsv = read_table("a.tsv", take_tsv);
    check_matrix(&csv, sources, sources, bench_matrix(&shown)->values, 7, 7);
    check_matrix(&tsv, sources, sources, bench_matrix(&shown)->values, 7, 7);
    free(csv.content);
    free(tsv.content);
    report_free(&shown);
    bench_close(&bench);
}

static void tables_of_heads_have_a_line_for_every_weight(void **state)
{
    static const char *const names[] = {"layer",  "head",     "row",        "column",
                                        "weight", "row_text", "column_text"};
    const json_t *given;
    struct bench bench = open_given("vanilla_post", 0, &given);
    int m = bench.session->current->inputs.count, n = bench.session->current->source.count;
    export_view(&bench, "h.csv", "heads cross head 2-3");
    struct cells cells = read_table("h.csv", take_csv);
    assert_int_equal(cells.columns, 7);
    assert_int_equal(cells.count, 7 * (1 + 2 * 2 * m * n));
    for (int i = 0; i < 7; i++)
        assert_string_equal(cells.text[i], names[i]);
    char **line = cells.text + 7;
    for (int layer = 1; layer <= 2; layer++)
        for (int head = 2; head <= 3; head++)
            for (int row = 1; row <= m; row++)
                for (int column = 1; column <= n; column++, line += 7) {
                    char name[64];
                    snprintf(name, sizeof name, "cross.%d.weights", layer - 1);
                    const float *wanted = bench_expected(&bench, 0, name);
                    const int numbers[] = {layer, head, row, column};
                    for (int i = 0; i < 4; i++)
                        assert_int_equal(atoi(line[i]), numbers[i]);
                    assert_true(fabs(atof(line[4]) -
                                     wanted[((head - 1) * m + row - 1) * n + column - 1]) < 1e-5);
                    assert_string_equal(line[5], bench.session->current->inputs.texts[row]);
                    assert_string_equal(line[6],
                                        bench.session->current->source.pieces.text[column - 1]);
                }
    free(cells.content);
    bench_close(&bench);
}

static void tables_of_tokens_and_gates(void **state)
{
    const json_t *given;
    struct bench bench = open_given("context_some_layers", 0, &given);
    int n = bench.session->current->source.count;
    struct report token = bench_run(&bench, ":token 1 enc layer 1 head 2");
    export_view(&bench, "t.tsv", "");
    struct cells cells = read_table("t.tsv", take_tsv);
    assert_int_equal(cells.columns, 6);
    assert_int_equal(cells.count, 6 * (1 + 2 * n));
    for (int i = 0; i < 2 * n; i++) {
        char **line = cells.text + 6 * (1 + i);
        const char *key = i < n ? "from" : "to";
        float wanted = bench_value(&token, NULL, key)->array->values[i % n];
        assert_string_equal(line[0], i < n ? "from" : "to");
        assert_string_equal(line[1], "1");
        assert_string_equal(line[2], "2");
        assert_int_equal(atoi(line[3]), i % n + 1);
        assert_true(fabs(atof(line[4]) - wanted) < 1e-6);
    }
    free(cells.content);
    report_free(&token);

    export_view(&bench, "g.csv", "gates enc k");
    cells = read_table("g.csv", take_csv);
    int missing = 0;
    for (int layer = 1; layer < cells.columns; layer++) {
        char name[64];
        snprintf(name, sizeof name, "encoder.%d.gate_k", layer - 1);
        const float *wanted = bench_expected(&bench, 0, name);
        const char *cell = cells.text[cells.columns + layer];
        missing += !wanted;
        if (wanted)
            assert_true(*cell && fabs(atof(cell) - wanted[0]) < 1e-5);
        else
            assert_string_equal(cell, "");
    }
    assert_true(missing > 0);
    free(cells.content);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_the_references),
        cmocka_unit_test(an_array_without_numbers_keeps_its_shape),
        cmocka_unit_test(arrays_of_gates_have_nan_where_there_are_none),
        cmocka_unit_test(arrays_of_importance_are_the_references),
        cmocka_unit_test(arrays_of_averages_have_one_dimension),
        cmocka_unit_test(tables_keep_labels_and_weights),
        cmocka_unit_test(tables_of_heads_have_a_line_for_every_weight),
        cmocka_unit_test(tables_of_tokens_and_gates),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
