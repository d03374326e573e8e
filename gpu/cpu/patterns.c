#include "gpu/cpu/patterns.h"

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

/* A pattern's row: weight rank^3 / total over a span, where the ranks are 1, 2, … towards one end
 * of the span. A span of one position has weight 1. */
struct cubic {
    struct key_span span;
    int rising; // the rank of span.begin is 1; otherwise that of span.end - 1
    double factor;
};

static struct cubic cubic_of(enum pattern pattern, int i, int n)
{
    struct key_span span = {0, n};
    switch (pattern) {
    case PATTERN_CURRENT:
        span = span_within(i, (int64_t)i + 1, n);
        break;
    case PATTERN_PREVIOUS:
        span = span_within((int64_t)i - 1, i, n);
        break;
    case PATTERN_NEXT:
        span = span_within((int64_t)i + 1, (int64_t)i + 2, n);
        break;
    case PATTERN_LAST:
        span = span_within((int64_t)n - 1, n, n);
        break;
    case PATTERN_LEFT_CONTEXT:
        span = span_within(0, (int64_t)i - 1, n);
        break;
    case PATTERN_RIGHT_CONTEXT:
        span = span_within((int64_t)i + 2, n, n);
        break;
    case PATTERN_SENTENCE_END:
    case PATTERN_SENTENCE_START:
    case PATTERN_COUNT:
        break;
    }
    /* The sum of the first r cubes is (r (r + 1) / 2)^2. */
    double ranks = span.end - span.begin, root = ranks * (ranks + 1) / 2;
    return (struct cubic){
        .span = span,
        .rising = pattern == PATTERN_LEFT_CONTEXT || pattern == PATTERN_SENTENCE_END,
        .factor = root > 0 ? 1 / (root * root) : 0,
    };
}

static double cubic_weight(const struct cubic *cubic, int j)
{
    double rank = cubic->rising ? j - cubic->span.begin + 1 : cubic->span.end - j;
    return rank * rank * rank * cubic->factor;
}

struct key_span pattern_row(enum pattern pattern, int i, int n, float *weights)
{
    const struct cubic cubic = cubic_of(pattern, i, n);
    for (int j = cubic.span.begin; j < cubic.span.end; j++)
        weights[j] = (float)cubic_weight(&cubic, j);
    return cubic.span;
}

struct key_span pattern_word_row(enum pattern pattern, int i, int n, const int32_t *word,
                                 const int32_t *keys, float *weights)
{
    struct key_span span = {0, 0};
    if (n <= 0)
        return span;
    const struct cubic cubic = cubic_of(pattern, i, word[keys[n - 1]] + 1);
    for (int begin = 0, end; begin < n; begin = end) {
        int here = word[keys[begin]];
        for (end = begin + 1; end < n && word[keys[end]] == here; end++)
            ;
        if (here < cubic.span.begin || here >= cubic.span.end)
            continue;
        if (span.end == 0)
            span.begin = begin;
        span.end = end;
        float share = (float)(cubic_weight(&cubic, here) / (end - begin));
        for (int j = begin; j < end; j++)
            weights[j] = share;
    }
    return span;
}
