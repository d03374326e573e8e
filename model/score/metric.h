/* A score of a text, computed from sums of its sentences' counts.
 *
 * Groups of sentences, resamples and shuffles are different sums of the same counts, so no text is
 * counted twice.
 */
#ifndef ATTNSCOPE_METRIC_H
#define ATTNSCOPE_METRIC_H

#include <stdint.h>

enum { METRIC_MOST = 18 }; // counts of a sentence

struct metric {
    int size; // number of counts of a sentence
    /* The score of summed counts: sums (size). Never fails. */
    double (*score)(const void *options, const int64_t *sums);
    const void *options; // borrowed
};

static inline void counts_add(int64_t *sums, const int64_t *counts, int size)
{
    for (int i = 0; i < size; i++)
        sums[i] += counts[i];
}

#endif
