#include "model/text/scripts.h"

#include <string.h>

#include "model/text/marks.h"
#include "model/text/utf8.h"

enum script script_of(uint32_t letter)
{
    static const struct {
        uint32_t first, last;
        enum script script;
    } ranges[] = {{0x0E00, 0x0EFF, SCRIPT_UNSPACED}, {0x1000, 0x109F, SCRIPT_UNSPACED},
                  {0x1780, 0x17FF, SCRIPT_UNSPACED}, {0x3005, 0x3007, SCRIPT_UNSPACED},
                  {0x3041, 0x309F, SCRIPT_HIRAGANA}, {0x30A0, 0x30FF, SCRIPT_KATAKANA},
                  {0x3400, 0x9FFF, SCRIPT_UNSPACED}, {0xF900, 0xFAFF, SCRIPT_UNSPACED},
                  {0xFF66, 0xFF9F, SCRIPT_KATAKANA}, {0x20000, 0x3FFFF, SCRIPT_UNSPACED}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (letter >= ranges[i].first && letter <= ranges[i].last)
            return ranges[i].script;
    return SCRIPT_OTHER;
}

static bool takes(const char **at, const char *mark)
{
    const size_t bytes = strlen(mark);
    const bool is = strncmp(*at, mark, bytes) == 0;
    *at += is ? bytes : 0;
    return is;
}

/* Returns where the piece ends without its mark. */
static const char *end_of(enum piece_marks marks, const char *piece)
{
    static const char *const ends[PIECE_MARKS + 1] = {[MARKS_SENTENCEPIECE_SUFFIX] = BLANK_MARK,
                                                      [MARKS_BPE] = CONTINUED,
                                                      [MARKS_WORD_END] = END_OF_WORD,
                                                      [MARKS_JOINER] = JOINER};
    const char *end = piece + strlen(piece);
    const size_t bytes = ends[marks] ? strlen(ends[marks]) : 0;
    const bool has =
        bytes && (size_t)(end - piece) > bytes && strcmp(end - bytes, ends[marks]) == 0;
    return has ? end - bytes : end;
}

uint8_t script_class(enum spacing_kind spacing, enum piece_marks marks, const char *piece)
{
    const char *const end = end_of(marks, piece);
    enum script first = SCRIPT_OTHER, last = SCRIPT_OTHER;
    bool any = false;
    if (marks == MARKS_SENTENCEPIECE)
        takes(&piece, BLANK_MARK);
    if (marks == MARKS_JOINER)
        takes(&piece, JOINER);
    for (size_t bytes; piece < end; piece += bytes, any = true) {
        last = script_of(utf8_decode(piece, &bytes));
        first = any ? first : last;
    }
    const bool apart = spacing == UNSPACED_PIECES && first == SCRIPT_UNSPACED;
    return (uint8_t)((unsigned)first << WORD_FIRST_SCRIPT | (unsigned)last << WORD_LAST_SCRIPT |
                     (apart ? WORD_APART : 0u));
}

static bool is_kana(unsigned class, int place)
{
    const unsigned script = class >> place & SCRIPT_UNSPACED;
    return script == SCRIPT_HIRAGANA || script == SCRIPT_KATAKANA;
}

enum spacing_kind scripts_spacing(const struct vocabulary *vocabulary, enum piece_marks marks)
{
    enum { QUARTER = 4 };
    int pieces = 0, apart = 0, kana = 0;
    if (marks == MARKS_NONE || marks == MARKS_BYTE_BPE)
        return SPACED;
    for (int id = 0; id < vocabulary_size(vocabulary); id++) {
        const char *piece = vocabulary_piece(vocabulary, id);
        const unsigned class = script_class(UNSPACED_RUNS, marks, piece);
        if (class == 0)
            continue;
        pieces++;
        apart += (word_class(marks, piece) & (WORD_BEGINS | WORD_ENDS)) != 0;
        kana += is_kana(class, WORD_FIRST_SCRIPT) || is_kana(class, WORD_LAST_SCRIPT);
    }
    if (!pieces || QUARTER * apart > pieces)
        return SPACED;
    return QUARTER * kana >= pieces ? UNSPACED_RUNS : UNSPACED_PIECES;
}
