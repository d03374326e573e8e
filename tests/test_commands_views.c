/* What commands show of golden models. Expected values are the reference's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/commands_support.h"

static void check_hypotheses(const struct bench *bench, const json_t *given)
{
    const struct subject *subject = bench->session->subject;
    const json_t *wanted = json_object_get(given, "hypotheses");
    assert_int_equal(subject->translation.count, json_array_size(wanted));
    for (int i = 0; i < subject->translation.count; i++) {
        const struct hypothesis *hypothesis = &subject->translation.hypotheses[i];
        const json_t *one = json_array_get(wanted, i);
        const json_t *ids = json_object_get(one, "ids");
        assert_string_equal(subject->texts[i], text_of(one, "text"));
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
                struct result result = bench_run(bench, line);
                const struct attention_result *attention = &result.attention;
                size_t cells = (size_t)attention->rows.texts.count * attention->columns.texts.count;
                assert_int_equal(result.kind, RESULT_ATTENTION);
                assert_close(attention->weights, wanted + head * cells, cells, 1e-5, line);
                result_free(&result);
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
            struct result result = bench_run(bench, line);
            assert_close(result.importance.weights, wanted,
                         (size_t)result.importance.rows.texts.count * result.importance.heads, 1e-5,
                         line);
            result_free(&result);
        }
}

static void check_gates_of(struct bench *bench, size_t k, enum module module, int side)
{
    char name[64], line[64];
    struct result result;
    struct status status;
    snprintf(line, sizeof line, ":gates %s %c", module_names[module], "qk"[side]);
    bool shown = command_run(bench->session, line, &result, &status);
    for (int layer = 0; layer < module_layers(session_config(bench->session), module); layer++) {
        snprintf(name, sizeof name, "%s.%d.gate_%c", module_names[module], layer, "qk"[side]);
        const float *wanted = bench_expected(bench, k, name);
        const struct gate_layer *is = shown ? &result.gates.layer[layer] : NULL;
        assert_int_equal(is && is->values, wanted != NULL);
        if (wanted)
            assert_close(is->values, wanted, (size_t)result.gates.rows.texts.count * is->columns,
                         1e-5, name);
    }
    result_free(&result);
}

static void commands_show_what_the_reference_computes(void **unused)
{
    static const char *const names[] = {"vanilla_post",
                                        "mma_everywhere",
                                        "fixed_mixed_stacks",
                                        "words_everywhere_sentencepiece",
                                        "words_everywhere_bpe",
                                        "dhicm_last_layers",
                                        "context_deep_head_gates",
                                        "mixture_decoder"};
    (void)unused;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bench bench = bench_open(names[n]);
        size_t k;
        const json_t *given;
        json_array_foreach(bench.cases, k, given)
        {
            char line[4096];
            if (!bench_set_dials(&bench, given))
                continue;
            snprintf(line, sizeof line, ":set beam %d", number_of(given, "beam"));
            bench_run_quietly(&bench, line);
            snprintf(line, sizeof line, " %s", text_of(given, "source"));
            bench_run_quietly(&bench, line);
            check_hypotheses(&bench, given);
            snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
            bench_run_quietly(&bench, line);
            const json_t *force = json_object_get(given, "force");
            assert_true(fabs(bench.session->subject->translation.hypotheses[0].logprob -
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

static void mean_and_max_run_over_all_heads(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_run_quietly(&bench, bench_source(&bench, 5));
    bench_run_quietly(&bench, ":disable layer 2 head 1");
    struct result mean = bench_run(&bench, ":attn layer 2 head mean");
    struct result most = bench_run(&bench, ":attn head max");
    size_t cells = (size_t)mean.attention.rows.texts.count * mean.attention.columns.texts.count;
    float *sum = calloc(cells, sizeof *sum), *greatest = calloc(cells, sizeof *greatest);
    for (int head = 1; head <= 4; head++) {
        char line[32];
        snprintf(line, sizeof line, ":attn head %d", head);
        struct result one = bench_run(&bench, line);
        assert_int_equal(one.attention.off, head == 1);
        for (size_t i = 0; i < cells; i++) {
            sum[i] += one.attention.weights[i] / 4;
            greatest[i] = fmaxf(greatest[i], one.attention.weights[i]);
        }
        result_free(&one);
    }
    assert_close(mean.attention.weights, sum, cells, 1e-6, "mean");
    assert_close(most.attention.weights, greatest, cells, 0, "max");
    free(sum);
    free(greatest);
    result_free(&mean);
    result_free(&most);
    bench_close(&bench);
}

/* Columns of a word are summed, rows averaged. */
static void words_merge_their_tokens(void **unused)
{
    struct bench bench = bench_open("words_everywhere_sentencepiece");
    (void)unused;
    bench_run_quietly(&bench, bench_source(&bench, 8));
    struct result tokens = bench_run(&bench, ":attn cross layer 1 head mean");
    struct result words = bench_run(&bench, ":attn cross layer 1 head mean word");
    const struct subject *subject = bench.session->subject;
    int rows = words.attention.rows.texts.count, columns = words.attention.columns.texts.count;
    assert_int_equal(columns, subject->source.words[subject->source.count - 1] + 1);
    assert_int_equal(rows, subject->inputs.words[subject->inputs.count - 1] + 1);
    float *merged = calloc((size_t)rows * columns, sizeof *merged);
    int *sizes = calloc(rows, sizeof *sizes);
    for (int i = 0; i < subject->inputs.count; i++)
        sizes[subject->inputs.words[i]]++;
    for (int i = 0; i < subject->inputs.count; i++)
        for (int j = 0; j < subject->source.count; j++)
            merged[subject->inputs.words[i] * columns + subject->source.words[j]] +=
                tokens.attention.weights[i * subject->source.count + j] /
                (float)sizes[subject->inputs.words[i]];
    assert_close(words.attention.weights, merged, (size_t)rows * columns, 1e-6, "words");
    assert_null(strstr(words.attention.columns.texts.text[0], "▁"));
    free(merged);
    free(sizes);
    result_free(&tokens);
    result_free(&words);
    bench_close(&bench);
}

