/* Commands on golden models, through the session alone. Expected values are the reference's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "model/net/safetensors.h"
#include "tui/commands.h"
#include "tui/sink.h"

/* A session on a golden model, with what the reference expects. */
struct bench {
    struct session *session;
    struct sink sink;
    char *output; // what the sink got
    size_t output_size;
    struct safetensors *expected;
    json_t *cases;
};

static struct bench bench_open(const char *name)
{
    struct bench bench = {0};
    struct status status;
    char path[256];
    snprintf(path, sizeof path, "tests/golden/%s.bin", name);
    struct session_spec spec = {.path = path, .device = {DEVICE_CPU, 0}, .threads = 1};
    bench.session = session_open(&spec, &status);
    if (!bench.session)
        fail_msg("%s", status.message);
    snprintf(path, sizeof path, "tests/golden/%s.expected", name);
    bench.expected = safetensors_open(path, &status);
    if (!bench.expected)
        fail_msg("%s", status.message);
    bench.cases = json_loads(safetensors_metadata(bench.expected, "cases"), 0, NULL);
    assert_non_null(bench.cases);
    return bench;
}

/* The sink's address must be the final one. */
static void bench_connect(struct bench *bench)
{
    bench->sink.stream = open_memstream(&bench->output, &bench->output_size);
    bench->sink.kind = &plain_sink;
    bench->session->sink = &bench->sink;
}

static void bench_close(struct bench *bench)
{
    session_close(bench->session);
    safetensors_close(bench->expected);
    json_decref(bench->cases);
    if (bench->sink.stream)
        fclose(bench->sink.stream);
    free(bench->output);
}

static struct result run(struct bench *bench, const char *line)
{
    struct result result;
    struct status status;
    if (!command_run(bench->session, line, &result, &status))
        fail_msg("\"%s\": %s", line, status.message);
    return result;
}

static void run_quietly(struct bench *bench, const char *line)
{
    struct result result = run(bench, line);
    result_free(&result);
}

static void refuse(struct bench *bench, const char *line, const char *says)
{
    struct result result;
    struct status status;
    if (command_run(bench->session, line, &result, &status))
        fail_msg("\"%s\" is accepted", line);
    if (!strstr(status.message, says))
        fail_msg("\"%s\": \"%s\" does not say \"%s\"", line, status.message, says);
    result_free(&result);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static int number_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

static const float *expected_tensor(const struct bench *bench, size_t k, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "case%zu.%s", k, name);
    const struct stored_tensor *tensor = safetensors_find(bench->expected, full);
    return tensor ? tensor->data : NULL;
}

/* NaN is never close. */
static void assert_close(const float *is, const float *wanted, size_t count, double bound,
                         const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)is[i] - (double)wanted[i]) <= bound))
            fail_msg("%s[%zu] is %.9g, expected %.9g", what, i, is[i], wanted[i]);
}

