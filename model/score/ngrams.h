/* Counts shared n-grams of sequences, for scores that compare texts.
 *
 * Pure functions.
 */
#ifndef ATTNSCOPE_NGRAMS_H
#define ATTNSCOPE_NGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

/* Words or characters as numbers; equal items have equal numbers. */
struct sequence {
    const uint32_t *items; // (count)
    int count;
};

/* Returns the number of n-grams in a sequence. */
static inline int ngrams_count(int length, int n)
{
    return length >= n ? length - n + 1 : 0;
}

/* matched[n-1], n = 1 … order: the number of matching n-grams of `hypothesis`, each counted at most
 * as often as in the reference that has it most often (modified precision of Papineni et al. 2002,
 * section 2.1.1). */
bool ngrams_match(const struct sequence *hypothesis, const struct sequence *references,
                  int reference_count, int order, int64_t *matched, struct status *status);

#endif
