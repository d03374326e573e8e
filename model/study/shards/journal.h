/* A journal: study results, one per line, under keys that identify them.
 *
 *     KEY VALUE CHECK
 *
 * KEY: 32 hexadecimal digits (result_digest.h). VALUE: text; a line break is written \n, a
 * backslash \\. CHECK: the first 16 hexadecimal digits of the SHA-256 of "KEY VALUE". The first
 * line of a file is its heading and has a key of zeros. Equal keys mean the same result, regardless
 * of the file, run or machine a line comes from.
 *
 *     zero-initialise; journal_read any number of files; journal_find, journal_add; journal_free
 *
 * Files are untrusted input: a malformed line is counted as damaged and skipped.
 */
#ifndef ATTNSCOPE_JOURNAL_H
#define ATTNSCOPE_JOURNAL_H

#include <stdint.h>
#include <stdio.h>

#include "base/watch.h"

enum { JOURNAL_KEY_BYTES = 16, JOURNAL_VALUE_MOST = 16 << 20 };

struct journal_key {
    uint8_t bytes[JOURNAL_KEY_BYTES];
};

struct journal_entry;

struct journal {
    void *root; // of the tree of entries, by key
    int count;
};
void journal_free(struct journal *journal); // leaves it empty

/* The contents of one file. */
struct journal_file {
    char *heading;    // the value of its first line; NULL: the file is empty; owned
    int results;      // lines with a result, some perhaps already read from another file
    int damaged;      // malformed lines
    int damaged_line; // the number of the first of them
    int64_t bytes;    // up to the last line break: the rest is left by an interrupted write
};
void journal_file_free(struct journal_file *file); // leaves it empty

/* Adds the lines of a file. STATUS_INVALID: not a regular file, no heading, or a line longer than
 * any result. Messages begin with the path. On failure *file is empty, and lines may have been
 * added. */
bool journal_read(const char *path, const struct watch *watch, struct journal *journal,
                  struct journal_file *file, struct status *status);

/* The value under a key, borrowed; NULL: none. */
const char *journal_find(const struct journal *journal, const struct journal_key *key);
/* Adds a copy of a value. It replaces the value of an equal key: a value that was computed again
 * follows the damaged one in its file. */
bool journal_add(struct journal *journal, const struct journal_key *key, const char *value,
                 struct status *status);

/* A line of a file, with its line break; key NULL: the heading. The caller frees it. NULL: out of
 * memory, or the value is longer than JOURNAL_VALUE_MOST. */
char *journal_line(const struct journal_key *key, const char *value, size_t *bytes,
                   struct status *status);

#endif
