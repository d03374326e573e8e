/* Reports of `:gates`, of the current sentence and over a file. */
#ifndef ATTNSCOPE_REPORT_GATES_H
#define ATTNSCOPE_REPORT_GATES_H

#include "tui/report/gate_points.h"
#include "tui/report/report.h"
#include "tui/report/view.h"

/* The values of the gates are taken. */
bool report_gates(struct report *report, const struct session *session,
                  const struct sentence_pair *pair, struct gates_view *gates,
                  struct status *status);

/* The groups are copied. */
bool report_gate_groups(struct report *report, const struct session *session,
                        const struct gates_study *groups, struct status *status);

#endif
