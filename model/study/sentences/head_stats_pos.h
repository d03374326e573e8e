/* A measure of the encoder's heads, averaged over the rows of each part of speech (pos) of a
 * CoNLL-U file.
 *
 *     fill in config, wanted, measure and walk.path; head_stats_pos_run; head_stats_pos_free
 */
#ifndef ATTNSCOPE_HEAD_STATS_POS_H
#define ATTNSCOPE_HEAD_STATS_POS_H

#include "model/study/heads/attended_sentence.h"
#include "model/study/sentences/pos.h"

struct head_stats_pos {
    const struct config *config;
    const bool *wanted; // (layers * heads) of the encoder, any
    enum head_measure measure;
    struct study_walk walk;

    struct pos_sums sums; // of the wanted heads
    struct attended_sentence tokens;
};

/* Like study_walk. Call head_stats_pos_free in either case. */
bool head_stats_pos_run(const struct study_context *context, struct head_stats_pos *study,
                        struct status *status);
void head_stats_pos_free(struct head_stats_pos *study);

#endif
