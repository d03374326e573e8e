/* Statistics of heads over a file (head_stats.h): every sentence is forced, with a given translation or with the model's
 * own, and its attention is added. The memory does not depend on the length of the file.
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

/* Where regular files were done before in the same state, with these heads among others, the cached result is taken;
 * where that was stopped, it is continued, unless `started` is enough: whatever there is. After a stop
 * (STATUS_CANCELLED) the result has the lines before it; of a part there is none. *out is owned by the cache, until others are requested; NULL
 * after a failure but a stop. */
bool head_stats_run(const struct study_context *context, const struct head_stats_request *request,
                    bool started, const struct head_stats_result **out, struct status *status);

#endif
