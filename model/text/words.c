#include <string.h>

#include "model/text/marks.h"
#include "model/text/text.h"

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), bytes = strlen(end);
    return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

uint8_t word_class(enum tokenizer_kind kind, const char *piece)
{
    switch (kind) {
    case TOKENIZER_SENTENCEPIECE:
    case TOKENIZER_JSON:
        return begins_with(piece, BLANK_MARK) ? WORD_BEGINS : 0;
    case TOKENIZER_BPE:
        return ends_with(piece, CONTINUED) ? 0 : WORD_ENDS;
    case TOKENIZER_BYTE_BPE:
        return begins_with(piece, BYTE_LEVEL_BLANK) ? WORD_BEGINS : 0;
    case TOKENIZER_JOINER:
        return (begins_with(piece, JOINER) ? 0 : WORD_BEGINS) |
               (ends_with(piece, JOINER) ? WORD_JOINS : 0);
    case TOKENIZER_WHITESPACE:
        break;
    }
    return WORD_BEGINS | WORD_ENDS;
}
