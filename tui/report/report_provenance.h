/* The basis of a report, so that it can be read apart from the session: the model, its state, and
 * the sentence of a view. */
#ifndef ATTNSCOPE_REPORT_PROVENANCE_H
#define ATTNSCOPE_REPORT_PROVENANCE_H

#include "tui/report/report.h"

/* Fills report->provenance, once the command is done. What the report's origin leaves open is the
 * session's. Where memory is short the report lacks it, as after any function that fills it. */
void report_add_provenance(struct report *report, const struct session *session);

#endif
