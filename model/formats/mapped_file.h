/* A regular file, mapped read-only.
 *
 *     struct mapped_file *file = mapped_file_open(path, status);
 *     ... file->bytes bytes at file->data, until mapped_file_close ...
 *
 * The bytes are the file's own: call mapped_file_unchanged shortly before reading them. They end
 * where they end, without a zero byte after them.
 */
#ifndef ATTNSCOPE_MAPPED_FILE_H
#define ATTNSCOPE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/status.h"

struct mapped_file {
    char *path;
    const unsigned char *data; // (bytes); NULL where the file is empty
    size_t bytes;
    int descriptor;           // -1: not open
    struct timespec modified; // when it was opened
};

/* NULL on failure; messages do not name the path. The path must be a regular file, as opening
 * others could block. */
struct mapped_file *mapped_file_open(const char *path, struct status *status);
void mapped_file_close(struct mapped_file *file); // NULL: nothing

/* Gives back the memory of bytes that have been read: whoever reads them again gets them from the
 * file. Bytes that are not the file's are left alone. */
void mapped_file_release(const struct mapped_file *file, const void *data, size_t bytes);

/* Fails where the file has been written to since it was opened: its data may have changed, or lie
 * beyond its new end, where reading raises SIGBUS. Renaming or deleting the file is harmless.
 * Messages begin with the path. */
bool mapped_file_unchanged(const struct mapped_file *file, struct status *status);

#endif
