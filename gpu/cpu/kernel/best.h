/* Finds the highest logits of a row, read section by section. Never fails.
 *
 * Call order: best_begin; for each section `look` (kernels.h) and best_take; best_join lists of
 * different sections.
 */
#ifndef ATTNSCOPE_CPU_BEST_H
#define ATTNSCOPE_CPU_BEST_H

#include <stdbool.h>

#include "gpu/cpu/kernel/kernels.h"

enum { BEST_COLUMNS = 768 }; // of a section, at most

struct best {
    struct kernel_best list; // best first; of equal logits, lower ids win and come first
    const struct kernels *kernels;
    const uint8_t *excluded; // (V), or NULL: tokens to skip
};

/* The result of `look` (kernels.h) for a section, with best_mark as the threshold. */
struct peaks {
    float highest;
    float groups[KERNEL_GROUPS];
    uint64_t above[(BEST_COLUMNS + KERNEL_GROUPS - 1) / KERNEL_GROUPS];
};

/* The number of elements needed for `value` and `id` of a list of `room` entries. */
int best_stride(int room);

/* Makes the list empty. */
void best_begin(const struct best *best);

/* True if the list has `room` entries. */
bool best_full(const struct best *best);

/* The lowest value of a full list: only higher logits enter it. */
float best_mark(const struct best *best);

/* Inserts the logits (columns) of tokens begin … begin+columns-1 that are among the best so far.
 * -inf and NaN never enter. Sections must be given in ascending order of ids. */
void best_take(const struct best *best, const float *logits, int begin, int columns,
               const struct peaks *peaks);

/* Inserts the entries of `later`, whose ids must all be greater. */
void best_join(const struct best *best, const struct best *later);

#endif
