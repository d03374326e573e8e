/* Views as norms, as alti and so on, through the commands: against the reference's numbers
 * (tests/golden/attribution.expected.gz), what they are called, and what is refused. */
#include <jansson.h>
#include <math.h>

#include "tests/support/commands_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

#define EXPECTED "tests/golden/attribution.expected.gz"

static const struct stored_tensor *find(const struct safetensors *expected, const char *model,
                                        size_t k, const char *what)
{
    char name[200];
    snprintf(name, sizeof name, "%s.%zu.%s", model, k, what);
    return safetensors_find(expected, name);
}

/* A bench with the pair whose results are expected; *k: its case. */
static struct bench open_pair(const char *model, const struct safetensors *expected, size_t *k)
{
    struct bench bench = bench_open(model);
    for (*k = 0; *k < json_array_size(bench.cases); ++*k)
        if (find(expected, model, *k, "encoder.norms"))
            break;
    assert_true(bench_force_case(&bench, json_array_get(bench.cases, *k)));
    return bench;
}

/* Columns first … of the expected rows; norms above 1 may be off by as much more. */
static void check_matrix(struct bench *bench, const char *line,
                         const struct stored_tensor *expected, int first)
{
    struct report result = bench_run(bench, line);
    const struct matrix *matrix = bench_matrix(&result);
    int rows = matrix->rows.count, columns = matrix->columns.count;
    int wide = (int)(expected->elements / rows);
    const float *wanted = expected->data;
    assert_true(first + columns <= wide);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            float is = matrix->values[i * columns + j], should = wanted[i * wide + first + j];
            if (!(fabs((double)is - should) <= 1e-5 * fmax(1, fabs(should))))
                fail_msg("%s [%d][%d]: %.9g, expected %.9g", line, i, j, is, should);
        }
    report_free(&result);
}

static void check_module(struct bench *bench, const struct safetensors *expected, const char *model,
                         size_t k, enum module module)
{
    static const char *const kinds[] = {"norms",   "block-norms", "contributions",
                                        "rollout", "flow",        "alti"};
    const struct config *config = session_config(bench->session);
    int layers = module_layers(config, module), heads = module_heads(config, module);
    const char *name = module_names[module];
    char line[160], what[64];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool of_both = i > 2 && module == MODULE_DECODER;
        snprintf(what, sizeof what, "%s.%s", of_both ? "cross" : name, kinds[i]);
        const struct stored_tensor *tensor = find(expected, model, k, what);
        snprintf(line, sizeof line, ":attn %s layer %d%s as %s", name, layers,
                 i == 0 ? " head all" : "", kinds[i]);
        if (tensor)
            check_matrix(bench, line, tensor, of_both ? bench->session->current->source.count : 0);
    }
    snprintf(what, sizeof what, "%s.norms.head", name);
    snprintf(line, sizeof line, ":attn %s layer %d head %d as norms", name, layers, heads);
    check_matrix(bench, line, find(expected, model, k, what), 0);
}

static void views_show_what_the_reference_computes(void **state)
{
    static const char *const models[] = {
        "vanilla_post",         "vanilla_pre", "dhicm_cross_fixed",       "mixture_decoder",
        "mma_cross_empty_rows", "fixed_8f",    "context_deep_head_gates", "rms_norm_post"};
    struct safetensors *expected = packed_safetensors_open(EXPECTED);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        size_t k;
        struct bench bench = open_pair(models[i], expected, &k);
        for (int m = 0; m < MODULE_COUNT; m++)
            check_module(&bench, expected, models[i], k, m);
        bench_close(&bench);
    }
    safetensors_close(expected);
}

/* Mean and maximum of heads' norms, and the grid, are of what single heads show. */
static void norms_of_heads_merge(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    bench_run_quietly(&bench, ":disable cross layer 2 head 3");
    struct report mean = bench_run(&bench, ":attn cross layer 2 head mean as norms");
    struct report most = bench_run(&bench, ":attn cross layer 2 head max as norms");
    struct report grid = bench_run(&bench, ":heads cross layer 2 as norms");
    size_t cells = (size_t)bench_matrix(&mean)->rows.count * bench_matrix(&mean)->columns.count;
    double *sum = calloc(cells, sizeof *sum), *greatest = calloc(cells, sizeof *greatest);
    for (int head = 0; head < 4; head++) {
        char line[80];
        snprintf(line, sizeof line, ":attn cross layer 2 head %d as norms", head + 1);
        struct report one = bench_run(&bench, line);
        assert_int_equal(strstr(one.title, "  off") != NULL, head == 2);
        for (size_t i = 0; i < cells; i++) {
            float value = bench_matrix(&one)->values[i];
            assert_true(value == bench_matrix(&grid)->values[(size_t)head * cells + i]);
            assert_int_equal(value == 0, head == 2); // off: it carries nothing
            sum[i] += value / 4;
            greatest[i] = fmax(greatest[i], value);
        }
        report_free(&one);
    }
    for (size_t i = 0; i < cells; i++) {
        assert_true(fabs(bench_matrix(&mean)->values[i] - sum[i]) < 1e-5);
        assert_true(bench_matrix(&most)->values[i] == (float)greatest[i]);
    }
    assert_non_null(strstr(grid.title, "  norms"));
    assert_string_equal(grid.command, "heads cross layer 2 head 1-4 as norms");
    free(sum);
    free(greatest);
    report_free(&mean);
    report_free(&most);
    report_free(&grid);
    bench_close(&bench);
}

