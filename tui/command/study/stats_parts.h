/* `:stats FILE by pos`: a measure of the encoder's heads, averaged over the rows of each part of speech. */
#ifndef ATTNSCOPE_STATS_PARTS_H
#define ATTNSCOPE_STATS_PARTS_H

#include "tui/command/study/report_stats.h"
#include "tui/session/session.h"

/* Runs it over request->source, which is CoNLL-U, and reports it. After Ctrl-C (STATUS_CANCELLED) the report has the
 * sentences before it, if there are any. The caller ends the report.
 *
 * In JSON `file`, `by` (pos), `measure`, `sentences`, `partial`, `groups` [{`module`, `layer`, `head`, `name`, `count`
 * (rows with weight), `mean`}]. */
bool stats_by_parts(struct session *session, const struct stats_request *request,
                    struct report *report, struct status *status);

#endif
