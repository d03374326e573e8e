/* The importance of heads over a file, in layers that combine heads by DHICM (Goindani and
 * Shrivastava 2021).
 *
 * A token's importance is a distribution over the H heads of its layer. With N tokens, g[t][h] the
 * importance of head h for token t, and a[h] its mean over the tokens:
 *   entropy   the mean over t of H(g[t]), in bits: 0 if one head has all, log2(H) if all are equal
 *   uniform   log2(H) - entropy: the mean divergence D(g[t] || uniform)
 *   average   H(a) - entropy: the mean divergence D(g[t] || a), how much heads depend on the token
 *
 *     fill in config, walk.path, wanted and by_pos; importance_run; importance_free
 */
#ifndef ATTNSCOPE_IMPORTANCE_H
#define ATTNSCOPE_IMPORTANCE_H

#include "model/study/sentences/pos.h"

/* Sums over the tokens of one layer. */
struct importance_sums {
    double *importance; // (heads)
    int64_t *first;     // (heads): tokens for which the head is the most important one
    int64_t tokens;
    double entropy; // summed over the tokens
};

struct importance_study {
    const struct config *config;
    const bool *wanted[MODULE_COUNT]; // (layers) that combine heads by DHICM; NULL: none
    bool by_pos;                      // only for the encoder's layers, over a CoNLL-U file
    struct study_walk walk;

    struct importance_sums *layers[MODULE_COUNT]; // (layers)
    struct pos_sums *pos;                         // (the encoder's layers), by_pos
};

/* Like study_walk. Call importance_free in either case. */
bool importance_run(const struct study_context *context, struct importance_study *study,
                    struct status *status);
void importance_free(struct importance_study *study);

/* In bits: -share log2(share); 0 for 0. */
double importance_bits(double share);

#endif
