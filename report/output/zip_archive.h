/* ZIP archives through libzip: writes members uncompressed and reads one member back.
 *
 *     struct zip_writer zip;
 *     bool ok = zip_writer_open(&zip, stream, pace, status);
 *     FILE *member = ok ? zip_member_open(&zip, status) : NULL;
 *     ... write the beginning of the member to `member` ...
 *     ok = member && zip_member_close(&zip, "name", numbers, bytes, status) && ...;
 *     return zip_writer_close(&zip, ok, status);
 *
 * Members are in the order they were added. All have the date 1 January 1980, the earliest that the
 * format can express, so that the same members give the same bytes.
 */
#ifndef ATTNSCOPE_ZIP_ARCHIVE_H
#define ATTNSCOPE_ZIP_ARCHIVE_H

#include <stdio.h>
#include <zip.h>

#include "base/status.h"
#include "terminal/pace.h"

enum { ZIP_MEMBERS_MOST = 24 };

/* Must not move between open and close: libzip calls back with its address. */
struct zip_writer {
    zip_t *archive;
    FILE *stream;      // borrowed: seekable, at its beginning
    struct pace *pace; // borrowed; NULL: nobody watches
    zip_error_t error; // of the stream, for libzip
    FILE *member;      // the open one
    char *content[ZIP_MEMBERS_MOST];
    size_t bytes[ZIP_MEMBERS_MOST];
    int count;
};

/* libzip writes to the stream in zip_writer_close; until then nothing is written. False: nothing
 * needs to be closed. */
bool zip_writer_open(struct zip_writer *zip, FILE *stream, struct pace *pace,
                     struct status *status);

/* Returns a stream that keeps its output in memory until the writer is closed. One at a time, at
 * most ZIP_MEMBERS_MOST in all. NULL: failure, in `status`. */
FILE *zip_member_open(struct zip_writer *zip, struct status *status);
/* Adds a member: the stream's output followed by `bytes` bytes of `values`, which are borrowed
 * until zip_writer_close to avoid a copy. Closes the stream, also on failure. */
bool zip_member_close(struct zip_writer *zip, const char *name, const void *values, size_t bytes,
                      struct status *status);

/* Writes the archive if `ok`, and always frees the writer. Every 4 bytes written are a step of the
 * pace. True if everything was written; write errors also stay with the stream (ferror). */
bool zip_writer_close(struct zip_writer *zip, bool ok, struct status *status);

/* Reads an uncompressed member of at most `most` bytes from an untrusted file. The result is *size
 * bytes followed by NUL; with `size` NULL it must be text without a NUL. The caller frees it.
 * Closes the file. NULL: failure, in `status`. */
char *zip_member_read(FILE *file, const char *name, size_t most, size_t *size,
                      struct status *status);

#endif
