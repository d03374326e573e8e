/* Writing files atomically: a file appears under its name when it is complete.
 *
 *     struct new_file file;
 *     if (!new_file_open(&file, path, status))
 *         return false;
 *     ... write to file.stream ...
 *     return new_file_close(&file, good, status);
 *
 * The stream writes to a file without a name, on the filesystem of the path or of the file that the
 * path links to. It is gone if the process is killed. An existing file stays unchanged until the
 * new one is complete and with the disk, and if anything fails; the new one has its permissions. A
 * filesystem without files that have no name (O_TMPFILE) gets a temporary file beside the path,
 * named .attnscope. and six letters, which a killed process leaves.
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
    char *target;     // the path, or where it leads as a link
    char *name;       // temporary; NULL: it has none
    mode_t mode;      // permissions: those of the file that is replaced; else before the umask
    bool replaces;    // there was a file
};

/* A path that exists must be a regular file. Messages begin with the path. */
bool new_file_open(struct new_file *file, const char *path, struct status *status);

/* Flushes the stream. Call it after the last write if anything else runs before new_file_close:
 * errno, which says why a write failed, would be lost by then. `good` and the status are as in
 * new_file_close. Returns whether everything was written and flushed. */
bool new_file_flush(struct new_file *file, bool good, struct status *status);

/* Call it right after the last write, or after new_file_flush. `good`: everything was written; the
 * file gets its path, unless the stream or the system reports an error. Not good: what was written
 * is removed; the status is overwritten only where the stream has an error. Returns whether the
 * file is in place. */
bool new_file_close(struct new_file *file, bool good, struct status *status);

#endif
