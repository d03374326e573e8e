/* `:lens` against the float64 reference (scripts/attnscope_reference/lens.py). */
#include <math.h>
#include <unistd.h>

#include "session/session.h"
#include "tests/support/commands_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

#define BOUND 1e-4

static json_t *given;

static void force_pair(struct bench *bench)
{
    char line[300];
    const json_t *pair = json_object_get(given, "pair");
    bench_run_quietly(bench, json_string_value(json_array_get(pair, 0)));
    snprintf(line, sizeof line, ":force %s", json_string_value(json_array_get(pair, 1)));
    bench_run_quietly(bench, line);
}

static const json_t *numbers_of(const json_t *layer, const char *key, size_t i)
{
    return json_array_get(json_object_get(layer, key), i);
}

static void check_token(const struct bench *bench, const struct table *table, const json_t *layer,
                        int row, int number)
{
    char key[20];
    int best = (int)json_integer_value(numbers_of(layer, "best", (size_t)row));
    double p = exp(json_number_value(numbers_of(layer, "best_logprobs", (size_t)row)));
    const struct checkpoint *checkpoint = bench->session->loaded->checkpoint;
    snprintf(key, sizeof key, "layer_%d", number);
    assert_string_equal(value_plain(bench_cell(table, row, key))->text,
                        vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], best));
    snprintf(key, sizeof key, "p_%d", number);
    if (!(fabs(bench_cell(table, row, key)->real - p) <= BOUND))
        fail_msg("row %d %s: %g, expected %g", row, key, bench_cell(table, row, key)->real, p);
}

/* The first layer from which on the best token stays the last layer's. */
static int decided(const json_t *layers, size_t row)
{
    size_t count = json_array_size(layers), first = count;
    json_int_t last =
        json_integer_value(numbers_of(json_array_get(layers, count - 1), "best", row));
    while (first > 1 &&
           json_integer_value(numbers_of(json_array_get(layers, first - 2), "best", row)) == last)
        first--;
    return (int)first;
}

static void the_decoder_predicts_what_the_reference_does(void **state)
{
    const char *name;
    json_t *expected;
    json_object_foreach(json_object_get(given, "samples"), name, expected)
    {
        char path[100];
        snprintf(path, sizeof path, "samples/%s.bin", name);
        struct bench bench = bench_open_model(path);
        force_pair(&bench);
        struct report result = bench_run(&bench, ":lens");
        const struct table *table = bench_table(&result, "tokens");
        const struct matrix *matrix = bench_matrix(&result);
        const json_t *layers = json_object_get(expected, "decoder"), *layer;
        size_t k;
        json_array_foreach(layers, k, layer) for (int row = 0; row < table->row_count; row++)
        {
            double logprob = json_number_value(numbers_of(layer, "logprobs", (size_t)row));
            check_token(&bench, table, layer, row, (int)k + 1);
            assert_true(fabs(matrix->values[(int)k * table->row_count + row] - exp(logprob)) <=
                        BOUND);
            assert_int_equal(bench_cell(table, row, "decided")->integer,
                             decided(layers, (size_t)row));
        }
        assert_int_equal(table->row_count,
                         json_array_size(json_object_get(json_array_get(layers, 0), "best")));
        report_free(&result);
        bench_close(&bench);
    }
}

/* log p of the translation after each layer of the encoder; the last layer's is that of the whole
 * model. */
static void the_encoder_s_layers_give_it_the_reference_s_probability(void **state)
{
    const char *name;
    json_t *expected;
    json_object_foreach(json_object_get(given, "samples"), name, expected)
    {
        char path[100];
        snprintf(path, sizeof path, "samples/%s.bin", name);
        struct bench bench = bench_open_model(path);
        force_pair(&bench);
        struct report result = bench_run(&bench, ":lens enc");
        const struct table *table = bench_table(&result, "layers");
        const json_t *layers = json_object_get(expected, "encoder"), *layer, *number;
        size_t k, i;
        assert_int_equal(table->row_count, json_array_size(layers));
        json_array_foreach(layers, k, layer)
        {
            double sum = 0;
            json_array_foreach(json_object_get(layer, "logprobs"), i, number) sum +=
                json_number_value(number);
            assert_true(fabs(bench_cell(table, (int)k, "logprob")->real - sum) <= 1e-3);
        }
        report_free(&result);
        bench_close(&bench);
    }
}

