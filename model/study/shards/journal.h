/* A journal: results of studies under keys that say what they are of, one a line.
 *
 *     KEY VALUE CHECK
 *
 * KEY: 32 hexadecimal digits (result_digest.h). VALUE: text; a line break in it is written \n, a
 * backslash \\. CHECK: the first 16 hexadecimal digits of the SHA-256 of "KEY VALUE". The key of
 * zeros is the file's heading, its first line. Equal keys mean the same result, whatever file, run
 * or machine a line comes from.
 *
 *     zero-initialise; journal_read any number of files; journal_find, journal_add; journal_free
 *
 * Nothing in a file is trusted: a line that is not as above is counted as damaged and left out.
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
    int results;      // lines with a result, of which another file may have had some
    int damaged;      // lines that are not as they were written
    int damaged_line; // the number of the first of them
    int64_t
        bytes; // up to the last line break: what a write that was cut off has left behind it is no line
};
void journal_file_free(struct journal_file *file); // leaves it empty

/* Adds the lines of a file. STATUS_INVALID: it is no regular file, has no heading, or a line is
 * longer than any result. Messages begin with the path. On failure *file is empty, and lines may
 * have been added. */
bool journal_read(const char *path, const struct watch *watch, struct journal *journal,
                  struct journal_file *file, struct status *status);

/* The value under a key, borrowed; NULL: none. */
const char *journal_find(const struct journal *journal, const struct journal_key *key);
/* Adds a copy of a value. Of several under one key the first stays. */
bool journal_add(struct journal *journal, const struct journal_key *key, const char *value,
                 struct status *status);

/* A line with its line break, as a file has it; key NULL: the heading. The caller frees it. NULL:
 * out of memory, or the value is longer than JOURNAL_VALUE_MOST. */
char *journal_line(const struct journal_key *key, const char *value, size_t *bytes,
                   struct status *status);

#endif
