/* What share of a machine's speed a workload reaches, on a machine whose speed changes.
 *
 * A virtual machine's cores speed up and slow down with their neighbours from one second to the
 * next. So runs take turns with bursts (tests/bench/peak.h), and three shares are reported; the
 * first two are those of the median round:
 *
 * - the mean of a round's runs over the mean of its bursts, which met the same neighbours unless
 * they changed within a run;
 * - the mean of its runs over its best bursts, so that what neighbours take away counts against the
 * workload;
 * - at best: the fastest run over the best burst, both of all rounds.
 *
 * Without neighbours the three differ little. Bursts of reading leave the caches cold, so that no
 * run finds its weights there.
 */
#ifndef ATTNSCOPE_SHARES_H
#define ATTNSCOPE_SHARES_H

#include "tests/bench/model_floor.h"

enum { SHARE_ROUNDS = 5 };

struct share_workload {
    double (*run)(void *context); // seconds of one run
    void *context;
    struct model_work work; // of the model
    struct rows_done done;  // by a run
    int threads;
};

struct share {
    double seconds, floor; // of a run
    struct peak peak;      // that the floor is computed from
};

struct shares {
    struct share mean[SHARE_ROUNDS];    // relative to mean rates, in ascending order of the share
    struct share highest[SHARE_ROUNDS]; // relative to the highest rate of a round, likewise
    struct share best;
};

/* floor / seconds. */
double share_of(const struct share *share);

/* Runs a workload in rounds of at least 0.3 seconds, with bursts before a round and after every
 * run. Bursts take about 0.1 seconds, or as long as the run, but no more than 0.3. Returns false
 * and sets `status` if there is no memory. */
bool shares_measure(const struct share_workload *workload, struct shares *shares,
                    struct status *status);

/* Measures the peak with `threads` threads of its own. */
bool shares_peak(int threads, struct peak *peak, struct status *status);

#endif
