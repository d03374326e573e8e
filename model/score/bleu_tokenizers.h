/* The names of BLEU's tokenisers, which bleu.h describes. */
#ifndef ATTNSCOPE_BLEU_TOKENIZERS_H
#define ATTNSCOPE_BLEU_TOKENIZERS_H

enum bleu_tokenizer {
    BLEU_13A,
    BLEU_INTL,
    BLEU_CHAR,
    BLEU_ZH,
    BLEU_NONE,
    BLEU_SPM,
    BLEU_FLORES101,
    BLEU_FLORES200,
    BLEU_JA_MECAB,
    BLEU_KO_MECAB,
    BLEU_TOKENIZERS
};
extern const char *const bleu_tokenizer_names[]; // NULL-terminated

/* Returns its name in signatures. */
const char *bleu_tokenizer_signature(enum bleu_tokenizer tokenizer);

#endif
