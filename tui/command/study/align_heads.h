/* The heads of cross-attention that `:align` tries over files. */
#ifndef ATTNSCOPE_ALIGN_HEADS_H
#define ATTNSCOPE_ALIGN_HEADS_H

#include "model/study/alignment/align_files.h"
#include "session/selector.h"

struct align_heads {
    struct align_head *heads; // (count), freed by the caller
    int count;
    size_t capacity;
};

/* layer, head: 0-based; head may also be a way of merging heads. */
bool align_heads_add(struct align_heads *heads, int layer, int head, bool shifted,
                     struct status *status);
/* Adds the selected heads, if the method has a matrix for each, and the merged heads of each layer:
 * all with the shift and, unless `only_shifted`, also without. */
bool align_heads_select(struct align_heads *heads, const struct config *config,
                        const struct selector *selector, bool only_shifted, struct status *status);

#endif
