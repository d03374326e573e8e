/* The Transformer against golden data: every checkpoint of tests/golden with its sentences, and
 * every trained model of samples/ with one, as an independent float64 implementation
 * (scripts/reference.py) computed them. */
#include <dirent.h>
#include <jansson.h>
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

/* How far results may be from the reference's.
 *
 * Narrower products: with u what their factors are off by at most, 2^-11 of tf32 and 2^-8 of bf16,
 * a sum of products is off by at most (2u + u²) Σ|x||w|. All else is float32, layers add what they
 * are off by, and so a result is off by c·u, to the first order, c depending on the model. With one
 * of the two factors narrow, as in bf16 and fp16 on the CPU, the largest c of all golden models are
 * 6.9 of probabilities and 160 of logits, both of dhicm_last_layers; the bounds are twice as wide.
 * Where both are narrow, as in bf16 on a GPU, there are twice as many of these errors: 12.9 and 365
 * on the emulated one, and bounds twice as wide again. Caches of keys and values in bf16 add one
 * more narrow factor to two products of each module of the decoder, beside the eight factors of its
 * four other products: 13.9 and 391, within the same bounds. Up to 8 rows are exact in tf32, which
 * is most of a
 * golden model: 5.8 and 153.
 *
 * A GPU may also cut tf32 off instead of rounding it (emulated with CUDAEMU_TF32=cut): twice the u,
 * and all products of one sign are then off to the same side, which do not cancel as rounded ones
 * do. So 2.5 times as much. */
static const struct {
    double probability, logit;
} bounds[] = {[PRECISION_FP32] = {1e-5, 1e-4},
              [PRECISION_TF32] = {2.5 * 16 * 0x1p-11, 2.5 * 320 * 0x1p-11},
              [PRECISION_BF16] = {16 * 0x1p-8, 320 * 0x1p-8},
              [PRECISION_FP16] = {16 * 0x1p-11, 320 * 0x1p-11}};

#define PROBABILITY_BOUND (factors_of(golden) * bounds[golden->precision].probability)
#define LOGIT_BOUND (factors_of(golden) * bounds[golden->precision].logit)

/* Returns how many of a product's factors are bfloat16; 1 in other precisions, whose bounds include
 * all factors. */
static int factors_of(const struct golden *golden)
{
    return golden->precision == PRECISION_BF16 && ops_on_plugin() ? 2 : 1;
}

static int compared, searched;
static int differing; // hypotheses of narrower products with other tokens than the reference's

static void assert_close(float got, float expected, double bound, const char *what, int64_t index)
{
    if (fabs((double)got - expected) <= bound)
        return;
    fail_msg("%s[%ld]: %.9g, expected %.9g within %g", what, (long)index, got, expected, bound);
}

/* Compares with the tensor of that name; a tensor that one side alone has is a failure. */
static void compare(const struct golden *golden, int number, const char *name, const float *got,
                    size_t count, double bound)
{
    char full[128];
    snprintf(full, sizeof full, "case%d.%s", number, name);
    const struct stored_tensor *expected = safetensors_find(golden->expected, full);
    if (!expected && !got)
        return;
    if (!expected || !got)
        fail_msg("%s %s: only %s", golden->name, full, got ? "in the program" : "expected");
    char what[256];
    snprintf(what, sizeof what, "%s %s", golden->name, full);
    if ((size_t)expected->elements != count)
        fail_msg("%s: %zu values, expected %ld", what, count, (long)expected->elements);
    for (size_t i = 0; i < count; i++)
        assert_close(got[i], ((const float *)expected->data)[i], bound, what, (int64_t)i);
    ops_same_bits(got, count * sizeof *got, what);
    compared++;
}

static void compare_weights(const struct golden *golden, int number, const struct capture *capture,
                            enum module module, int layer)
{
    int heads = capture->heads[module], m = capture->target_rows, n = capture->source_count;
    size_t rows = module == MODULE_ENCODER ? n : m, columns = module == MODULE_DECODER ? m : n;
    float *all = calloc(heads * rows * columns + 1, sizeof *all);
    for (int h = 0; h < heads; h++)
        memcpy(all + h * rows * columns, capture->weights[module][layer * heads + h],
               rows * columns * sizeof *all);
    char name[64];
    snprintf(name, sizeof name, "%s.%d.weights", module_names[module], layer);
    compare(golden, number, name, all, heads * rows * columns, PROBABILITY_BOUND);
    free(all);
    snprintf(name, sizeof name, "%s.%d.importance", module_names[module], layer);
    compare(golden, number, name, capture->importance[module][layer], rows * heads,
            PROBABILITY_BOUND);
}