/* The share of the source is the mean over the rows of what the matrix of cross-attention has, and
 * what that of the decoder lacks. */
static void decoder_and_source_share_the_rows(void **state)
{
    struct bench bench = bench_open_model("samples/en-de.bin");
    bench_run_quietly(&bench, "Two dogs are running.");
    struct report cross = bench_run(&bench, ":attn cross as alti");
    struct report own = bench_run(&bench, ":attn dec as alti");
    const struct matrix *of_source = bench_matrix(&cross), *of_prefix = bench_matrix(&own);
    const struct array *prefix = bench_value(&cross, NULL, "prefix")->array;
    const struct array *source = bench_value(&own, NULL, "source")->array;
    double total = 0;
    for (int i = 0; i < of_source->rows.count; i++) {
        double a = 0, b = 0;
        for (int j = 0; j < of_source->columns.count; j++)
            a += of_source->values[i * of_source->columns.count + j];
        for (int j = 0; j < of_prefix->columns.count; j++)
            b += of_prefix->values[i * of_prefix->columns.count + j];
        assert_true(fabs(a + b - 1) < 1e-6);
        assert_true(fabs(prefix->values[i] - b) < 1e-6 && fabs(source->values[i] - a) < 1e-6);
        total += a;
    }
    double share = bench_value(&cross, NULL, "source_share")->real;
    assert_true(fabs(share - total / of_source->rows.count) < 1e-6);
    assert_true(fabs(share - bench_value(&own, NULL, "source_share")->real) < 1e-6);
    assert_non_null(strstr(cross.title, "layers 1-2/2  ALTI  source 0."));
    report_free(&cross);
    report_free(&own);
    bench_close(&bench);
}

static void methods_come_back_by_their_commands(void **state)
{
    static const char *const lines[] = {
        "attn cross layer 2 head all as alti", "attn encoder layer 1 head all as rollout word",
        "attn decoder layer 2 head 3 as norms", "align cross layer 1 head all as contributions"};
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[100];
        snprintf(line, sizeof line, ":%s", lines[i]);
        struct report result = bench_run(&bench, line);
        assert_string_equal(result.command, lines[i]);
        report_free(&result);
    }
    bench_close(&bench);
}

/* A part that is left out keeps its last value where that exists, and the method is not kept. */
static void what_was_shown_last_is_fitted(void **state)
{
    static const struct {
        const char *line;
        int layer, head;
        enum method as;
    } steps[] = {
        {":attn cross layer 1 head 3", 0, 2, METHOD_WEIGHTS},
        {":attn as norms", 0, 2, METHOD_NORMS},
        {":attn as alti", 1, VIEW_TOGETHER, METHOD_ALTI},
        {":attn", 1, VIEW_MEAN, METHOD_WEIGHTS},
        {":attn layer 1 as rollout", 0, VIEW_TOGETHER, METHOD_ROLLOUT},
        {":attn as norms", 0, VIEW_TOGETHER, METHOD_NORMS},
        {":attn head max as norms", 0, VIEW_MAX, METHOD_NORMS},
        {":attn as contributions", 0, VIEW_TOGETHER, METHOD_CONTRIBUTIONS},
    };
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct report result = bench_run(&bench, steps[i].line);
        assert_int_equal(result.navigation.view.layer, steps[i].layer);
        assert_int_equal(result.navigation.view.head, steps[i].head);
        assert_int_equal(result.navigation.view.as, steps[i].as);
        report_free(&result);
    }
    bench_close(&bench);
}

/* The other state is of a model that the method is not defined for. */
static void states_of_other_models_are_checked(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    bench_run_quietly(&bench, ":load tests/golden/recurrent_post.bin");
    bench_run_quietly(&bench, ":model vanilla_post");
    bench_refuse(&bench, ":beside recurrent_post vanilla_post cross as alti",
                 "the decoder has a recurrence");
    bench_close(&bench);
}

static void two_states_stand_side_by_side(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    bench_run_quietly(&bench, ":disable cross layer 1");
    struct report result = bench_run(&bench, ":beside before cross as alti");
    const struct matrix *without = bench_matrix_of(&result, "b");
    assert_non_null(bench_matrix_of(&result, "a"));
    assert_non_null(strstr(result.title, "cross  layers 1-2  ALTI"));
    double sum = 0;
    for (int i = 0; i < without->rows.count * without->columns.count; i++)
        sum += without->values[i];
    assert_true(sum > 0); // layer 2 still reads the source
    report_free(&result);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_show_what_the_reference_computes),
        cmocka_unit_test(norms_of_heads_merge),
        cmocka_unit_test(decoder_and_source_share_the_rows),
        cmocka_unit_test(methods_come_back_by_their_commands),
        cmocka_unit_test(what_was_shown_last_is_fitted),
        cmocka_unit_test(states_of_other_models_are_checked),
        cmocka_unit_test(two_states_stand_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
