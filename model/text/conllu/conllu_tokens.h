/* Which words of a CoNLL-U sentence the tokens of a model belong to.
 *
 * Tokens and words are compared by their characters, without blanks and marks, compatibility forms, case and accents,
 * so that what a tokeniser does to a text (NFKC, lower case, Moses' escapes, bytes for rare characters) does not
 * matter. Where they differ all the same, the comparison goes on at the nearest place where both go on alike.
 */
#ifndef ATTNSCOPE_CONLLU_TOKENS_H
#define ATTNSCOPE_CONLLU_TOKENS_H

#include "model/text/conllu/conllu.h"

/* words: (count) gets the word of each token, from 0; -1: none.
 *   pieces: (count) as the tokeniser cut the sentence's text; NULL: a special token, which belongs to no word; "": one
 *     whose characters are not known. `marks`: as of tokenizer_marks.
 * A token that spells characters of several words belongs to that of most of them, of equals to the first. One that spells
 * none belongs to the word that comes next (the last word if none does). A word may have no token. */
bool conllu_tokens(const struct conllu_sentence *sentence, const char *text,
                   enum tokenizer_kind marks, const char *const *pieces, int count, int *words,
                   struct status *status);

#endif
