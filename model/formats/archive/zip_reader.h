/* Zip archives in a mapped file, read with libzip: PyTorch's checkpoints, NumPy's .npz.
 *
 *     struct zip_reader *zip = zip_reader_open(file, status);
 *     bool good = zip_reader_view(zip, "archive/data/0", &data, &bytes, status);
 *     ...
 *     zip_reader_close(zip);
 *
 * Sizes and offsets in the archive are checked: a view always lies within the file.
 */
#ifndef ATTNSCOPE_ZIP_READER_H
#define ATTNSCOPE_ZIP_READER_H

#include "base/status.h"
#include "model/formats/mapped_file.h"

/* The file outlives the reader. NULL on failure; messages do not name the path. */
struct zip_reader *zip_reader_open(const struct mapped_file *file, struct status *status);
void zip_reader_close(struct zip_reader *zip); // NULL: nothing

/* Names of members, in the archive's order; any bytes but zero. */
int zip_reader_count(const struct zip_reader *zip);
const char *zip_reader_name(const struct zip_reader *zip, int member);
bool zip_reader_has(const struct zip_reader *zip, const char *name);

/* The bytes of an uncompressed member, in the mapped file. *data: never NULL on success. Messages
 * begin with the member's name. */
bool zip_reader_view(struct zip_reader *zip, const char *name, const unsigned char **data,
                     size_t *bytes, struct status *status);

#endif
