#include "tests/bench/shares.h"

#include <math.h>
#include <stdlib.h>

static const double ROUND_SECONDS = 0.3;

double share_of(const struct share *share)
{
    return share->floor / share->seconds;
}

bool shares_peak(int threads, struct peak *peak, struct status *status)
{
    struct pool *pool = pool_open(threads, status);
    bool measured = pool && peak_measure(pool, peak, status);
    pool_close(pool);
    return measured;
}

static struct peak mean_peak(const struct peak *a, const struct peak *b)
{
    struct peak mean = *a;
    mean.flops = (a->flops + b->flops) / 2;
    mean.bandwidth = (a->bandwidth + b->bandwidth) / 2;
    return mean;
}

static void raise_peak(struct peak *highest, const struct peak *peak)
{
    highest->flops = fmax(highest->flops, peak->flops);
    highest->bandwidth = fmax(highest->bandwidth, peak->bandwidth);
}

static void set_floor(const struct share_workload *workload, struct share *share)
{
    share->floor = floor_seconds(&workload->work, &workload->done, &share->peak);
}

/* Short runs are repeated, so that a round sees more than a moment of the machine. */
static bool run_round(const struct share_workload *workload, struct share *round,
                      struct share *best, struct status *status)
{
    struct peak before = {0}, after = {0};
    if (!shares_peak(workload->threads, &before, status))
        return false;
    double total = 0;
    int runs = 0;
    for (; total < ROUND_SECONDS; runs++) {
        double seconds = workload->run(workload->context);
        total += seconds;
        best->seconds = fmin(best->seconds, seconds);
    }
    if (!shares_peak(workload->threads, &after, status))
        return false;
    raise_peak(&best->peak, &before);
    raise_peak(&best->peak, &after);
    *round = (struct share){.seconds = total / runs, .peak = mean_peak(&before, &after)};
    set_floor(workload, round);
    return true;
}

static int by_share(const void *a, const void *b)
{
    double difference = share_of(a) - share_of(b);
    return (difference > 0) - (difference < 0);
}

bool shares_measure(const struct share_workload *workload, struct shares *shares,
                    struct status *status)
{
    shares->best = (struct share){.seconds = INFINITY};
    for (int i = 0; i < SHARE_ROUNDS; i++)
        if (!run_round(workload, &shares->rounds[i], &shares->best, status))
            return false;
    set_floor(workload, &shares->best);
    qsort(shares->rounds, SHARE_ROUNDS, sizeof *shares->rounds, by_share);
    return true;
}
