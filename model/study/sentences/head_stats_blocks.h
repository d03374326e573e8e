/* Statistics of heads in parts (model/study/shards/shards.h). For head_stats_run.c alone.
 *
 * A result is that of a block, a run of sentences; statistics of blocks merge to those of all of
 * their sentences, however they are cut (heads/head_stats_text.h). Blocks are small at first, so
 * that little is lost of a part that is killed, and then longer, as each takes room in the part's
 * file.
 */
#ifndef ATTNSCOPE_HEAD_STATS_BLOCKS_H
#define ATTNSCOPE_HEAD_STATS_BLOCKS_H

#include "model/study/sentences/head_stats_run.h"

struct stats_blocks {
    struct shards *shards;
    struct identity scope;
    int sentences; // of the files
    int block;     // the greatest length of the next one
};

/* result: its heads are those of the blocks. content: the digest of the files; "": it is not known,
 * which is an error. */
bool stats_blocks_open(struct stats_blocks *blocks, const struct study_context *context,
                       const struct head_stats_request *request,
                       const struct head_stats_result *result, const char *content, int sentences,
                       struct status *status);

/* Returns how many sentences the block has that begins with this one, from 0; 0: there is none. */
int stats_blocks_known(struct stats_blocks *blocks, int first);
/* Says that the known block is taken as it is. */
void stats_blocks_count(struct stats_blocks *blocks, int first);
/* Adds the known block to *stats. *good: it was one; where it was not, nothing is added. */
bool stats_blocks_take(struct stats_blocks *blocks, int first, struct head_stats_result *result,
                       bool *good, struct status *status);
/* The end of the block that begins with this sentence, which is to be made: at most `end`. */
int stats_blocks_next(struct stats_blocks *blocks, int first, int end);
bool stats_blocks_keep(struct stats_blocks *blocks, int first, int end,
                       const struct head_stats *stats, struct status *status);

/* In a merge, says which sentences are in no block, from `first` on. */
bool stats_blocks_check(struct stats_blocks *blocks, const char *path, int first,
                        struct status *status);

#endif