/* Puts a case's dials into the session as a user would. False: it has gains that no command gives. */
static bool set_case_dials(struct bench *bench, const json_t *given)
{
    char line[256];
    size_t i;
    const json_t *change;
    run_quietly(bench, ":reset");
    json_array_foreach(json_object_get(given, "gains"), i, change)
    {
        if (json_number_value(json_object_get(change, "gain")) != 0)
            return false;
        snprintf(line, sizeof line, ":disable %s layer %d head %d", text_of(change, "module"),
                 number_of(change, "layer") + 1, number_of(change, "head") + 1);
        run_quietly(bench, line);
    }
    json_array_foreach(json_object_get(given, "masks"), i, change)
    {
        const json_t *mask = json_object_get(change, "mask");
        char local[32];
        snprintf(local, sizeof local, "local %d", number_of(mask, "local"));
        snprintf(line, sizeof line, ":mask %s layer %d head %d %s", text_of(change, "module"),
                 number_of(change, "layer") + 1, number_of(change, "head") + 1,
                 json_is_string(mask) ? json_string_value(mask) : local);
        run_quietly(bench, line);
    }
    json_array_foreach(json_object_get(given, "patterns"), i, change)
    {
        snprintf(line, sizeof line, ":pattern %s layer %d head %d %s %s", text_of(change, "module"),
                 number_of(change, "layer") + 1, number_of(change, "head") + 1,
                 text_of(change, "pattern"),
                 strcmp(text_of(change, "unit"), "word") == 0 ? "word" : "");
        run_quietly(bench, line);
    }
    return true;
}

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
            const float *wanted = expected_tensor(bench, k, name);
            assert_non_null(wanted);
            for (int head = 0; head < module_heads(config, m); head++) {
                char line[64];
                snprintf(line, sizeof line, ":attn %s layer %d head %d", module_names[m], layer + 1,
                         head + 1);
                struct result result = run(bench, line);
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
            const float *wanted = expected_tensor(bench, k, name);
            if (!wanted) {
                refuse(bench, line, "no head importance");
                continue;
            }
            struct result result = run(bench, line);
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
        const float *wanted = expected_tensor(bench, k, name);
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
            if (!set_case_dials(&bench, given))
                continue;
            snprintf(line, sizeof line, ":set beam %d", number_of(given, "beam"));
            run_quietly(&bench, line);
            snprintf(line, sizeof line, " %s", text_of(given, "source"));
            run_quietly(&bench, line);
            check_hypotheses(&bench, given);
            snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
            run_quietly(&bench, line);
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

/* Source of the first case with so many tokens. */
static const char *a_source(const struct bench *bench, size_t tokens)
{
    size_t k;
    const json_t *given;
    json_array_foreach(bench->cases, k, given)
    {
        if (json_array_size(json_object_get(given, "source_ids")) >= tokens)
            return text_of(given, "source");
    }
    fail_msg("no source of %zu tokens", tokens);
    return NULL;
}

static void mean_and_max_run_over_all_heads(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    run_quietly(&bench, a_source(&bench, 5));
    run_quietly(&bench, ":disable layer 2 head 1");
    struct result mean = run(&bench, ":attn layer 2 head mean");
    struct result most = run(&bench, ":attn head max");
    size_t cells = (size_t)mean.attention.rows.texts.count * mean.attention.columns.texts.count;
    float *sum = calloc(cells, sizeof *sum), *greatest = calloc(cells, sizeof *greatest);
    for (int head = 1; head <= 4; head++) {
        char line[32];
        snprintf(line, sizeof line, ":attn head %d", head);
        struct result one = run(&bench, line);
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
    run_quietly(&bench, a_source(&bench, 8));
    struct result tokens = run(&bench, ":attn cross layer 1 head mean");
    struct result words = run(&bench, ":attn cross layer 1 head mean word");
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
    refuse(&bench, ":attn", "no sentence yet");
    run_quietly(&bench, a_source(&bench, 3));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct result result = run(&bench, steps[i].line);
        assert_int_equal(result.attention.view.module, steps[i].module);
        assert_int_equal(result.attention.view.layer, steps[i].layer);
        assert_int_equal(result.attention.view.head, steps[i].head);
        result_free(&result);
        refuse(&bench, ":attn layer 9", "layer 9"); // changes nothing
    }
    bench_close(&bench);
}

static int heads_off(const struct session *session, enum module module)
{
    const struct dials *dials = session->state.dials;
    int off = 0;
    for (int i = 0; i < dials->layers[module] * dials->count[module]; i++)
        off += dials->gains[module][i] == 0;
    return off;
}

static void selectors_of_changes_mean_encoder_and_every_layer(void **unused)
{
    static const struct {
        const char *line;
        int off[MODULE_COUNT];
    } steps[] = {
        {":disable head 8", {3, 0, 0}},
        {":disable cross head 1-2", {3, 0, 2}},
        {":disable layer 2 dec head 1", {3, 0, 2}}, // refused: one layer
        {":disable dec layer 1", {3, 4, 2}},
        {":enable head 8 layer 1,3", {1, 4, 2}},
        {":enable", {0, 0, 0}},
        {":disable enc", {24, 0, 0}},
        {":reset", {0, 0, 0}},
    };
    struct bench bench = bench_open("fixed_7f1l");
    (void)unused;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct result result;
        struct status status;
        command_run(bench.session, steps[i].line, &result, &status);
        result_free(&result);
        for (int m = 0; m < MODULE_COUNT; m++)
            if (heads_off(bench.session, m) != steps[i].off[m])
                fail_msg("%s: %d heads off in %s", steps[i].line, heads_off(bench.session, m),
                         module_names[m]);
    }
    bench_close(&bench);
}

