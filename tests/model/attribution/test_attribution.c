/* Methods of attribution against the definitions of their papers: one sentence pair of every golden
 * model, as scripts/attnscope_reference/attribution.py computed them in float64. And what holds of
 * every one. */
#include <jansson.h>
#include <math.h>

#include "model/attribution/attribute.h"
#include "model/attribution/mixing.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

#define EXPECTED "tests/golden/attribution.expected.gz"

/* As of attention weights (tests/model/net/test_golden.c); of norms above 1 it is relative. */
#define BOUND 1e-5

/* A golden model's pair whose results are expected. */
struct given_pair {
    const char *name; // of the golden model
    struct golden *golden;
    struct safetensors *expected;
    int number; // of its case
    const json_t *record;
    struct sentence source;
    int target[64];
    int target_count;
    struct head_settings *head_settings;
};

static const struct stored_tensor *expected_of(const struct given_pair *pair, enum module module,
                                               const char *kind)
{
    char name[200];
    snprintf(name, sizeof name, "%s.%d.%s.%s", pair->name, pair->number, module_names[module],
             kind);
    return safetensors_find(pair->expected, name);
}

static bool find_number(struct given_pair *pair)
{
    for (pair->number = 0; (size_t)pair->number < json_array_size(pair->golden->cases);
         pair->number++)
        if (expected_of(pair, MODULE_ENCODER, "norms"))
            return true;
    return false;
}

static void pair_open(struct given_pair *pair, const char *name, struct safetensors *expected)
{
    struct status status;
    *pair = (struct given_pair){
        .name = name, .golden = golden_open(name, "cpu", 1), .expected = expected};
    if (!find_number(pair))
        fail_msg("%s: no case of it is expected", name);
    pair->record = json_array_get(pair->golden->cases, (size_t)pair->number);
    const json_t *ids = json_object_get(pair->record, "target_ids");
    pair->target_count = (int)json_array_size(ids);
    assert_true(pair->target_count <= 64);
    for (int i = 0; i < pair->target_count; i++)
        pair->target[i] = (int)json_integer_value(json_array_get(ids, (size_t)i));
    pair->head_settings = golden_head_settings(pair->golden, pair->record);
    const struct language_pair languages = language_pair_default(pair->golden->checkpoint->config);
    if (!source_encode(pair->golden->checkpoint, &languages,
                       json_string_value(json_object_get(pair->record, "source")), &pair->source,
                       &status))
        fail_msg("%s: %s", name, status.message);
}

static void pair_close(struct given_pair *pair)
{
    head_settings_free(pair->head_settings);
    sentence_free(&pair->source);
    golden_close(pair->golden);
}

/* The last layer of a module, captured for a method. */
static void capture_for(const struct given_pair *pair, enum method method, enum module module,
                        struct capture *capture)
{
    const struct config *config = pair->golden->checkpoint->config;
    int last = module_layers(config, module) - 1;
    struct attribution_request request = {
        .method = method, .module = module, .first = last, .last = last};
    struct status status;
    if (!attribution_request(&request, config, &status) ||
        !force_run(pair->golden->model, &pair->source, pair->target, pair->target_count,
                   pair->head_settings, &request.capture, capture, &status))
        fail_msg("%s: %s", pair->golden->name, status.message);
    attribution_free(&request);
}

static void assert_near(double is, double wanted, double bound, const char *what, size_t i)
{
    if (!(fabs(is - wanted) <= bound * fmax(1, fabs(wanted))))
        fail_msg("%s[%zu]: %.9g, expected %.9g", what, i, is, wanted);
}

/* Columns of the expected matrix behind the module's own: the residual; or before and behind them:
 * those of the other module, which the row has as its rest. */
static void compare_rows(const struct stored_tensor *expected, int rows, int columns, int first,
                         const float *is, const float *rest, const char *what)
{
    int wide = (int)(expected->elements / rows);
    const float *wanted = expected->data;
    assert_int_equal(expected->elements, (int64_t)rows * wide);
    for (int i = 0; i < rows; i++) {
        double others = 0;
        for (int j = 0; j < wide; j++)
            if (j < first || j >= first + columns)
                others += wanted[i * wide + j];
            else
                assert_near(is[i * columns + j - first], wanted[i * wide + j], BOUND, what,
                            (size_t)(i * wide + j));
        assert_near(rest[i], others, BOUND, what, (size_t)i);
    }
}

static int compared[METHOD_COUNT];

static void check_method(const struct given_pair *pair, enum method method, enum module module,
                         int head, const char *kind)
{
    const struct config *config = pair->golden->checkpoint->config;
    bool joint = method_table[method].joint && module == MODULE_DECODER; // kept with the other one
    const struct stored_tensor *expected = expected_of(pair, joint ? MODULE_CROSS : module, kind);
    int layers = module_layers(config, module);
    struct status status;
    if (!layers || !expected)
        return;
    assert_true(method_check(method, config, module, &status));
    struct capture capture;
    capture_for(pair, method, module, &capture);
    const struct captured captured = {
        .config = config, .head_settings = pair->head_settings, .capture = &capture};
    int rows = captured_rows(&captured, module), columns = captured_columns(&captured, module);
    float *out = calloc((size_t)rows * (size_t)columns, sizeof *out);
    float *rest = calloc((size_t)rows, sizeof *rest);
    if (!attribution_matrix(&captured, method, module, layers - 1, head, NULL, out, rest, &status))
        fail_msg("%s", status.message);
    char what[200];
    snprintf(what, sizeof what, "%s %s %s", pair->golden->name, module_names[module], kind);
    compare_rows(expected, rows, columns, joint ? capture.source_count : 0, out, rest, what);
    compared[method]++;
    free(out);
    free(rest);
    capture_free(&capture);
}

