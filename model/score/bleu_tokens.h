/* The tokenisers that BLEU is defined over, as the sacreBLEU package (Post 2018) names and defines
 * them:
 *
 *   13a   mteval-v13a's: ASCII punctuation stands alone, and periods and commas that are not
 *         between digits; entities of SGML are undone
 *   intl  mteval-v14's: all of Unicode's punctuation and symbols likewise
 *   char  every character is a token
 *   zh    every Chinese character is a token, the rest is as under 13a
 *   none  the text is tokenised already
 *   flores101, flores200  the pieces of a SentencePiece model (Goyal et al. 2022, NLLB 2022); spm
 *   is flores101 ja-mecab, ko-mecab    the words of MeCab with its dictionaries of Japanese (IPA)
 *   and Korean
 *
 * The last four need files (bleu_files.h). The result is split at blanks.
 */
#ifndef ATTNSCOPE_BLEU_TOKENS_H
#define ATTNSCOPE_BLEU_TOKENS_H

#include "model/score/bleu_tokenizers.h"
#include "model/score/characters.h"

/* The characters of a token. */
struct token {
    size_t begin, length;
};

/* The tokens of several texts. Zero-initialise before the first use; free with bleu_tokens_free. */
struct bleu_tokens {
    struct characters text;
    struct token *tokens; // (count)
    int count;
    size_t capacity;
};
void bleu_tokens_free(struct bleu_tokens *tokens);  // leaves it empty
void bleu_tokens_clear(struct bleu_tokens *tokens); // to be used again

/* Adds the tokens of a text (valid UTF-8). */
bool bleu_tokens_add(struct bleu_tokens *tokens, enum bleu_tokenizer tokenizer, bool lowercase,
                     const char *text, struct status *status);

/* A number for each token (count), equal where the tokens are. Freed with free(); NULL: out of
 * memory. */
uint32_t *bleu_tokens_numbers(const struct bleu_tokens *tokens, struct status *status);

#endif
