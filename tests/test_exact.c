/* To the bit on the CPU: nothing that a sentence's result may not depend on changes one bit of it. */
#include <jansson.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine_support.h"

enum { JOBS = 64 };

/* Sixty-four jobs over a model's sentences: the cases' own dials, and heads switched off. */
struct jobs {
    struct sentence sentences[JOBS];
    struct dials *dials[JOBS];
    struct search_job jobs[JOBS];
};

static struct jobs *jobs_open(const struct golden *golden)
{
    struct jobs *jobs = calloc(1, sizeof *jobs);
    struct status status;
    size_t cases = json_array_size(golden->cases);
    for (size_t i = 0; i < JOBS; i++) {
        const json_t *given = json_array_get(golden->cases, i % cases);
        const char *source = json_string_value(json_object_get(given, "source"));
        if (!sentence_encode(golden->checkpoint, source, &jobs->sentences[i], &status))
            fail_msg("%s", status.message);
        jobs->dials[i] = golden_dials(golden, given);
        int module = (int)(i / cases) % MODULE_COUNT;
        int layer = (int)i % module_layers(golden->checkpoint->config, module);
        if (i >= cases)
            *dials_gain(jobs->dials[i], module, layer,
                        (int)i % module_heads(golden->checkpoint->config, module)) = 0;
    }
    return jobs;
}

static void jobs_close(struct jobs *jobs)
{
    for (int i = 0; i < JOBS; i++) {
        sentence_free(&jobs->sentences[i]);
        dials_free(jobs->dials[i]);
    }
    free(jobs);
}

/* Runs the jobs in the order first, first + step, … (modulo 64) and leaves the results by job. */
static void run_jobs(struct golden *golden, struct jobs *jobs, int batch, int first, int step,
                     struct translation *results)
{
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct search_job *ordered = calloc(JOBS, sizeof *ordered);
    struct status status;
    options.batch = batch;
    for (int i = 0; i < JOBS; i++) {
        int job = (first + i * step) & (JOBS - 1);
        ordered[i].source = &jobs->sentences[job];
        ordered[i].dials = jobs->dials[job];
    }
    int whole = batch == 1 ? 1 : JOBS;
    for (int i = 0; i < JOBS; i += whole)
        if (!search_run(golden->model, ordered + i, whole, &options, NULL, &status))
            fail_msg("%s: %s", golden->name, status.message);
    for (int i = 0; i < JOBS; i++)
        results[(first + i * step) & (JOBS - 1)] = ordered[i].result;
    free(ordered);
}

static void free_results(struct translation *results)
{
    for (int i = 0; i < JOBS; i++)
        translation_free(&results[i]);
}

static void assert_same_bits(const char *name, const char *what, const void *a, const void *b,
                             size_t bytes)
{
    if (memcmp(a, b, bytes) != 0)
        fail_msg("%s: %s differs", name, what);
}

static void assert_same_results(const char *name, const char *what, const struct translation *a,
                                const struct translation *b)
{
    for (int i = 0; i < JOBS; i++) {
        if (a[i].count != b[i].count)
            fail_msg("%s: %s: job %d: %d and %d hypotheses", name, what, i, a[i].count, b[i].count);
        for (int h = 0; h < a[i].count; h++) {
            const struct hypothesis *x = &a[i].hypotheses[h], *y = &b[i].hypotheses[h];
            if (x->count != y->count)
                fail_msg("%s: %s: job %d hypothesis %d differs", name, what, i, h);
            assert_same_bits(name, what, x->ids, y->ids, x->count * sizeof *x->ids);
            assert_same_bits(name, what, x->logprobs, y->logprobs, x->count * sizeof *x->logprobs);
            assert_same_bits(name, what, &x->score, &y->score, sizeof x->score);
        }
    }
}

static void for_every_model(void (*check)(const char *name))
{
    int count;
    char **names = golden_names(&count);
    for (int i = 0; i < count; i++)
        check(names[i]);
    golden_names_free(names, count);
}

static void check_batches(const char *name)
{
    static const struct {
        const char *what;
        int batch, first, step;
    } runs[] = {{"batch of 64", 64, 0, 1},
                {"batch of 64 backwards", 64, 63, -1},
                {"batch of 5 in another order", 5, 7, 11}};
    struct golden *golden = golden_open(name, "cpu", 1);
    struct jobs *jobs = jobs_open(golden);
    struct translation alone[JOBS], together[JOBS];
    run_jobs(golden, jobs, 1, 0, 1, alone);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        run_jobs(golden, jobs, runs[i].batch, runs[i].first, runs[i].step, together);
        assert_same_results(name, runs[i].what, alone, together);
        free_results(together);
    }
    free_results(alone);
    jobs_close(jobs);
    golden_close(golden);
}

