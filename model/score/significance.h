/* Significance of the difference between two systems on the same sentences: paired bootstrap (Koehn
 * 2004) and approximate randomisation (Riezler and Maxwell 2005), as in the sacreBLEU package; p
 * with +1 as in Noreen 1989. Unlike there, trials count that tie with the true difference: where
 * few sentences differ most trials do, and without them chance would look like significance.
 *
 * Random numbers are GSL's Mersenne Twister: the same seed gives the same result (0 stands for its
 * own, 4357). The tests report progress to the watch (NULL: none). They fail with STATUS_CANCELLED
 * if it stops them, otherwise only with STATUS_MEMORY.
 */
#ifndef ATTNSCOPE_SIGNIFICANCE_H
#define ATTNSCOPE_SIGNIFICANCE_H

#include <stdbool.h>

#include "base/watch.h"
#include "model/score/metric.h"

/* Counts of each sentence of two systems, a and b: (sentences, metric->size) each; borrowed. */
struct paired {
    const struct metric *metric;
    const int64_t *a, *b;
    int sentences; // >= 1
};

/* The number of sentences whose counts differ between a and b. */
int paired_differing(const struct paired *paired);

struct interval {
    double low, high; // bounds of the middle 95% of the resamples
};

struct bootstrap_result {
    double mean[2];              // of a and b over the resamples
    struct interval interval[2]; // of a and b
    struct interval difference;  // of b - a
    double p;
};

/* Paired bootstrap: each of `resamples` (>= 1) draws as many sentences as there are, with
 * replacement. p is the share of resamples whose |b - a| exceeds the mean of |b - a| over all
 * resamples by the true |b - a| or more: one tail of the distribution of differences. */
bool bootstrap_test(const struct paired *paired, int resamples, unsigned long seed,
                    const struct watch *watch, struct bootstrap_result *out, struct status *status);

/* Approximate randomisation, two-sided: each of `trials` (>= 1) exchanges the systems' counts of
 * every sentence with probability 1/2. p is the share of trials whose |b - a| is the true one or
 * above. */
bool randomisation_test(const struct paired *paired, int trials, unsigned long seed,
                        const struct watch *watch, double *p, struct status *status);

#endif
