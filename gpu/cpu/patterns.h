/* Positional patterns and masks: attention that depends on positions alone.
 * Raganato, Scherrer and Tiedemann 2020, section 3.2; You, Sun and Iyyer 2020, section 3; Cui et al.
 * 2019, eq. 8-11.
 *
 * Pure functions; nothing is opened or freed, nothing fails.
 * Positions are j = 0 … n-1 and i is the row's own, i >= 0; i may be n or more (in cross-attention
 * a target may be longer than its source).
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

/* Row i of a fixed head's pattern over n positions. Writes weights[j] for the j of the span that is
 * returned, and nothing else; every other weight is 0. They sum to 1, those of a Gaussian to about 1
 * or less, or the span is empty. weights: (n) */
struct key_span pattern_row(const struct head *head, int i, int n, float *weights);

/* The same with words for positions: i counts words, key j belongs to word word[keys[j]], and a
 * word's weight is shared equally by its keys. Words ascend along the keys, from 0 and by at most
 *   1. keys: (n) places of the row's keys in `word`; weights: (n) */
struct key_span pattern_word_row(const struct head *head, int i, int n, const int32_t *word,
                                 const int32_t *keys, float *weights);

#endif
