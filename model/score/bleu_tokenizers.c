#include "model/score/bleu_tokenizers.h"

#include <stddef.h>

const char *const bleu_tokenizer_names[] = {"13a",      "intl",     "char",      "zh",
                                            "none",     "spm",      "flores101", "flores200",
                                            "ja-mecab", "ko-mecab", NULL};

const char *bleu_tokenizer_signature(enum bleu_tokenizer tokenizer)
{
    switch (tokenizer) {
    case BLEU_SPM:
        return "flores101";
    case BLEU_JA_MECAB:
        return "ja-mecab-0.996-IPA";
    case BLEU_KO_MECAB:
        return "ko-mecab-0.996/ko-0.9.2-KO";
    default:
        return bleu_tokenizer_names[tokenizer];
    }
}
