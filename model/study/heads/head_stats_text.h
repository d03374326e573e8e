/* Statistics of heads as text, so that different processes can compute those of different sentences
 * to be merged. Merging gives bit-identical results to adding all sentences to one (head_stats.h).
 *
 *     head_stats_write; head_stats_read into statistics of the same heads; head_stats_merge
 */
#ifndef ATTNSCOPE_HEAD_STATS_TEXT_H
#define ATTNSCOPE_HEAD_STATS_TEXT_H

#include <stdio.h>

#include "model/study/heads/head_stats.h"

void head_stats_write(const struct head_stats *stats, FILE *out);

/* stats: empty, from head_stats_open with the same heads. The text may cover at most `count`
 * sentences, numbered from `first`, and at most `relations` syntactic relations. STATUS_INVALID:
 * the text was not written by head_stats_write. */
bool head_stats_read(const char *text, int first, int count, int relations,
                     struct head_stats *stats, struct status *status);

/* Adds sentences that follow those of `stats`. On failure some may have been partly added. */
bool head_stats_merge(struct head_stats *stats, const struct head_stats *later,
                      struct status *status);

#endif
