/* What the tests of the samples' texts share. All of it fails the running test when a file is not
 * as it should be. */
#ifndef ATTNSCOPE_TESTS_TEXTS_SUPPORT_H
#define ATTNSCOPE_TESTS_TEXTS_SUPPORT_H

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"

enum { LINES_MOST = 2000, WORDS_MOST = 64 };

/* The lines of a file, every one of which ends in a line break. */
struct text_lines {
    char *text; // the lines point into it
    char *line[LINES_MOST];
    int count;
};
struct text_lines text_lines_open(const char *path);
void text_lines_close(struct text_lines *lines);

/* Words as blanks separate them, without the comma or period at their ends. */
struct words {
    char text[1024]; // the words point into it
    char *word[WORDS_MOST];
    int count;
};
void words_cut(const char *sentence, struct words *words);

/* A sentence as people type it: valid UTF-8 without control characters, neither empty nor framed by
 * blanks nor with two in a row. `where` begins the message. */
void check_sentence(const char *where, const char *text);
/* No two of them are the same. */
void check_distinct(const char *where, const char *const *texts, int count);

/* A JSON file with a list; json_decref frees it. */
json_t *suite_open(const char *path);
/* A member that is a sentence. */
const char *text_in(const json_t *object, const char *key);

/* The vocabulary of that side (SIDE_SOURCE, SIDE_TARGET) has every piece of the text. */
void check_known(struct checkpoint *checkpoint, int side, const char *text);

#endif
