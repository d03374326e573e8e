/* What commands show of golden models. Expected values are the reference's. */
#include <math.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static void check_hypotheses(const struct bench *bench, const json_t *given)
{
    const struct sentence_pair *pair = bench->session->current;
    const json_t *wanted = json_object_get(given, "hypotheses");
    assert_int_equal(pair->translation.count, json_array_size(wanted));
    for (int i = 0; i < pair->translation.count; i++) {
        const struct hypothesis *hypothesis = &pair->translation.hypotheses[i];
        const json_t *one = json_array_get(wanted, i);
        const json_t *ids = json_object_get(one, "ids");
        assert_string_equal(pair->texts[i], text_of(one, "text"));
        assert_int_equal(hypothesis->count, json_array_size(ids));
        for (int t = 0; t < hypothesis->count; t++)
            assert_int_equal(hypothesis->ids[t], json_integer_value(json_array_get(ids, t)));
        assert_true(fabs(hypothesis->score - json_number_value(json_object_get(one, "score"))) <
                    1e-4);
    }
}

/* Every head of every module as `:attn` shows it. */
static void check_attention(struct bench *bench, size_t k)
{
    const struct config *config = session_config(bench->session);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < module_layers(config, m); layer++) {
            char name[64];
            snprintf(name, sizeof name, "%s.%d.weights", module_names[m], layer);
            const float *wanted = bench_expected(bench, k, name);
            assert_non_null(wanted);
            for (int head = 0; head < module_heads(config, m); head++) {
                char line[64];
                snprintf(line, sizeof line, ":attn %s layer %d head %d", module_names[m], layer + 1,
                         head + 1);
                struct report result = bench_run(bench, line);
                const struct matrix *attention = bench_matrix(&result);
                size_t cells = (size_t)attention->rows.count * attention->columns.count;
                assert_int_equal(result.navigation.kind, VIEW_HEAD);
                assert_close(attention->values, wanted + head * cells, cells, 1e-5, line);
                report_free(&result);
            }
        }
}

static void check_importance(struct bench *bench, size_t k)
{
    const struct config *config = session_config(bench->session);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < module_layers(config, m); layer++) {
            char name[64], line[64];
            snprintf(name, sizeof name, "%s.%d.importance", module_names[m], layer);
            snprintf(line, sizeof line, ":importance %s layer %d", module_names[m], layer + 1);
            const float *wanted = bench_expected(bench, k, name);
            if (!wanted) {
                bench_refuse(bench, line, "no head importance");
                continue;
            }
            struct report result = bench_run(bench, line);
            assert_close(bench_matrix(&result)->values, wanted,
                         (size_t)bench_matrix(&result)->rows.count *
                             bench_matrix(&result)->columns.count,
                         1e-5, line);
            report_free(&result);
        }
}

static void check_gates_of(struct bench *bench, size_t k, enum module module, int side)
{
    char name[64], line[64];
    struct report result;
    struct status status;
    snprintf(line, sizeof line, ":gates %s %c", module_names[module], "qk"[side]);
    bool shown = command_run(bench->session, line, &result, &status);
    for (int layer = 0; layer < module_layers(session_config(bench->session), module); layer++) {
        snprintf(name, sizeof name, "%s.%d.gate_%c", module_names[module], layer, "qk"[side]);
        const float *wanted = bench_expected(bench, k, name);
        const struct value *is = shown ? &bench_value(&result, NULL, "gates")->list[layer] : NULL;
        assert_int_equal(is && is->kind == VALUE_ARRAY, wanted != NULL);
        if (wanted)
            assert_close(is->array->values, wanted,
                         is->array->shape[0] *
                             (is->array->dimensions > 1 ? is->array->shape[1] : 1),
                         1e-5, name);
    }
    report_free(&result);
}

static void commands_show_what_the_reference_computes(void **state)
{
    static const char *const names[] = {"vanilla_post",
                                        "mma_everywhere",
                                        "fixed_mixed_stacks",
                                        "words_everywhere_sentencepiece",
                                        "words_everywhere_bpe",
                                        "dhicm_last_layers",
                                        "context_deep_head_gates",
                                        "mixture_decoder"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bench bench = bench_open(names[n]);
        size_t k;
        const json_t *given;
        json_array_foreach(bench.cases, k, given)
        {
            char line[4096];
            if (!bench_set_head_settings(&bench, given))
                continue;
            snprintf(line, sizeof line, ":set beam %d", number_of(given, "beam"));
            bench_run_quietly(&bench, line);
            snprintf(line, sizeof line, " %s", text_of(given, "source"));
            bench_run_quietly(&bench, line);
            check_hypotheses(&bench, given);
            snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
            bench_run_quietly(&bench, line);
            const json_t *force = json_object_get(given, "force");
            assert_true(fabs(bench.session->current->translation.hypotheses[0].logprob -
                             json_number_value(json_object_get(force, "logprob"))) < 1e-3);
            check_attention(&bench, k);
            check_importance(&bench, k);
            for (int side = 0; side < SIDE_COUNT; side++) {
                check_gates_of(&bench, k, MODULE_ENCODER, side);
                check_gates_of(&bench, k, MODULE_DECODER, side);
            }
        }
        bench_close(&bench);
    }
}

