/* `--replay FILE`: makes an exported file again from the commands that it records. */
#ifndef ATTNSCOPE_REPLAY_H
#define ATTNSCOPE_REPLAY_H

#include "tui/report/report.h"

/* Puts the session into the state in which the file was written and writes it again, beside it as
 * NAME.replayed.EXT. If the bytes are the same, the new file is removed. The models that the file
 * was made from must be loaded; they are identified by the SHA-256 of their checkpoints. *same:
 * whether the bytes are the same. Messages begin with the path. Files are not trusted: only
 * commands that set up a view are run. */
bool replay_file(struct session *session, const char *path, struct report *result, bool *same,
                 struct status *status);

#endif
