#include "model/text/utf8.h"

#include <string.h>

#include <utf8proc.h>

#include "model/text/text.h"

/* The valid first and second bytes. The second byte's range excludes overlong forms, surrogates and
 * code points above U+10FFFF (Unicode 15, table 3-7). */
struct form {
    unsigned char lead_low, lead_high, second_low, second_high;
    size_t length;
};

static const struct form forms[] = {
    {0x00, 0x7F, 0x00, 0x00, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
    {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
    {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static const struct form *form_of(unsigned char lead)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (lead >= forms[i].lead_low && lead <= forms[i].lead_high)
            return &forms[i];
    return NULL;
}

size_t utf8_valid_length(const char *text, size_t bytes)
{
    const struct form *form = bytes ? form_of((unsigned char)text[0]) : NULL;
    if (!form || form->length > bytes)
        return 0;
    unsigned char second = form->length > 1 ? (unsigned char)text[1] : 0;
    if (form->length > 1 && (second < form->second_low || second > form->second_high))
        return 0;
    for (size_t i = 2; i < form->length; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80)
            return 0;
    return form->length;
}

ptrdiff_t utf8_invalid(const char *text, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        size_t length = utf8_valid_length(text + at, bytes - at);
        if (length == 0)
            return (ptrdiff_t)at;
        at += length;
    }
    return -1;
}

size_t utf8_length(char lead)
{
    unsigned char byte = (unsigned char)lead;
    return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

uint32_t utf8_decode(const char *text, size_t *length)
{
    static const unsigned char lead_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    *length = utf8_length(*text);
    uint32_t character = (unsigned char)*text & lead_bits[*length];
    for (size_t i = 1; i < *length; i++)
        character = character << 6 | ((unsigned char)text[i] & 0x3F);
    return character;
}

size_t utf8_encode(uint32_t character, char *out)
{
    static const unsigned char lead_marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (character & 0x3F));
        character >>= 6;
    }
    out[0] = (char)(lead_marks[length] | character);
    return length;
}

bool utf8_is_space(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    return (character >= '\t' && character <= '\r') || character == 0x85 ||
           category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

bool utf8_is_punctuation(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool check_utf8(const char *text, struct status *status)
{
    ptrdiff_t position = utf8_invalid(text, strlen(text));
    if (position >= 0)
        return status_fail(status, STATUS_INVALID, "invalid UTF-8 at byte %td", position + 1);
    return true;
}
