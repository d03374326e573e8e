/* What one head attends to, token by token: the pairs of a row's token and the token with its
 * greatest weight, ignoring end-of-sentence; the parts of speech that receive its weight; and with
 * DHICM its importance (importance.h).
 *
 *     fill in the first part; head_pairs_run, or head_pairs_add for one sentence; head_pairs_free
 *
 * Rows of cross-attention stand for the predicted token, other rows for the token read; start
 * tokens have no pairs.
 */
#ifndef ATTNSCOPE_HEAD_PAIRS_H
#define ATTNSCOPE_HEAD_PAIRS_H

#include "model/study/sentences/pos.h"

struct head_pair {
    int row, column; // ids of the target vocabulary; of the source vocabulary for rows of the
                     // encoder, and columns of the encoder and cross-attention
    int64_t count;   // rows
    double weight;   // their greatest weights, summed
};

struct head_pairs {
    const struct config *config;
    enum module module;
    int layer, head; // 0-based
    struct study_walk
        walk; // words_for: also count parts of speech of the source, which must be CoNLL-U

    struct head_pair *pairs; // (count), by `weight`, greatest first
    int count;
    size_t capacity;
    struct pos_sums pos;       // weights on source tokens, instead of sums over rows
    double weight, importance; // summed over all rows
    int64_t rows;
};

/* Like study_walk. Call head_pairs_free in either case. */
bool head_pairs_run(const struct study_context *context, struct head_pairs *study,
                    struct status *status);
/* Captures and adds one sentence with ids, without parts of speech. */
bool head_pairs_add(struct head_pairs *study, const struct walk_sentence *sentence,
                    struct status *status);
/* The share of the weight on tokens of a part of speech (pos.names); NaN: no weight. */
double head_pairs_pos_share(const struct head_pairs *study, int place);
void head_pairs_free(struct head_pairs *study);

#endif
