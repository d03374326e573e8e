/* Statistics of heads over a file (head_stats.h): every sentence is forced, with a given
 * translation or with the model's own, and its attention is added. The memory does not depend on
 * the length of the file.
 */
#ifndef ATTNSCOPE_HEAD_STATS_RUN_H
#define ATTNSCOPE_HEAD_STATS_RUN_H

#include "model/study/heads/head_stats_result.h"
#include "model/study/study_context.h"

struct head_stats_request {
    const char *source;               // one sentence a line; blank lines are skipped
    const char *target;               // their translations; NULL: the model's own
    const bool *wanted[MODULE_COUNT]; // (layers * heads); NULL: none of the module
};

/* Uses the cached result of an earlier run over the same regular files, in the same state and with
 * at least these heads; continues it if that run was stopped, unless `started` says that what there
 * is will do. After a stop (STATUS_CANCELLED) the result covers the lines before it. *out is owned
 * by the cache until other statistics are requested. It is NULL after any other failure, and where
 * only one part of the study is computed (shards/shards.h). */
bool head_stats_run(const struct study_context *context, const struct head_stats_request *request,
                    bool started, const struct head_stats_result **out, struct status *status);

#endif