static void changes_translate_the_sentence_again_and_keep_what_it_was(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    run_quietly(&bench, a_source(&bench, 8));
    double at_first = bench.session->subject->translation.hypotheses[0].score;
    struct result result = run(&bench, ":disable cross");
    assert_non_null(result.dials.before);
    assert_true(result.dials.before->translation.hypotheses[0].score == at_first);
    assert_false(bench.session->subject->translation.hypotheses[0].score == at_first);
    result_free(&result);
    run_quietly(&bench, ":enable");
    assert_true(bench.session->subject->translation.hypotheses[0].score == at_first);
    bench_close(&bench);
}

static void a_forced_target_stays_through_changes(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    refuse(&bench, ":force der Hund", "no sentence yet");
    run_quietly(&bench, a_source(&bench, 8));
    run_quietly(&bench, ":force der Hund sieht");
    double at_first = bench.session->subject->translation.hypotheses[0].logprob;
    run_quietly(&bench, ":disable head 1");
    assert_true(bench.session->subject->forced);
    assert_string_equal(bench.session->subject->texts[0], "der Hund sieht");
    assert_false(bench.session->subject->translation.hypotheses[0].logprob == at_first);
    run_quietly(&bench, "the dog");
    assert_false(bench.session->subject->forced);
    bench_close(&bench);
}

static void fixed_heads_take_no_mask_and_every_head_takes_a_pattern(void **unused)
{
    struct bench bench = bench_open("fixed_7f1l");
    struct status status;
    (void)unused;
    struct dials *before = dials_copy(bench.session->state.dials, &status);
    refuse(&bench, ":mask head 7-8 global", "encoder layer 1 head 7 is fixed");
    refuse(&bench, ":mask layer 2 global", "encoder layer 2 head 1 is fixed");
    assert_true(dials_equal(before, bench.session->state.dials));
    run_quietly(&bench, ":mask layer 2 head 8 local 3");
    assert_int_equal(dials_head(bench.session->state.dials, MODULE_ENCODER, 1, 7)->window, 3);
    run_quietly(&bench, ":pattern layer 2 head 8 last word");
    assert_int_equal(dials_head(bench.session->state.dials, MODULE_ENCODER, 1, 7)->energy,
                     ENERGY_FIXED);
    run_quietly(&bench, ":pattern head 1 last");
    run_quietly(&bench, ":mask head 8 backward");
    struct head *head = dials_head(bench.session->state.dials, MODULE_ENCODER, 1, 7);
    assert_int_equal(head->energy, ENERGY_LEARNED);
    assert_int_equal(head->mask, MASK_BACKWARD);
    run_quietly(&bench, ":reset");
    assert_true(dials_equal(before, bench.session->state.dials));
    dials_free(before);
    bench_close(&bench);
}

static void a_failed_command_changes_nothing(void **unused)
{
    static const char *const lines[] = {
        "a \xFF b",
        ":force \xC3(",
        ":disable head 1-9",
        ":disable head mean",
        ":mask head 1",
        ":mask head 1 local",
        ":pattern head 1 middle",
        ":set beam 0",
        ":set beam 1 2",
        ":attn layer 1-2",
        ":attn words",
        ":translate nosuch",
        ":score a ||| ",
        ":export",
        ":reset now",
        ":enable head 99",
    };
    struct bench bench = bench_open("vanilla_post");
    struct status status;
    (void)unused;
    bench_connect(&bench);
    run_quietly(&bench, "the dog sees");
    run_quietly(&bench, ":disable layer 1 head 2");
    run_quietly(&bench, ":attn cross layer 2 head 3");
    const struct subject *subject = bench.session->subject;
    struct dials *dials = dials_copy(bench.session->state.dials, &status);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        refuse(&bench, lines[i], "");
        assert_ptr_equal(bench.session->subject, subject);
        assert_true(dials_equal(bench.session->state.dials, dials));
        assert_int_equal(bench.session->settings.search.beam, 5);
        assert_int_equal(bench.session->view.module, MODULE_CROSS);
        assert_int_equal(bench.session->view.layer, 1);
        assert_int_equal(bench.session->view.head, 2);
    }
    dials_free(dials);
    bench_close(&bench);
}

