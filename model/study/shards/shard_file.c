#include "base/send.h"
#include "model/study/shards/shards_fields.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "model/text/quote.h"

bool shard_file_add(struct shard_file *file, const struct journal_key *key, const char *value,
                    struct status *status)
{
    size_t bytes;
    char *line = journal_line(key, value, &bytes, status);
    bool ok = line && send_bytes(file->descriptor, line, bytes);
    if (ok) {
        file->bytes += (int64_t)bytes;
    } else if (line) {
        status_fail(status, STATUS_IO, "%s", strerror(errno));
        if (ftruncate(file->descriptor, file->bytes) != 0)
            errno = 0; // the next reader skips an incomplete line
    }
    free(line);
    return ok || status_prefix(status, "%s", QUOTED_PATH(file->path));
}

static bool lock(const struct shard_file *file, struct status *status)
{
    while (flock(file->descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR)
            continue;
        bool taken = errno == EWOULDBLOCK;
        return status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(file->path),
                           taken ? "another process works on this part" : strerror(errno));
    }
    return true;
}

/* Continues after the last whole line. */
static bool continue_file(struct shard_file *file, const char *heading, const struct watch *watch,
                          struct journal *journal, int *damaged, int *damaged_line,
                          struct status *status)
{
    struct journal_file found;
    if (!journal_read(file->path, watch, journal, &found, status))
        return false;
    bool ok = !found.heading || strcmp(found.heading, heading) == 0 ||
              status_fail(status, STATUS_INVALID, "%s: of \"%s\", expected \"%s\"",
                          QUOTED_PATH(file->path), QUOTED(found.heading), heading);
    file->bytes = found.bytes;
    *damaged = found.damaged;
    *damaged_line = found.damaged_line;
    if (ok && ftruncate(file->descriptor, file->bytes) != 0)
        ok = status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(file->path), strerror(errno));
    ok = ok && (found.heading || shard_file_add(file, NULL, heading, status));
    journal_file_free(&found);
    return ok;
}

bool shard_file_open(char *path, const char *heading, const struct watch *watch,
                     struct journal *journal, struct shard_file *file, int *damaged,
                     int *damaged_line, struct status *status)
{
    *file = (struct shard_file){.path = path};
    file->descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file->descriptor < 0)
        status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(path),
                    errno == ELOOP ? "a symbolic link, expected a file" : strerror(errno));
    else if (lock(file, status) &&
             continue_file(file, heading, watch, journal, damaged, damaged_line, status))
        return true;
    shard_file_close(file);
    return false;
}

void shard_file_close(struct shard_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor); // also unlocks it
    free(file->path);
    *file = (struct shard_file){.descriptor = -1};
}
