/* Statistics of heads in parts (model/study/shards/shards.h). For head_stats_run.c alone.
 *
 * A result is that of a block, a run of sentences; statistics of blocks merge to those of all of their sentences, however
 * they are cut (heads/head_stats_text.h). Blocks are small at first, so that little is lost of a part that is killed, and
 * then longer, as each takes room in the part's file.
 */
#ifndef ATTNSCOPE_HEAD_STATS_PARTS_H
#define ATTNSCOPE_HEAD_STATS_PARTS_H

#include "model/study/head_stats_run.h"

struct stats_parts {
    struct shards *shards;
    struct identity scope;
    int sentences; // of the files
    int block;     // the greatest length of the next one
};

/* result: its heads are those of the blocks. content: the digest of the files; "": it is not known, which is an error. */
bool stats_parts_open(struct stats_parts *blocks, const struct study_context *context,
                      const struct head_stats_request *request,
                      const struct head_stats_result *result, const char *content, int sentences,
                      struct status *status);

/* Returns how many sentences the block has that begins with this one, from 0; 0: there is none. */
int stats_parts_known(struct stats_parts *blocks, int first);
/* Says that the known block is taken as it is. */
void stats_parts_count(struct stats_parts *blocks, int first);
/* Adds the known block to *stats. *good: it was one; where it was not, nothing is added. */
bool stats_parts_take(struct stats_parts *blocks, int first, struct head_stats_result *result,
                      bool *good, struct status *status);
/* The end of the block that begins with this sentence, which is to be made: at most `end`. */
int stats_parts_next(struct stats_parts *blocks, int first, int end);
bool stats_parts_keep(struct stats_parts *blocks, int first, int end,
                      const struct head_stats *stats, struct status *status);

/* In a merge, says which sentences are in no block, from `first` on. */
bool stats_parts_check(struct stats_parts *blocks, const char *path, int first,
                       struct status *status);

#endif
