/* How long derivatives take compared with the forced pass of the same sentence, on the CPU, and how
 * long the importance of all heads over sentences of the sample takes compared with central
 * differences.
 *
 * Usage: bench_gradient [THREADS]     (default: 1; samples/en-de.bin and a random base-size model)
 *
 * The forced pass gives the log-probability of each target token. The derivatives are those of
 * their sum, with respect to embeddings and gains, and with respect to everything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/net/backward/gradient.h"
#include "model/net/force.h"
#include "model/study/head_gradients.h"
#include "model/text/conllu/conllu.h"
#include "tests/bench/random_model.h"
#include "tests/bench/rounds.h"

static const char sample[] = "samples/en-de.bin", sources[] = "samples/sentences.en";
static const char sentence[] = "The old gardener showed a small boy where the birds had built "
                               "their nest in the garden behind the house.";

struct bench {
    struct checkpoint *checkpoint;
    struct model *model;
    struct sentence source;
    int *target, count;
    struct gradient_term *terms;
    struct gradient_request some, all;
};

static void die(const struct status *status)
{
    fprintf(stderr, "bench_gradient: %s\n", status->message);
    exit(1);
}

static void force(void *context)
{
    struct bench *bench = context;
    const struct capture_request nothing = {0};
    struct capture capture;
    struct status status;
    if (!force_run(bench->model, &bench->source, bench->target, bench->count, NULL, &nothing,
                   &capture, &status))
        die(&status);
    capture_free(&capture);
}

static void run(const struct bench *bench, const struct gradient_request *request)
{
    struct gradients gradients;
    struct status status;
    if (!gradient_run(bench->model, &bench->source, bench->target, bench->count, NULL, request,
                      &gradients, &status))
        die(&status);
    gradients_free(&gradients);
}

static void run_some(void *context)
{
    const struct bench *bench = context;
    run(bench, &bench->some);
}

static void run_all(void *context)
{
    const struct bench *bench = context;
    run(bench, &bench->all);
}

/* The target is as long as the source. Its tokens are arbitrary: all take the same time. */
static void open_target(struct bench *bench)
{
    struct status status;
    const struct config *config = bench->checkpoint->config;
    bench->count = bench->source.count;
    bench->target = memory_new((size_t)bench->count, sizeof *bench->target, &status);
    bench->terms = memory_new((size_t)bench->count, sizeof *bench->terms, &status);
    if (!bench->target || !bench->terms)
        die(&status);
    for (int t = 0; t < bench->count; t++) {
        bench->target[t] = t + 1 < bench->count ? 5 + t : config->special[SPECIAL_EOS][SIDE_TARGET];
        bench->terms[t] = (struct gradient_term){t, bench->target[t], 1};
    }
    bench->some = (struct gradient_request){
        .terms = bench->terms, .count = bench->count, .embeddings = true, .gains = true};
    bench->all = bench->some;
    bench->all.states = true;
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t count = (size_t)(module_layers(config, m) * module_heads(config, m));
        bool *wanted = memory_new(count, 1, &status);
        if (!wanted)
            die(&status);
        memset(wanted, true, count);
        bench->all.weights[m] = bench->all.head_outputs[m] = wanted;
    }
}

static void measure(const char *name, struct checkpoint *checkpoint, const char *text,
                    struct device *device)
{
    static const struct rounds rounds = {.count = 9, .least_seconds = 0.05};
    struct status status;
    struct bench bench = {.checkpoint = checkpoint,
                          .model = model_open(checkpoint, &cpu_backend, device, &status)};
    if (!bench.model || !sentence_encode(checkpoint, text, &bench.source, &status))
        die(&status);
    open_target(&bench);
    const double forced = rounds_time(&rounds, force, &bench).median;
    const double some = rounds_time(&rounds, run_some, &bench).median;
    const double all = rounds_time(&rounds, run_all, &bench).median;
    printf("%s: %d source and target tokens: forced pass %.2f ms; by embeddings and gains %.2f ms "
           "(%.2f times), by everything %.2f ms (%.2f times)\n",
           name, bench.count, 1e3 * forced, 1e3 * some, some / forced, 1e3 * all, all / forced);
    for (int m = 0; m < MODULE_COUNT; m++)
        free((bool *)bench.all.weights[m]);
    free(bench.target);
    free(bench.terms);
    sentence_free(&bench.source);
    model_close(bench.model);
    checkpoint_close(checkpoint);
}

/* Seconds for the importance of all heads over these lines. */
static double time_importance(const struct study_context *context, const struct lines lines[2],
                              bool differences)
{
    const struct config *config = model_checkpoint(context->state.model)->config;
    struct head_gradients all = {.differences = differences};
    struct status status;
    for (int m = 0; m < MODULE_COUNT; m++)
        all.count += module_layers(config, m) * module_heads(config, m);
    all.heads = memory_new((size_t)all.count, sizeof *all.heads, &status);
    if (!all.heads)
        die(&status);
    for (int m = 0, at = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(config, m) * module_heads(config, m); i++)
            all.heads[at++] = (struct head_gradient){.module = (enum module)m,
                                                     .layer = i / module_heads(config, m),
                                                     .head = i % module_heads(config, m)};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (!head_gradients_run(context, sources, &lines[0], &lines[1], &all, &status))
        die(&status);
    clock_gettime(CLOCK_MONOTONIC, &end);
    head_gradients_free(&all);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

static void measure_importance(struct device *device)
{
    static const char *const paths[] = {sources, "samples/sentences.de"};
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(sample, &status);
    struct model *model = checkpoint ? model_open(checkpoint, &cpu_backend, device, &status) : NULL;
    struct lines lines[2] = {{0}, {0}};
    if (!model || !sentences_read(paths[0], NULL, &lines[0], NULL, &status) ||
        !sentences_read(paths[1], NULL, &lines[1], NULL, &status))
        die(&status);
    struct head_settings *own = head_settings_copy(model_head_settings(model), &status);
    if (!own)
        die(&status);
    const struct study_context context = {
        .state = {model, own, search_defaults(checkpoint->config)}};
    const double exact = time_importance(&context, lines, false);
    const double differences = time_importance(&context, lines, true);
    printf("importance of heads over %d sentences: backwards %.2f s, central differences %.2f s "
           "(%.1f times)\n",
           lines[0].count, exact, differences, differences / exact);
    lines_free(&lines[0]);
    lines_free(&lines[1]);
    head_settings_free(own);
    model_close(model);
    checkpoint_close(checkpoint);
}

int main(int argc, char **argv)
{
    struct status status;
    const struct device_spec spec = {.threads = argc > 1 ? atoi(argv[1]) : 1};
    struct device *device = cpu_backend.open(&spec, &status);
    struct checkpoint *trained = device ? checkpoint_open(sample, &status) : NULL;
    if (!trained)
        die(&status);
    measure(sample, trained, sentence, device);
    for (int length = 10; length <= 160; length *= 4) {
        struct checkpoint *random = random_model_open(&random_base, &status);
        char *text = random_sentence(&random_base, length, 7, &status);
        if (!random || !text)
            die(&status);
        measure("random base", random, text, device);
        free(text);
    }
    measure_importance(device);
    cpu_backend.close(device);
    return 0;
}
