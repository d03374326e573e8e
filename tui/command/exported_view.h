/* The view that `:export FILE [VIEW]` and `:show [VIEW]` are about. */
#ifndef ATTNSCOPE_EXPORTED_VIEW_H
#define ATTNSCOPE_EXPORTED_VIEW_H

#include "tui/command/command.h"

/* Runs the view that the words from `first` on name, or the current one where there are none. */
bool exported_view(struct session *session, const struct request *request, int first,
                   struct report *view, struct status *status);

#endif
