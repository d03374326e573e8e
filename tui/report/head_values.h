/* Heads and the search as values of reports: objects of JSON, as the configuration has them. */
#ifndef ATTNSCOPE_HEAD_VALUES_H
#define ATTNSCOPE_HEAD_VALUES_H

#include "tui/report/report.h"

/* [{module, layer, head}] of the heads that are off; of those replaced with how they attend. */
struct value heads_off_value(struct report *report, const struct session *session);
struct value heads_changed_value(struct report *report, const struct session *session);
/* {beam, length_penalty {kind, alpha}, max_length {factor, plus}, min_length, endings} of the
 * session's state; the last two where they are not 0 and "best". */
struct value search_value(struct report *report, const struct session *session);

#endif
