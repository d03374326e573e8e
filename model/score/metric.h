/* A score of a text that is computed from sums of counts of its sentences.
 *
 * Groups of sentences, resamples and shuffles are other sums of the same counts, so that no text is
 * counted twice.
 */
#ifndef ATTNSCOPE_METRIC_H
#define ATTNSCOPE_METRIC_H

#include <stdint.h>

enum { METRIC_MOST = 18 }; // counts of a sentence

struct metric {
    int size; // counts of a sentence
    /* The score of counts that were added up: sums (size). Never fails. */
    double (*score)(const void *options, const int64_t *sums);
    const void *options; // borrowed
};

static inline void counts_add(int64_t *sums, const int64_t *counts, int size)
{
    for (int i = 0; i < size; i++)
        sums[i] += counts[i];
}

#endif
