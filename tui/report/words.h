/* Tokens as words: their texts, and weights between them.
 *
 * Lists and labels are the caller's to free, also after a failure.
 */
#ifndef ATTNSCOPE_WORDS_H
#define ATTNSCOPE_WORDS_H

#include "tui/report/labels.h"
#include "tui/session/session.h"

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
