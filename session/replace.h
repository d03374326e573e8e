/* Decides whether existing files may be replaced: always, never (--no-clobber), or if the user
 * agrees at the prompt. */
#ifndef ATTNSCOPE_REPLACE_H
#define ATTNSCOPE_REPLACE_H

#include "session/session.h"

/* Call before writing a file. True if the file does not exist or may be replaced; else
 * STATUS_INVALID, with a message that begins with the path. replace_files: the same for several
 * files in a folder, `count` of which exist. */
bool replace_file(const struct session *session, const char *path, struct status *status);
bool replace_files(const struct session *session, const char *folder, int count,
                   struct status *status);

#endif
