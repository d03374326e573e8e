/* What the tests of model/text share: files of tests/golden/text, tables of cases, mutations.
 * All of it fails the running test when it cannot do its work. */
#ifndef ATTNSCOPE_TEXT_CASES_H
#define ATTNSCOPE_TEXT_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "model/text/text.h"

/* A file of tests/golden/text, NUL-terminated; *bytes (may be NULL) gets its length. Freed with
 * free(). */
char *golden_read(const char *name, size_t *bytes);

/* Calls `check` with every line's fields (`count` of them) of a table, escapes undone. */
enum { CASE_FIELDS = 3 };
typedef void case_check(char *fields[CASE_FIELDS], void *context);
void golden_each(const char *name, int count, case_check *check, void *context);

/* "a b c" as pieces, and back (freed with free()). */
void pieces_from(struct strings *pieces, const char *text);
char *pieces_text(const struct strings *pieces);

/* An opened tokeniser over a golden model (NULL: none). */
struct tokenizer *golden_tokenizer(enum tokenizer_kind kind, const char *model);

/* Splits `text` and compares the pieces, shown joined by blanks, with `expected`. */
void expect_split(struct tokenizer *tokenizer, const char *text, const char *expected);
void expect_join(struct tokenizer *tokenizer, const char *pieces, const char *expected);

/* Damages data[0 … *bytes-1] in one of several ways that `seed` chooses; *bytes may shrink. */
void mutate(char *data, size_t *bytes, uint32_t seed);

#endif
