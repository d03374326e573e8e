/* The weights of one row's heads over its keys, as attention and its derivatives need them.
 *
 * A head's weights are zero outside of one span of its keys (masks and patterns both are ranges);
 * nothing outside of the span is read or written. Pure functions but for what they write.
 */
#ifndef ATTNSCOPE_CPU_ATTENTION_WEIGHTS_H
#define ATTNSCOPE_CPU_ATTENTION_WEIGHTS_H

#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/patterns.h"

/* The data that all rows share. */
struct weighing {
    const struct attention_args *args;
    const struct kernels *kernels;
    float scale;
    const int32_t *count; // (longest) 0, 1, 2, …: the rows of a range from its beginning
    size_t stride;        // between the weights of two heads: room for those of the longest row
};

/* The data that the heads of one row share. Key j is row first + keys[j] of k, v and word. */
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

/* Keys of a row; 0 for an idle one. */
int attention_key_count(const struct attention_args *args, int m);

/* Lengths of the rows: their sum, and the longest. */
size_t attention_key_total(const struct attention_args *args, int *longest);

/* The scale of energies, and room for the weights of one head of `longest` keys. `count` is left to
 * the caller. */
struct weighing weighing_of(const struct device *device, const struct attention_args *args,
                            int longest);

struct attention_row attention_row_of(const struct weighing *weighing, int m);

/* True if head h, like the one before it, is learned and has the same span, and its query and keys
 * are next to the other's: both may go together. */
bool attention_continues(const struct attention_args *args, const struct attention_row *row, int h);

/* `heads` heads from `head` on (of those in `matrix`) of the row's keys in the span. */
struct row_set attention_head_rows(const struct attention_args *args, const float *matrix, int ld,
                                   int head, int heads, const struct attention_row *row,
                                   struct key_span span);

/* Computes the weights of heads h … h+heads-1, each of which continues the one before. A head has
 * the bits that it has alone. weights: (heads, stride). */
struct key_span attention_weights(const struct weighing *weighing, const struct attention_row *row,
                                  int h, int heads, float *weights);

#endif
