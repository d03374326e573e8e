/* `:ablate` on a small test set. Every function fails the running test if something is wrong. */
#ifndef ATTNSCOPE_TESTS_ABLATE_SUPPORT_H
#define ATTNSCOPE_TESTS_ABLATE_SUPPORT_H

#include "tests/support/held_support.h"
#include "tests/support/scored_support.h"

/* Arguments of `:ablate`: every head of every layer. */
#define ABLATE_EVERYWHERE " by layer,head enc or dec or cross"

enum { ABLATE_SENTENCES = 6 };
extern const char *const ablate_sources[ABLATE_SENTENCES];

/* Loads a golden model, and writes the sentences and their references; the caller closes with
 * scored_close. */
void ablate_open(struct scored *scored, const char *model);

/* Runs `:ablate` with the rest of its line; the caller frees the result. */
struct report ablate_line(struct scored *scored, const char *rest);

/* Returns an ablation in words, valid until the next call. */
const char *ablate_row_text(const struct ablation *ablation);

/* Returns the translations of an ablation that the session keeps. */
char **ablate_texts(const struct scored *scored, const struct ablation *ablation);

#endif
