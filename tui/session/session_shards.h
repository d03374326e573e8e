/* Studies of a session in parts (model/study/shards/shards.h): one process of many works on one of
 * them, or the results of all are merged.
 */
#ifndef ATTNSCOPE_SESSION_SHARDS_H
#define ATTNSCOPE_SESSION_SHARDS_H

#include "tui/session/session.h"

/* From now on studies over files work on part `part` of `count` alone, and add results to its file
 * in the folder. */
bool session_take_shard(struct session *session, const char *folder, int part, int count,
                        struct status *status);

/* Studies take results from these files, or the parts in these folders, from now on. Fails in a
 * session that works on a part. On failure the session is as before. */
bool session_merge(struct session *session, const char *const *paths, int count,
                   struct status *status);

#endif
