/* What one head looks at, token by token: the pairs of a row's token and the token that its
 * greatest weight is on, end-of-sentence left out; the parts of speech that its weight is on; and
 * under dhicm its importance (importance.h).
 *
 *     fill in the first part; head_pairs_run, or head_pairs_add of one sentence; head_pairs_free
 *
 * Rows of cross-attention are of the token that is predicted, others of the token that is read;
 * start tokens have no pairs.
 */
#ifndef ATTNSCOPE_HEAD_PAIRS_H
#define ATTNSCOPE_HEAD_PAIRS_H

#include "model/study/sentences/pos.h"

struct head_pair {
    int row, column; // ids: of the target's vocabulary, columns of the encoder and of
                     // cross-attention and rows of the encoder of the source's
    int64_t count;   // rows
    double weight;   // their greatest weights, summed
};

struct head_pairs {
    const struct config *config;
    enum module module;
    int layer, head; // 0-based
    struct study_walk
        walk; // words_for: the parts of speech of the source, which is CoNLL-U, are wanted, too

    struct head_pair *pairs; // (count), in order of `weight`, the greatest first
    int count;
    size_t capacity;
    struct pos_sums pos;       // of the weight on source tokens, in the place of rows and means
    double weight, importance; // summed over all rows
    int64_t rows;
};

/* As study_walk. head_pairs_free in either case. */
bool head_pairs_run(const struct study_context *context, struct head_pairs *study,
                    struct status *status);
/* Takes one sentence with ids, which is captured here; without parts of speech. */
bool head_pairs_add(struct head_pairs *study, const struct walk_sentence *sentence,
                    struct status *status);
/* The share of the weight that is on tokens of a part of speech (pos.names); NaN: there is none. */
double head_pairs_pos_share(const struct head_pairs *study, int place);
void head_pairs_free(struct head_pairs *study);

#endif
