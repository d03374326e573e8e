#include "tui/loaded.h"

#include <stdlib.h>
#include <string.h>

#include "tui/progress.h"

struct loaded *loaded_open(const char *path, struct status *status)
{
    struct loaded *loaded = memory_new(1, sizeof *loaded, status);
    if (!loaded)
        return NULL;
    loaded->path = strdup(path);
    if (!loaded->path)
        status_fail(status, STATUS_MEMORY, "out of memory");
    else
        loaded->checkpoint = checkpoint_open(path, status);
    if (loaded->checkpoint) {
        loaded->checkpoint->watcher = &progress_watcher;
        loaded->dials = dials_new(loaded->checkpoint->config, status);
    }
    if (loaded->dials)
        return loaded;
    loaded_close(loaded);
    return NULL;
}

void loaded_close(struct loaded *loaded)
{
    if (!loaded)
        return;
    model_close(loaded->model);
    dials_free(loaded->dials);
    checkpoint_close(loaded->checkpoint);
    free(loaded->path);
    free(loaded);
}

const char *loaded_name(const struct loaded *loaded)
{
    const char *slash = strrchr(loaded->path, '/');
    return slash ? slash + 1 : loaded->path;
}

const char *loaded_digest(struct loaded *loaded, struct status *status)
{
    char digest[sizeof loaded->digest];
    if (*loaded->digest)
        return loaded->digest;
    if (!checkpoint_digest(loaded->checkpoint, digest, status))
        return NULL;
    memcpy(loaded->digest, digest, sizeof digest);
    return loaded->digest;
}
