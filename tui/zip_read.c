#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tui/zip.h"

enum {
    LOCAL = 30,   // bytes of an entry's header, before its name
    CENTRAL = 46, // of its place in the list
    END = 22,     // of what stands after the list, before a comment
    COMMENT_MOST = 0xFFFF
};

static uint32_t number_at(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint32_t)bytes[i] << (8 * i);
    return value;
}

static bool fail_broken(struct status *status)
{
    return status_fail(status, STATUS_INVALID, "no ZIP archive, or a broken one");
}

/* Reads exactly `count` bytes from `offset` on. */
static bool read_at(FILE *file, uint64_t offset, void *bytes, size_t count)
{
    return fseeko(file, (off_t)offset, SEEK_SET) == 0 && fread(bytes, 1, count, file) == count;
}

/* Where the list of entries is, from what stands at the end of the file. */
static bool find_list(FILE *file, uint64_t *begin, uint32_t *entries, struct status *status)
{
    static const unsigned char mark[] = {'P', 'K', 5, 6};
    off_t size = fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
    if (size < END)
        return fail_broken(status);
    size_t count = size < END + COMMENT_MOST ? (size_t)size : END + COMMENT_MOST;
    unsigned char *tail = memory_new(count, 1, status);
    bool read = tail && read_at(file, (uint64_t)size - count, tail, count), found = false;
    for (size_t i = count - END + 1; read && !found && i-- > 0;) {
        found = memcmp(tail + i, mark, sizeof mark) == 0;
        if (found) {
            *entries = number_at(tail + i + 10, 2);
            *begin = number_at(tail + i + 16, 4);
        }
    }
    free(tail);
    return found || (tail && fail_broken(status));
}

/* Goes through the list until the entry of that name: its `central` bytes. */
static bool find_entry(FILE *file, const char *name, unsigned char central[CENTRAL],
                       struct status *status)
{
    char found[256];
    uint64_t at = 0;
    uint32_t entries = 0;
    if (!find_list(file, &at, &entries, status))
        return false;
    for (uint32_t i = 0; i < entries; i++) {
        if (!read_at(file, at, central, CENTRAL) || memcmp(central, "PK\1\2", 4) != 0)
            return fail_broken(status);
        uint32_t length = number_at(central + 28, 2);
        if (length == strlen(name) && length < sizeof found) {
            if (!read_at(file, at + CENTRAL, found, length))
                return fail_broken(status);
            if (memcmp(found, name, length) == 0)
                return true;
        }
        at += CENTRAL + length + number_at(central + 30, 2) + number_at(central + 32, 2);
    }
    return status_fail(status, STATUS_INVALID, "no entry \"%s\"", name);
}

/* The bytes that an entry's header leads to. */
static char *read_entry(FILE *file, const unsigned char central[CENTRAL], struct status *status)
{
    unsigned char local[LOCAL];
    uint64_t at = number_at(central + 42, 4);
    uint32_t size = number_at(central + 24, 4);
    if (!read_at(file, at, local, LOCAL) || memcmp(local, "PK\3\4", 4) != 0) {
        fail_broken(status);
        return NULL;
    }
    at += LOCAL + number_at(local + 26, 2) + number_at(local + 28, 2);
    char *text = memory_new((size_t)size + 1, 1, status);
    if (!text)
        return NULL;
    if (read_at(file, at, text, size) &&
        crc32_z(0, (const Bytef *)text, size) == number_at(central + 16, 4) &&
        !memchr(text, '\0', size))
        return text;
    free(text);
    fail_broken(status);
    return NULL;
}

char *zip_read(FILE *file, const char *name, size_t most, struct status *status)
{
    unsigned char central[CENTRAL];
    if (!find_entry(file, name, central, status))
        return NULL;
    uint32_t flags = number_at(central + 8, 2), method = number_at(central + 10, 2);
    uint32_t stored = number_at(central + 20, 4), size = number_at(central + 24, 4);
    if (flags & 1 || method != 0 || stored != size)
        status_fail(status, STATUS_INVALID, "%s is compressed, expected it as it is", name);
    else if (size > most)
        status_fail(status, STATUS_INVALID, "%s has %u bytes, expected at most %zu", name, size,
                    most);
    else
        return read_entry(file, central, status);
    return NULL;
}
