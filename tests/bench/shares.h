/* What share of a machine's peak a workload reaches, on a machine whose speed changes.
 *
 * A virtual machine's cores speed up and slow down with their neighbours from one second to the next.
 * So every round has the peak measured right before and after it, and two shares are told: of the round
 * with the median share, and at best. The peak is the best of many short bursts, and a round's seconds
 * are the mean of its runs, so what a neighbour takes away from it counts against the first; the second
 * puts the fastest run beside the highest peak, both over all rounds.
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
    struct share rounds[SHARE_ROUNDS]; // from the least share to the greatest
    struct share best;
};

/* floor / seconds. */
double share_of(const struct share *share);

/* Runs a workload in rounds of 0.3 seconds and more. Writes `status` where it returns false: no memory. */
bool shares_measure(const struct share_workload *workload, struct shares *shares,
                    struct status *status);

/* The peak of `threads` threads of their own. */
bool shares_peak(int threads, struct peak *peak, struct status *status);

#endif