static void a_batch_of_64_is_one_by_one_in_any_order(void **state)
{
    (void)state;
    for_every_model(check_batches);
}

/* The order in which jobs finish. */
struct order {
    int jobs[JOBS], count;
};

static bool note_job(void *context, int job)
{
    struct order *order = context;
    if (job >= 0)
        order->jobs[order->count++] = job;
    return true;
}

/* In a batch of one jobs finish as they enter: by turns, in each the longest first. The longest of all is in the
 * last turn, so that every batch is larger than its first job needs. */
static void check_turns(struct golden *golden, const struct jobs *jobs, int batch,
                        const struct translation *alone)
{
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct search_job turned[JOBS];
    struct translation results[JOBS];
    struct order order = {.count = 0};
    const struct search_listener listener = {note_job, &order};
    struct status status;
    int longest = 0, shortest = INT_MAX;
    for (int i = 0; i < JOBS; i++) {
        int length = jobs->sentences[i].count;
        longest = length > longest ? length : longest;
        shortest = length < shortest ? length : shortest;
    }
    assert_true(shortest < longest);
    for (int i = 0; i < JOBS; i++)
        turned[i] =
            (struct search_job){.source = &jobs->sentences[i],
                                .dials = jobs->dials[i],
                                .turn = jobs->sentences[i].count == longest ? 4 : i * 7 % 4};
    options.batch = batch;
    if (!search_run(golden->model, turned, JOBS, &options, &listener, &status))
        fail_msg("%s: %s", golden->name, status.message);
    for (int i = 0; i < JOBS; i++)
        results[i] = turned[i].result;
    assert_same_results(golden->name, "jobs in turns", alone, results);
    free_results(results);
    assert_int_equal(order.count, JOBS);
    for (int i = 1; batch == 1 && i < JOBS; i++) {
        const struct search_job *a = &turned[order.jobs[i - 1]], *b = &turned[order.jobs[i]];
        if (a->turn > b->turn || (a->turn == b->turn && a->source->count < b->source->count))
            fail_msg("job %d of turn %d, length %d is before job %d of turn %d, length %d",
                     order.jobs[i - 1], a->turn, a->source->count, order.jobs[i], b->turn,
                     b->source->count);
    }
}

static void turns_say_who_is_first_and_change_no_bit(void **state)
{
    static const char *const models[] = {"vanilla_post", "context_both_stacks"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct golden *golden = golden_open(models[i], "cpu", 1);
        struct jobs *jobs = jobs_open(golden);
        struct translation alone[JOBS];
        run_jobs(golden, jobs, 1, 0, 1, alone);
        check_turns(golden, jobs, 1, alone);
        check_turns(golden, jobs, 5, alone);
        free_results(alone);
        jobs_close(jobs);
        golden_close(golden);
    }
}

/* Everything a forced pass captures, as bytes. */
struct bytes {
    char *data;
    size_t count, capacity;
};

