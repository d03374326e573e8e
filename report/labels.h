/* Names along a matrix: as they are, as people read them, and of words instead of tokens.
 *
 * Lists and labels are the caller's to free, also after a failure.
 */
#ifndef ATTNSCOPE_LABELS_H
#define ATTNSCOPE_LABELS_H

#include "model/text/text.h"
#include "session/sentence_pair.h"
#include "session/session.h"

struct labels {
    int side; // whose tokens they are: SIDE_SOURCE or SIDE_TARGET
    enum token_role role;
    bool words;     // words, not tokens
    bool unspaced;  // no spaces tell its words apart: words are tokens
    bool by_script; // likewise: words end where the script changes
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

/* For the eye: SentencePiece's marks gone, nothing that a terminal would obey ------------------ */

/* One text for every label (word: of whole words); freed with display_labels_free. Short of memory
 * a text is empty, or the result NULL. */
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

/* If no spaces tell words apart, as in Japanese, each token is a word: the whole sentence as one
 * would say nothing. */
bool words_of(const struct token_list *tokens, struct word_list *words, struct status *status);

/* True if a text is of a script that is written without spaces between words, and has none, or
 * hardly any. */
bool words_unspaced(const struct token_list *tokens);

/* Adds what each word spells. Special tokens are spelt as the vocabulary has them. */
bool words_label(const struct checkpoint *checkpoint, const struct token_list *tokens,
                 const struct word_list *words, struct labels *labels, struct status *status);

/* Makes `count` matrices of tokens, *weights (count, rows, columns), matrices of words: columns of
 * a word are summed, its rows averaged, so that a row's sum stays what it was. Adds the words'
 * labels. */
bool words_merge(const struct checkpoint *checkpoint, const struct token_list *rows,
                 const struct token_list *columns, int count, struct labels *row_labels,
                 struct labels *column_labels, float **weights, struct status *status);

#endif
