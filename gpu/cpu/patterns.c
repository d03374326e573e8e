#include "gpu/cpu/patterns.h"

#include <math.h>

static struct key_span span_within(int64_t begin, int64_t end, int n)
{
    struct key_span span = {begin > 0 ? (int)(begin < n ? begin : n) : 0,
                            end < n ? (int)(end > 0 ? end : 0) : n};
    if (span.end < span.begin)
        span.end = span.begin;
    return span;
}

struct key_span mask_span(const struct head *head, int i, int n)
{
    switch ((enum mask)head->mask) {
    case MASK_LOCAL:
        return span_within((int64_t)i - head->window, (int64_t)i + head->window + 1, n);
    case MASK_FORWARD:
        return span_within(i, n, n);
    case MASK_BACKWARD:
        return span_within(0, (int64_t)i + 1, n);
    case MASK_GLOBAL:
        break;
    }
    return (struct key_span){0, n};
}

/* The weights of a pattern's row over a span of positions. Cubic weights are rank^3 / total, with
 * ranks 1, 2, … towards one end of the span; a span of one position has weight 1. */
struct pattern_weights {
    struct key_span span;
    bool gaussian;
    bool rising;   // cubic: span.begin has rank 1, else span.end - 1
    double factor; // cubic: 1 / total; Gaussian: the weight at the centre
    int64_t centre;
    double deviation;
};

static struct key_span pattern_span(enum pattern pattern, int i, int n)
{
    switch (pattern) {
    case PATTERN_CURRENT:
        return span_within(i, (int64_t)i + 1, n);
    case PATTERN_PREVIOUS:
        return span_within((int64_t)i - 1, i, n);
    case PATTERN_NEXT:
        return span_within((int64_t)i + 1, (int64_t)i + 2, n);
    case PATTERN_LAST:
        return span_within((int64_t)n - 1, n, n);
    case PATTERN_LEFT_CONTEXT:
        return span_within(0, (int64_t)i - 1, n);
    case PATTERN_RIGHT_CONTEXT:
        return span_within((int64_t)i + 2, n, n);
    case PATTERN_SENTENCE_END:
    case PATTERN_SENTENCE_START:
    case PATTERN_GAUSSIAN:
    case PATTERN_COUNT:
        break;
    }
    return (struct key_span){0, n};
}

static struct pattern_weights weights_of(const struct head *head, int i, int n)
{
    const struct key_span span = pattern_span(head->pattern, i, n);
    if (head->pattern == PATTERN_GAUSSIAN)
        return (struct pattern_weights){.span = span,
                                        .gaussian = true,
                                        .factor =
                                            1 / (head->deviation * 2.5066282746310002), // sqrt(2π)
                                        .centre = (int64_t)i + head->offset,
                                        .deviation = head->deviation};
    /* The sum of the first r cubes is (r (r + 1) / 2)^2. */
    double ranks = span.end - span.begin, root = ranks * (ranks + 1) / 2;
    return (struct pattern_weights){
        .span = span,
        .rising = head->pattern == PATTERN_LEFT_CONTEXT || head->pattern == PATTERN_SENTENCE_END,
        .factor = root > 0 ? 1 / (root * root) : 0,
    };
}

static double weight_at(const struct pattern_weights *of, int j)
{
    if (of->gaussian) {
        const double away = (double)(j - of->centre) / of->deviation;
        return exp(away * away / -2) * of->factor;
    }
    double rank = of->rising ? j - of->span.begin + 1 : of->span.end - j;
    return rank * rank * rank * of->factor;
}

struct key_span pattern_row(const struct head *head, int i, int n, float *weights)
{
    const struct pattern_weights of = weights_of(head, i, n);
    for (int j = of.span.begin; j < of.span.end; j++)
        weights[j] = (float)weight_at(&of, j);
    return of.span;
}

struct key_span pattern_word_row(const struct head *head, int i, int n, const int32_t *word,
                                 const int32_t *keys, float *weights)
{
    struct key_span span = {0, 0};
    if (n <= 0)
        return span;
    const struct pattern_weights of = weights_of(head, i, word[keys[n - 1]] + 1);
    for (int begin = 0, end; begin < n; begin = end) {
        int here = word[keys[begin]];
        for (end = begin + 1; end < n && word[keys[end]] == here; end++)
            ;
        if (here < of.span.begin || here >= of.span.end)
            continue;
        if (span.end == 0)
            span.begin = begin;
        span.end = end;
        float share = (float)(weight_at(&of, here) / (end - begin));
        for (int j = begin; j < end; j++)
            weights[j] = share;
    }
    return span;
}
