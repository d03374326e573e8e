/* Log-probabilities and the best of them. */
#include <math.h>

#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/ops.h"

struct logprob_job {
    const struct logprob_args *args;
    const struct kernels *kernels;
};

/* ln x of a positive number, within 1e-15. libm's may differ from machine to machine: with
 * x = m 2^e, 1/sqrt(2) <= m < sqrt(2), and s = (m - 1) / (m + 1), ln m = 2 (s + s³/3 + s⁵/5 + …). */
static double natural_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (!(x > 0) || isinf(x))
        return x > 0 ? x : NAN;
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    double series = 0;
    for (int odd = 23; odd > 0; odd -= 2)
        series = series * square + 1.0 / odd;
    return exponent * 0.69314718055994531 + 2 * s * series;
}

struct row {
    const float *logits; // (V)
    float highest;
    float groups[KERNEL_GROUPS]; // the highest of each, see group_max
    double normaliser;
};

static void row_read(const struct logprob_job *job, int m, struct row *row)
{
    const size_t vocabulary = (size_t)job->args->vocabulary;
    row->logits = tensor_floats(job->args->logits) + (size_t)m * vocabulary;
    row->highest = job->kernels->group_max(row->logits, vocabulary, row->groups);
    row->normaliser =
        row->highest + natural_log(job->kernels->exp_sum(row->logits, row->highest, vocabulary));
}

/* The log-probability of a logit; ascends with it. */
static float log_probability(const struct row *row, float logit)
{
    return (float)((double)logit - row->normaliser);
}

/* The ranking so far: best first, ties to the lower id. */
struct ranking {
    int32_t *id; // (room)
    float *lp;   // (room)
    int count, room;
};

/* Puts a token in its place: behind its equals, because tokens come in the order of their ids. Of a
 * full ranking the last one makes room, which it must be better than. */
static void ranking_insert(struct ranking *ranking, int id, float lp)
{
    int place = ranking->count < ranking->room ? ranking->count++ : ranking->room - 1;
    for (; place > 0 && ranking->lp[place - 1] < lp; place--) {
        ranking->id[place] = ranking->id[place - 1];
        ranking->lp[place] = ranking->lp[place - 1];
    }
    ranking->id[place] = id;
    ranking->lp[place] = lp;
}

/* How many groups of a row come within `distance` of the highest logit. */
static int groups_within(const struct row *row, float distance)
{
    const float mark = row->highest - distance;
    int count = 0;
    for (int g = 0; g < KERNEL_GROUPS; g++)
        count += row->groups[g] >= mark;
    return count;
}

/* A distance from the highest logit within which there are `count` or more groups, and few more than
 * that: doubled until there are enough, and then halved in. INFINITY when none is found soon. */
static float distance_of(const struct row *row, int count)
{
    enum { DOUBLINGS = 10, HALVINGS = 6, NEAR = 2 };
    float far = 4, close = 0; // in logits: some tokens are often as likely as that
    int within = groups_within(row, far);
    for (int step = 0; step < DOUBLINGS && within < count; step++) {
        close = far;
        far *= 2;
        within = groups_within(row, far);
    }
    if (within < count)
        return INFINITY;
    for (int step = 0; step < HALVINGS && within > count + NEAR; step++) {
        const float middle = close + (far - close) / 2;
        const int closer = groups_within(row, middle);
        if (closer < count) {
            close = middle;
        } else {
            far = middle;
            within = closer;
        }
    }
    return far;
}

/* Ranks the logits above `threshold`. Only those above that of the last one ranked can change a full
 * ranking, and few are. Different logits may have one log-probability, so that these decide.
 * Impossible tokens (-inf, NaN) are never ranked. */
static void rank_above(const struct logprob_job *job, const struct row *row, float threshold,
                       struct ranking *ranking)
{
    const size_t vocabulary = (size_t)job->args->vocabulary;
    const uint8_t *excluded = tensor_bytes(job->args->excluded);
    float least = -INFINITY;
    uint64_t above;
    ranking->count = 0;
    for (size_t group = 0;
         (above = job->kernels->next_above(row->logits, &group, vocabulary, threshold)) != 0;
         group += KERNEL_GROUPS) {
        for (; above; above &= above - 1) {
            const size_t i = group + (size_t)__builtin_ctzll(above);
            const float lp = log_probability(row, row->logits[i]);
            if ((excluded && excluded[i]) || !(lp > least))
                continue;
            ranking_insert(ranking, (int)i, lp);
            if (ranking->count == ranking->room) {
                least = ranking->lp[ranking->room - 1];
                threshold = row->logits[ranking->id[ranking->room - 1]];
            }
        }
    }
}

/* Whether nothing at or below the threshold that a ranking was made with belongs in it. */
static bool ranking_holds(const struct ranking *ranking, const struct row *row, float threshold)
{
    return threshold == -INFINITY ||
           (ranking->count == ranking->room &&
            ranking->lp[ranking->room - 1] > log_probability(row, threshold));
}

/* Only some logits are looked at closely: more than the ranking has room for are above a threshold
 * that the groups tell. That is a guess, wrong where many of the best tokens are excluded or where
 * logits are so great that the margin is lost; then all are ranked. */
static void rank_row(const struct logprob_job *job, const struct row *row, struct ranking *ranking)
{
    const int spare = 3;        // for excluded tokens: padding, start
    const float margin = 1e-3f; // for other logits of the last one's log-probability
    const float threshold = row->highest - distance_of(row, ranking->room + spare) - margin;
    rank_above(job, row, threshold, ranking);
    if (!ranking_holds(ranking, row, threshold))
        rank_above(job, row, -INFINITY, ranking);
    for (int rank = ranking->count; rank < ranking->room; rank++) {
        ranking->id[rank] = -1;
        ranking->lp[rank] = -INFINITY;
    }
}

static void logprob_row(const struct logprob_job *job, int m)
{
    const struct logprob_args *args = job->args;
    const size_t vocabulary = (size_t)args->vocabulary;
    struct row row;
    row_read(job, m, &row);
    if (args->tops > 0) {
        const size_t first = (size_t)m * (size_t)args->tops;
        struct ranking ranking = {tensor_ints(args->top_id) + first,
                                  tensor_floats(args->top_lp) + first, 0, args->tops};
        rank_row(job, &row, &ranking);
    }
    if (tensor_present(args->target)) {
        const int target = tensor_ints(args->target)[m];
        tensor_floats(args->target_lp)[m] =
            target < 0 ? 0 : log_probability(&row, row.logits[target]);
    }
    if (tensor_present(args->all)) {
        float *all = tensor_floats(args->all) + (size_t)m * vocabulary;
        for (size_t i = 0; i < vocabulary; i++)
            all[i] = log_probability(&row, row.logits[i]);
    }
}

static void logprob_block(void *context, int task, int begin, int end)
{
    const struct logprob_job *job = context;
    (void)task;
    for (int m = begin; m < end; m++)
        logprob_row(job, m);
}

void cpu_logprob(struct device *device, const struct logprob_args *args)
{
    struct logprob_job job = {args, device->kernels};
    struct blocks blocks = blocks_of(device, args->rows, 4 * (size_t)args->vocabulary);
    blocks_run(device, &blocks, logprob_block, &job);
}
