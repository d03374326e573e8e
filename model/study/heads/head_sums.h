/* Sums over the rows of one head. Only for head_stats*.c. */
#ifndef ATTNSCOPE_HEAD_SUMS_H
#define ATTNSCOPE_HEAD_SUMS_H

#include "model/study/heads/head_stats.h"

/* Sums over rows. The first ones are of weights times a factor per column
 * (row_arithmetic.weigh). */
enum head_sum {
    SUM_WEIGHT,
    SUM_DISTANCE,
    SUM_EOS,
    SUM_PUNCTUATION,
    SUM_WITHIN_WORD,
    SUM_RARE,
    SUM_HERE, // at i
    SUM_PREVIOUS,
    SUM_NEXT,
    SUM_LEFT,  // before i-1
    SUM_RIGHT, // after i+1
    SUM_START, // in the first quarter
    SUM_END,   // in the last quarter
    SUM_ENTROPY,
    SUM_CONFIDENCE,
    SUM_CONFIDENCE_NO_EOS,
    SUM_UNIFORM, // the entropy of uniform weights
    SUM_ZEROS,   // the share of columns without any weight
    SUM_NEAR,    // the first of NEAR_PATTERNS: nearness to each
    SUM_COUNT = SUM_NEAR + NEAR_PATTERNS
};

struct head_sums {
    int64_t rows; // with weight
    struct exact_sum sums[SUM_COUNT];
    int64_t *offsets; // (2 * span + 1): how often the greatest weight was at offset k - span
    int span;
    struct head_examples examples[MEASURE_COUNT];
};

/* The sum whose mean is the measure; SUM_COUNT for the offset, which is not a mean. */
enum head_sum head_measure_sum(enum head_measure measure);

/* Keeps the sentence if it is among those with the greatest or least means; the earlier of equals
 * stays. */
void head_examples_add(struct head_examples *examples, int sentence, double mean);
/* Adds examples of later sentences. */
void head_examples_merge(struct head_examples *examples, const struct head_examples *later);

/* Makes room for offsets up to `span`. */
bool head_sums_widen(struct head_sums *head, int span, struct status *status);

#endif
