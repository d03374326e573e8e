/* Checks that a device computes what the CPU does, before anything on it is timed.
 *
 * The rule for devices: log-probabilities must lie within a bound that depends on the precision.
 * Tokens must be the same, unless the margin that decides is less than twice that bound (in fp32:
 * than the bound). In a greedy search the margin is known: the difference of the CPU's
 * log-probabilities of the two tokens where the translations first differ. With a beam, the
 * log-probabilities of the translations found are compared with the CPU's, and in fp32 most
 * sentences must be the same: the margin that decided may belong to a hypothesis that is no longer
 * in the beam at the end.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/gpu_bench.h"

enum { MODES = 2, GREEDY = 0 };

struct gpu_truth {
    struct device *device;
    struct model *model;
    struct search_job *jobs[MODES]; // (count) greedy, and with the model's beam
    int count;
};

/* Returns the bound for one log-probability. Cutting factors off at 10 bits, or rounding them to 7,
 * changes each by up to 2^-10 or 2^-8 of its value. */
static double bound_of(enum precision precision)
{
    static const double bounds[] = {
        [PRECISION_FP32] = 1e-4, [PRECISION_TF32] = 0.075, [PRECISION_BF16] = 0.25};
    return bounds[precision];
}

static struct gpu_bench bench_on_cpu(const struct gpu_truth *truth,
                                     const struct sentence *sentences)
{
    return (struct gpu_bench){.backend = &cpu_backend,
                              .device = truth->device,
                              .model = truth->model,
                              .options = search_defaults(model_checkpoint(truth->model)->config),
                              .sentences = sentences,
                              .count = truth->count};
}

static void search_mode(const struct gpu_bench *bench, int mode, struct search_job *jobs, int count)
{
    struct gpu_bench searched = *bench;
    if (mode == GREEDY)
        searched.options.beam = 1;
    gpu_search(&searched, jobs, count, count);
}

struct gpu_truth *gpu_truth_open(const struct checkpoint *checkpoint,
                                 const struct sentence *sentences, int count)
{
    struct status status;
    struct gpu_truth *truth = memory_new(1, sizeof *truth, &status);
    if (!truth)
        gpu_die(&status);
    truth->count = count;
    truth->device = cpu_backend.open(&(struct device_spec){0}, &status);
    if (!truth->device)
        gpu_die(&status);
    truth->model = model_open(checkpoint, &cpu_backend, truth->device, &status);
    if (!truth->model)
        gpu_die(&status);
    struct gpu_bench bench = bench_on_cpu(truth, sentences);
    for (int mode = 0; mode < MODES; mode++) {
        truth->jobs[mode] = gpu_jobs_new(count);
        search_mode(&bench, mode, truth->jobs[mode], count);
    }
    return truth;
}

void gpu_truth_close(struct gpu_truth *truth)
{
    for (int mode = 0; mode < MODES; mode++)
        gpu_jobs_free(truth->jobs[mode], truth->count);
    model_close(truth->model);
    cpu_backend.close(truth->device);
    free(truth);
}

/* Returns the CPU's log-probabilities of `ids` (count); the caller frees them. */
static float *cpu_logprobs(const struct gpu_truth *truth, const struct sentence *source,
                           const int *ids, int count)
{
    struct status status;
    float *logprobs = memory_new((size_t)count, sizeof *logprobs, &status);
    struct score_job job = {.source = source, .target = ids, .count = count, .logprobs = logprobs};
    if (!logprobs || !score_run(truth->model, &job, 1, 1, &status))
        gpu_die(&status);
    return logprobs;
}

/* Returns the largest difference between the device's and the CPU's log-probabilities of the
 * device's translation. */
static double difference(const struct gpu_truth *truth, const struct search_job *job)
{
    const struct hypothesis *best = &job->result.hypotheses[0];
    float *expected = cpu_logprobs(truth, job->source, best->ids, best->count);
    double most = 0;
    for (int i = 0; i < best->count; i++) {
        double apart = fabs((double)best->logprobs[i] - expected[i]);
        most = apart <= most ? most : apart; // keeps NaN
    }
    free(expected);
    return most;
}

/* Returns the index of the first token at which two translations differ, or -1. */
static int first_difference(const struct hypothesis *a, const struct hypothesis *b)
{
    int i = 0;
    while (i < a->count && i < b->count && a->ids[i] == b->ids[i])
        i++;
    return i == a->count && i == b->count ? -1 : i;
}

/* Returns how much better the CPU's choice is, where the device chose another token. */
static double margin(const struct gpu_truth *truth, const struct search_job *job,
                     const struct hypothesis *expected, int at)
{
    const struct hypothesis *best = &job->result.hypotheses[0];
    if (at >= best->count || at >= expected->count)
        return INFINITY;
    float *logprobs = cpu_logprobs(truth, job->source, best->ids, best->count);
    double apart = (double)expected->logprobs[at] - logprobs[at];
    free(logprobs);
    return fabs(apart);
}

/* Reports a token that differs from the CPU's although rounding cannot explain it. */
static void check_token(const struct gpu_truth *truth, const struct search_job *job, int number,
                        enum precision precision)
{
    const double bound = bound_of(precision);
    const double allowed = precision == PRECISION_FP32 ? bound : 2 * bound;
    const struct hypothesis *expected = &truth->jobs[GREEDY][number - 1].result.hypotheses[0];
    const int at = first_difference(&job->result.hypotheses[0], expected);
    const double decided = at < 0 ? 0 : margin(truth, job, expected, at);
    if (!(decided < allowed))
        gpu_wrong("%s: sentence %d: token %d is not the CPU's, which a margin of %g decides",
                  gpu_precisions[precision], number, at + 1, decided);
}

/* Returns how many sentences have the same tokens. */
static int check_mode(const struct gpu_truth *truth, int mode, const struct search_job *jobs,
                      enum precision precision, double *most)
{
    const double bound = bound_of(precision);
    int same = 0;
    for (int i = 0; i < truth->count; i++) {
        const struct hypothesis *expected = &truth->jobs[mode][i].result.hypotheses[0];
        double apart = difference(truth, &jobs[i]);
        same += first_difference(&jobs[i].result.hypotheses[0], expected) < 0;
        *most = apart <= *most ? *most : apart;
        if (!(apart <= bound))
            gpu_wrong("%s: sentence %d: a log-probability is %g from the CPU's, expected %g",
                      gpu_precisions[precision], i + 1, apart, bound);
        if (mode == GREEDY)
            check_token(truth, &jobs[i], i + 1, precision);
    }
    return same;
}

void gpu_check(const struct gpu_bench *bench, const struct gpu_truth *truth)
{
    int same[MODES];
    double most = 0;
    for (int mode = 0; mode < MODES; mode++) {
        struct search_job *jobs = gpu_jobs_new(truth->count);
        search_mode(bench, mode, jobs, truth->count);
        same[mode] = check_mode(truth, mode, jobs, bench->precision, &most);
        gpu_jobs_free(jobs, truth->count);
    }
    if (bench->precision == PRECISION_FP32 && 2 * same[1] <= truth->count)
        gpu_wrong("beam %d: %d of %d sentences have the CPU's tokens, expected most",
                  bench->options.beam, same[1], truth->count);
    printf(
        "  checked against the CPU: tokens of %d of %d sentences (greedy), %d of %d (beam %d) the "
        "same,\n  the others by the margin; log-probabilities within %.2g (bound %.2g)\n",
        same[0], truth->count, same[1], truth->count, bench->options.beam, most,
        bound_of(bench->precision));
}
