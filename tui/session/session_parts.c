#include "tui/session/session_parts.h"

#include "tui/terminal/progress.h"

enum { DEVICE_BYTES = 40 };

/* Results have the same bits on every CPU, but not on a GPU. */
static void name_device(const struct session *session, char name[DEVICE_BYTES])
{
    const struct opened_device *opened = &session->opened;
    struct device_info info;
    opened->backend->info(opened->device, &info);
    if (opened->backend == &cpu_backend)
        snprintf(name, DEVICE_BYTES, "cpu");
    else
        snprintf(name, DEVICE_BYTES, "%s %s", opened->backend->name,
                 precision_names[info.precision]);
}

bool session_take_part(struct session *session, const char *folder, int part, int count,
                       struct status *status)
{
    char device[DEVICE_BYTES];
    name_device(session, device);
    const struct parts_spec spec = {folder, part, count, device};
    session->parts = parts_open_part(&spec, &progress_watch, status);
    return session->parts != NULL;
}

bool session_merge(struct session *session, const char *const *paths, int count,
                   struct status *status)
{
    char device[DEVICE_BYTES];
    name_device(session, device);
    if (parts_divided(session->parts))
        return status_fail(status, STATUS_INVALID,
                           "merge: this session works on part %d of %d, expected one without "
                           "--shard",
                           parts_spec(session->parts)->part, parts_spec(session->parts)->count);
    struct parts *parts = parts_open_merge(device, status);
    bool ok = parts != NULL;
    for (int i = 0; ok && i < count; i++)
        ok = parts_merge(parts, paths[i], &progress_watch, status);
    if (!ok) {
        parts_close(parts);
        return false;
    }
    parts_close(session->parts);
    session->parts = parts;
    return true;
}
