#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

struct exact_jobs *exact_jobs_open(const struct golden *golden)
{
    struct exact_jobs *jobs = calloc(1, sizeof *jobs);
    struct status status;
    size_t cases = json_array_size(golden->cases);
    for (size_t i = 0; i < EXACT_JOBS; i++) {
        const json_t *given = json_array_get(golden->cases, i % cases);
        const char *source = json_string_value(json_object_get(given, "source"));
        if (!sentence_encode(golden->checkpoint, source, &jobs->sentences[i], &status))
            fail_msg("%s", status.message);
        jobs->head_settings[i] = golden_head_settings(golden, given);
        int module = (int)(i / cases) % MODULE_COUNT;
        if (module_layers(golden->checkpoint->config, module) == 0)
            module = MODULE_CROSS;
        int layer = (int)i % module_layers(golden->checkpoint->config, module);
        if (i >= cases)
            *head_settings_gain(jobs->head_settings[i], module, layer,
                                (int)i % module_heads(golden->checkpoint->config, module)) = 0;
    }
    return jobs;
}

void exact_jobs_close(struct exact_jobs *jobs)
{
    for (int i = 0; i < EXACT_JOBS; i++) {
        sentence_free(&jobs->sentences[i]);
        head_settings_free(jobs->head_settings[i]);
    }
    free(jobs);
}

void exact_run(struct golden *golden, struct exact_jobs *jobs, int batch, int first, int step,
               struct translation *results)
{
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct search_job *ordered = calloc(EXACT_JOBS, sizeof *ordered);
    struct status status;
    options.batch = batch;
    for (int i = 0; i < EXACT_JOBS; i++) {
        int job = (first + i * step) & (EXACT_JOBS - 1);
        ordered[i].source = &jobs->sentences[job];
        ordered[i].head_settings = jobs->head_settings[job];
    }
    int whole = batch == 1 ? 1 : EXACT_JOBS;
    for (int i = 0; i < EXACT_JOBS; i += whole)
        if (!search_run(golden->model, ordered + i, whole, &options, NULL, &status))
            fail_msg("%s: %s", golden->name, status.message);
    for (int i = 0; i < EXACT_JOBS; i++)
        results[(first + i * step) & (EXACT_JOBS - 1)] = ordered[i].result;
    free(ordered);
}

void exact_free(struct translation *results)
{
    for (int i = 0; i < EXACT_JOBS; i++)
        translation_free(&results[i]);
}

void exact_same_bits(const char *name, const char *what, const void *a, const void *b, size_t bytes)
{
    if (memcmp(a, b, bytes) != 0)
        fail_msg("%s: %s differs", name, what);
}

void exact_same_results(const char *name, const char *what, const struct translation *a,
                        const struct translation *b)
{
    for (int i = 0; i < EXACT_JOBS; i++) {
        if (a[i].count != b[i].count)
            fail_msg("%s: %s: job %d: %d and %d hypotheses", name, what, i, a[i].count, b[i].count);
        for (int h = 0; h < a[i].count; h++) {
            const struct hypothesis *x = &a[i].hypotheses[h], *y = &b[i].hypotheses[h];
            if (x->count != y->count)
                fail_msg("%s: %s: job %d hypothesis %d differs", name, what, i, h);
            exact_same_bits(name, what, x->ids, y->ids, x->count * sizeof *x->ids);
            exact_same_bits(name, what, x->logprobs, y->logprobs, x->count * sizeof *x->logprobs);
            exact_same_bits(name, what, &x->score, &y->score, sizeof x->score);
        }
    }
}

void exact_every_model(void (*check)(const char *name))
{
    int count;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++)
        check(names[i]);
    golden_names_free(names, count);
}

bool exact_has_isa(const char *isa)
{
    struct status status;
    setenv("ATTNSCOPE_ISA", isa, 1);
    struct device *device = cpu_backend.open(&(struct device_spec){.threads = 1}, &status);
    unsetenv("ATTNSCOPE_ISA");
    if (device)
        cpu_backend.close(device);
    return device != NULL;
}

