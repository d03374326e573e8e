/* Writes files atomically: a file appears under its name once complete.
 *
 *     struct new_file file;
 *     if (!new_file_open(&file, path, status))
 *         return false;
 *     ... write to file.stream ...
 *     return new_file_close(&file, good, status);
 *
 * The stream writes to an unnamed file on the filesystem of the path or of the file it links to; it
 * vanishes if the process is killed. An existing file stays unchanged until the new one is complete
 * and on disk, and if anything fails; the new one gets its permissions. A filesystem without
 * unnamed files (O_TMPFILE) gets a temporary file beside the path, named .attnscope. and six
 * letters, which a killed process leaves behind.
 */
#ifndef ATTNSCOPE_NEW_FILE_H
#define ATTNSCOPE_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

struct new_file {
    FILE *stream;
    const char *path; // borrowed: lives until new_file_close
    char *target;     // the path, or the target of its link
    char *name;       // temporary; NULL: unnamed
    mode_t mode;      // permissions: those of the replaced file; else before the umask
    bool replaces;    // a file existed
};

/* An existing path must be a regular file. Messages begin with the path. */
bool new_file_open(struct new_file *file, const char *path, struct status *status);

/* Flushes the stream. Call it after the last write if anything else runs before new_file_close,
 * which could lose the errno of a failed write. `good` and the status are as in new_file_close.
 * True if everything was written and flushed. */
bool new_file_flush(struct new_file *file, bool good, struct status *status);

/* Call it right after the last write, or after new_file_flush. `good`: everything was written; the
 * file gets its path, unless the stream or the system reports an error. Not good: removes what was
 * written and overwrites the status only if the stream has an error. True if the file is in
 * place. */
bool new_file_close(struct new_file *file, bool good, struct status *status);

#endif
