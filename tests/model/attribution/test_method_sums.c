/* Methods of attribution over at least 20 sentences of every kind of model, in every layer and
 * head: of each matrix a weighted sum over all of its cells and sentences, which
 * scripts/golden/make_methods_golden.py computed in float64. */
#include <jansson.h>
#include <math.h>

#include "model/attribution/attribute.h"
#include "model/text/lines.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/packed.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

#define BOUND 1e-5 // of a sum that is divided by its rows; of those above 1 it is relative
enum { LAYERS_MOST = 8, HEADS_MOST = 17, TOGETHER = HEADS_MOST - 1 };

/* Sums over the sentences of a model so far. */
struct sums {
    double total[METHOD_COUNT][MODULE_COUNT][LAYERS_MOST][HEADS_MOST];
    long rows[MODULE_COUNT];
};

static double weighted(const float *matrix, int rows, int columns)
{
    double sum = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            sum += matrix[r * columns + c] * (((7 * r + 13 * c) % 32) / 32.0);
    return sum;
}

/* The matrix of one head, or of all together, in the place behind them. */
static void add_matrix(const struct captured *captured, enum method method, enum module module,
                       int layer, int place, struct sums *sums)
{
    int rows = captured_rows(captured, module), columns = captured_columns(captured, module);
    float *out = calloc((size_t)rows * (size_t)columns, sizeof *out);
    struct status status;
    int head = place == TOGETHER ? HEADS_TOGETHER : place;
    if (!attribution_matrix(captured, method, module, layer, head, NULL, out, NULL, &status))
        fail_msg("%s", status.message);
    sums->total[method][module][layer][place] += weighted(out, rows, columns);
    free(out);
}

static void add_module(const struct captured *captured, enum module module, struct sums *sums)
{
    int layers = captured->capture->layers[module], heads = captured->capture->heads[module];
    assert_true(layers <= LAYERS_MOST && heads < HEADS_MOST);
    sums->rows[module] += captured_rows(captured, module);
    for (int layer = 0; layer < layers; layer++) {
        for (int head = 0; head < heads; head++)
            add_matrix(captured, METHOD_NORMS, module, layer, head, sums);
        for (enum method method = METHOD_NORMS; method <= METHOD_ALTI; method++)
            add_matrix(captured, method, module, layer, TOGETHER, sums);
    }
}

static void add_pair(const struct golden *golden, const char *source_text, const char *target_text,
                     struct sums *sums)
{
    const struct config *config = golden->checkpoint->config;
    const struct language_pair languages = language_pair_default(config);
    struct attribution_request request = {.method = METHOD_ALTI, // it reads all that there is
                                          .module = MODULE_CROSS,
                                          .last = module_layers(config, MODULE_CROSS) - 1};
    struct sentence source = {0};
    struct capture capture;
    struct status status;
    int *target = NULL, count;
    if (!source_encode(golden->checkpoint, &languages, source_text, &source, &status) ||
        (count = given_encode(golden->checkpoint, target_text, &target, &status)) < 0 ||
        !attribution_request(&request, config, &status) ||
        !force_run(golden->model, &source, target, count, NULL, &request.capture, &capture,
                   &status)) {
        fail_msg("%s: %s", golden->name, status.message);
        return;
    }
    const struct captured captured = {
        .config = config, .head_settings = model_head_settings(golden->model), .capture = &capture};
    for (int m = 0; m < MODULE_COUNT; m++)
        add_module(&captured, m, sums);
    capture_free(&capture);
    attribution_free(&request);
    sentence_free(&source);
    free(target);
}

static int add_samples(const struct golden *golden, struct sums *sums)
{
    struct lines lines[2] = {{0}};
    struct status status;
    assert_true(lines_read("samples/aligned.en", NULL, &lines[0], &status));
    assert_true(lines_read("samples/aligned.de", NULL, &lines[1], &status));
    int count = lines[0].count;
    for (int i = 0; i < count; i++)
        add_pair(golden, lines[0].text[i], lines[1].text[i], sums);
    lines_free(&lines[0]);
    lines_free(&lines[1]);
    return count;
}

static int add_pairs(const struct golden *golden, const json_t *pairs, struct sums *sums)
{
    const json_t *pair;
    size_t i;
    json_array_foreach(pairs, i, pair) add_pair(golden, json_string_value(json_array_get(pair, 0)),
                                                json_string_value(json_array_get(pair, 1)), sums);
    return (int)json_array_size(pairs);
}

/* expected: layers of heads, all together behind them, or of all together alone. */
static int check_layers(const char *what, const json_t *expected, long rows,
                        const double (*totals)[HEADS_MOST])
{
    const json_t *heads, *wanted;
    size_t layer, h;
    int checked = 0;
    json_array_foreach(expected, layer, heads) json_array_foreach(heads, h, wanted)
    {
        bool last = h + 1 == json_array_size(heads);
        double is = totals[layer][last ? TOGETHER : h] / (double)rows,
               number = json_number_value(wanted);
        if (!(fabs(is - number) <= BOUND * fmax(1, fabs(number))))
            fail_msg("%s layer %zu head %zu: %.9g, expected %.9g", what, layer + 1, h + 1, is,
                     number);
        checked++;
    }
    return checked;
}

static int check_sums(const char *model, const json_t *expected, const struct sums *sums)
{
    int checked = 0;
    for (enum method method = METHOD_NORMS; method <= METHOD_ALTI; method++)
        for (int m = 0; m < MODULE_COUNT; m++) {
            char what[200];
            snprintf(what, sizeof what, "%s %s %s", model, method_table[method].name,
                     module_names[m]);
            checked +=
                check_layers(what,
                             json_object_get(json_object_get(expected, method_table[method].name),
                                             module_names[m]),
                             sums->rows[m], sums->total[method][m]);
        }
    return checked;
}

static int check_model(const json_t *given)
{
    const char *model = json_string_value(json_object_get(given, "model"));
    const json_t *pairs = json_object_get(given, "pairs");
    struct golden *golden = golden_open_path(model, "cpu", 1);
    struct sums *sums = calloc(1, sizeof *sums);
    int sentences = pairs ? add_pairs(golden, pairs, sums) : add_samples(golden, sums), layers = 0,
        heads = 0;
    assert_true(sentences >= 20);
    for (int m = 0; m < MODULE_COUNT; m++) {
        layers += module_layers(golden->checkpoint->config, m);
        heads += module_layers(golden->checkpoint->config, m) *
                 module_heads(golden->checkpoint->config, m);
    }
    // Norms of every head, and six methods of the heads of a layer together.
    int checked = check_sums(model, json_object_get(given, "sums"), sums);
    assert_int_equal(checked, heads + 6 * layers);
    free(sums);
    golden_close(golden);
    return checked;
}

static void methods_give_what_their_papers_define_over_many_sentences(void **state)
{
    json_t *golden = packed_json_load("tests/golden/methods.json.gz"), *given;
    size_t i;
    int checked = 0;
    json_array_foreach(golden, i, given) if (i % (size_t)rounds_of(2, 1) == 0) checked +=
        check_model(given);
    assert_int_equal(json_array_size(golden), 14);
    assert_true(checked > rounds_of(500, 1000));
    json_decref(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_give_what_their_papers_define_over_many_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
