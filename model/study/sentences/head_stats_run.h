/* Statistics of heads over a file (head_stats.h). Forces every sentence with a given translation or
 * the model's own, and adds its attention. Memory does not depend on the length of the file.
 */
#ifndef ATTNSCOPE_HEAD_STATS_RUN_H
#define ATTNSCOPE_HEAD_STATS_RUN_H

#include "model/study/heads/head_stats_result.h"
#include "model/study/study_context.h"

struct head_stats_request {
    const char *source;               // one sentence per line; blank lines are skipped
    const char *target;               // their translations; NULL: the model's own
    const bool *wanted[MODULE_COUNT]; // (layers * heads); NULL: none of the module
};

/* Uses the cached result of an earlier run over the same regular files, in the same state and with
 * at least these heads. If that run was stopped, continues it, or with `started` returns it
 * unfinished. After a stop (STATUS_CANCELLED) the result covers the lines before it. The cache owns
 * *out, which is valid until other statistics are requested. It is NULL after any other failure,
 * and if only one part of the study is computed (shards/shards.h). */
bool head_stats_run(const struct study_context *context, const struct head_stats_request *request,
                    bool started, const struct head_stats_result **out, struct status *status);

#endif
