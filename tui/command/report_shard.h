/* The report of one shard of a study: its part is done, and no result, which would pass for the
 * whole one's. */
#ifndef ATTNSCOPE_REPORT_SHARD_H
#define ATTNSCOPE_REPORT_SHARD_H

#include "tui/report/report.h"

/* True if the command that has run was a study in parts, of which this session has one; then
 * replaces the report. `line`: the command with its colon. */
bool report_part(struct report *report, const struct session *session, const char *line);

/* True if the session works on a part, where a command that needs the whole does nothing; then says
 * so. */
bool report_needs_whole(struct report *report, const struct session *session);

#endif
