#include "base/outlet.h"

#include <stdio.h>

enum {
    CONTROL = 1,
    LAYOUT = 2, // what tables and lines are made of
    SEPARATOR = 4,
    NONCHARACTER = 8,
    DIRECTION = 16,
};

static const unsigned barred[] = {
    [OUTLET_LINE] = CONTROL | LAYOUT | SEPARATOR,
    [OUTLET_SHOWN] = CONTROL | LAYOUT | SEPARATOR | NONCHARACTER,
    [OUTLET_PASTED] = CONTROL | LAYOUT | SEPARATOR | NONCHARACTER | DIRECTION,
    [OUTLET_DATA] = CONTROL | SEPARATOR | NONCHARACTER,
    [OUTLET_ESCAPED] = CONTROL | LAYOUT | SEPARATOR | NONCHARACTER | DIRECTION,
};

static bool is_noncharacter(uint32_t c)
{
    return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF) || (c >= 0xD800 && c <= 0xDFFF) ||
           c > 0x10FFFF;
}

static unsigned kind_of(uint32_t c)
{
    if (c == '\t' || c == '\n' || c == '\r')
        return LAYOUT;
    if (c < 0x20 || (c >= 0x7F && c <= 0x9F))
        return CONTROL;
    if (c == 0x2028 || c == 0x2029)
        return SEPARATOR;
    if ((c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069))
        return DIRECTION;
    return is_noncharacter(c) ? NONCHARACTER : 0;
}

bool outlet_bars(enum outlet outlet, uint32_t character)
{
    return barred[outlet] & kind_of(character);
}

uint32_t outlet_character(enum outlet outlet, uint32_t character)
{
    if (!outlet_bars(outlet, character))
        return character;
    if (character < 0x20)
        return 0x2400 + character;
    return character == 0x7F ? 0x2421 : 0xFFFD;
}

const char *outlet_escape(uint32_t character, char out[OUTLET_ESCAPE_BYTES])
{
    const unsigned above = (unsigned)(character - 0x10000);
    if (character < 0x10000)
        snprintf(out, OUTLET_ESCAPE_BYTES, "\\u%04x", (unsigned)character & 0xFFFF);
    else
        snprintf(out, OUTLET_ESCAPE_BYTES, "\\u%04x\\u%04x", 0xD800 | (above >> 10 & 0x3FF),
                 0xDC00 | (above & 0x3FF));
    return out;
}
