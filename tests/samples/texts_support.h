/* Shared by the tests of the samples' texts. Everything fails the running test if a file is
 * wrong. */
#ifndef ATTNSCOPE_TESTS_TEXTS_SUPPORT_H
#define ATTNSCOPE_TESTS_TEXTS_SUPPORT_H

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"

enum { LINES_MOST = 2000, WORDS_MOST = 64 };

/* The lines of a file; each of them must end in a line break. */
struct text_lines {
    char *text; // the lines point into it
    char *line[LINES_MOST];
    int count;
};
struct text_lines text_lines_open(const char *path);
void text_lines_close(struct text_lines *lines);

/* Words separated by blanks, without a comma or period at their ends. */
struct words {
    char text[1024]; // the words point into it
    char *word[WORDS_MOST];
    int count;
};
void words_cut(const char *sentence, struct words *words);

/* Checks for a sentence as people type it: valid UTF-8 without control characters, not empty,
 * without blanks at its ends or two in a row. `where` begins the message. */
void check_sentence(const char *where, const char *text);
/* Checks that no two texts are the same. */
void check_distinct(const char *where, const char *const *texts, int count);

/* Reads a JSON file that holds a list; the caller frees it with json_decref. */
json_t *suite_open(const char *path);
/* Returns a member that must be a sentence. */
const char *text_in(const json_t *object, const char *key);

/* Checks that the vocabulary of that side (SIDE_SOURCE, SIDE_TARGET) has every piece of the
 * text. */
void check_known(struct checkpoint *checkpoint, int side, const char *text);

#endif
