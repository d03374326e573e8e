/* Log-probabilities and the best of them. */
#include <math.h>
#include <string.h>

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

/* The log-probability of a logit; ascends with it. */
static float log_probability(float logit, double normaliser)
{
    return (float)((double)logit - normaliser);
}

/* The ranking so far: best first, ties to the lower id. */
struct ranking {
    int32_t *id; // (room)
    float *lp;   // (room)
    int count, room;
};

/* The place of a log-probability: behind its equals, because tokens come in the order of their ids. */
static int ranking_place(const struct ranking *ranking, float lp)
{
    int begin = 0, end = ranking->count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (ranking->lp[middle] < lp)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* Puts a token in its place; of a full ranking the last one makes room. */
static void ranking_insert(struct ranking *ranking, int id, float lp)
{
    const int place = ranking_place(ranking, lp);
    if (ranking->count < ranking->room)
        ranking->count++;
    const size_t behind = (size_t)(ranking->count - 1 - place);
    int32_t *ids = ranking->id + place;
    float *lps = ranking->lp + place;
    memmove(ids + 1, ids, behind * sizeof *ids);
    memmove(lps + 1, lps, behind * sizeof *lps);
    *ids = id;
    *lps = lp;
}

/* Only logits above that of the last one ranked can change a full ranking, and few are. Different
 * logits may have one log-probability, so that these decide. Impossible tokens (-inf, NaN) are never
 * ranked. */
static void rank_row(const struct logprob_job *job, const float *logits, double normaliser,
                     struct ranking *ranking)
{
    const size_t vocabulary = (size_t)job->args->vocabulary;
    const uint8_t *excluded = tensor_bytes(job->args->excluded);
    float threshold = -INFINITY, least = -INFINITY;
    for (size_t i = 0;; i++) {
        i = job->kernels->next_above(logits, i, vocabulary, threshold);
        if (i >= vocabulary)
            break;
        float lp = log_probability(logits[i], normaliser);
        if ((excluded && excluded[i]) || !(lp > least))
            continue;
        ranking_insert(ranking, (int)i, lp);
        if (ranking->count == ranking->room) {
            least = ranking->lp[ranking->room - 1];
            threshold = logits[ranking->id[ranking->room - 1]];
        }
    }
    for (int rank = ranking->count; rank < ranking->room; rank++) {
        ranking->id[rank] = -1;
        ranking->lp[rank] = -INFINITY;
    }
}

static void logprob_row(const struct logprob_job *job, int m)
{
    const struct logprob_args *args = job->args;
    const size_t vocabulary = (size_t)args->vocabulary;
    const float *logits = tensor_floats(args->logits) + (size_t)m * vocabulary;
    const float highest = job->kernels->max(logits, vocabulary);
    const double normaliser =
        highest + natural_log(job->kernels->exp_sum(logits, highest, vocabulary));
    if (args->tops > 0) {
        const size_t first = (size_t)m * (size_t)args->tops;
        struct ranking ranking = {tensor_ints(args->top_id) + first,
                                  tensor_floats(args->top_lp) + first, 0, args->tops};
        rank_row(job, logits, normaliser, &ranking);
    }
    if (tensor_present(args->target)) {
        const int target = tensor_ints(args->target)[m];
        tensor_floats(args->target_lp)[m] =
            target < 0 ? 0 : log_probability(logits[target], normaliser);
    }
    if (tensor_present(args->all)) {
        float *all = tensor_floats(args->all) + (size_t)m * vocabulary;
        for (size_t i = 0; i < vocabulary; i++)
            all[i] = log_probability(logits[i], normaliser);
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
