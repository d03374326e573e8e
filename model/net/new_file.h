/* Files that take their place when they are whole.
 *
 *     struct new_file file;
 *     if (!new_file_open(&file, path, status))
 *         return false;
 *     ... write to file.stream ...
 *     return new_file_close(&file, good, status);
 *
 * What is written goes to a temporary name in the folder of the path, or of what the path is a link to; a
 * file that is there stays as it was until the new one is complete, and for good when anything fails. A process
 * that is killed before leaves the temporary file, .attnscope. and six letters, and nothing else.
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

/* A path that is there must be a regular file. Messages begin with the path. */
bool new_file_open(struct new_file *file, const char *path, struct status *status);

/* `good`: all was handed to the stream; the file takes its place, unless the stream or the system has an
 * error to tell. Not good: it vanishes, and the status tells of the stream's error where it has one, else
 * stays as it is. To be called right after the last write. Returns whether the file is in place. */
bool new_file_close(struct new_file *file, bool good, struct status *status);

#endif
