/* Decides whether existing files may be replaced: always, never (--no-clobber), or if the user at
 * the prompt agrees. */
#ifndef ATTNSCOPE_REPLACE_H
#define ATTNSCOPE_REPLACE_H

#include "session/session.h"

/* Call before a file is written. True if the file does not exist. Otherwise it may fail with
 * STATUS_INVALID; the message begins with the path. replace_files: the same for several files in a
 * folder, `count` of which exist. */
bool replace_file(const struct session *session, const char *path, struct status *status);
bool replace_files(const struct session *session, const char *folder, int count,
                   struct status *status);

#endif
