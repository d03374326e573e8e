/* Positional patterns and masks: attention that depends on positions alone.
 * Raganato et al. 2020, section 3.2; You et al. 2020, section 3; Cui et al. 2019, eq. 8-11. `struct
 * attention_args` in gpu/operations.h has the formulas. Positions are j = 0 … n-1; i is the row's
 * own and may be beyond. */
#ifndef ATTNSCOPE_CUDA_PATTERNS_CUH
#define ATTNSCOPE_CUDA_PATTERNS_CUH

#include "gpu/cuda/device.cuh"

/* Positions begin … end-1. */
struct span {
    int begin, end;
};

/* The existing positions from `begin` to `end`-1; 64 bits, as a window may have any size. */
static __device__ inline struct span span_within(long long begin, long long end, int n)
{
    struct span span;
    span.begin = (int)min(max(begin, 0LL), (long long)n);
    span.end = (int)min(max(end, (long long)span.begin), (long long)n);
    return span;
}

static __device__ inline struct span mask_span(const struct head *head, int i, int n)
{
    const long long own = i;
    switch (head->mask) {
    case MASK_LOCAL:
        return span_within(own - head->window, own + head->window + 1, n);
    case MASK_FORWARD:
        return span_within(own, n, n);
    case MASK_BACKWARD:
        return span_within(0, own + 1, n);
    default:
        return span_within(0, n, n);
    }
}

static __device__ inline struct span pattern_span(int pattern, int i, int n)
{
    const long long own = i;
    switch (pattern) {
    case PATTERN_CURRENT:
        return span_within(own, own + 1, n);
    case PATTERN_PREVIOUS:
        return span_within(own - 1, own, n);
    case PATTERN_NEXT:
        return span_within(own + 1, own + 2, n);
    case PATTERN_LAST:
        return span_within((long long)n - 1, n, n);
    case PATTERN_LEFT_CONTEXT:
        return span_within(0, own - 1, n);
    case PATTERN_RIGHT_CONTEXT:
        return span_within(own + 2, n, n);
    default:
        return span_within(0, n, n);
    }
}

/* Cubic weights are rank^3 / total over a span, with ranks 1, 2, … towards one of its ends. A span
 * of one position has weight 1. */
struct pattern_weights {
    struct span span;
    bool gaussian;
    bool rising;      // cubic: the rank of span.begin is 1; otherwise that of span.end - 1
    double factor;    // cubic: 1 / total; Gaussian: the weight at the centre
    long long centre; // Gaussian
    double deviation;
};

static __device__ inline struct pattern_weights weights_of(const struct head *head, int i, int n)
{
    struct pattern_weights of;
    of.span = pattern_span(head->pattern, i, n);
    of.gaussian = head->pattern == PATTERN_GAUSSIAN;
    of.rising = head->pattern == PATTERN_LEFT_CONTEXT || head->pattern == PATTERN_SENTENCE_END;
    of.centre = (long long)i + head->offset;
    of.deviation = head->deviation;
    if (of.gaussian) {
        of.factor = 1 / (of.deviation * 2.5066282746310002); // sqrt(2π)
        return of;
    }
    /* The sum of the first r cubes is (r (r + 1) / 2)^2. */
    const double ranks = of.span.end - of.span.begin, root = ranks * (ranks + 1) / 2;
    of.factor = root > 0 ? 1 / (root * root) : 0;
    return of;
}

/* The weight of a position in the span. */
static __device__ inline double weight_at(const struct pattern_weights *of, int j)
{
    if (of->gaussian) {
        const double away = (double)(j - of->centre) / of->deviation;
        return exp(away * away / -2) * of->factor;
    }
    const double rank = of->rising ? j - of->span.begin + 1 : of->span.end - j;
    return rank * rank * rank * of->factor;
}

#endif
