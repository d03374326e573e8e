/* Files that are something else than their name says: a download that failed, a pointer to content
 * that is elsewhere, an archive, text in another encoding. They are told by their first bytes, so
 * that a message can say what they are and not which byte a reader stumbled over.
 */
#ifndef ATTNSCOPE_FILE_KIND_H
#define ATTNSCOPE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { FILE_KIND_HEAD = 512 }; // the bytes that are looked at

/* Zip archives, pickles and binary data are files of models, too, and no text. */
enum file_use { FILE_OF_MODEL, FILE_OF_TEXT };

/* `data`: a file, or its first FILE_KIND_HEAD bytes. Fails where it is known to be of no such use;
 * messages do not name the file: "a pointer of Git LFS, …, expected …". Whatever is not known
 * passes. */
bool file_kind_check(const void *data, size_t bytes, enum file_use use, struct status *status);
/* The same of a file that is open for reading. What is no regular file, such as a pipe, passes: its
 * first bytes cannot be looked at and read, too. */
bool file_kind_check_open(int descriptor, enum file_use use, struct status *status);

#endif
