/* Statistics of heads in parts (model/study/shards/shards.h). Only for head_stats_run.c.
 *
 * A result covers a block: a run of consecutive sentences. Merging the statistics of blocks gives
 * those of all their sentences, whatever the block boundaries (heads/head_stats_text.h). Blocks are
 * short at first, so that little is lost if a part is killed, and then grow, as each takes space in
 * the part's file.
 */
#ifndef ATTNSCOPE_HEAD_STATS_BLOCKS_H
#define ATTNSCOPE_HEAD_STATS_BLOCKS_H

#include "model/study/sentences/head_stats_run.h"

struct stats_blocks {
    struct shards *shards;
    struct identity scope;
    int sentences; // of the files
    int block;     // maximum length of the next block
};

/* result: defines the heads of the blocks. content: the digest of the files; "" (unknown) is an
 * error. */
bool stats_blocks_open(struct stats_blocks *blocks, const struct study_context *context,
                       const struct head_stats_request *request,
                       const struct head_stats_result *result, const char *content, int sentences,
                       struct status *status);

/* Returns the number of sentences in the known block that begins with sentence `first` (from 0); 0:
 * none. */
int stats_blocks_known(struct stats_blocks *blocks, int first);
/* Adds the block that begins with sentence `first` to *result, except in a shard. *count: its
 * sentences; 0: there is none, or it was refused. */
bool stats_blocks_take(struct stats_blocks *blocks, int first, struct head_stats_result *result,
                       int *count, struct status *status);
/* The end, at most `end`, of the new block that begins with this sentence. */
int stats_blocks_next(struct stats_blocks *blocks, int first, int end);
bool stats_blocks_keep(struct stats_blocks *blocks, int first, int end,
                       const struct head_stats *stats, struct status *status);

/* In a merge, fails if sentences from `first` on are in no block, and names them. */
bool stats_blocks_check(struct stats_blocks *blocks, const char *path, int first,
                        struct status *status);

#endif
