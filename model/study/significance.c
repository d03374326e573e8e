#include "model/study/significance.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

static const char resampling[] = "resampling", sorting[] = "sorting", shuffling[] = "shuffling";

/* GSL would end the program at an error. */
static gsl_rng *random_open(unsigned long seed, struct status *status)
{
    gsl_set_error_handler_off();
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (random)
        gsl_rng_set(random, seed);
    else
        status_fail(status, STATUS_MEMORY, "out of memory");
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

double paired_least(int differing)
{
    return differing > 1 ? ldexp(1, 1 - differing) : 1;
}

/* One more than are above it, among one more than there are: what was seen is one of the possible
 * outcomes. */
static double share_above(const double *values, int count, double than)
{
    int above = 0;
    for (int i = 0; i < count; i++)
        above += values[i] > than;
    return (above + 1.0) / (count + 1.0);
}

/* Bootstrap -------------------------------------------------------------------------------------- */

/* Scores of the resamples. */
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

static bool draw_all(const struct paired *paired, gsl_rng *random, const struct watcher *watcher,
                     struct samples *samples, struct status *status)
{
    for (int i = 0; i < samples->count; i++) {
        if (!watch_proceed(watcher, resampling, i, samples->count, status))
            return false;
        draw_resample(paired, random, &samples->scores[0][i], &samples->scores[1][i]);
        samples->differences[i] = samples->scores[1][i] - samples->scores[0][i];
    }
    return watch_proceed(watcher, resampling, samples->count, samples->count, status);
}

/* Sorts in pieces, which are then merged: a million values and more take longer than anybody waits for a stop. */
enum { PIECE = 1 << 15 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Merges the sorted values first … middle-1 and middle … last-1. */
static void merge(const double *values, int first, int middle, int last, double *out)
{
    int a = first, b = middle;
    for (int i = first; i < last; i++)
        out[i] = b == last || (a < middle && values[a] <= values[b]) ? values[a++] : values[b++];
}

static bool sort_pieces(double *values, int count, const struct watcher *watcher,
                        struct status *status)
{
    for (int first = 0; first < count; first += least(PIECE, count - first)) {
        if (!watch_proceed(watcher, sorting, first, count, status))
            return false;
        gsl_sort(values + first, 1, (size_t)least(PIECE, count - first));
    }
    return watch_proceed(watcher, sorting, count, count, status);
}

static bool sort_values(double *values, int count, const struct watcher *watcher,
                        struct status *status)
{
    double *merged = memory_new((size_t)count, sizeof *merged, status);
    bool ok = merged && sort_pieces(values, count, watcher, status);
    for (int size = PIECE; ok && size < count; size = least(size, INT_MAX / 2) * 2) {
        for (int first = 0, last; first < count; first = last) {
            int middle = first + least(size, count - first);
            last = middle + least(size, count - middle);
            merge(values, first, middle, last, merged);
        }
        memcpy(values, merged, (size_t)count * sizeof *values);
        ok = watch_proceed(watcher, sorting, count, count, status);
    }
    free(merged);
    return ok;
}

/* Of sorted values. */
static struct interval middle_of(const double *values, int count)
{
    int out = count / 40;
    return (struct interval){values[out], values[count - out - 1]};
}

static bool evaluate(const struct paired *paired, struct samples *samples,
                     const struct watcher *watcher, struct bootstrap_result *out,
                     struct status *status)
{
    size_t count = (size_t)samples->count;
    for (int i = 0; i < 2; i++) {
        out->mean[i] = gsl_stats_mean(samples->scores[i], 1, count);
        if (!sort_values(samples->scores[i], samples->count, watcher, status))
            return false;
        out->interval[i] = middle_of(samples->scores[i], samples->count);
    }
    if (!sort_values(samples->differences, samples->count, watcher, status))
        return false;
    out->difference = middle_of(samples->differences, samples->count);
    for (size_t i = 0; i < count; i++)
        samples->differences[i] = fabs(samples->differences[i]);
    double mean = gsl_stats_mean(samples->differences, 1, count);
    for (size_t i = 0; i < count; i++)
        samples->differences[i] -= mean;
    out->p = share_above(samples->differences, samples->count, true_difference(paired));
    return true;
}

bool bootstrap_test(const struct paired *paired, int resamples, unsigned long seed,
                    const struct watcher *watcher, struct bootstrap_result *out,
                    struct status *status)
{
    struct samples samples;
    gsl_rng *random = random_open(seed, status);
    bool ok = random != NULL;
    if (ok) {
        ok = samples_open(&samples, resamples, status) &&
             draw_all(paired, random, watcher, &samples, status) &&
             evaluate(paired, &samples, watcher, out, status);
        samples_close(&samples);
        gsl_rng_free(random);
    }
    return ok;
}

/* Randomisation ---------------------------------------------------------------------------------- */

/* Sentences that the systems translate alike count the same wherever they are: only the others' places
 * are drawn. */
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
        return status_fail(status, STATUS_MEMORY, "out of memory");
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

/* 32 coins a random number. */
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

static bool shuffle_all(const struct shuffle *shuffle, gsl_rng *random,
                        const struct watcher *watcher, double *differences, int trials,
                        struct status *status)
{
    for (int i = 0; i < trials; i++) {
        if (!watch_proceed(watcher, shuffling, i, trials, status))
            return false;
        differences[i] = draw_shuffle(shuffle, random);
    }
    return watch_proceed(watcher, shuffling, trials, trials, status);
}

bool randomisation_test(const struct paired *paired, int trials, unsigned long seed,
                        const struct watcher *watcher, double *p, struct status *status)
{
    struct shuffle shuffle = {0};
    double *differences = memory_new(trials, sizeof *differences, status);
    gsl_rng *random = random_open(seed, status);
    bool ok = differences && random && shuffle_open(&shuffle, paired, status) &&
              shuffle_all(&shuffle, random, watcher, differences, trials, status);
    if (ok)
        *p = share_above(differences, trials, true_difference(paired));
    free(shuffle.change);
    free(differences);
    if (random)
        gsl_rng_free(random);
    return ok;
}
