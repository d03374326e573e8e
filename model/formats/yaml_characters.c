#include "model/formats/yaml_characters.h"

#include <stdlib.h>
#include <string.h>

enum { HIDDEN_BYTES = 4, KINDS = 4 };

static const struct {
    const char *character, *hidden;
} characters[KINDS] = {
    {"\xC2\x85", "\xF3\xB0\x82\x85"},
    {"\xE2\x80\xA8", "\xF3\xB2\x80\xA8"},
    {"\xE2\x80\xA9", "\xF3\xB2\x80\xA9"},
    {"\x7F", "\xF3\xB0\x81\xBF"},
};

static bool begins(const char *text, size_t left, const char *with)
{
    size_t length = strlen(with);
    return length <= left && memcmp(text, with, length) == 0;
}

/* Which of them begins there, in `left` bytes, or KINDS. */
static int kind_at(const char *text, size_t left)
{
    int kind = memchr("\xC2\xE2\x7F", *text, 3) ? 0 : KINDS;
    while (kind < KINDS && !begins(text, left, characters[kind].character))
        kind++;
    return kind;
}

static int hidden_at(const char *text, size_t left)
{
    int kind = *text == '\xF3' ? 0 : KINDS;
    while (kind < KINDS && !begins(text, left, characters[kind].hidden))
        kind++;
    return kind;
}

static size_t count(const char *text, size_t bytes, int (*at)(const char *, size_t))
{
    size_t found = 0;
    for (size_t i = 0; i < bytes; i++)
        found += at(text + i, bytes - i) < KINDS;
    return found;
}

bool yaml_characters_hide(const char *text, size_t bytes, char **copy, size_t *copied,
                          struct status *status)
{
    size_t found = count(text, bytes, kind_at), size = 0;
    *copy = NULL;
    if (!found || count(text, bytes, hidden_at))
        return true;
    char *to = memory_new(bytes + HIDDEN_BYTES * found, 1, status);
    if (!to)
        return false;
    for (size_t i = 0; i < bytes;) {
        int kind = kind_at(text + i, bytes - i);
        if (kind == KINDS) {
            to[size++] = text[i++];
            continue;
        }
        memcpy(to + size, characters[kind].hidden, HIDDEN_BYTES);
        size += HIDDEN_BYTES;
        i += strlen(characters[kind].character);
    }
    *copy = to;
    *copied = size;
    return true;
}

void yaml_characters_show(char *text)
{
    size_t left = strlen(text);
    char *to = text;
    for (const char *from = text; left > 0;) {
        int kind = hidden_at(from, left);
        size_t length = kind < KINDS ? HIDDEN_BYTES : 1;
        const char *shown = kind < KINDS ? characters[kind].character : from;
        size_t bytes = kind < KINDS ? strlen(shown) : 1;
        memmove(to, shown, bytes);
        to += bytes;
        from += length;
        left -= length;
    }
    *to = '\0';
}
