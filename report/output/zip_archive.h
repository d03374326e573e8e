/* ZIP archives through libzip: writing members that are stored uncompressed, and reading one member
 * back.
 *
 *     struct zip_writer zip;
 *     bool ok = zip_writer_open(&zip, stream, pace, status);
 *     FILE *member = ok ? zip_member_open(&zip, status) : NULL;
 *     ... write the beginning of the member to `member` ...
 *     ok = member && zip_member_close(&zip, "name", numbers, bytes, status) && ...;
 *     return zip_writer_close(&zip, ok, status);
 *
 * Members lie in the order in which they were added. Every one has the date 1 January 1980, the
 * first that the format can express, so that the same members give the same bytes.
 */
#ifndef ATTNSCOPE_ZIP_ARCHIVE_H
#define ATTNSCOPE_ZIP_ARCHIVE_H

#include <stdio.h>
#include <zip.h>

#include "base/status.h"
#include "terminal/pace.h"

enum { ZIP_MEMBERS_MOST = 24 };

/* Stays where it is between open and close: libzip calls back with its address. */
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

/* libzip writes to the stream in zip_writer_close; until then nothing is written. False: nothing to
 * close. */
bool zip_writer_open(struct zip_writer *zip, FILE *stream, struct pace *pace,
                     struct status *status);

/* A stream that keeps what is written to it in memory, until the writer is closed; one at a time,
 * and at most ZIP_MEMBERS_MOST. NULL: status. */
FILE *zip_member_open(struct zip_writer *zip, struct status *status);
/* Adds a member that consists of what was written to the stream and, behind it, `bytes` bytes of
 * `values`, which are borrowed until zip_writer_close: what is large is not copied. Closes the
 * stream, also on failure. */
bool zip_member_close(struct zip_writer *zip, const char *name, const void *values, size_t bytes,
                      struct status *status);

/* Writes the archive where `ok`, and frees the writer in any case. Every 4 bytes written are a step
 * of the pace. Returns whether all was written; write errors stay with the stream (ferror) as
 * well. */
bool zip_writer_close(struct zip_writer *zip, bool ok, struct status *status);

/* Reads a member that is stored uncompressed and has at most `most` bytes, from a file that is
 * hostile until checked. It ends in NUL behind *size bytes; with `size` NULL it is text, which has
 * none before. The caller frees it. Closes the file. NULL: status. */
char *zip_member_read(FILE *file, const char *name, size_t most, size_t *size,
                      struct status *status);

#endif
