/* A regular file, mapped read-only.
 *
 *     struct mapped_file *file = mapped_file_open(path, status);
 *     ... file->bytes bytes at file->data, until mapped_file_close ...
 *
 * The bytes change with the file: call mapped_file_unchanged shortly before reading them. No zero
 * byte follows them.
 */
#ifndef ATTNSCOPE_MAPPED_FILE_H
#define ATTNSCOPE_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "base/status.h"

struct mapped_file {
    char *path;
    const unsigned char *data; // (bytes); NULL if the file is empty
    size_t bytes;
    int descriptor;           // -1: not open
    struct timespec modified; // when opened
};

/* NULL on failure; messages do not name the path. The path must be a regular file, because opening
 * others could block. */
struct mapped_file *mapped_file_open(const char *path, struct status *status);
void mapped_file_close(struct mapped_file *file); // NULL: nothing

/* Releases the memory of bytes already read; reading them again reloads them from the file. Ignores
 * bytes outside the file. */
void mapped_file_release(const struct mapped_file *file, const void *data, size_t bytes);

/* Fails if the file has been written to since it was opened: its data may have changed, or lie
 * beyond the new end, where reading raises SIGBUS. Renaming or deleting the file is harmless.
 * Messages begin with the path. */
bool mapped_file_unchanged(const struct mapped_file *file, struct status *status);

#endif
