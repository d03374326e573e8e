/* Statistics of heads as text, so that those of different sentences can be made in different
 * processes and merged. Merging gives the same as adding all sentences to one, to the bit
 * (head_stats.h).
 *
 *     head_stats_write; head_stats_read into statistics of the same heads; head_stats_merge
 */
#ifndef ATTNSCOPE_HEAD_STATS_TEXT_H
#define ATTNSCOPE_HEAD_STATS_TEXT_H

#include <stdio.h>

#include "model/study/heads/head_stats.h"

void head_stats_write(const struct head_stats *stats, FILE *out);

/* stats: empty ones, of head_stats_open with the same heads; of at most `count` sentences with the
 * numbers from `first` on. relations: how many syntactic relations there are at most.
 * STATUS_INVALID: the text is none of head_stats_write. */
bool head_stats_read(const char *text, int first, int count, int relations,
                     struct head_stats *stats, struct status *status);

/* Adds sentences that come after those of `stats`. On failure some may have been added in part. */
bool head_stats_merge(struct head_stats *stats, const struct head_stats *later,
                      struct status *status);

#endif