void exact_add_bytes(struct exact_bytes *bytes, const void *data, size_t count)
{
    if (!data)
        return;
    assert_true(
        memory_grow((void **)&bytes->data, &bytes->capacity, bytes->count + count, 1, NULL));
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

static void add_capture(struct exact_bytes *bytes, const struct golden *golden,
                        const struct capture *capture, int target_count)
{
    size_t n = capture->source_count, m = capture->target_rows;
    size_t vocabulary = vocabulary_size(golden->checkpoint->vocabulary[SIDE_TARGET]);
    for (int module = 0; module < MODULE_COUNT; module++) {
        size_t rows = module == MODULE_ENCODER ? n : m, columns = module == MODULE_DECODER ? m : n;
        size_t matrices = (size_t)capture->layers[module] * capture->heads[module];
        for (size_t i = 0; i < matrices; i++)
            exact_add_bytes(bytes, capture->weights[module][i], rows * columns * 4);
        for (int layer = 0; layer < capture->layers[module]; layer++) {
            exact_add_bytes(bytes, capture->importance[module][layer],
                            rows * capture->heads[module] * 4);
            exact_add_bytes(bytes, capture->gates[module][SIDE_Q][layer], rows * 4);
            exact_add_bytes(bytes, capture->gates[module][SIDE_K][layer], rows * 4);
        }
    }
    exact_add_bytes(bytes, capture->encoder_output, n * golden->checkpoint->config->d_model * 4);
    exact_add_bytes(bytes, capture->logits, m * vocabulary * 4);
    exact_add_bytes(bytes, capture->token_logprobs, (size_t)target_count * 4);
}

void exact_add_forced(struct exact_bytes *bytes, struct golden *golden,
                      const struct sentence *sentence, const struct head_settings *head_settings,
                      const struct hypothesis *target)
{
    struct capture_request request = golden_request(golden, true);
    struct capture capture;
    struct status status;
    if (!force_run(golden->model, sentence, target->ids, target->count, head_settings, &request,
                   &capture, &status))
        fail_msg("%s: %s", golden->name, status.message);
    add_capture(bytes, golden, &capture, target->count);
    capture_free(&capture);
    golden_request_free(&request);
}

struct exact_bytes exact_results(struct golden *golden, const char *text)
{
    struct status status;
    struct sentence sentence = {0};
    struct exact_bytes bytes = {0};
    if (!sentence_encode(golden->checkpoint, text, &sentence, &status))
        fail_msg("%s", status.message);
    const struct head_settings *settings = model_head_settings(golden->model);
    struct search_options options = search_defaults(golden->checkpoint->config);
    options.beam = 5;
    struct search_job job = {.source = &sentence, .head_settings = settings};
    if (!search_run(golden->model, &job, 1, &options, NULL, &status))
        fail_msg("%s", status.message);
    assert_in_range(job.result.count, 1, 5);
    bytes.hypotheses = job.result.count;
    for (int i = 0; i < job.result.count; i++)
        exact_add_forced(&bytes, golden, &sentence, settings, &job.result.hypotheses[i]);
    translation_free(&job.result);
    sentence_free(&sentence);
    return bytes;
}

struct exact_bytes exact_same_text(const char *what, struct golden *golden, const char *text,
                                   struct golden *other, const char *other_text)
{
    struct exact_bytes expected = exact_results(golden, text),
                       got = exact_results(other, other_text);
    assert_int_equal(got.hypotheses, expected.hypotheses);
    assert_int_equal(got.count, expected.count);
    exact_same_bits(text, what, got.data, expected.data, got.count);
    free(expected.data);
    free(got.data);
    return (struct exact_bytes){.count = got.count, .hypotheses = got.hypotheses};
}

void exact_same_sample(const char *what, struct golden *sample, struct golden *other,
                       char *(*spell)(const struct golden *sample, const char *text))
{
    static const char *const texts[] = {
        "I have never seen so many stars in the sky.", "Two dogs are running.",
        "The old man reads his newspaper every morning in the kitchen.", "Why?", "No!"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *spelt = spell ? spell(sample, texts[i]) : NULL;
        struct exact_bytes same =
            exact_same_text(what, sample, texts[i], other, spelt ? spelt : texts[i]);
        assert_int_equal(same.hypotheses, 5);
        assert_true(same.count > 100000);
        free(spelt);
    }
}