static void compare_gates(const struct golden *golden, int number, const struct capture *capture,
                          enum module module, int layer)
{
    const struct config *config = golden->checkpoint->config;
    size_t rows = module == MODULE_ENCODER ? capture->source_count : capture->target_rows;
    size_t columns = config->attention[module][layer].gate == GATE_HEAD
                         ? learned_heads(config, module, layer)
                         : 1;
    for (int side = 0; side < SIDE_COUNT; side++) {
        char name[64];
        snprintf(name, sizeof name, "%s.%d.gate_%s", module_names[module], layer,
                 side == SIDE_Q ? "q" : "k");
        compare(golden, number, name, capture->gates[module][side][layer], rows * columns,
                PROBABILITY_BOUND);
    }
}

/* Rows over the vocabulary, (m, V); the golden data may have only every `step`th column. */
static void compare_vocabulary(const struct golden *golden, int number, const char *name,
                               const float *rows, int count)
{
    const json_t *given = json_array_get(golden->cases, (size_t)number);
    const json_t *stated = json_object_get(given, "vocabulary_step");
    size_t step = stated ? (size_t)json_integer_value(stated) : 1;
    size_t vocabulary = vocabulary_size(golden->checkpoint->vocabulary[SIDE_TARGET]);
    assert_true(step >= 1);
    float *columns = calloc((size_t)count * vocabulary + 1, sizeof *columns);
    size_t taken = 0;
    for (size_t row = 0; row < (size_t)count; row++)
        for (size_t id = 0; id < vocabulary; id += step)
            columns[taken++] = rows[row * vocabulary + id];
    compare(golden, number, name, columns, taken, LOGIT_BOUND);
    free(columns);
}

static void compare_capture(const struct golden *golden, int number, const struct capture *capture)
{
    const struct config *config = golden->checkpoint->config;
    for (int module = 0; module < MODULE_COUNT; module++)
        for (int layer = 0; layer < capture->layers[module]; layer++) {
            compare_weights(golden, number, capture, module, layer);
            compare_gates(golden, number, capture, module, layer);
        }
    compare(golden, number, "encoder.output", capture->encoder_output,
            (size_t)capture->source_count * config->d_model, LOGIT_BOUND);
    compare_vocabulary(golden, number, "logits", capture->logits, capture->target_rows);
    compare_vocabulary(golden, number, "logprobs", capture->logprobs, capture->target_rows);
}

static void check_source(const struct golden *golden, const json_t *given,
                         const struct sentence *sentence)
{
    const json_t *ids = json_object_get(given, "source_ids");
    const json_t *tokens = json_object_get(given, "source_tokens");
    if ((int)json_array_size(ids) != sentence->count)
        fail_msg("%s: %d source tokens, expected %d: %s", golden->name, sentence->count,
                 (int)json_array_size(ids), json_string_value(json_object_get(given, "source")));
    for (int i = 0; i < sentence->count; i++) {
        assert_int_equal(sentence->ids[i], json_integer_value(json_array_get(ids, i)));
        assert_string_equal(sentence->pieces.text[i], json_string_value(json_array_get(tokens, i)));
    }
}

static void check_forced(const struct golden *golden, int number, const json_t *given,
                         const struct sentence *sentence, const struct head_settings *head_settings)
{
    struct status status;
    struct capture capture;
    const json_t *ids = json_object_get(given, "target_ids");
    int count = (int)json_array_size(ids);
    int *target = calloc(count, sizeof *target);
    for (int i = 0; i < count; i++)
        target[i] = (int)json_integer_value(json_array_get(ids, i));
    struct capture_request request = golden_request(golden, true);
    if (!force_run(golden->model, sentence, target, count, head_settings, &request, &capture,
                   &status))
        fail_msg("%s: %s", golden->name, status.message);
    compare_capture(golden, number, &capture);
    const json_t *logprobs = json_object_get(json_object_get(given, "force"), "logprobs");
    for (int i = 0; i < count; i++)
        assert_close(capture.token_logprobs[i],
                     (float)json_number_value(json_array_get(logprobs, i)), LOGIT_BOUND,
                     golden->name, i);
    ops_same_bits(capture.token_logprobs, count * sizeof *capture.token_logprobs, golden->name);
    capture_free(&capture);
    golden_request_free(&request);
    free(target);
}

