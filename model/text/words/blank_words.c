#include "model/text/words/blank_words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/scripts.h"

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

static int unspaced_in(const char *text, size_t bytes)
{
    int count = 0;
    utf8proc_int32_t letter;
    for (size_t at = 0; at < bytes;) {
        utf8proc_ssize_t length = utf8proc_iterate((const utf8proc_uint8_t *)text + at,
                                                   (utf8proc_ssize_t)(bytes - at), &letter);
        if (length <= 0)
            break;
        count += script_of((uint32_t)letter) != SCRIPT_OTHER;
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
