/* Positional patterns and masks: attention that depends on positions alone.
 * Raganato, Scherrer and Tiedemann 2020, section 3.2; You, Sun and Iyyer 2020, section 3;
 * Cui et al. 2019, eq. 8-11.
 *
 * Pure functions that never fail.
 * Positions are j = 0 … n-1, and i >= 0 is the row's own; i may be n or more (in cross-attention a
 * target may be longer than its source).
 */
#ifndef ATTNSCOPE_CPU_PATTERNS_H
#define ATTNSCOPE_CPU_PATTERNS_H

#include "gpu/backend.h"

/* Positions begin … end-1; none when end <= begin. */
struct key_span {
    int begin, end;
};

/* The keys that a learned head with this mask attends to. */
struct key_span mask_span(const struct head *head, int i, int n);

/* Row i of a fixed head's pattern over n positions. Writes weights[j] only for j in the returned
 * span; all other weights are 0. They sum to 1 (a Gaussian's to about 1 or less), unless the span
 * is empty. weights: (n) */
struct key_span pattern_row(const struct head *head, int i, int n, float *weights);

/* The same with words as positions: i counts words, key j belongs to word word[keys[j]], and a
 * word's weight is divided equally among its keys. Words ascend along the keys, from 0 and by at
 * most 1. keys: (n) indices of the row's keys in `word`; weights: (n) */
struct key_span pattern_word_row(const struct head *head, int i, int n, const int32_t *word,
                                 const int32_t *keys, float *weights);

#endif
