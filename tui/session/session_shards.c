#include "tui/session/session_shards.h"

#include "tui/terminal/progress.h"

bool session_take_shard(struct session *session, const char *folder, int part, int count,
                        struct status *status)
{
    char device[DEVICE_TEXT];
    device_describe(session->opened.backend, session->opened.device, device);
    const struct shards_spec spec = {folder, part, count, device};
    session->shards = shards_open_one(&spec, &progress_watch, status);
    return session->shards != NULL;
}

bool session_merge(struct session *session, const char *const *paths, int count,
                   struct status *status)
{
    char device[DEVICE_TEXT];
    device_describe(session->opened.backend, session->opened.device, device);
    if (shards_divided(session->shards))
        return status_fail(status, STATUS_INVALID,
                           "merge: this session works on part %d of %d, expected one without "
                           "--shard",
                           shards_spec(session->shards)->part, shards_spec(session->shards)->count);
    struct shards *shards = shards_open_merge(device, status);
    bool ok = shards != NULL;
    for (int i = 0; ok && i < count; i++)
        ok = shards_merge(shards, paths[i], &progress_watch, status);
    if (!ok) {
        shards_close(shards);
        return false;
    }
    shards_close(session->shards);
    session->shards = shards;
    return true;
}