static void mean_and_max_run_over_all_heads(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    bench_run_quietly(&bench, ":disable enc layer 2 head 1");
    struct report mean = bench_run(&bench, ":attn layer 2 head mean");
    struct report most = bench_run(&bench, ":attn head max");
    size_t cells = (size_t)bench_matrix(&mean)->rows.count * bench_matrix(&mean)->columns.count;
    float *sum = calloc(cells, sizeof *sum), *greatest = calloc(cells, sizeof *greatest);
    for (int head = 1; head <= 4; head++) {
        char line[32];
        snprintf(line, sizeof line, ":attn head %d", head);
        struct report one = bench_run(&bench, line);
        assert_int_equal(strstr(one.title, "  off") != NULL, head == 1);
        for (size_t i = 0; i < cells; i++) {
            sum[i] += bench_matrix(&one)->values[i] / 4;
            greatest[i] = fmaxf(greatest[i], bench_matrix(&one)->values[i]);
        }
        report_free(&one);
    }
    assert_close(bench_matrix(&mean)->values, sum, cells, 1e-6, "mean");
    assert_close(bench_matrix(&most)->values, greatest, cells, 0, "max");
    free(sum);
    free(greatest);
    report_free(&mean);
    report_free(&most);
    bench_close(&bench);
}

/* Columns of a word are summed, rows averaged: `shift` 0: those that read its tokens, 1: that
 * predict them. */
static void check_merged(const char *rows_named, int shift)
{
    struct bench bench = bench_open("words_everywhere_sentencepiece");
    bench_run_quietly(&bench, rows_named);
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct report tokens = bench_run(&bench, ":attn cross layer 1 head mean");
    struct report words = bench_run(&bench, ":attn cross layer 1 head mean word");
    const struct sentence_pair *pair = bench.session->current;
    int rows = bench_matrix(&words)->rows.count, columns = bench_matrix(&words)->columns.count;
    assert_int_equal(columns, pair->source.words[pair->source.count - 1] + 1);
    const int *row_words = pair->inputs.words + shift;
    assert_int_equal(rows, row_words[pair->inputs.count - 1] - row_words[0] + 1);
    float *merged = calloc((size_t)rows * columns, sizeof *merged);
    int *sizes = calloc(rows, sizeof *sizes);
    for (int i = 0; i < pair->inputs.count; i++)
        sizes[row_words[i] - row_words[0]]++;
    for (int i = 0; i < pair->inputs.count; i++)
        for (int j = 0; j < pair->source.count; j++)
            merged[(row_words[i] - row_words[0]) * columns + pair->source.words[j]] +=
                bench_matrix(&tokens)->values[i * pair->source.count + j] /
                (float)sizes[row_words[i] - row_words[0]];
    assert_close(bench_matrix(&words)->values, merged, (size_t)rows * columns, 1e-6, "words");
    assert_null(strstr(bench_matrix(&words)->columns.texts[0], "▁"));
    free(merged);
    free(sizes);
    report_free(&tokens);
    report_free(&words);
    bench_close(&bench);
}

static void words_merge_their_tokens(void **state)
{
    check_merged(":set cross_rows input", 0);
    check_merged(":set cross_rows predicted", 1);
}

static void check_rows(struct bench *bench, const char *line, const char *title,
                       const char *const *texts)
{
    struct report result = bench_run(bench, line);
    const struct axis *rows = &bench_matrix(&result)->rows;
    for (int i = 0; i < rows->count; i++)
        assert_string_equal(rows->texts[i], texts[i]);
    assert_null(texts[rows->count]);
    assert_string_equal(rows->title, title);
    report_free(&result);
}

/* A row of cross-attention is the token that it predicts, or the one that is read there; of the
 * decoder, what it reads. */
static void rows_of_cross_attention_are_named_as_they_are_set(void **state)
{
    static const char *const predicted[] = {"die", "Katze", "sieht", "</s>", NULL};
    static const char *const read[] = {"<s>", "die", "Katze", "sieht", NULL};
    static const char *const views[] = {":attn cross layer 1 head 2", ":heads cross"};
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the cat sees");
    bench_run_quietly(&bench, ":force die Katze sieht");
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        bench_run_quietly(&bench, ":set cross_rows predicted");
        check_rows(&bench, views[i], "target (predicted)", predicted);
        struct report one = bench_run(&bench, views[i]);
        assert_string_equal(bench_value(&one, NULL, "cross_rows")->text, "predicted");
        bench_run_quietly(&bench, ":set cross_rows input");
        check_rows(&bench, views[i], "target (input)", read);
        struct report other = bench_run(&bench, views[i]);
        assert_string_equal(bench_value(&other, NULL, "cross_rows")->text, "input");
        // The same rows, by another name.
        assert_close(bench_matrix(&one)->values, bench_matrix(&other)->values,
                     matrix_count(bench_matrix(&one)), 0, views[i]);
        report_free(&one);
        report_free(&other);
    }
    bench_run_quietly(&bench, ":set cross_rows predicted");
    check_rows(&bench, ":attn dec layer 1 head 1", "target (input)", read);
    bench_close(&bench);
}