static void settings_act_from_the_next_use_on(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    run_quietly(&bench, a_source(&bench, 8));
    assert_int_equal(bench.session->subject->translation.count, 5);
    double at_first = bench.session->subject->translation.hypotheses[0].score;
    run_quietly(&bench, ":set beam 2");
    run_quietly(&bench, ":attn");
    assert_int_equal(bench.session->subject->translation.count, 2);
    run_quietly(&bench, ":set length_penalty none");
    run_quietly(&bench, ":attn");
    const struct hypothesis *best = &bench.session->subject->translation.hypotheses[0];
    assert_true(fabs(best->score - best->logprob) < 1e-6);
    run_quietly(&bench, ":set length_penalty average");
    run_quietly(&bench, ":set beam 5");
    run_quietly(&bench, ":set threads 2"); // another device: the same bits
    run_quietly(&bench, ":attn");
    assert_true(bench.session->subject->translation.hypotheses[0].score == at_first);
    bench_close(&bench);
}

static char *write_lines(const char *text, char path[64])
{
    strcpy(path, "/tmp/attnscope-test-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    return path;
}

static void a_file_is_translated_line_by_line_in_order(void **unused)
{
    static const char *const lines[] = {"the dog", "",   "a small old cat sees the river .",
                                        "  ",      "he", "the dog"};
    char path[64], line[128], wanted[4096] = "";
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_connect(&bench);
    run_quietly(&bench, ":set batch 1"); // more than one chunk
    write_lines("the dog\n\na small old cat sees the river .\r\n  \nhe\nthe dog", path);
    snprintf(line, sizeof line, ":translate %s", path);
    struct result result = run(&bench, line);
    assert_int_equal(result.file.sentences, 6);
    for (int i = 0; i < 6; i++) {
        if (!command_blank(lines[i])) {
            run_quietly(&bench, lines[i]);
            assert_string_equal(result.file.translations[i], bench.session->subject->texts[0]);
        }
        strcat(strcat(wanted, result.file.translations[i]), "\n");
    }
    assert_string_equal(result.file.translations[1], "");
    assert_string_equal(bench.output, wanted);
    result_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void files_are_checked_before_anything_is_translated(void **unused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"the dog\nthe \xFF\n", ":2: invalid UTF-8 at byte 5"},
        {"the\n\na a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
         "a a a "
         "a a a a a a a a a a a a a a a a a a a a a a a a a a a\n",
         ":3: the source has"},
    };
    char path[64], line[128];
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    bench_connect(&bench);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_lines(cases[i].text, path);
        snprintf(line, sizeof line, ":translate %s", path);
        refuse(&bench, line, cases[i].says);
        fflush(bench.sink.stream);
        assert_string_equal(bench.output, "");
        unlink(path);
    }
    bench_close(&bench);
}

/* Sum and count of all gates of a layer (-1: of all) that `:gates` shows for a line. */
static void sum_gates(struct bench *bench, const char *line, const char *command, int layer,
                      double *sum, int64_t *count)
{
    run_quietly(bench, line);
    struct result result = run(bench, command);
    for (int i = 0; i < result.gates.layers; i++) {
        const struct gate_layer *gates = &result.gates.layer[i];
        int cells = gates->values ? gates->columns * result.gates.rows.texts.count : 0;
        if (layer >= 0 && layer != i)
            continue;
        for (int c = 0; c < cells; c++)
            *sum += gates->values[c];
        *count += cells;
    }
    result_free(&result);
}

static void gates_of_a_file_are_averages_of_its_sentences(void **unused)
{
    static const char *const commands[] = {":gates enc k", ":gates dec q"};
    char path[64], line[128];
    struct bench bench = bench_open("context_both_stacks");
    (void)unused;
    write_lines("the dog sees\n\na cat\n", path);
    for (int c = 0; c < 2; c++) {
        struct status status;
        struct result result;
        run_quietly(&bench, "a cat");
        bool shown = command_run(bench.session, commands[c], &result, &status);
        result_free(&result);
        if (!shown)
            continue; // this model mixes the other side
        snprintf(line, sizeof line, "%s %s by layer", commands[c], path);
        result = run(&bench, line);
        assert_true(result.gate_groups.count > 0);
        for (int g = 0; g < result.gate_groups.count; g++) {
            double sum = 0;
            int64_t count = 0;
            int layer = atoi(result.gate_groups.groups[g].name) - 1;
            sum_gates(&bench, "the dog sees", commands[c], layer, &sum, &count);
            sum_gates(&bench, "a cat", commands[c], layer, &sum, &count);
            assert_int_equal(result.gate_groups.groups[g].count, count);
            assert_true(fabs(result.gate_groups.groups[g].sum - sum) < 1e-6);
        }
        result_free(&result);
    }
    unlink(path);
    bench_close(&bench);
}

