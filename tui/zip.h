/* ZIP archives whose entries are stored as they are (PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.4): without
 * compression, encryption, or the extension for 4 GiB and more.
 *
 *     struct zip zip = zip_begin(stream);
 *     FILE *entry;
 *     bool ok = zip_entry_open(&zip, "name", &entry, status);
 *     ... write to entry ...
 *     ok = zip_entry_close(&zip, entry, status) && ...;
 *     ok = ok && zip_end(&zip, status);
 *
 * Every entry is of 1 January 1980, the first day that the format knows: the same entries give the same bytes.
 */
#ifndef ATTNSCOPE_ZIP_H
#define ATTNSCOPE_ZIP_H

#include <stdint.h>
#include <stdio.h>

#include "gpu/status.h"

enum { ZIP_ENTRIES_MOST = 24 };

struct zip {
    FILE *stream; // borrowed; seekable, at its beginning
    uint64_t at;  // bytes so far
    struct zip_entry {
        const char *name; // borrowed until zip_end; ASCII
        uint32_t crc;
        uint64_t begin, size; // of its header; of what was written
    } entries[ZIP_ENTRIES_MOST];
    int count;
};

struct zip zip_begin(FILE *stream);

/* An entry is written after the other; at most ZIP_ENTRIES_MOST. Write errors stay with the archive's stream
 * (ferror). On failure there is nothing to close. */
bool zip_entry_open(struct zip *zip, const char *name, FILE **entry, struct status *status);
/* STATUS_INVALID: the archive would be too large for the format. */
bool zip_entry_close(struct zip *zip, FILE *entry, struct status *status);

/* The list of entries, which ends the archive. */
bool zip_end(struct zip *zip, struct status *status);

/* Reads an entry that is stored, of at most `most` bytes, from a file, which is hostile until checked. The text ends
 * in NUL, and has none before; the caller frees it. NULL: status. */
char *zip_read(FILE *file, const char *name, size_t most, struct status *status);

#endif