static void add_bytes(struct bytes *bytes, const void *data, size_t count)
{
    if (!data)
        return;
    assert_true(
        memory_grow((void **)&bytes->data, &bytes->capacity, bytes->count + count, 1, NULL));
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

static void add_capture(struct bytes *bytes, const struct golden *golden,
                        const struct capture *capture, int target_count)
{
    size_t n = capture->source_count, m = capture->target_rows;
    size_t vocabulary = vocabulary_size(golden->checkpoint->vocabulary[SIDE_TARGET]);
    for (int module = 0; module < MODULE_COUNT; module++) {
        size_t rows = module == MODULE_ENCODER ? n : m, columns = module == MODULE_DECODER ? m : n;
        size_t matrices = (size_t)capture->layers[module] * capture->heads[module];
        for (size_t i = 0; i < matrices; i++)
            add_bytes(bytes, capture->weights[module][i], rows * columns * 4);
        for (int layer = 0; layer < capture->layers[module]; layer++) {
            add_bytes(bytes, capture->importance[module][layer], rows * capture->heads[module] * 4);
            add_bytes(bytes, capture->gates[module][SIDE_Q][layer], rows * 4);
            add_bytes(bytes, capture->gates[module][SIDE_K][layer], rows * 4);
        }
    }
    add_bytes(bytes, capture->encoder_output, n * golden->checkpoint->config->d_model * 4);
    add_bytes(bytes, capture->logits, m * vocabulary * 4);
    add_bytes(bytes, capture->token_logprobs, (size_t)target_count * 4);
}

static void add_forced(struct bytes *bytes, struct golden *golden, const struct sentence *sentence,
                       const struct dials *dials, const struct hypothesis *target)
{
    struct capture_request request = golden_request(golden, true);
    struct capture capture;
    struct status status;
    if (!force_run(golden->model, sentence, target->ids, target->count, dials, &request, &capture,
                   &status))
        fail_msg("%s: %s", golden->name, status.message);
    add_capture(bytes, golden, &capture, target->count);
    capture_free(&capture);
    golden_request_free(&request);
}

typedef struct golden *opening(const char *name, const char *isa, int threads);

/* All that one device gives for a model: searches and captures. Takes the model. */
static void run_device(struct golden *golden, struct translation *results, struct bytes *bytes)
{
    struct jobs *jobs = jobs_open(golden);
    run_jobs(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < 8; i++)
        if (results[i].count)
            add_forced(bytes, golden, &jobs->sentences[i], jobs->dials[i],
                       &results[i].hypotheses[0]);
    jobs_close(jobs);
    golden_close(golden);
}

/* A device with an instruction set that the machine lacks does not open. */
static bool has_isa(const char *isa)
{
    struct status status;
    setenv("ATTNSCOPE_ISA", isa, 1);
    struct device *device = cpu_backend.open(&(struct device_spec){.threads = 1}, &status);
    unsetenv("ATTNSCOPE_ISA");
    if (device)
        cpu_backend.close(device);
    return device != NULL;
}

static const struct {
    const char *isa;
    int threads;
} devices[] = {{"cpu", 2}, {"cpu", 3}, {"avx512", 2}, {"avx2", 1}, {"c", 1}};
enum { DEVICES = sizeof devices / sizeof *devices, FAST_DEVICES = DEVICES - 1 };

/* On the first `count` of them. */
static void check_devices(const char *name, opening *open, size_t count)
{
    struct translation first[JOBS], other[JOBS];
    struct bytes first_bytes = {0}, other_bytes = {0};
    run_device(open(name, "cpu", 1), first, &first_bytes);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(devices[i].isa, "cpu") != 0 && !has_isa(devices[i].isa))
            continue;
        other_bytes.count = 0;
        run_device(open(name, devices[i].isa, devices[i].threads), other, &other_bytes);
        char what[64];
        snprintf(what, sizeof what, "%s with %d threads", devices[i].isa, devices[i].threads);
        assert_same_results(name, what, first, other);
        assert_int_equal(first_bytes.count, other_bytes.count);
        assert_same_bits(name, what, first_bytes.data, other_bytes.data, first_bytes.count);
        free_results(other);
    }
    free_results(first);
    free(first_bytes.data);
    free(other_bytes.data);
}

static void check_golden_devices(const char *name)
{
    check_devices(name, golden_open, DEVICES);
}

/* Threads share the operations of models that are not small, too. */
static void threads_and_instruction_sets_give_the_same_bits(void **state)
{
    static const char *const samples[] = {"en-de", "en-de-dhicm", "en-de-context"};
    (void)state;
    for_every_model(check_golden_devices);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        check_devices(samples[i], sample_open, FAST_DEVICES);
}

/* The forced pass of a hypothesis against the log-probabilities that the search saw. */
static void check_incremental(const char *name)
{
    struct golden *golden = golden_open(name, "cpu", 1);
    struct jobs *jobs = jobs_open(golden);
    struct translation results[JOBS];
    run_jobs(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < JOBS; i++)
        for (int h = 0; h < results[i].count; h++) {
            const struct hypothesis *target = &results[i].hypotheses[h];
            struct capture plain, captured;
            struct capture_request nothing = {0}, all = golden_request(golden, true);
            struct status status;
            assert_true(force_run(golden->model, &jobs->sentences[i], target->ids, target->count,
                                  jobs->dials[i], &nothing, &plain, &status));
            assert_true(force_run(golden->model, &jobs->sentences[i], target->ids, target->count,
                                  jobs->dials[i], &all, &captured, &status));
            assert_same_bits(name, "incremental and forced", target->logprobs, plain.token_logprobs,
                             target->count * sizeof(float));
            assert_same_bits(name, "capture on and off", captured.token_logprobs,
                             plain.token_logprobs, target->count * sizeof(float));
            capture_free(&plain);
            capture_free(&captured);
            golden_request_free(&all);
        }
    free_results(results);
    jobs_close(jobs);
    golden_close(golden);
}

static void the_forced_pass_gives_the_bits_the_search_saw(void **state)
{
    (void)state;
    for_every_model(check_incremental);
}