/* The translation of the last layer is the model's own. */
static void the_last_layer_translates_as_the_model(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    struct report own = bench_run(&bench, "Two dogs are running in the old town.");
    struct report result = bench_run(&bench, ":lens enc");
    const struct table *table = bench_table(&result, "layers");
    assert_string_equal(bench_cell(table, table->row_count - 1, "translation")->text,
                        pair_target(bench.session->current));
    report_free(&own);
    report_free(&result);
    bench_close(&bench);
}

static const char *const sources[] = {"Two dogs are running.", "It is raining.",
                                      "My brother bought a new car."};
enum { SENTENCES = 3 };

static void write_sources(char path[64])
{
    char text[300] = "";
    for (int i = 0; i < SENTENCES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", sources[i]);
    write_lines(text, path);
}

/* Sums over the sentences one by one: tokens that are decided at each layer. */
static int count_decided(struct bench *bench, int decided[8])
{
    int tokens = 0;
    for (int i = 0; i < SENTENCES; i++) {
        bench_run_quietly(bench, sources[i]);
        struct report result = bench_run(bench, ":lens");
        const struct table *table = bench_table(&result, "tokens");
        for (int row = 0; row < table->row_count; row++, tokens++)
            decided[bench_cell(table, row, "decided")->integer - 1]++;
        report_free(&result);
    }
    return tokens;
}

static void a_file_sums_up_its_sentences(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    char path[64], line[100];
    int decided[8] = {0}, tokens = count_decided(&bench, decided);
    write_sources(path);
    snprintf(line, sizeof line, ":lens %s", path);
    struct report result = bench_run(&bench, line);
    const struct table *table = bench_table(&result, "layers");
    assert_int_equal(bench_value(&result, NULL, "tokens")->integer, tokens);
    for (int k = 0; k < table->row_count; k++)
        assert_true(fabs(bench_cell(table, k, "decided")->real * tokens - decided[k]) < 1e-9);
    assert_true(bench_cell(table, table->row_count - 1, "agreed")->real == 1);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

/* After the last layer it is what `:bleu` says of the model. */
static void bleu_of_the_last_layer_is_the_model_s(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    char path[64], line[200];
    char *targets = write_lines("Zwei Hunde rennen.\nEs regnet.\nMein Bruder kaufte ein Auto.\n",
                                (char[64]){0});
    write_sources(path);
    snprintf(line, sizeof line, ":lens enc %s %s", path, targets);
    struct report result = bench_run(&bench, line);
    snprintf(line, sizeof line, ":bleu %s %s", path, targets);
    struct report scored = bench_run(&bench, line);
    const struct table *table = bench_table(&result, "layers");
    double bleu = bench_value(&scored, NULL, "score")->real;
    assert_true(bleu > 0 && bleu < 100);
    assert_true(bench_cell(table, table->row_count - 1, "bleu")->real == bleu);
    assert_true(bench_cell(table, table->row_count - 1, "same")->real == 1);
    report_free(&result);
    report_free(&scored);
    unlink(path);
    unlink(targets);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_decoder_predicts_what_the_reference_does),
        cmocka_unit_test(the_encoder_s_layers_give_it_the_reference_s_probability),
        cmocka_unit_test(the_last_layer_translates_as_the_model),
        cmocka_unit_test(a_file_sums_up_its_sentences),
        cmocka_unit_test(bleu_of_the_last_layer_is_the_model_s),
    };
    given = packed_json_load("tests/golden/lens.json.gz");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(given);
    return failed;
}
