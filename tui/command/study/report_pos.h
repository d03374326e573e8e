/* Tables and figures of heads by part of speech (pos). */
#ifndef ATTNSCOPE_REPORT_POS_H
#define ATTNSCOPE_REPORT_POS_H

#include "model/study/sentences/pos.h"
#include "tui/command/study/report_stats.h"
#include "tui/report/report.h"

/* Titles of what is counted and averaged. */
struct pos_titles {
    const char *count, *mean; // of columns: "tokens", "importance"
    const char *scale;        // of figures: "mean importance"
};

/* The table `groups`, without rows: module, layer, head, name, count, mean. */
struct table *report_pos_table(struct report *report, const struct pos_titles *titles);
/* Adds the rows of head `k` of the sums, which is head `head` of an encoder's layer, all from 0.
 * `enter`: what Enter runs. */
void report_pos_head(struct table *table, const struct pos_sums *sums, int k, int layer, int head,
                     const char *enter);
/* A figure of parts of speech by heads, whose axis the caller fills in; NULL: out of memory. */
struct matrix *report_pos_matrix(struct report *report, const struct pos_sums *sums,
                                 const struct pos_titles *titles);

/* `:stats FILE by pos`: runs it over request->source, which is CoNLL-U, and reports it. After
 * Ctrl-C (STATUS_CANCELLED) the report has the sentences before it, if there are any. The caller
 * ends the report.
 *
 * In JSON `file`, `by` (pos), `measure`, `sentences`, `partial`, `groups` [{`module`, `layer`,
 * `head`, `name`, `count` (rows with weight), `mean`}]. */
bool stats_by_pos(struct session *session, const struct stats_request *request,
                  struct report *report, struct status *status);

#endif
