#include "tui/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    VERSION = 20,           // what reads it: 2.0
    FIRST_DAY = 1 << 5 | 1, // 1980-01-01
    CRC_AT = 14,            // in an entry's header
};
static const uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;

/* Numbers ---------------------------------------------------------------------------------------- */

static void put(struct zip *zip, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> (8 * i) & 0xFF), zip->stream);
    zip->at += bytes;
}

static void put_name(struct zip *zip, const char *name)
{
    fputs(name, zip->stream);
    zip->at += strlen(name);
}

/* What the header of an entry and its place in the list have in common. */
static void put_about(struct zip *zip, const struct zip_entry *entry)
{
    put(zip, VERSION, 2);
    put(zip, 0, 2); // flags
    put(zip, 0, 2); // stored
    put(zip, 0, 2); // midnight
    put(zip, FIRST_DAY, 2);
    put(zip, entry->crc, 4);
    put(zip, (uint32_t)entry->size, 4); // stored,
    put(zip, (uint32_t)entry->size, 4); // and in itself
    put(zip, (uint32_t)strlen(entry->name), 2);
    put(zip, 0, 2); // nothing extra
}

/* Entries ---------------------------------------------------------------------------------------- */

struct zip zip_begin(FILE *stream)
{
    return (struct zip){.stream = stream};
}

static ssize_t write_entry(void *cookie, const char *bytes, size_t count)
{
    struct zip *zip = cookie;
    struct zip_entry *entry = &zip->entries[zip->count - 1];
    entry->crc = (uint32_t)crc32_z(entry->crc, (const Bytef *)bytes, count);
    entry->size += count;
    zip->at += count;
    return (ssize_t)fwrite(bytes, 1, count, zip->stream);
}

bool zip_entry_open(struct zip *zip, const char *name, FILE **entry, struct status *status)
{
    if (zip->count == ZIP_ENTRIES_MOST)
        return status_fail(status, STATUS_INVALID, "more than %d entries", ZIP_ENTRIES_MOST);
    *entry = fopencookie(zip, "w", (cookie_io_functions_t){.write = write_entry});
    if (!*entry)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    struct zip_entry *now = &zip->entries[zip->count++];
    *now = (struct zip_entry){.name = name, .begin = zip->at};
    put(zip, local_mark, 4);
    put_about(zip, now);
    put_name(zip, name);
    return true;
}

/* What the header could not say before all was written. */
static bool mend_header(struct zip *zip, const struct zip_entry *entry)
{
    uint64_t at = zip->at;
    if (fseeko(zip->stream, (off_t)entry->begin + CRC_AT, SEEK_SET) != 0)
        return false;
    put(zip, entry->crc, 4);
    put(zip, (uint32_t)entry->size, 4);
    put(zip, (uint32_t)entry->size, 4);
    zip->at = at;
    return fseeko(zip->stream, (off_t)at, SEEK_SET) == 0;
}

bool zip_entry_close(struct zip *zip, FILE *entry, struct status *status)
{
    fclose(entry); // its errors are the archive's
    if (zip->at > UINT32_MAX)
        return status_fail(status, STATUS_INVALID, "%.1f GiB of numbers, expected less than 4 GiB",
                           (double)zip->at / (1 << 30));
    return mend_header(zip, &zip->entries[zip->count - 1]) ||
           status_fail(status, STATUS_IO, "cannot be written");
}

bool zip_end(struct zip *zip, struct status *status)
{
    uint64_t begin = zip->at;
    for (int i = 0; i < zip->count; i++) {
        const struct zip_entry *entry = &zip->entries[i];
        put(zip, central_mark, 4);
        put(zip, VERSION, 2); // what wrote it
        put_about(zip, entry);
        put(zip, 0, 2); // no comment
        put(zip, 0, 2); // the only part
        put(zip, 0, 2); // no attributes
        put(zip, 0, 4);
        put(zip, (uint32_t)entry->begin, 4);
        put_name(zip, entry->name);
    }
    uint64_t size = zip->at - begin;
    put(zip, end_mark, 4);
    put(zip, 0, 2); // the only part
    put(zip, 0, 2);
    put(zip, (uint32_t)zip->count, 2); // in this part,
    put(zip, (uint32_t)zip->count, 2); // and in all
    put(zip, (uint32_t)size, 4);
    put(zip, (uint32_t)begin, 4);
    put(zip, 0, 2); // no comment
    return begin <= UINT32_MAX ||
           status_fail(status, STATUS_INVALID, "%.1f GiB, expected less than 4 GiB",
                       (double)begin / (1 << 30));
}
