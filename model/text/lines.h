/* Lines of text files and of standard input. */
#ifndef ATTNSCOPE_LINES_H
#define ATTNSCOPE_LINES_H

#include <stdio.h>

#include "base/watch.h"

/* Zero-initialise before the first line; free `text` at the end. */
struct line {
    char *text; // without its line break (\n or \r\n) and, in the first line, without a byte order
                // mark
    size_t bytes, capacity;
    int number; // 1-based
};

enum line_result { LINE_READ, LINE_BAD, LINE_END, LINE_FAILED };

/* A text as one line of a file: line ends and other white-space control characters (by Python's
 * str.isspace) become blanks, other control characters stand-ins (OUTLET_LINE of outlet.h). Valid
 * UTF-8; the caller frees it. NULL: out of memory. */
char *line_of_text(const char *text, struct status *status);

/* Opens a file to read lines from, possibly a pipe or a terminal, which may never produce any;
 * while reading waits, it asks the watch, and fails with ECANCELED if that stops the work. The
 * watch must outlive the stream. Refuses a regular file that is not text (file_kind.h). Close it
 * with fclose. NULL: failure, the message begins with the path. */
FILE *lines_open(const char *path, const struct watch *watch, struct status *status);

/* Reads the next line. LINE_BAD: it has a NUL byte; the next line can be read. LINE_FAILED: it is
 * longer than 16 MiB, or reading failed (STATUS_IO) or was interrupted (STATUS_CANCELLED). Messages
 * have no file name. */
enum line_result line_read(FILE *stream, struct line *line, struct status *status);

/* Sentences of a file, one per line or as in conllu.h. */
struct lines {
    char **text;  // (count)
    int *numbers; // (count): the file's line in which each begins, from 1; read with lines_number
    int count;
    size_t capacity, number_capacity;
};

/* True if a line has only blanks, of any kind. */
bool line_blank(const char *text);

/* Receives a line without its line break. Called once more after the last line, with `text` NULL.
 * Its failure message is about line *number, which it may change. */
typedef bool line_taker(void *context, const char *text, int *number, struct status *status);

/* Reads a whole file of UTF-8 text, and reports "reading" to the watch. Messages begin with path
 * and line: "test.en:17: invalid UTF-8 at byte 5". */
bool lines_each(const char *path, const struct watch *watch, line_taker *take, void *context,
                struct status *status);

/* The line of a sentence in its file, for messages. Sentences that are not from a file have the
 * line that they would have in one. */
int lines_number(const struct lines *lines, int index);

/* Reads the lines of a file verbatim; sentences_read (conllu.h) reads sentences. On failure `lines`
 * is empty. */
bool lines_read(const char *path, const struct watch *watch, struct lines *lines,
                struct status *status);

/* Adds a copy of a line. */
bool lines_add(struct lines *lines, const char *text, int number, struct status *status);
void lines_free(struct lines *lines); // leaves it empty

/* On failure `copy` is empty. */
bool lines_copy(const struct lines *lines, struct lines *copy, struct status *status);

bool lines_equal(const struct lines *a, const struct lines *b);

/* Check that a file has lines, and that two files have the same number; the message says where the
 * shorter one ends. */
bool lines_check_any(const char *path, const struct lines *lines, struct status *status);
bool lines_check_match(const char *path, const struct lines *lines, const char *other_path,
                       const struct lines *other, struct status *status);

#endif
