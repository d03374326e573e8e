/* Shared by the tests of model/text: files of tests/golden/text, tables of cases, mutations. All of
 * it fails the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TEXT_CASES_H
#define ATTNSCOPE_TEXT_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "model/text/text.h"

/* Reads a file of tests/golden/text, with a NUL at the end; *bytes (may be NULL) gets its length.
 * Freed with free(). */
char *golden_read(const char *name, size_t *bytes);

/* Calls `check` with the unescaped fields (`count` of them) of every line of a table. */
enum { CASE_FIELDS = 3 };
typedef void case_check(char *fields[CASE_FIELDS], void *context);
void golden_each(const char *name, int count, case_check *check, void *context);

/* Converts "a b c" to pieces, and back (freed with free()). */
void pieces_from(struct strings *pieces, const char *text);
char *pieces_text(const struct strings *pieces);

/* Opens a tokeniser on a golden model (NULL: none). */
struct tokenizer *golden_tokenizer(enum tokenizer_kind kind, const char *model);

/* Splits `text` and compares the pieces, joined by blanks, with `expected`. */
void expect_split(struct tokenizer *tokenizer, const char *text, const char *expected);
void expect_join(struct tokenizer *tokenizer, const char *pieces, const char *expected);

/* Damages data[0 … *bytes-1] in one of several ways, chosen by `seed`; *bytes may shrink. */
void mutate(char *data, size_t *bytes, uint32_t seed);

#endif
