#include "model/score/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics.h>

static const char resampling[] = "resampling", ranking[] = "ranking", shuffling[] = "shuffling";

/* GSL's default handler would end the program at an error. */
static gsl_rng *random_open(unsigned long seed, struct status *status)
{
    gsl_set_error_handler_off();
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (random)
        gsl_rng_set(random, seed);
    else
        status_no_memory(status);
    return random;
}

static double score_all(const struct metric *metric, const int64_t *counts, int sentences)
{
    int64_t sums[METRIC_MOST] = {0};
    for (int s = 0; s < sentences; s++)
        counts_add(sums, counts + (size_t)s * (size_t)metric->size, metric->size);
    return metric->score(metric->options, sums);
}

static double true_difference(const struct paired *paired)
{
    return fabs(score_all(paired->metric, paired->b, paired->sentences) -
                score_all(paired->metric, paired->a, paired->sentences));
}

int paired_differing(const struct paired *paired)
{
    size_t size = (size_t)paired->metric->size;
    int differing = 0;
    for (size_t s = 0; s < (size_t)paired->sentences; s++)
        differing +=
            memcmp(paired->a + s * size, paired->b + s * size, size * sizeof *paired->a) != 0;
    return differing;
}

/* Returns the share of values that are `least` or above; the observed outcome is one more of
 * them. */
static double share_from(const double *values, int count, double least)
{
    int reached = 0;
    for (int i = 0; i < count; i++)
        reached += values[i] >= least;
    return (reached + 1.0) / (count + 1.0);
}

/* Bootstrap ------------------------------------------------------------------------------------ */

/* The resamples' scores. */
struct samples {
    double *scores[2], *differences; // (count) each
    int count;
};

static bool samples_open(struct samples *samples, int count, struct status *status)
{
    *samples = (struct samples){.count = count};
    samples->scores[0] = memory_new(count, sizeof(double), status);
    samples->scores[1] = memory_new(count, sizeof(double), status);
    samples->differences = memory_new(count, sizeof(double), status);
    return samples->scores[0] && samples->scores[1] && samples->differences;
}

static void samples_close(struct samples *samples)
{
    free(samples->scores[0]);
    free(samples->scores[1]);
    free(samples->differences);
}

static void draw_resample(const struct paired *paired, gsl_rng *random, double *a, double *b)
{
    const struct metric *metric = paired->metric;
    int64_t sums_a[METRIC_MOST] = {0}, sums_b[METRIC_MOST] = {0};
    for (int i = 0; i < paired->sentences; i++) {
        size_t at = gsl_rng_uniform_int(random, (unsigned long)paired->sentences);
        counts_add(sums_a, paired->a + at * (size_t)metric->size, metric->size);
        counts_add(sums_b, paired->b + at * (size_t)metric->size, metric->size);
    }
    *a = metric->score(metric->options, sums_a);
    *b = metric->score(metric->options, sums_b);
}

static bool draw_all(const struct paired *paired, gsl_rng *random, const struct watch *watch,
                     struct samples *samples, struct status *status)
{
    for (int i = 0; i < samples->count; i++) {
        if (!watch_proceed(watch, resampling, i, samples->count, status))
            return false;
        draw_resample(paired, random, &samples->scores[0][i], &samples->scores[1][i]);
        samples->differences[i] = samples->scores[1][i] - samples->scores[0][i];
    }
    return watch_proceed(watch, resampling, samples->count, samples->count, status);
}

/* Returns the middle 95%. Reorders the values. Selecting takes 0.2 s for ten million values;
 * sorting would take seconds, without a chance to interrupt it. */
static struct interval interval_of(double *values, int count)
{
    size_t n = (size_t)count, outside = n / 40;
    return (struct interval){gsl_stats_select(values, 1, n, outside),
                             gsl_stats_select(values, 1, n, n - outside - 1)};
}

static bool find_intervals(struct samples *samples, const struct watch *watch,
                           struct bootstrap_result *out, struct status *status)
{
    double *values[] = {samples->scores[0], samples->scores[1], samples->differences};
    struct interval *intervals[] = {&out->interval[0], &out->interval[1], &out->difference};
    for (int i = 0; i < 3; i++) {
        if (!watch_proceed(watch, ranking, i, 3, status))
            return false;
        *intervals[i] = interval_of(values[i], samples->count);
    }
    return watch_proceed(watch, ranking, 3, 3, status);
}

