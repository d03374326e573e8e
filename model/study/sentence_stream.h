/* Sentences of a file, or of two that belong together. Of plain text one line of each is in memory,
 * however long the files are; CoNLL-U files, which are made by hand and therefore short, are in
 * memory as a whole.
 *
 *     sentence_stream_open; sentence_stream_next until it says the end; sentence_stream_close
 *
 * Regular files are read once before, to count their sentences and to know their content by its
 * SHA-256. Others are plain text.
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
    bool held; // it is CoNLL-U
    struct lines lines;
    struct conllu conllu;
};

struct sentence_stream {
    struct stream_file files[STREAM_FILES]; // (count)
    int count;
    int sentences; // blank ones too; 0: not known, one file is a pipe
    char content[STREAM_FILES * (DIGEST_DIGITS + 1)]; // both digests; "": not known
    /* The sentence that was read last. */
    int number;                           // from 1
    const char *texts[STREAM_FILES];      // (count)
    const struct conllu_sentence *conllu; // of the first file; NULL: it is plain text
};

/* other: NULL where there is one file. Files without a line, and files with different numbers of
 * lines, are refused. sentence_stream_close in either case. */
bool sentence_stream_open(struct sentence_stream *stream, const char *path, const char *other,
                          const struct watch *watch, struct status *status);
void sentence_stream_close(struct sentence_stream *stream);

/* The line of the file in which the last sentence is, or begins, for messages. */
int sentence_stream_line(const struct sentence_stream *stream, int file);

/* Reads the next sentence of each file. *end: there is none. Texts are UTF-8; messages begin with
 * path and line. */
bool sentence_stream_next(struct sentence_stream *stream, bool *end, struct status *status);

#endif
