#include <string.h>

#include "model/text/text.h"

uint8_t word_class(enum tokenizer_kind kind, const char *piece)
{
    size_t length = strlen(piece);
    switch (kind) {
    case TOKENIZER_SENTENCEPIECE:
        return strncmp(piece, "\u2581", strlen("\u2581")) == 0 ? WORD_BEGINS : 0;
    case TOKENIZER_BPE:
        return length >= 2 && strcmp(piece + length - 2, "@@") == 0 ? 0 : WORD_ENDS;
    case TOKENIZER_WHITESPACE:
        break;
    }
    return WORD_BEGINS | WORD_ENDS;
}