static void methods_give_what_their_papers_define(void **state)
{
    int count;
    char **names = golden_names(&count);
    struct safetensors *expected = packed_safetensors_open(EXPECTED);
    for (int n = 0; n < count; n++) {
        struct given_pair pair;
        pair_open(&pair, names[n], expected);
        for (int m = 0; m < MODULE_COUNT; m++) {
            int heads = module_heads(pair.golden->checkpoint->config, m);
            check_method(&pair, METHOD_NORMS, m, heads - 1, "norms.head");
            for (enum method method = METHOD_NORMS; method <= METHOD_ALTI; method++)
                check_method(&pair, method, m, HEADS_TOGETHER, method_table[method].name);
        }
        pair_close(&pair);
    }
    for (enum method method = METHOD_NORMS; method <= METHOD_ALTI; method++)
        assert_true(compared[method] > 100);
    safetensors_close(expected);
    golden_names_free(names, count);
}

/* The parts add up to what the pass computed: Σ_j Σ_h a f_h(j) is the same for the heads together
 * as the sublayer's output without its bias, and contributions and joint rows are shares. */
static void rows_of_shares_sum_to_one(void **state)
{
    static const enum method methods[] = {METHOD_CONTRIBUTIONS, METHOD_ROLLOUT, METHOD_FLOW,
                                          METHOD_ALTI};
    static const char *const names[] = {"vanilla_post", "vanilla_pre", "dhicm_last_layers",
                                        "fixed_8f", "rms_norm_pre"};
    struct safetensors *expected = packed_safetensors_open(EXPECTED);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct given_pair pair;
        pair_open(&pair, names[n], expected);
        const struct config *config = pair.golden->checkpoint->config;
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            for (int m = 0; m < MODULE_COUNT; m++) {
                struct capture capture;
                struct status status;
                float out[64 * 64], rest[64];
                capture_for(&pair, methods[k], m, &capture);
                const struct captured captured = {
                    .config = config, .head_settings = pair.head_settings, .capture = &capture};
                int rows = captured_rows(&captured, m), columns = captured_columns(&captured, m);
                assert_true(attribution_matrix(&captured, methods[k], m,
                                               module_layers(config, m) - 1, HEADS_TOGETHER, NULL,
                                               out, rest, &status));
                for (int i = 0; i < rows; i++) {
                    double sum = rest[i];
                    for (int j = 0; j < columns; j++)
                        sum += out[i * columns + j];
                    assert_near(sum, 1, 1e-6, names[n], (size_t)i);
                }
                capture_free(&capture);
            }
        pair_close(&pair);
    }
    safetensors_close(expected);
}

/* The sublayer's parts add up to its output: what is left is its bias, the same in every row. */
static void parts_add_up_to_the_output(void **state)
{
    struct safetensors *expected = packed_safetensors_open(EXPECTED);
    int count;
    char **names = golden_names(&count);
    for (int n = 0; n < count; n++) {
        struct given_pair pair;
        pair_open(&pair, names[n], expected);
        const struct config *config = pair.golden->checkpoint->config;
        for (int m = 0; m < MODULE_COUNT; m++) {
            struct capture capture;
            int layer = module_layers(config, m) - 1, d = config->d_model;
            if (layer < 0)
                continue;
            capture_for(&pair, METHOD_NORMS, m, &capture);
            const struct captured captured = {
                .config = config, .head_settings = pair.head_settings, .capture = &capture};
            const struct sublayer *sublayer = &capture.sublayers[m][layer];
            const float *output = sublayer->plain ? sublayer->plain : sublayer->output;
            int heads = capture.heads[m], columns = captured_columns(&captured, m);
            for (int k = 0; k < d; k++) {
                double bias = 0;
                for (int i = 0; i < captured_rows(&captured, m); i++) {
                    double left = output[i * d + k];
                    for (int j = 0; j < columns; j++)
                        for (int h = 0; h < heads; h++)
                            left -= head_share(&captured, m, layer, h, i, j) *
                                    sublayer->parts[(j * heads + h) * d + k];
                    bias = i ? bias : left;
                    assert_near(left, bias, 2e-5, names[n], (size_t)k);
                }
            }
            capture_free(&capture);
        }
        pair_close(&pair);
    }
    golden_names_free(names, count);
    safetensors_close(expected);
}

static void recurrences_are_refused_where_they_mix(void **state)
{
    struct golden *golden = golden_open("recurrent_post", "cpu", 1);
    const struct config *config = golden->checkpoint->config;
    struct status status;
    assert_true(method_check(METHOD_ALTI, config, MODULE_ENCODER, &status));
    assert_true(method_check(METHOD_CONTRIBUTIONS, config, MODULE_CROSS, &status));
    assert_false(method_check(METHOD_ALTI, config, MODULE_CROSS, &status));
    assert_non_null(strstr(status.message, "recurrence (SSRU)"));
    golden_close(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_give_what_their_papers_define),
        cmocka_unit_test(rows_of_shares_sum_to_one),
        cmocka_unit_test(parts_add_up_to_the_output),
        cmocka_unit_test(recurrences_are_refused_where_they_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
