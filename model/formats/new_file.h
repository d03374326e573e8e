/* Writing files atomically: a file appears under its name when it is complete.
 *
 *     struct new_file file;
 *     if (!new_file_open(&file, path, status))
 *         return false;
 *     ... write to file.stream ...
 *     return new_file_close(&file, good, status);
 *
 * The stream writes to a temporary file in the folder of the path, or of the file that the path links to. An existing
 * file stays unchanged until the new one is complete, and if anything fails. A process that is killed in between leaves
 * the temporary file, named .attnscope. and six letters.
 */
#ifndef ATTNSCOPE_NEW_FILE_H
#define ATTNSCOPE_NEW_FILE_H

#include <stdio.h>

#include "gpu/status.h"

struct new_file {
    FILE *stream;
    const char *path; // borrowed: lives until new_file_close
    char *target;     // the path, or where it leads as a link
    char *name;       // temporary
};

/* A path that exists must be a regular file. Messages begin with the path. */
bool new_file_open(struct new_file *file, const char *path, struct status *status);

/* Call it right after the last write. `good`: everything was written; the file is renamed to its path, unless the
 * stream or the system reports an error. Not good: the temporary file is removed; the status is overwritten only where
 * the stream has an error. Returns whether the file is in place. */
bool new_file_close(struct new_file *file, bool good, struct status *status);

#endif