static void views_default_to_what_was_shown_last(void **unused)
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
    (void)unused;
    bench_refuse(&bench, ":attn", "no sentence yet");
    bench_run_quietly(&bench, bench_source(&bench, 3));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct result result = bench_run(&bench, steps[i].line);
        assert_int_equal(result.attention.view.module, steps[i].module);
        assert_int_equal(result.attention.view.layer, steps[i].layer);
        assert_int_equal(result.attention.view.head, steps[i].head);
        result_free(&result);
        bench_refuse(&bench, ":attn layer 9", "layer 9"); // changes nothing
    }
    bench_close(&bench);
}

/* What takes no mean and maximum does not tell of them. */
static void help_tells_of_mean_and_max_where_they_are(void **unused)
{
    static const char *const lines[] = {":disable head mean",     ":enable head mean",
                                        ":mask head mean global", ":pattern head mean last",
                                        ":heads head mean",       ":token 1 head mean",
                                        ":ablate a b head mean",  ":prune a b until 1 head mean"};
    struct bench bench = bench_open("vanilla_post");
    struct status status;
    (void)unused;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char name[64];
        command_name(lines[i], name, sizeof name);
        bench_refuse(&bench, lines[i], "head mean: expected LIST");
        if (strstr(command_find(name, &status)->details, "mean|max"))
            fail_msg("help of %s", name);
    }
    assert_non_null(strstr(command_find("attn", &status)->details, "mean|max"));
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_show_what_the_reference_computes),
        cmocka_unit_test(mean_and_max_run_over_all_heads),
        cmocka_unit_test(words_merge_their_tokens),
        cmocka_unit_test(views_default_to_what_was_shown_last),
        cmocka_unit_test(help_tells_of_mean_and_max_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
