#include "model/text/words/piece_letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/buffer.h"
#include "model/text/byte_level.h"
#include "model/text/marks.h"
#include "model/text/utf8.h"

void letters_free(struct letters *letters)
{
    free(letters->list);
    *letters = (struct letters){.count = 0};
}

/* Characters --------------------------------------------------------------------------------------- */

enum { REPLACEMENT = 0xFFFD };

/* Adds what is left of a character without blanks, marks, case and compatibility forms. */
static bool add_character(struct letters *out, utf8proc_int32_t code, int first, int last,
                          struct status *status)
{
    enum { PARTS_MOST = 32 }; // Unicode's longest decomposition has 18
    utf8proc_int32_t parts[PARTS_MOST];
    int boundary = 0;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(code, parts, PARTS_MOST,
                                UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                    UTF8PROC_IGNORE | UTF8PROC_STRIPMARK,
                                &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MOST; i++) {
        if (utf8_is_space((uint32_t)parts[i]))
            continue;
        if (!memory_grow((void **)&out->list, &out->capacity, (size_t)out->count + 1,
                         sizeof *out->list, status))
            return false;
        out->list[out->count++] = (struct letter){parts[i], first, last};
    }
    return true;
}

/* The character at `text` and its bytes, as far as they are valid. */
static utf8proc_int32_t next_character(const char *text, size_t bytes, size_t *length)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t read =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)bytes, &code);
    *length = read > 0 ? (size_t)read : 1;
    return read > 0 ? code : REPLACEMENT;
}

bool letters_add_text(struct letters *letters, const char *text, size_t bytes, int word,
                      struct status *status)
{
    for (size_t at = 0, length; at < bytes; at += length)
        if (!add_character(letters, next_character(text + at, bytes - at, &length), word, word,
                           status))
            return false;
    return true;
}

/* Pieces ------------------------------------------------------------------------------------------- */

/* The byte of a piece such as "<0xE2>", or -1. */
static int byte_of(const char *piece)
{
    unsigned byte;
    int end = 0;
    return strlen(piece) == 6 && sscanf(piece, "<0x%2X>%n", &byte, &end) == 1 && end == 6
               ? (int)byte
               : -1;
}

/* Appends the bytes that a piece spells, without its marks. */
static bool add_piece(enum piece_marks marks, const char *piece, struct buffer *out,
                      struct status *status)
{
    const size_t blank = strlen(BLANK_MARK), joiner = strlen(JOINER);
    bool blanks = marks == MARKS_SENTENCEPIECE || marks == MARKS_SENTENCEPIECE_SUFFIX;
    const char *end = piece + strlen(piece), *mark;
    uint8_t class = word_class(marks, piece);
    if (marks == MARKS_BYTE_BPE)
        return byte_level_decode(piece, out, status);
    if (blanks && byte_of(piece) >= 0)
        return buffer_add(out, &(char){(char)byte_of(piece)}, 1, status);
    for (; blanks && (mark = strstr(piece, BLANK_MARK)); piece = mark + blank)
        if (!buffer_add(out, piece, (size_t)(mark - piece), status) ||
            !buffer_add(out, " ", 1, status))
            return false;
    if (marks == MARKS_BPE && !(class & WORD_ENDS))
        end -= strlen(CONTINUED);
    if (marks == MARKS_WORD_END && (class & WORD_ENDS))
        end -= strlen(END_OF_WORD);
    if (marks == MARKS_JOINER && !(class & WORD_BEGINS))
        piece += joiner;
    if (marks == MARKS_JOINER && (class & WORD_JOINS) && piece < end)
        end -= joiner;
    return buffer_add(out, piece, (size_t)(end - piece), status);
}

/* The character at `text`; Moses' escapes are one. */
static utf8proc_int32_t next_escaped(const char *text, size_t bytes, size_t *length)
{
    static const struct {
        const char *text;
        char character;
    } escapes[] = {{"&amp;", '&'},   {"&#124;", '|'}, {"&lt;", '<'},  {"&gt;", '>'},
                   {"&apos;", '\''}, {"&quot;", '"'}, {"&#91;", '['}, {"&#93;", ']'}};
    for (size_t i = 0; *text == '&' && i < sizeof escapes / sizeof *escapes; i++)
        if (strncmp(text, escapes[i].text, strlen(escapes[i].text)) == 0) {
            *length = strlen(escapes[i].text);
            return escapes[i].character;
        }
    return next_character(text, bytes, length);
}

/* ends: (count), where each piece's bytes end. */
static bool cut_letters(const struct buffer *bytes, const size_t *ends, int count,
                        struct letters *out, struct status *status)
{
    int piece = 0;
    for (size_t at = 0, length; at < bytes->count; at += length) {
        utf8proc_int32_t code = next_escaped(bytes->data + at, bytes->count - at, &length);
        while (piece < count && ends[piece] <= at)
            piece++;
        int last = piece;
        while (last + 1 < count && ends[last] < at + length)
            last++;
        if (!add_character(out, code, piece, last, status))
            return false;
    }
    return true;
}

bool letters_add_pieces(struct letters *letters, enum piece_marks marks, const char *const *pieces,
                        int count, struct status *status)
{
    struct buffer bytes = {0};
    size_t *ends = memory_new((size_t)count, sizeof *ends, status);
    bool ok = ends && buffer_clear(&bytes, status);
    for (int i = 0; ok && i < count; i++) {
        ok = !pieces[i] || add_piece(marks, pieces[i], &bytes, status);
        ends[i] = bytes.count;
    }
    ok = ok && cut_letters(&bytes, ends, count, letters, status);
    free(ends);
    free(bytes.data);
    return ok;
}
