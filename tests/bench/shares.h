/* What share of a machine's speed a workload reaches, on a machine whose speed changes.
 *
 * A virtual machine's cores speed up and slow down with their neighbours from one second to the
 * next. So runs and bursts (tests/bench/peak.h) take turns, and three shares are told, of the first
 * two the median round's. The mean of a round's runs beside the mean of its bursts, which met the
 * same neighbours unless they change within a run. The mean of its runs beside its best bursts, so
 * that what neighbours take away counts against the workload alone. And at best: the fastest run
 * beside the best burst, both over all rounds.
 * On a machine without neighbours the three differ little. Bursts of reading leave the caches cold:
 * a run begins with weights that are in memory alone.
 */
#ifndef ATTNSCOPE_SHARES_H
#define ATTNSCOPE_SHARES_H

#include "tests/bench/model_floor.h"

enum { SHARE_ROUNDS = 5 };

/* What is timed. */
struct share_workload {
    double (*run)(void *context); // seconds of one run
    void *context;
    struct model_work work; // of the model
    struct rows_done done;  // by a run
    int threads;
};

struct share {
    double seconds, floor; // of a run
    struct peak peak;      // that the floor is from
};

struct shares {
    struct share mean[SHARE_ROUNDS];    // beside mean rates, from the least share to the greatest
    struct share highest[SHARE_ROUNDS]; // beside the highest of a round, likewise
    struct share best;
};

/* floor / seconds. */
double share_of(const struct share *share);

/* Runs a workload in rounds of 0.3 seconds and more, with bursts before a round and after every
 * run: about 0.1 seconds, after longer runs as long as these, but no more than 0.3. Writes `status`
 * where it returns false: no memory. */
bool shares_measure(const struct share_workload *workload, struct shares *shares,
                    struct status *status);

/* The peak of `threads` threads of their own. */
bool shares_peak(int threads, struct peak *peak, struct status *status);

#endif