static void exports_hold_everything_with_how_it_was_made(void **unused)
{
    struct bench bench = bench_open("mixture_decoder");
    const json_t *given = json_array_get(bench.cases, 0);
    struct status status;
    char line[4096];
    (void)unused;
    assert_true(set_case_dials(&bench, given));
    snprintf(line, sizeof line, " %s", text_of(given, "source"));
    run_quietly(&bench, line);
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    run_quietly(&bench, line);
    char path[64] = "/tmp/attnscope-test.safetensors";
    snprintf(path, sizeof path, "/tmp/attnscope-test-%d.safetensors", (int)getpid());
    snprintf(line, sizeof line, ":export %s", path);
    struct result result = run(&bench, line);
    struct safetensors *file = safetensors_open(path, &status);
    assert_non_null(file);
    assert_int_equal(safetensors_count(file), result.exported.tensors);
    for (int i = 0; i < safetensors_count(file); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(file, i);
        const float *wanted = expected_tensor(&bench, 0, tensor->name);
        assert_non_null(wanted);
        assert_close(tensor->data, wanted, tensor->elements, 1e-4, tensor->name);
    }
    for (int i = 0; i < safetensors_count(bench.expected); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(bench.expected, i);
        if (strncmp(tensor->name, "case0.", 6) == 0 && !strstr(tensor->name, "logits") &&
            !strstr(tensor->name, "decoder.output"))
            if (!safetensors_find(file, tensor->name + 6))
                fail_msg("%s is missing", tensor->name + 6);
    }
    assert_string_equal(safetensors_metadata(file, "target"), text_of(given, "target"));
    assert_string_equal(safetensors_metadata(file, "command"), line);
    assert_int_equal(strlen(safetensors_metadata(file, "checkpoint_sha256")), 64);
    json_t *ids = json_loads(safetensors_metadata(file, "target_ids"), 0, NULL);
    assert_true(json_equal(ids, json_object_get(given, "target_ids")));
    json_decref(ids);
    safetensors_close(file);
    result_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void commands_are_found_by_unique_beginnings(void **unused)
{
    static const char *const found[][2] = {
        {"tr", "translate"}, {"translate", "translate"}, {"q", "quit"},  {"en", "enable"},
        {"dis", "disable"},  {"disabled", "disabled"},   {"sc", "score"}};
    static const char *const refused[] = {"", "e", "s", "i", "attnx", "Attn", "x"};
    struct status status;
    (void)unused;
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        const struct command *command = command_find(found[i][0], &status);
        assert_non_null(command);
        assert_string_equal(command->name, found[i][1]);
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_null(command_find(refused[i], &status));
    for (int i = 0; i < command_count; i++) {
        assert_ptr_equal(command_find(command_table[i].name, &status), &command_table[i]);
        assert_true(strlen(command_table[i].summary) > 0);
    }
}

static void a_blank_before_a_colon_makes_a_sentence(void **unused)
{
    struct bench bench = bench_open("vanilla_post");
    (void)unused;
    struct result result = run(&bench, " :quit");
    assert_int_equal(result.kind, RESULT_SENTENCE);
    assert_string_equal(bench.session->subject->text, ":quit");
    assert_false(bench.session->quit);
    result_free(&result);
    run_quietly(&bench, ":q");
    assert_true(bench.session->quit);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_show_what_the_reference_computes),
        cmocka_unit_test(mean_and_max_run_over_all_heads),
        cmocka_unit_test(words_merge_their_tokens),
        cmocka_unit_test(views_default_to_what_was_shown_last),
        cmocka_unit_test(selectors_of_changes_mean_encoder_and_every_layer),
        cmocka_unit_test(changes_translate_the_sentence_again_and_keep_what_it_was),
        cmocka_unit_test(a_forced_target_stays_through_changes),
        cmocka_unit_test(fixed_heads_take_no_mask_and_every_head_takes_a_pattern),
        cmocka_unit_test(a_failed_command_changes_nothing),
        cmocka_unit_test(settings_act_from_the_next_use_on),
        cmocka_unit_test(a_file_is_translated_line_by_line_in_order),
        cmocka_unit_test(files_are_checked_before_anything_is_translated),
        cmocka_unit_test(gates_of_a_file_are_averages_of_its_sentences),
        cmocka_unit_test(exports_hold_everything_with_how_it_was_made),
        cmocka_unit_test(commands_are_found_by_unique_beginnings),
        cmocka_unit_test(a_blank_before_a_colon_makes_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
