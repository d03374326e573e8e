/* A command line in parts: words as a shell splits them, numbers, and the file names among them. */
#ifndef ATTNSCOPE_ARGUMENTS_H
#define ATTNSCOPE_ARGUMENTS_H

#include <stdio.h>

#include "gpu/status.h"
#include "model/text/text.h"

/* Splits at blanks; '…' is literal, in "…" a backslash escapes \ and ", elsewhere it escapes any character.
 * Replaces the content of `words`. An unfinished quote or escape is an error. */
bool arguments_split(const char *text, struct pieces *words, struct status *status);

/* Writes a word so that arguments_split reads it as one. */
void arguments_quote(FILE *out, const char *word);

/* Splits a line that is still being typed: finished words replace the content of `words`; the one that the
 * text ends in ("" after a blank) is returned, without its quotes, for the caller to free; *start: the byte
 * where it begins. NULL: out of memory. */
char *arguments_split_typed(const char *text, struct pieces *words, size_t *start,
                            struct status *status);

/* A copy without the blanks around it, which the caller frees. */
char *arguments_trim(const char *text, struct status *status);

/* Text as a sentence: without blanks around it, and where all of it is one quoted word, without the
 * quotes. Apostrophes and quotes inside stay what they are. The caller frees it. */
char *arguments_text(const char *text, size_t bytes, struct status *status);

/* The whole of `text` as a decimal number in least … most. `what` begins the message. */
bool parse_int(const char *what, const char *text, int least, int most, int *out,
               struct status *status);
bool parse_double(const char *what, const char *text, double least, double most, double *out,
                  struct status *status);

/* Checks that text is UTF-8; the message gives the 1-based byte position. */
bool check_utf8(const char *text, struct status *status);

/* The blanks of the command language; where text goes on behind them. */
bool is_blank(char c);
const char *skip_blanks(const char *text);

bool begins_with(const char *text, const char *start);

#endif
