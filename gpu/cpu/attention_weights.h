/* The weights of one row's heads over its keys, as attention and its derivatives need them.
 *
 * A head's weights are zero outside one span of its keys (masks and patterns are both ranges);
 * nothing outside the span is read or written. Pure functions except for their outputs.
 */
#ifndef ATTNSCOPE_CPU_ATTENTION_WEIGHTS_H
#define ATTNSCOPE_CPU_ATTENTION_WEIGHTS_H

#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/patterns.h"

/* Data shared by all rows. */
struct weighing {
    const struct attention_args *args;
    const struct kernels *kernels;
    float scale;
    const int32_t *count; // (longest) 0, 1, 2, …: the rows of a range from its beginning
    size_t stride;        // between the weights of two heads: room for the longest row
};

/* Data shared by the heads of one row. Key j is row first + keys[j] of k, v and word. */
struct attention_row {
    int m, position;
    size_t first;
    const int32_t *keys;
    int n;                   // keys
    const struct head *head; // (H)
    const float *gain;       // (H), or NULL: 1
};

static inline float head_gain(const struct attention_row *row, int h)
{
    return row->gain ? row->gain[h] : 1;
}

/* The number of keys of a row; 0 for an idle row. */
int attention_key_count(const struct attention_args *args, int m);

/* Returns the sum of the rows' lengths, and the longest. */
size_t attention_key_total(const struct attention_args *args, int *longest);

/* Sets the scale of energies, and the stride for `longest` keys. The caller sets `count`. */
struct weighing weighing_of(const struct device *device, const struct attention_args *args,
                            int longest);

struct attention_row attention_row_of(const struct weighing *weighing, int m);

/* True if head h can be computed together with the previous one: both are learned and have the same
 * span, and their queries and keys are adjacent. */
bool attention_continues(const struct attention_args *args, const struct attention_row *row, int h);

/* The row's keys in the span, for `heads` heads of `matrix` from `head` on. */
struct row_set attention_head_rows(const struct attention_args *args, const float *matrix, int ld,
                                   int head, int heads, const struct attention_row *row,
                                   struct key_span span);

/* Computes the weights of heads h … h+heads-1, each of which continues the previous one. A head
 * gets the same bits as when computed alone. weights: (heads, stride). uncapped: if it is not NULL
 * and energies have a cap, receives those of learned heads before it, in the same form. */
struct key_span attention_weights(const struct weighing *weighing, const struct attention_row *row,
                                  int h, int heads, float *weights, float *uncapped);

#endif
