#include "model/text/words/blank_words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static const char blanks[] = " \t\r\n\v\f";

static bool add_word(struct text_words *words, size_t *capacity, size_t begin, size_t end,
                     struct status *status)
{
    if (end > INT_MAX)
        return status_fail(status, STATUS_INVALID, "a text of more than %d bytes", INT_MAX);
    if (!memory_grow((void **)&words->ranges, capacity, (size_t)words->count + 1,
                     sizeof *words->ranges, status))
        return false;
    words->ranges[words->count++] = (struct text_range){(int)begin, (int)end};
    return true;
}

bool blank_words_find(const char *text, struct text_words *out, struct status *status)
{
    size_t capacity = 0, at = strspn(text, blanks);
    *out = (struct text_words){.text = text};
    for (; text[at]; at += strspn(text + at, blanks)) {
        size_t end = at + strcspn(text + at, blanks);
        if (!add_word(out, &capacity, at, end, status)) {
            free(out->ranges);
            out->ranges = NULL;
            return false;
        }
        at = end;
    }
    return true;
}

/* Spacing -------------------------------------------------------------------------------------- */

static bool is_unspaced(uint32_t letter)
{
    static const uint32_t ranges[][2] = {{0x0E00, 0x0EFF}, {0x1000, 0x109F}, {0x1780, 0x17FF},
                                         {0x3005, 0x3007}, {0x3041, 0x30FF}, {0x3400, 0x9FFF},
                                         {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0x20000, 0x3FFFF}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (letter >= ranges[i][0] && letter <= ranges[i][1])
            return true;
    return false;
}

static int unspaced_in(const char *text, size_t bytes)
{
    int count = 0;
    utf8proc_int32_t letter;
    for (size_t at = 0; at < bytes;) {
        utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                   (utf8proc_ssize_t)(bytes - at), &letter);
        if (length <= 0)
            break;
        count += is_unspaced((uint32_t)letter);
        at += (size_t)length;
    }
    return count;
}

int unspaced_letters(const char *text)
{
    return unspaced_in(text, strlen(text));
}

void spacing_add(struct spacing *spacing, const char *text)
{
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t bytes = strcspn(text, blanks);
        int letters = unspaced_in(text, bytes);
        spacing->letters += letters;
        spacing->words += letters > 0;
        text += bytes;
    }
}

bool spacing_unspaced(const struct spacing *spacing)
{
    return spacing->letters > UNSPACED_LETTERS_MOST * spacing->words;
}
