/* Labels along a matrix: raw, as shown to people, and for words instead of tokens.
 *
 * The caller frees lists and labels, also after a failure.
 */
#ifndef ATTNSCOPE_LABELS_H
#define ATTNSCOPE_LABELS_H

#include "model/text/text.h"
#include "session/sentence_pair.h"
#include "session/session.h"

struct labels {
    int side; // of the tokens: SIDE_SOURCE or SIDE_TARGET
    enum token_role role;
    bool words;     // words, not tokens
    bool unspaced;  // no spaces separate words: each token is a word
    bool by_script; // the same, but words end where the script changes
    struct strings texts;
};

/* Returns the title of their axis: "source", "target words (predicted)". */
const char *labels_title(const struct labels *labels);

/* True if two matrices have the same labels along a side. */
bool labels_equal(const struct labels *a, const struct labels *b);

/* Adds tokens to labels, with the tokens' side and role. The caller frees the labels, also after a
 * failure. */
bool labels_of_tokens(const struct token_list *tokens, struct labels *labels,
                      struct status *status);

/* A copy of a string, which the caller frees. NULL: out of memory. */
char *copy_text(const char *text, struct status *status);

/* For display: without SentencePiece's marks, and without control sequences ------------------ */

/* One text for each label (word: labels of whole words); freed with display_labels_free. Out of
 * memory: a text is empty, or the result NULL. */
char **display_labels(const struct session *session, const struct labels *labels, bool word);
/* One of them; NULL: out of memory. */
char *display_label(const struct checkpoint *checkpoint, int side, bool word, const char *text);
void display_labels_free(char **texts, int count);

/* Words ---------------------------------------------------------------------------------------- */

/* Words of a token list: word w is made of the tokens begin[w] … begin[w+1]-1. */
struct word_list {
    int *begin; // (count + 1)
    int count;
};

/* If no spaces separate words, as in Japanese, each token is a word: the whole sentence as one word
 * would be useless. */
bool words_of(const struct token_list *tokens, struct word_list *words, struct status *status);

/* True if a text is in a script written without spaces between words, and has few or no spaces. */
bool words_unspaced(const struct token_list *tokens);

/* Adds the spelling of each word. Special tokens are spelt as in the vocabulary. */
bool words_label(const struct checkpoint *checkpoint, const struct token_list *tokens,
                 const struct word_list *words, struct labels *labels, struct status *status);

/* Turns `count` matrices of tokens, *weights (count, rows, columns), into matrices of words: sums
 * the columns of a word and averages its rows, which preserves row sums. Adds the words' labels. */
bool words_merge(const struct checkpoint *checkpoint, const struct token_list *rows,
                 const struct token_list *columns, int count, struct labels *row_labels,
                 struct labels *column_labels, float **weights, struct status *status);

#endif
