/* Reads the sentences of a file, or of two parallel files. Plain text is held one line at a time,
 * however long the files are; CoNLL-U files, which are made by hand and therefore short, are read
 * into memory whole.
 *
 *     sentence_stream_open; sentence_stream_next until *end; sentence_stream_close
 *
 * Regular files are first read once to count their sentences and compute their SHA-256. Other files
 * are taken as plain text.
 */
#ifndef ATTNSCOPE_SENTENCE_STREAM_H
#define ATTNSCOPE_SENTENCE_STREAM_H

#include "model/checkpoint/digests.h"
#include "model/text/conllu/conllu.h"

enum { STREAM_FILES = 2 };

struct stream_file {
    const char *path; // borrowed
    FILE *stream;     // of plain text
    struct line line;
    bool held; // a CoNLL-U file, in memory
    struct lines lines;
    struct conllu conllu;
};

struct sentence_stream {
    struct stream_file files[STREAM_FILES]; // (count)
    int count;
    int sentences; // including blank ones; 0: unknown, as a file is a pipe
    char content[STREAM_FILES * (DIGEST_DIGITS + 1)]; // both digests; "": unknown
    /* The sentence that was read last. */
    int number;                           // from 1
    const char *texts[STREAM_FILES];      // (count)
    const struct conllu_sentence *conllu; // of the first file; NULL: plain text
};

/* other: NULL for a single file. Fails for files without a line or with different numbers of lines.
 * Call sentence_stream_close in either case. */
bool sentence_stream_open(struct sentence_stream *stream, const char *path, const char *other,
                          const struct watch *watch, struct status *status);
void sentence_stream_close(struct sentence_stream *stream);

/* The line of the file where the last sentence begins, for messages. */
int sentence_stream_line(const struct sentence_stream *stream, int file);

/* Reads the next sentence of each file. Sets *end if there are no more. Texts are UTF-8; messages
 * begin with path and line. */
bool sentence_stream_next(struct sentence_stream *stream, bool *end, struct status *status);

#endif
