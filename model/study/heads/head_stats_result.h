/* Statistics of heads over a file, finished or stopped. */
#ifndef ATTNSCOPE_HEAD_STATS_RESULT_H
#define ATTNSCOPE_HEAD_STATS_RESULT_H

#include "model/study/heads/head_stats.h"

struct head_stats_result {
    struct head_stats stats;
    bool *wanted
        [MODULE_COUNT]; // (layers * heads): the heads included; NULL: none of the module; owned
    struct strings relations; // names of syntactic relations, of a CoNLL-U file
    int done,
        lines; // lines added, and all lines (0: unknown); done < lines: stopped
};
void head_stats_result_free(struct head_stats_result *result); // leaves it empty
/* True if lines are missing. */
bool head_stats_partial(const struct head_stats_result *result);

#endif