/* Narrower products may choose other tokens where margins are small, and a search that has left the
 * reference's beam may end with any score, a better one too. To the reference's tokens they give
 * about the reference's probabilities. */
static void check_other_tokens(const struct golden *golden, const json_t *expected,
                               const struct sentence *sentence,
                               const struct head_settings *head_settings)
{
    struct status status;
    const json_t *ids = json_object_get(expected, "ids");
    const json_t *logprobs = json_object_get(expected, "logprobs");
    int count = (int)json_array_size(ids);
    int *target = calloc(count, sizeof *target);
    struct score_job job = {.source = sentence,
                            .target = target,
                            .count = count,
                            .head_settings = head_settings,
                            .logprobs = calloc(count, sizeof *job.logprobs)};
    for (int i = 0; i < count; i++)
        target[i] = (int)json_integer_value(json_array_get(ids, i));
    if (!score_run(golden->model, &job, 1, 1, &status))
        fail_msg("%s: %s", golden->name, status.message);
    for (int i = 0; i < count; i++)
        assert_close(job.logprobs[i], (float)json_number_value(json_array_get(logprobs, i)),
                     LOGIT_BOUND, golden->name, i);
    differing++;
    free(job.logprobs);
    free(target);
}

static bool same_tokens(const json_t *expected, const struct hypothesis *got)
{
    const json_t *ids = json_object_get(expected, "ids");
    bool same = (int)json_array_size(ids) == got->count;
    for (int i = 0; same && i < got->count; i++)
        same = got->ids[i] == json_integer_value(json_array_get(ids, i));
    return same;
}

static void check_hypothesis(const struct golden *golden, int number, int rank,
                             const json_t *expected, const struct hypothesis *got)
{
    const json_t *ids = json_object_get(expected, "ids");
    const json_t *logprobs = json_object_get(expected, "logprobs");
    if ((int)json_array_size(ids) != got->count)
        fail_msg("%s case %d hypothesis %d: %d tokens, expected %d", golden->name, number, rank,
                 got->count, (int)json_array_size(ids));
    for (int i = 0; i < got->count; i++) {
        if (got->ids[i] != json_integer_value(json_array_get(ids, i)))
            fail_msg("%s case %d hypothesis %d token %d: %d, expected %d", golden->name, number,
                     rank, i, got->ids[i], (int)json_integer_value(json_array_get(ids, i)));
        assert_close(got->logprobs[i], (float)json_number_value(json_array_get(logprobs, i)),
                     LOGIT_BOUND, golden->name, i);
    }
    assert_close((float)got->score, (float)json_number_value(json_object_get(expected, "score")),
                 LOGIT_BOUND, golden->name, rank);
    ops_same_bits(got->logprobs, got->count * sizeof *got->logprobs, golden->name);
    ops_same_bits(&got->score, sizeof got->score, golden->name);
    struct status status;
    char *text = target_text(golden->checkpoint, got->ids, got->count, &status);
    assert_string_equal(text, json_string_value(json_object_get(expected, "text")));
    free(text);
}

static void check_search(const struct golden *golden, int number, const json_t *given,
                         const struct sentence *sentence, const struct head_settings *head_settings)
{
    struct status status;
    struct search_options options = search_defaults(golden->checkpoint->config);
    options.beam = (int)json_integer_value(json_object_get(given, "beam"));
    // The expected value of a forced end is the model's log-probability.
    if (options.at_limit == LIMIT_FREE)
        options.at_limit = LIMIT_FORCED;
    struct search_job job = {.source = sentence, .head_settings = head_settings};
    if (!search_run(golden->model, &job, 1, &options, NULL, &status))
        fail_msg("%s case %d: %s", golden->name, number, status.message);
    const json_t *hypotheses = json_object_get(given, "hypotheses");
    if ((int)json_array_size(hypotheses) != job.result.count)
        fail_msg("%s case %d: %d hypotheses, expected %d", golden->name, number, job.result.count,
                 (int)json_array_size(hypotheses));
    for (int i = 0; i < job.result.count; i++) {
        const json_t *expected = json_array_get(hypotheses, i);
        const struct hypothesis *got = &job.result.hypotheses[i];
        searched++;
        if (golden->precision != PRECISION_FP32 && !same_tokens(expected, got))
            check_other_tokens(golden, expected, sentence, head_settings);
        else
            check_hypothesis(golden, number, i, expected, got);
    }
    translation_free(&job.result);
}

