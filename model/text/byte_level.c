#include "model/text/byte_level.h"

#include <string.h>

#include <utf8proc.h>

#include "model/text/text.h"
#include "model/text/utf8.h"

/* Words ---------------------------------------------------------------------------------------- */

enum kind { KIND_SPACE, KIND_LETTER, KIND_NUMBER, KIND_OTHER, KIND_END };

static enum kind kind_of(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    if (utf8_is_space(character))
        return KIND_SPACE;
    if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO)
        return KIND_LETTER;
    if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO)
        return KIND_NUMBER;
    return KIND_OTHER;
}

/* Returns the kind of the character at text[at]; *length: its bytes. */
static enum kind kind_at(const char *text, size_t bytes, size_t at, size_t *length)
{
    *length = 0;
    return at < bytes ? kind_of(utf8_decode(text + at, length)) : KIND_END;
}

/* Returns the end of the run of one kind from text[at] on; *last: where its last character
 * begins. */
static size_t run_end(const char *text, size_t bytes, size_t at, enum kind kind, size_t *last)
{
    size_t length;
    *last = at;
    while (kind_at(text, bytes, at, &length) == kind) {
        *last = at;
        at += length;
    }
    return at;
}

static size_t contraction(const char *text, size_t bytes)
{
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (length <= bytes && memcmp(text, endings[i], length) == 0)
            return length;
    }
    return 0;
}

size_t byte_level_word(const char *text, size_t bytes)
{
    size_t length, last, found = contraction(text, bytes);
    if (found)
        return found;
    size_t blank = *text == ' ';
    enum kind kind = kind_at(text, bytes, blank, &length);
    if (kind != KIND_SPACE && kind != KIND_END)
        return run_end(text, bytes, blank, kind, &last);
    // The last of several blanks before a word belongs to the word.
    size_t end = run_end(text, bytes, 0, KIND_SPACE, &last);
    return end == bytes || last == 0 ? end : last;
}

/* Bytes ---------------------------------------------------------------------------------------- */

static bool is_printable(unsigned byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/* Bytes that are not printable are numbered in order from U+0100 on. */
static uint32_t character_of(unsigned char byte)
{
    uint32_t number = 0x100;
    if (is_printable(byte))
        return byte;
    for (unsigned other = 0; other < byte; other++)
        number += !is_printable(other);
    return number;
}

/* Returns the byte that a character stands for; 0, which no text contains, if none. */
static int byte_of(uint32_t character)
{
    if (character < 0x100)
        return is_printable(character) ? (int)character : 0;
    for (int byte = 1; byte < 0x100; byte++)
        if (character_of((unsigned char)byte) == character)
            return byte;
    return 0;
}

bool byte_level_encode(const char *text, size_t bytes, struct text_buffer *out,
                       struct status *status)
{
    for (size_t i = 0; i < bytes; i++)
        if (!buffer_add_character(out, character_of((unsigned char)text[i]), status))
            return false;
    return true;
}

bool byte_level_decode(const char *text, struct text_buffer *out, struct status *status)
{
    size_t length;
    for (; *text; text += length) {
        int byte = byte_of(utf8_decode(text, &length));
        const char one = (char)byte;
        if (!(byte == 0 ? buffer_add(out, text, length, status) : buffer_add(out, &one, 1, status)))
            return false;
    }
    return true;
}
