/* Sentences of a file, or of two that belong together, read line by line: however long they are, one line of each is in
 * memory.
 *
 *     sentence_stream_open; sentence_stream_next until it says the end; sentence_stream_close
 *
 * Regular files are read once before, to count their lines and to know their content by its SHA-256.
 */
#ifndef ATTNSCOPE_SENTENCE_STREAM_H
#define ATTNSCOPE_SENTENCE_STREAM_H

#include "model/checkpoint/digests.h"
#include "model/text/lines.h"

enum { STREAM_FILES = 2 };

struct sentence_stream {
    const char *paths[STREAM_FILES]; // (count); borrowed
    int count;
    int lines;                                        // 0: not known, one of them is a pipe
    char content[STREAM_FILES * (DIGEST_DIGITS + 1)]; // both digests; "": not known
    FILE *files[STREAM_FILES];
    struct line at[STREAM_FILES]; // the line that was read last
};

/* other: NULL where there is one file. Files without a line, and files with different numbers of lines, are refused.
 * sentence_stream_close in either case. */
bool sentence_stream_open(struct sentence_stream *stream, const char *path, const char *other,
                          const struct watch *watch, struct status *status);
void sentence_stream_close(struct sentence_stream *stream);

/* Reads the next line of each file. *end: there is none. Lines are UTF-8; messages begin with path and line. */
bool sentence_stream_next(struct sentence_stream *stream, bool *end, struct status *status);

#endif