static bool evaluate(const struct paired *paired, struct samples *samples,
                     const struct watch *watch, struct bootstrap_result *out, struct status *status)
{
    size_t count = (size_t)samples->count;
    for (int i = 0; i < 2; i++)
        out->mean[i] = gsl_stats_mean(samples->scores[i], 1, count);
    if (!find_intervals(samples, watch, out, status))
        return false;
    for (size_t i = 0; i < count; i++)
        samples->differences[i] = fabs(samples->differences[i]);
    double mean = gsl_stats_mean(samples->differences, 1, count);
    for (size_t i = 0; i < count; i++)
        samples->differences[i] -= mean;
    out->p = share_from(samples->differences, samples->count, true_difference(paired));
    return true;
}

bool bootstrap_test(const struct paired *paired, int resamples, unsigned long seed,
                    const struct watch *watch, struct bootstrap_result *out, struct status *status)
{
    struct samples samples;
    gsl_rng *random = random_open(seed, status);
    bool ok = random != NULL;
    if (ok) {
        ok = samples_open(&samples, resamples, status) &&
             draw_all(paired, random, watch, &samples, status) &&
             evaluate(paired, &samples, watch, out, status);
        samples_close(&samples);
        gsl_rng_free(random);
    }
    return ok;
}

/* Randomisation -------------------------------------------------------------------------------- */

/* Exchanging the systems changes nothing if a sentence has the same counts in both, so only the
 * other sentences are drawn. */
struct shuffle {
    const struct metric *metric;
    int64_t both[METRIC_MOST], a[METRIC_MOST]; // sums of both systems, and of a
    int64_t *change;                           // (differing, size): b - a
    int differing;
};

static bool shuffle_open(struct shuffle *shuffle, const struct paired *paired,
                         struct status *status)
{
    int size = paired->metric->size;
    *shuffle = (struct shuffle){.metric = paired->metric};
    size_t all;
    if (!size_multiply((size_t)paired->sentences, (size_t)size, &all))
        return status_no_memory(status);
    shuffle->change = memory_new(all, sizeof *shuffle->change, status);
    if (!shuffle->change)
        return false;
    for (int s = 0; s < paired->sentences; s++) {
        int64_t *change = shuffle->change + (size_t)shuffle->differing * size;
        bool differs = false;
        for (int i = 0; i < size; i++) {
            int64_t a = paired->a[(size_t)s * size + i], b = paired->b[(size_t)s * size + i];
            change[i] = b - a;
            differs |= a != b;
            shuffle->a[i] += a;
            shuffle->both[i] += a + b;
        }
        shuffle->differing += differs;
    }
    return true;
}

/* Every random number gives 32 coin flips. */
static double draw_shuffle(const struct shuffle *shuffle, gsl_rng *random)
{
    const struct metric *metric = shuffle->metric;
    int64_t a[METRIC_MOST], b[METRIC_MOST];
    unsigned long coins = 0;
    for (int i = 0; i < metric->size; i++)
        a[i] = shuffle->a[i];
    for (int s = 0; s < shuffle->differing; s++, coins >>= 1) {
        if (s % 32 == 0)
            coins = gsl_rng_get(random);
        if (coins & 1)
            counts_add(a, shuffle->change + (size_t)s * metric->size, metric->size);
    }
    for (int i = 0; i < metric->size; i++)
        b[i] = shuffle->both[i] - a[i];
    return fabs(metric->score(metric->options, b) - metric->score(metric->options, a));
}

static bool shuffle_all(const struct shuffle *shuffle, gsl_rng *random, const struct watch *watch,
                        double *differences, int trials, struct status *status)
{
    for (int i = 0; i < trials; i++) {
        if (!watch_proceed(watch, shuffling, i, trials, status))
            return false;
        differences[i] = draw_shuffle(shuffle, random);
    }
    return watch_proceed(watch, shuffling, trials, trials, status);
}

bool randomisation_test(const struct paired *paired, int trials, unsigned long seed,
                        const struct watch *watch, double *p, struct status *status)
{
    struct shuffle shuffle = {0};
    double *differences = memory_new(trials, sizeof *differences, status);
    gsl_rng *random = random_open(seed, status);
    bool ok = differences && random && shuffle_open(&shuffle, paired, status) &&
              shuffle_all(&shuffle, random, watch, differences, trials, status);
    if (ok)
        *p = share_from(differences, trials, true_difference(paired));
    free(shuffle.change);
    free(differences);
    if (random)
        gsl_rng_free(random);
    return ok;
}