/* The languages of a case, by default those of the configuration. */
static struct language_pair languages_of(const struct golden *golden, const json_t *given)
{
    const struct config *config = golden->checkpoint->config;
    struct language_pair languages = language_pair_default(config);
    const json_t *names = json_object_get(given, "languages");
    for (size_t side = 0; side < json_array_size(names); side++) {
        const char *name = json_string_value(json_array_get(names, side));
        int i = 0;
        while (config->choices[side][i] && strcmp(config->choices[side][i], name) != 0)
            i++;
        if (!config->choices[side][i])
            fail_msg("%s: no language %s", golden->name, name);
        languages.of[side] = i;
    }
    return languages;
}

/* Every `step`th case of a model, which is closed. */
static void check_cases(struct golden *golden, size_t step)
{
    const json_t *cases = golden->cases;
    for (size_t i = 0; i < json_array_size(cases); i += step) {
        const json_t *given = json_array_get(cases, i);
        struct sentence sentence = {0};
        struct status status;
        const struct language_pair languages = languages_of(golden, given);
        if (!source_encode(golden->checkpoint, &languages,
                           json_string_value(json_object_get(given, "source")), &sentence, &status))
            fail_msg("%s: %s", golden->name, status.message);
        struct head_settings *head_settings = golden_head_settings(golden, given);
        check_source(golden, given, &sentence);
        check_forced(golden, (int)i, given, &sentence, head_settings);
        if (json_object_get(given, "hypotheses"))
            check_search(golden, (int)i, given, &sentence, head_settings);
        head_settings_free(head_settings);
        sentence_free(&sentence);
    }
    golden_close(golden);
}

/* On the emulated GPU, where a case takes a tenth of a second, `make check` runs every fourth case
 * of a model, every eighth one of models that use the same kernels, and every second sample. */
static size_t step(int usual)
{
    return ops_emulated() ? (size_t)rounds_of(usual, 1) : 1;
}

static void every_golden_model_gives_the_reference_numbers(void **state)
{
    int count, models = 0;
    compared = 0;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++) {
        if (!golden_is_wanted(i))
            continue;
        check_cases(golden_open(names[i], "cpu", 0), step(4));
        models++;
    }
    golden_names_free(names, count);
    print_message("%d models, %d tensors, %d hypotheses, %d of them with other tokens\n", models,
                  compared, searched, differing);
    assert_true(count >= 24 && models > 0);
}

/* Models as other toolkits write them, with what those toolkits say of them
 * (scripts/golden/make_formats_golden.py). In fp32: it is about what is read from their files, and
 * the bounds of narrower products are those of other models. */
static void every_family_gives_its_toolkits_numbers(void **state)
{
    int count, models = 0, before = compared;
    const char *precision = getenv("ATTNSCOPE_TEST_PRECISION");
    if (precision && strcmp(precision, "fp32") != 0)
        skip();
    char **names = family_names(&count);
    for (int i = 0; i < count; i++) {
        if (!golden_is_wanted(i))
            continue;
        check_cases(family_open(names[i], "cpu", 0), step(8));
        models++;
    }
    golden_names_free(names, count);
    print_message("%d models of other toolkits, %d tensors\n", models, compared - before);
    assert_true(models > 0);
}

static void every_sample_gives_the_reference_numbers(void **state)
{
    int count, wanted = 0, samples = 0, before = compared;
    char **names = sample_names(&count);
    for (int i = 0; i < count; i++) {
        if (!golden_is_wanted(i) || wanted++ % (int)step(2))
            continue;
        check_cases(sample_open(names[i], "cpu", 0), step(4));
        samples++;
    }
    golden_names_free(names, count);
    print_message("%d samples, %d tensors\n", samples, compared - before);
    assert_true(samples > 0);
}

int main(void)
{
    const struct CMUnitTest golden[] = {
        cmocka_unit_test(every_golden_model_gives_the_reference_numbers),
    };
    const struct CMUnitTest samples[] = {
        cmocka_unit_test(every_family_gives_its_toolkits_numbers),
        cmocka_unit_test(every_sample_gives_the_reference_numbers),
    };
    // In only one order of threads: on the emulated GPU a sample takes seconds, and calls the same
    // kernels.
    int failed = cmocka_run_group_tests(samples, NULL, NULL);
    while (ops_next_order())
        failed += cmocka_run_group_tests(golden, NULL, NULL);
    return failed;
}
