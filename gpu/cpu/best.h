/* The best tokens of a row of logits that is read section by section. */
#ifndef ATTNSCOPE_CPU_BEST_H
#define ATTNSCOPE_CPU_BEST_H

#include <stdbool.h>

#include "gpu/cpu/kernels.h"

enum { BEST_COLUMNS = 768 }; // of a section, at most

struct best {
    struct kernel_best list; // best first; of equal logits the lower ids, and these first
    const struct kernels *kernels;
    const uint8_t *excluded; // (V), or NULL: these are left out
};

/* What is known of a section, from kernels.h's `look` with best_mark. */
struct peaks {
    float highest;
    float groups[KERNEL_GROUPS];
    uint64_t above[(BEST_COLUMNS + KERNEL_GROUPS - 1) / KERNEL_GROUPS];
};

/* Elements of `value` and `id` for lists of that room. */
int best_stride(int room);

/* An empty list. */
void best_begin(const struct best *best);

/* Whether there are as many as there is room for. */
bool best_full(const struct best *best);

/* Who is above it is among the best so far, as long as these are full. */
float best_mark(const struct best *best);

/* Takes those of the logits (columns) of the tokens begin … begin+columns-1 that are among the best so far; never
 * -inf or NaN. Sections of smaller ids come first. */
void best_take(const struct best *best, const float *logits, int begin, int columns,
               const struct peaks *peaks);

/* Takes what `later` has, whose ids are greater. */
void best_join(const struct best *best, const struct best *later);

#endif
