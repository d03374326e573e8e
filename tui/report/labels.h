/* Names along a matrix, and copies of texts. */
#ifndef ATTNSCOPE_LABELS_H
#define ATTNSCOPE_LABELS_H

#include "model/text/text.h"
#include "tui/session/sentence_pair.h"

struct labels {
    int side; // whose tokens they are: SIDE_SOURCE or SIDE_TARGET
    enum token_role role;
    bool words;    // words, not tokens
    bool unspaced; // no spaces tell its words apart: words are tokens
    struct strings texts;
};

/* Returns the title of their axis: "source", "target words (predicted)". */
const char *labels_title(const struct labels *labels);

/* True if two matrices have the same names along a side. */
bool labels_equal(const struct labels *a, const struct labels *b);

/* Adds tokens to labels, of the tokens' side and role. Also after a failure the caller frees
 * them. */
bool labels_of_tokens(const struct token_list *tokens, struct labels *labels,
                      struct status *status);

/* A copy of a string, which the caller frees. NULL: out of memory. */
char *copy_text(const char *text, struct status *status);

#endif
