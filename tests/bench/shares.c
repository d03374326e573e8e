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

static struct share share_beside(const struct share_workload *workload, double seconds,
                                 double flops, double bandwidth)
{
    struct share share = {.seconds = seconds, .peak = {.flops = flops, .bandwidth = bandwidth}};
    share.floor = floor_seconds(&workload->work, &workload->done, &share.peak);
    return share;
}

/* Takes bursts for `seconds`, but at least once. */
static void take_bursts(struct peak_meter *meter, double seconds, struct bursts *burn,
                        struct bursts *read)
{
    const double end = burn->seconds + read->seconds + fmin(seconds, ROUND_SECONDS);
    do {
        peak_read(meter, read);
        peak_burn(meter, burn);
    } while (burn->seconds + read->seconds < end);
}

/* Short runs are repeated, so that a round covers more than one moment. The bursts before the first
 * run take as long as the fastest run of earlier rounds. */
static void run_round(const struct share_workload *workload, struct peak_meter *meter, int round,
                      struct shares *shares)
{
    struct bursts burn = {0}, read = {0};
    struct share *best = &shares->best;
    double total = 0;
    int runs = 0;
    take_bursts(meter, isfinite(best->seconds) ? best->seconds : 0, &burn, &read);
    for (; total < ROUND_SECONDS; runs++) {
        const double seconds = workload->run(workload->context);
        total += seconds;
        best->seconds = fmin(best->seconds, seconds);
        take_bursts(meter, seconds, &burn, &read);
    }
    best->peak.flops = fmax(best->peak.flops, burn.highest);
    best->peak.bandwidth = fmax(best->peak.bandwidth, read.highest);
    shares->mean[round] =
        share_beside(workload, total / runs, bursts_mean(&burn), bursts_mean(&read));
    shares->highest[round] = share_beside(workload, total / runs, burn.highest, read.highest);
}

static int by_share(const void *a, const void *b)
{
    double difference = share_of(a) - share_of(b);
    return (difference > 0) - (difference < 0);
}

bool shares_measure(const struct share_workload *workload, struct shares *shares,
                    struct status *status)
{
    struct pool *pool = pool_open(workload->threads, status);
    struct peak_meter *meter = pool ? peak_open(pool, status) : NULL;
    *shares = (struct shares){.best.seconds = INFINITY};
    for (int round = 0; meter && round < SHARE_ROUNDS; round++)
        run_round(workload, meter, round, shares);
    peak_close(meter);
    pool_close(pool);
    if (!meter)
        return false;
    struct share *best = &shares->best;
    *best = share_beside(workload, best->seconds, best->peak.flops, best->peak.bandwidth);
    qsort(shares->mean, SHARE_ROUNDS, sizeof *shares->mean, by_share);
    qsort(shares->highest, SHARE_ROUNDS, sizeof *shares->highest, by_share);
    return true;
}