/* Scoring many pairs in batches gives what a forced pass of each gives. */
static void check_scores(const char *name)
{
    struct golden *golden = golden_open(name, "cpu", 2);
    struct jobs *jobs = jobs_open(golden);
    struct translation results[JOBS];
    struct score_job scored[JOBS];
    struct status status;
    int count = 0;
    run_jobs(golden, jobs, 64, 0, 1, results);
    for (int i = 0; i < JOBS; i++)
        if (results[i].count) {
            const struct hypothesis *target = &results[i].hypotheses[results[i].count - 1];
            scored[count++] = (struct score_job){.source = &jobs->sentences[i],
                                                 .target = target->ids,
                                                 .count = target->count,
                                                 .dials = jobs->dials[i],
                                                 .logprobs = calloc(target->count, sizeof(float))};
        }
    if (!score_run(golden->model, scored, count, 16, &status))
        fail_msg("%s: %s", name, status.message);
    for (int i = 0, job = 0; i < JOBS; i++)
        if (results[i].count) {
            const struct hypothesis *target = &results[i].hypotheses[results[i].count - 1];
            assert_same_bits(name, "scored in batches", scored[job].logprobs, target->logprobs,
                             target->count * sizeof(float));
            free(scored[job++].logprobs);
        }
    free_results(results);
    jobs_close(jobs);
    golden_close(golden);
}

static void scoring_in_batches_gives_the_bits_the_search_saw(void **state)
{
    (void)state;
    for_every_model(check_scores);
}

/* Writes a copy of a checkpoint in which one head's rows of V are zero. */
static void write_without_values(const struct golden *golden, enum module module, int layer,
                                 int head, const char *path)
{
    static const char *const parts[] = {"weight", "bias"};
    size_t bytes;
    const char *file = safetensors_bytes(golden->checkpoint->file, &bytes);
    char *copy = malloc(bytes);
    memcpy(copy, file, bytes);
    int heads = module_heads(golden->checkpoint->config, module);
    for (int part = 0; part < 2; part++) {
        const struct stored_tensor *tensor =
            checkpoint_tensor(golden->checkpoint, "%s.layers.%d.%s_attention.v.%s",
                              module == MODULE_ENCODER ? "encoder" : "decoder", layer,
                              module == MODULE_CROSS ? "cross" : "self", parts[part]);
        if (tensor)
            memset(copy + ((const char *)tensor->data - file) + head * (tensor->bytes / heads), 0,
                   tensor->bytes / heads);
    }
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(copy, 1, bytes, out), bytes);
    fclose(out);
    free(copy);
}

static void check_head(struct golden *golden, enum module module, int layer, int head)
{
    char path[] = "/tmp/attnscope-exact-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_without_values(golden, module, layer, head, path);
    struct golden *zeroed = golden_open_path(path, "cpu", 1);
    unlink(path);
    struct dials *off = dials_copy(model_dials(golden->model), NULL);
    *dials_gain(off, module, layer, head) = 0;
    const json_t *given = json_array_get(golden->cases, 1);
    struct sentence sentence = {0};
    struct status status;
    assert_true(sentence_encode(golden->checkpoint,
                                json_string_value(json_object_get(given, "source")), &sentence,
                                &status));
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct search_job job = {.source = &sentence};
    assert_true(search_run(zeroed->model, &job, 1, &options, NULL, &status));
    if (job.result.count) {
        struct bytes a = {0}, b = {0};
        add_forced(&a, golden, &sentence, off, &job.result.hypotheses[0]);
        add_forced(&b, zeroed, &sentence, NULL, &job.result.hypotheses[0]);
        assert_int_equal(a.count, b.count);
        assert_same_bits(golden->name, "head off and V zeroed", a.data, b.data, a.count);
        free(a.data);
        free(b.data);
    }
    translation_free(&job.result);
    sentence_free(&sentence);
    dials_free(off);
    golden_close(zeroed);
}

static void check_gains(const char *name)
{
    struct golden *golden = golden_open(name, "cpu", 1);
    const struct config *config = golden->checkpoint->config;
    for (int module = 0; module < MODULE_COUNT; module++) {
        int layer = module_layers(config, module) - 1;
        if (!config->attention[module][layer].dhicm)
            for (int head = 0; head < module_heads(config, module); head++)
                check_head(golden, module, layer, head);
    }
    golden_close(golden);
}

static void a_head_that_is_off_is_a_head_whose_values_are_zero(void **state)
{
    (void)state;
    for_every_model(check_gains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_of_64_is_one_by_one_in_any_order),
        cmocka_unit_test(turns_say_who_is_first_and_change_no_bit),
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_bits),
        cmocka_unit_test(the_forced_pass_gives_the_bits_the_search_saw),
        cmocka_unit_test(scoring_in_batches_gives_the_bits_the_search_saw),
        cmocka_unit_test(a_head_that_is_off_is_a_head_whose_values_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
