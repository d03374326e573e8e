/* The report of `:token`. */
#ifndef ATTNSCOPE_REPORT_TOKEN_H
#define ATTNSCOPE_REPORT_TOKEN_H

#include "report/report.h"
#include "report/view.h"

/* Takes grid and weights. */
bool report_token(struct report *report, const struct session *session,
                  const struct sentence_pair *pair, struct token_view *token,
                  struct status *status);

#endif
