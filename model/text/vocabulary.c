#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/buffer.h"
#include "model/text/text.h"

struct vocabulary {
    char *data;          // all pieces, each followed by a NUL
    const char **pieces; // (size), into data
    int size;
    int32_t *table; // (table_size) id + 1 of the lowest id with a spelling, 0 if free
    size_t table_size;
};

static bool lines_count(const char *data, size_t bytes, size_t *count, struct status *status)
{
    *count = 0;
    for (size_t i = 0; i < bytes; i++)
        *count += data[i] == '\n';
    if (bytes > 0 && data[bytes - 1] != '\n')
        ++*count;
    if (*count == 0)
        return status_fail(status, STATUS_INVALID, "line 1: no piece, expected at least one");
    if (*count > INT_MAX / 4)
        return status_fail(status, STATUS_INVALID, "line %d: too many pieces, expected at most %d",
                           INT_MAX / 4 + 1, INT_MAX / 4);
    return true;
}

/* True if data[0 … bytes-1] may be a piece. */
static bool line_check(const char *line, size_t bytes, size_t number, struct status *status)
{
    if (bytes == 0)
        return status_fail(status, STATUS_INVALID, "line %zu: empty piece", number);
    if (memchr(line, '\0', bytes))
        return status_fail(status, STATUS_INVALID, "line %zu: NUL in a piece", number);
    ptrdiff_t invalid = utf8_invalid(line, bytes);
    if (invalid >= 0)
        return status_fail(status, STATUS_INVALID,
                           "line %zu: invalid UTF-8 at byte %td of the line", number, invalid);
    // In a file with CR LF, no piece would be found: it is better to say so at once.
    if (number == 1 && bytes > 1 && line[bytes - 1] == '\r')
        return status_fail(status, STATUS_INVALID,
                           "line 1: ends in a carriage return, expected \\n alone");
    return true;
}

/* Returns the place of `piece` in the table, or the free one where it would go. */
static size_t table_place(const struct vocabulary *vocabulary, const char *piece, size_t length)
{
    size_t mask = vocabulary->table_size - 1;
    size_t place = bytes_hash(piece, length) & mask;
    while (vocabulary->table[place] != 0 &&
           strcmp(vocabulary->pieces[vocabulary->table[place] - 1], piece) != 0)
        place = (place + 1) & mask;
    return place;
}

static bool lines_read(struct vocabulary *vocabulary, size_t bytes, struct status *status)
{
    char *line = vocabulary->data, *end = vocabulary->data + bytes;
    while (line < end) {
        char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        if (!line_check(line, length, (size_t)vocabulary->size + 1, status))
            return false;
        line[length] = '\0';
        int id = vocabulary->size++;
        vocabulary->pieces[id] = line;
        size_t place = table_place(vocabulary, line, length);
        if (vocabulary->table[place] == 0)
            vocabulary->table[place] = id + 1;
        line += length + 1;
    }
    return true;
}

struct vocabulary *vocabulary_open(const char *data, size_t bytes, struct status *status)
{
    size_t count;
    if (!lines_count(data, bytes, &count, status))
        return NULL;
    struct vocabulary *vocabulary = memory_new(1, sizeof *vocabulary, status);
    if (!vocabulary)
        return NULL;
    vocabulary->table_size = 2;
    while (vocabulary->table_size < 2 * count)
        vocabulary->table_size *= 2;
    vocabulary->data = memory_new(bytes + 1, 1, status);
    vocabulary->pieces = memory_new(count, sizeof *vocabulary->pieces, status);
    vocabulary->table = memory_new(vocabulary->table_size, sizeof *vocabulary->table, status);
    if (vocabulary->data && vocabulary->pieces && vocabulary->table) {
        memcpy(vocabulary->data, data, bytes);
        if (lines_read(vocabulary, bytes, status))
            return vocabulary;
    }
    vocabulary_close(vocabulary);
    return NULL;
}

void vocabulary_close(struct vocabulary *vocabulary)
{
    if (!vocabulary)
        return;
    free(vocabulary->data);
    free(vocabulary->pieces);
    free(vocabulary->table);
    free(vocabulary);
}

int vocabulary_size(const struct vocabulary *vocabulary)
{
    return vocabulary->size;
}

const char *vocabulary_piece(const struct vocabulary *vocabulary, int id)
{
    return vocabulary->pieces[id];
}

int vocabulary_find(const struct vocabulary *vocabulary, const char *piece)
{
    return vocabulary->table[table_place(vocabulary, piece, strlen(piece))] - 1;
}
