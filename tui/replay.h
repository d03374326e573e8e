/* `--replay FILE`: an exported file made again from what it says of itself. */
#ifndef ATTNSCOPE_REPLAY_H
#define ATTNSCOPE_REPLAY_H

#include "tui/result.h"

/* Puts the session into the state in which the file was written and writes it anew, as NAME.replayed.EXT
 * beside it, which goes again where its bytes are the same. The models that it was made from must be among
 * the session's; they are told by their checkpoints' SHA-256. Fills result->replay. Messages begin with
 * the path. Files are strangers: of commands in them only those run that set up a view. */
bool replay_file(struct session *session, const char *path, struct result *result,
                 struct status *status);

#endif
