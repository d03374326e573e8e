#include <stdio.h>
#include <string.h>

#include "model/text/marks.h"
#include "model/text/text.h"

const char *const piece_marks_names[PIECE_MARKS] = {
    [MARKS_NONE] = "none",
    [MARKS_SENTENCEPIECE] = "sentencepiece",
    [MARKS_BPE] = "bpe",
    [MARKS_BYTE_BPE] = "byte_bpe",
    [MARKS_SENTENCEPIECE_SUFFIX] = "sentencepiece_suffix",
    [MARKS_WORD_END] = "word_end",
};

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), bytes = strlen(end);
    return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

uint8_t word_class(enum piece_marks marks, const char *piece)
{
    switch (marks) {
    case MARKS_SENTENCEPIECE:
        return begins_with(piece, BLANK_MARK) ? WORD_BEGINS : 0;
    case MARKS_BYTE_BPE:
        return begins_with(piece, BYTE_LEVEL_BLANK) ? WORD_BEGINS : 0;
    case MARKS_BPE:
        return ends_with(piece, CONTINUED) ? 0 : WORD_ENDS;
    case MARKS_SENTENCEPIECE_SUFFIX:
        return ends_with(piece, BLANK_MARK) ? WORD_ENDS : 0;
    case MARKS_WORD_END:
        return ends_with(piece, END_OF_WORD) ? WORD_ENDS : 0;
    case MARKS_JOINER:
        return (begins_with(piece, JOINER) ? 0 : WORD_BEGINS) |
               (ends_with(piece, JOINER) ? WORD_JOINS : 0);
    case MARKS_NONE:
        break;
    }
    return WORD_BEGINS | WORD_ENDS;
}

bool vocabulary_has_word(const struct vocabulary *vocabulary, enum piece_marks marks,
                         const char *word)
{
    static const char *const around[PIECE_MARKS + 1][2] = {
        [MARKS_NONE] = {"", ""},
        [MARKS_SENTENCEPIECE] = {BLANK_MARK, ""},
        [MARKS_BPE] = {"", ""},
        [MARKS_BYTE_BPE] = {BYTE_LEVEL_BLANK, ""},
        [MARKS_SENTENCEPIECE_SUFFIX] = {"", BLANK_MARK},
        [MARKS_WORD_END] = {"", END_OF_WORD},
        [MARKS_JOINER] = {"", ""},
    };
    char piece[200];
    int bytes = snprintf(piece, sizeof piece, "%s%s%s", around[marks][0], word, around[marks][1]);
    return bytes > 0 && (size_t)bytes < sizeof piece && vocabulary_find(vocabulary, piece) >= 0;
}
