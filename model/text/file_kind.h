/* Files that are not what their name says: a failed download, a pointer to content elsewhere, an
 * archive, text in another encoding. They are recognised by their first bytes, so that a message
 * can name the kind of file instead of the byte at which a reader failed.
 */
#ifndef ATTNSCOPE_FILE_KIND_H
#define ATTNSCOPE_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { FILE_KIND_HEAD = 512 }; // the bytes examined

/* Zip archives, pickles and binary data are valid as files of models, but not as text. */
enum file_use { FILE_OF_MODEL, FILE_OF_TEXT };

/* `data`: a file, or its first FILE_KIND_HEAD bytes. Fails if it is known to be unfit for `use`;
 * unknown content passes. Messages do not name the file: "a pointer of Git LFS, …, expected …". */
bool file_kind_check(const void *data, size_t bytes, enum file_use use, struct status *status);
/* The same for a file open for reading. A file that is not regular, such as a pipe, passes, because
 * its first bytes cannot be examined and then read again. */
bool file_kind_check_open(int descriptor, enum file_use use, struct status *status);

#endif
