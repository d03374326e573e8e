/* The identity of a checkpoint's files: their SHA-256. Hashing takes a second per gigabyte, so
 * callers delay it until it is needed.
 */
#ifndef ATTNSCOPE_DIGESTS_H
#define ATTNSCOPE_DIGESTS_H

#include "model/checkpoint/checkpoint.h"

enum { DIGEST_DIGITS = 64 };

/* Hexadecimal digits and \0. */
struct digests {
    char whole[DIGEST_DIGITS + 1];    // for one file: its own; for several: that of the lines "HASH
                                      // NAME" that sha256sum prints for them, in order, and "HASH
                                      // --source-tokenizer" for one given for a side
    char (*files)[DIGEST_DIGITS + 1]; // (contents->file_count), in the order of contents->files
};

/* The SHA-256 of one file; for a folder, that of the lines "HASH NAME" of everything in it and its
 * subfolders, sorted by name. Ignores hidden files, and anything that is not a file or folder.
 * Messages begin with the path. */
bool file_digest(const char *path, char digest[DIGEST_DIGITS + 1], struct status *status);
bool folder_digest(const char *path, char digest[DIGEST_DIGITS + 1], struct status *status);

/* Reports to the checkpoint's watch. Fails if a file has been modified since it was opened. On
 * failure *digests is empty. */
bool digests_read(const struct checkpoint *checkpoint, struct digests *digests,
                  struct status *status);
void digests_free(struct digests *digests); // leaves it empty

/* The name of a file of the checkpoint, without its folder. */
const char *digests_name(const struct checkpoint *checkpoint, int file);

#endif
