/* Tokens as words: their texts, and weights between them.
 *
 * Lists and labels are the caller's to free, also after a failure.
 */
#ifndef ATTNSCOPE_WORDS_H
#define ATTNSCOPE_WORDS_H

#include "tui/result.h"

/* Words of a token list: word w is made of the tokens begin[w] … begin[w+1]-1. */
struct word_list {
    int *begin; // (count + 1)
    int count;
};

bool words_of(const struct token_list *tokens, struct word_list *words, struct status *status);

/* Adds what each word spells. Special tokens are spelt as the vocabulary has them. */
bool words_label(const struct checkpoint *checkpoint, const struct token_list *tokens,
                 const struct word_list *words, struct labels *labels, struct status *status);

/* Makes `count` matrices of tokens, *weights (count, rows, columns), matrices of words: columns of a word
 * are summed, its rows averaged, so that a row's sum stays what it was. Adds the words' labels. */
bool words_merge(const struct checkpoint *checkpoint, const struct token_list *rows,
                 const struct token_list *columns, int count, struct labels *row_labels,
                 struct labels *column_labels, float **weights, struct status *status);

#endif
