/* Which tokeniser of BLEU a language needs. */
#ifndef ATTNSCOPE_STUDY_TOKENIZER_H
#define ATTNSCOPE_STUDY_TOKENIZER_H

#include "model/score/bleu_tokenizers.h"

/* What counts better than `used`, which looks for blanks between words, in texts (count): "zh", "ja-mecab", "ko-mecab", or
 * "flores200" for other scripts without blanks. NULL: nothing does. Valid UTF-8. */
const char *better_tokenizer(enum bleu_tokenizer used, const char *const *texts, int count);

#endif
