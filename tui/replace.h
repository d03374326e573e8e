/* Whether files that are there may be replaced: always, never (--no-clobber), or when someone at the prompt
 * says so. */
#ifndef ATTNSCOPE_REPLACE_H
#define ATTNSCOPE_REPLACE_H

#include "tui/session.h"

/* To be asked before a file is written. Nothing there: true. Fails (STATUS_INVALID) with a message that
 * begins with the path, or with the folder's where `count` of several files to write are there. */
bool replace_file(const struct session *session, const char *path, struct status *status);
bool replace_files(const struct session *session, const char *folder, int count,
                   struct status *status);

#endif
