/* The tokeniser of BLEU that a language needs. */
#ifndef ATTNSCOPE_STUDY_TOKENIZER_H
#define ATTNSCOPE_STUDY_TOKENIZER_H

#include "model/score/bleu_tokenizers.h"

/* Returns the tokeniser that counts better than `used`, which looks for blanks between words, in texts (count): "zh",
 * "ja-mecab", "ko-mecab", or "flores200" for other scripts without blanks. NULL: none does. Valid UTF-8. */
const char *better_tokenizer(enum bleu_tokenizer used, const char *const *texts, int count);

#endif
