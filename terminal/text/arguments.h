/* Splits a command line into words as a shell does, and reads numbers. */
#ifndef ATTNSCOPE_ARGUMENTS_H
#define ATTNSCOPE_ARGUMENTS_H

#include <stdio.h>

#include "base/status.h"
#include "model/text/text.h"

/* Splits at blanks. '…' is literal; in "…" a backslash escapes \ and ", elsewhere it escapes any
 * character. Replaces the content of `words`. An unfinished quote or escape is an error. */
bool arguments_split(const char *text, struct strings *words, struct status *status);

/* Writes a word so that arguments_split reads it as one. */
void arguments_quote(FILE *out, const char *word);

/* Returns a path with a leading "~" or "~/" expanded, as in a shell. The caller frees it; NULL: out
 * of memory. */
char *arguments_path(const char *typed);

/* Splits a line still being typed. Finished words replace the content of `words`. Returns the last
 * word ("" after a blank) without its quotes; the caller frees it. *start: the byte where that word
 * begins. NULL: out of memory. */
char *arguments_split_typed(const char *text, struct strings *words, size_t *start,
                            struct status *status);

/* Returns a copy without surrounding blanks; the caller frees it. */
char *arguments_trim(const char *text, struct status *status);

/* Reads text as a sentence: removes surrounding blanks, and the quotes if the text is one quoted
 * word. Keeps apostrophes and quotes inside. The caller frees the result. */
char *arguments_text(const char *text, size_t bytes, struct status *status);

/* Returns the "|||" that ends the first part of a text of several parts; NULL: the last part. Bars
 * inside a part that is one quoted word belong to it: "a ||| b" ||| c. */
const char *arguments_bar(const char *text);

/* Writes a part of such a text, quoted if it would otherwise be read differently. */
void arguments_quote_text(FILE *out, const char *text);

/* Returns the text after the first `count` words of a line that arguments_split can split. */
const char *arguments_after(const char *text, int count);

/* Reads all of `text` as a decimal number from `least` to `most`. An error message begins with
 * `what`. */
bool parse_int(const char *what, const char *text, int least, int most, int *out,
               struct status *status);
bool parse_double(const char *what, const char *text, double least, double most, double *out,
                  struct status *status);

/* is_blank: true if c is a blank in the command language. skip_blanks: returns the first character
 * that is not. */
bool is_blank(char c);
const char *skip_blanks(const char *text);

bool begins_with(const char *text, const char *start);

#endif
