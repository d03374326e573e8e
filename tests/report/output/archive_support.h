/* A reader of uncompressed ZIP archives and of the arrays in them, written from the formats'
 * descriptions (APPNOTE 6.3.10; numpy.lib.format), for tests. Every function fails the running test
 * if the archive is not as described.
 */
#ifndef ATTNSCOPE_TESTS_ARCHIVE_SUPPORT_H
#define ATTNSCOPE_TESTS_ARCHIVE_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

enum { ARCHIVE_ENTRIES_MOST = 32 };

struct archive {
    char *content; // freed with free()
    size_t bytes;
    struct archive_entry {
        char name[64];
        const unsigned char *data;
        size_t bytes;
    } entries[ARCHIVE_ENTRIES_MOST];
    int count;
};

/* CRC-32 of ISO 3309, computed bit by bit: that of "123456789" is CBF43926. */
uint32_t crc_of(const void *bytes, size_t count);

/* Reads an archive; takes ownership of `content` in any case. Checks that every byte belongs to
 * something, headers and list agree, all dates are 1980-01-01, and the checksums are right. */
struct archive archive_of(char *content, size_t bytes);

/* An array of the archive. */
struct stored_array {
    char type[16]; // "<f4"
    size_t shape[8], count;
    int dimensions;
    const unsigned char *data;
};
struct stored_array archive_array(const struct archive *archive, const char *name);

/* Return elements of arrays of that type. */
float array_float(const struct stored_array *array, size_t i);
double array_real(const struct stored_array *array, size_t i); // "<f8"
int64_t array_integer(const struct stored_array *array, size_t i);
/* Returns UTF-8, valid until the next call. */
const char *array_text(const struct stored_array *array, size_t i);

#endif