static void views_default_to_what_was_shown_last(void **state)
{
    static const struct {
        const char *line;
        enum module module;
        int layer, head; // 0-based
    } steps[] = {
        {":attn", MODULE_ENCODER, 0, 0},
        {":attn layer 3 head 2", MODULE_ENCODER, 2, 1},
        {":attn", MODULE_ENCODER, 2, 1},
        {":attn head 8", MODULE_ENCODER, 2, 7},
        {":attn dec", MODULE_DECODER, 0, 3}, // it has 1 layer and 4 heads
        {":attn cross head mean", MODULE_CROSS, 0, VIEW_MEAN},
        {":attn enc", MODULE_ENCODER, 0, VIEW_MEAN},
    };
    struct bench bench = bench_open("fixed_7f1l");
    bench_refuse(&bench, ":attn", "no sentence yet");
    bench_run_quietly(&bench, bench_source(&bench, 3));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct report result = bench_run(&bench, steps[i].line);
        assert_int_equal(result.navigation.view.module, steps[i].module);
        assert_int_equal(result.navigation.view.layer, steps[i].layer);
        assert_int_equal(result.navigation.view.head, steps[i].head);
        report_free(&result);
        bench_refuse(&bench, ":attn layer 9", "layer 9"); // changes nothing
    }
    bench_close(&bench);
}

/* Σ_h G_h A_h of every layer with DHICM, from the reference's G and weights; with a head off, from
 * the G shown. */
static void check_weighted(struct bench *bench, size_t k, enum module module, int layer)
{
    char name[64], line[96];
    snprintf(name, sizeof name, "%s.%d.importance", module_names[module], layer);
    const float *importance = bench_expected(bench, k, name);
    snprintf(line, sizeof line, ":attn %s layer %d head importance", module_names[module],
             layer + 1);
    if (!importance) {
        bench_refuse(bench, line, "does not combine its heads by dhicm");
        return;
    }
    snprintf(name, sizeof name, "%s.%d.weights", module_names[module], layer);
    const float *weights = bench_expected(bench, k, name);
    struct report result = bench_run(bench, line);
    assert_non_null(strstr(result.title, "mean by importance of"));
    const struct matrix *matrix = bench_matrix(&result);
    const int rows = matrix->rows.count, columns = matrix->columns.count,
              heads = module_heads(session_config(bench->session), module);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int h = 0; h < heads; h++)
                sum += (double)importance[i * heads + h] *
                       weights[((size_t)h * rows + i) * columns + j];
            const float wanted = (float)sum;
            assert_close(&matrix->values[i * columns + j], &wanted, 1, 1e-5, line);
        }
    report_free(&result);
}

static void importance_weights_heads_as_dhicm_does(void **state)
{
    static const char *const names[] = {"dhicm_last_layers", "dhicm_decoder", "dhicm_cross_fixed",
                                        "vanilla_post"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bench bench = bench_open(names[n]);
        size_t k;
        const json_t *given;
        json_array_foreach(bench.cases, k, given)
        {
            if (!bench_force_case(&bench, given))
                continue;
            for (int m = 0; m < MODULE_COUNT; m++)
                for (int layer = 0; layer < module_layers(session_config(bench.session), m);
                     layer++)
                    check_weighted(&bench, k, m, layer);
        }
        bench_close(&bench);
    }
}

/* The last view was weighted by importance; a layer without it shows the mean. */
static void importance_becomes_the_mean_elsewhere(void **state)
{
    struct bench bench = bench_open("dhicm_last_layers");
    bench_run_quietly(&bench, bench_source(&bench, 5));
    bench_run_quietly(&bench, ":attn cross layer 2 head importance");
    struct report result = bench_run(&bench, ":attn layer 1");
    assert_int_equal(result.navigation.view.head, VIEW_MEAN);
    report_free(&result);
    bench_close(&bench);
}

static void only_views_of_one_matrix_take_mean_and_max(void **state)
{
    static const char *const lines[] = {
        ":disable enc head mean",     ":enable enc head mean",
        ":mask enc head mean global", ":pattern enc head mean last",
        ":heads head mean",           ":token 1 head mean",
        ":ablate a b head mean",      ":prune a b until 1 head mean"};
    struct bench bench = bench_open("vanilla_post");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bench_refuse(&bench, lines[i], "head mean: expected LIST");
    }
    bench_refuse(&bench, ":heads as alti", "as alti: expected weights or norms");
    bench_refuse(&bench, ":disable as norms", "\"as\": unexpected argument, expected SELECTOR");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_show_what_the_reference_computes),
        cmocka_unit_test(mean_and_max_run_over_all_heads),
        cmocka_unit_test(importance_weights_heads_as_dhicm_does),
        cmocka_unit_test(importance_becomes_the_mean_elsewhere),
        cmocka_unit_test(words_merge_their_tokens),
        cmocka_unit_test(rows_of_cross_attention_are_named_as_they_are_set),
        cmocka_unit_test(views_default_to_what_was_shown_last),
        cmocka_unit_test(only_views_of_one_matrix_take_mean_and_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
