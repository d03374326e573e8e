#include "model/formats/yaml/yaml_characters.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/utf8.h"

/* The first stand-ins of each kind; hidden bytes are 0x80 or more. */
enum { CHARACTERS = 0xF0000, CHARACTERS_END = 0x100000, BYTES = 0x10FF00, LONGEST = 4 };

static bool is_hidden(uint32_t character)
{
    return (character < ' ' && character && !strchr("\t\n\r", (int)character)) ||
           (character >= 0x7F && character < 0xA0) || character == 0x2028 || character == 0x2029 ||
           character == 0xFFFE || character == 0xFFFF;
}

/* Returns the stand-in for the character or byte at `text`; 0: not hidden. *length: its bytes. */
static uint32_t stand_in(const char *text, size_t left, size_t *length)
{
    if (!utf8_valid_length(text, left)) {
        *length = 1;
        return BYTES + (unsigned char)*text;
    }
    uint32_t character = utf8_decode(text, length);
    return is_hidden(character) ? CHARACTERS + character : 0;
}

/* True for the stand-in of a character rather than of a byte. */
static bool is_of_character(uint32_t character)
{
    return character >= CHARACTERS && character < CHARACTERS_END &&
           is_hidden(character - CHARACTERS);
}

static bool is_of_byte(uint32_t character)
{
    return character >= BYTES + 0x80;
}

/* Counts the characters and bytes to hide; -1: the text contains stand-ins. */
static ptrdiff_t count_hidden(const char *text, size_t bytes)
{
    ptrdiff_t found = 0;
    size_t length;
    for (size_t i = 0; i < bytes; i += length) {
        uint32_t other = stand_in(text + i, bytes - i, &length);
        uint32_t itself = other ? 0 : utf8_decode(text + i, &length);
        found += other != 0;
        if (is_of_character(itself) || is_of_byte(itself))
            return -1;
    }
    return found;
}

bool yaml_characters_hide(const char *text, size_t bytes, char **copy, size_t *copied,
                          struct status *status)
{
    ptrdiff_t found = count_hidden(text, bytes);
    size_t size = 0, length;
    *copy = NULL;
    if (found <= 0)
        return true;
    char *to = memory_new(bytes + LONGEST * (size_t)found, 1, status);
    if (!to)
        return false;
    for (size_t i = 0; i < bytes; i += length) {
        uint32_t other = stand_in(text + i, bytes - i, &length);
        if (other)
            size += utf8_encode(other, to + size);
        else
            for (size_t b = 0; b < length; b++)
                to[size++] = text[i + b];
    }
    *copy = to;
    *copied = size;
    return true;
}

/* Writes what a stand-in stands for and returns its bytes; 0: it is not a stand-in. */
static size_t put_back(uint32_t character, bool bytes, char *to)
{
    if (is_of_character(character))
        return utf8_encode(character - CHARACTERS, to);
    if (!bytes || !is_of_byte(character))
        return 0;
    *to = (char)(character - BYTES);
    return 1;
}

static void put_all_back(char *text, bool bytes)
{
    size_t left = strlen(text), length;
    char *to = text;
    for (const char *from = text; left > 0; from += length, left -= length) {
        uint32_t character = utf8_decode(from, &length);
        size_t put = put_back(character, bytes, to);
        if (!put)
            memmove(to, from, length);
        to += put ? put : length;
    }
    *to = '\0';
}

void yaml_characters_show(char *text)
{
    put_all_back(text, false);
}

void yaml_characters_restore(char *text)
{
    put_all_back(text, true);
}
