/* Whether the difference between two systems on the same sentences is more than chance, as the sacreBLEU
 * package's paired tests tell (Koehn 2004; Riezler and Maxwell 2005; +1 as in Noreen 1989).
 *
 * Random numbers are GSL's Mersenne Twister: the same seed gives the same result.
 */
#ifndef ATTNSCOPE_SIGNIFICANCE_H
#define ATTNSCOPE_SIGNIFICANCE_H

#include <stdbool.h>

#include "model/net/watch.h"
#include "model/study/metric.h"

/* Counts of each sentence of two systems: (sentences, metric->size) each. */
struct paired {
    const struct metric *metric;
    const int64_t *a, *b;
    int sentences; // >= 1
};

/* How many sentences have other counts in b than in a. */
int paired_differing(const struct paired *paired);

/* The least p that the randomisation could find of so many, were trials that tie with the true difference counted
 * as well: of 2^differing ways that coins can fall, at least the two that exchange none or all of them do. */
double paired_least(int differing);

struct interval {
    double low, high; // of the middle 95% of all samples
};

struct bootstrap_result {
    double mean[2];              // of a and b over the resamples
    struct interval interval[2]; // of a and b
    struct interval difference;  // of b - a
    double p;
};

/* Paired bootstrap: `resamples` (>= 1) draws of as many sentences with replacement. p is the share of
 * resamples whose |b - a| is further above the mean of all than the true |b - a| is above 0. */
bool bootstrap_test(const struct paired *paired, int resamples, unsigned long seed,
                    const struct watcher *watcher, struct bootstrap_result *out,
                    struct status *status);

/* Approximate randomisation, two-sided: in each of `trials` (>= 1) a coin says for every sentence whether
 * the systems change places. p is the share of trials whose |b - a| is above the true one; as ties are not, it
 * means nothing where paired_least is greater. */
bool randomisation_test(const struct paired *paired, int trials, unsigned long seed,
                        const struct watcher *watcher, double *p, struct status *status);

#endif
