/* The report of `:stats`. */
#ifndef ATTNSCOPE_REPORT_STATS_H
#define ATTNSCOPE_REPORT_STATS_H

#include "model/study/sentences/head_stats_run.h"
#include "tui/report/report.h"

enum stats_shown {
    SHOW_HEADS,     // statistics of each head
    SHOW_DISTANCES, // distances between heads
    SHOW_EXAMPLES,  // sentences that show a measure of one head most and least
    SHOW_POS        // means of a measure by part of speech (report_pos.h)
};

struct stats_request {
    const char *source, *target;      // target NULL: the model's own translations
    const bool *wanted[MODULE_COUNT]; // (layers * heads): the heads that are asked for
    const char *selected;             // the words of the selector
    enum stats_shown shown;
    enum head_measure measure; // of SHOW_EXAMPLES and SHOW_POS
};

/* Copies what it needs of the result, which has at least the heads that are wanted.
 *
 * In JSON `file`, `target` (null: own translations), `sentences`, `rows` (of the modules together),
 * `partial`; `heads` [{`module`, `layer`, `head`, `name`, `rows`, the measures of head_stats.h,
 * of a CoNLL-U file's encoder `relations` [{`relation`, `direction` (head, dependent), `accuracy`,
 * `baseline`}]; `offset` is the most frequent one and `offset_share` its share; null: the module
 * has no such measure}] and `distances` {`heads` [names], `values` [[…]] (null between modules)},
 * where heads stand in the order of clusters. Of examples `measure`, `module`, `layer`, `head`,
 * `examples` [{`shows` (most, least), `sentence`, `mean`, `source`, `target`}]. */
bool report_stats(struct report *report, const struct session *session,
                  const struct stats_request *request, const struct head_stats_result *result,
                  struct status *status);

#endif
