#include "terminal/graphics_sequences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In tmux, writes ESC P tmux; … ESC \ with every ESC inside doubled. */
size_t graphics_send(FILE *stream, bool tmux, const char *sequence, size_t bytes)
{
    size_t escapes = 0;
    if (!tmux) {
        fwrite(sequence, 1, bytes, stream);
        return 0;
    }
    fputs("\033Ptmux;", stream);
    for (const char *at = sequence, *end = sequence + bytes; at < end;) {
        const char *escape = memchr(at, '\033', (size_t)(end - at));
        size_t plain = (size_t)((escape ? escape : end) - at);
        fwrite(at, 1, plain, stream);
        if (escape)
            fputs("\033\033", stream);
        escapes += escape != NULL;
        at += plain + (escape != NULL);
    }
    fputs("\033\\", stream);
    return bytes + escapes + strlen("tmux;");
}

/* An answer begins with `begin`; its text extends to `end` and consists of `allowed` (NULL: any
 * bytes). */
struct answer {
    const char *begin, *end, *allowed;
    void (*take)(struct graphics_replies *replies, const char *text);
};

static void take_kitty(struct graphics_replies *replies, const char *text)
{
    const char *message = strchr(text, ';');
    replies->kitty |= message && strcmp(message, ";OK") == 0;
}

static void take_attributes(struct graphics_replies *replies, const char *text)
{
    for (const char *at = text; at; at = strchr(at, ';')) {
        at += *at == ';';
        replies->sixel |= strtol(at, NULL, 10) == 4;
    }
}

static void take_registers(struct graphics_replies *replies, const char *text)
{
    (void)text;
    replies->sixel = true;
}

static void take_status(struct graphics_replies *replies, const char *text)
{
    (void)text;
    replies->status = true;
}

static void take_version(struct graphics_replies *replies, const char *text)
{
    replies->tmux |= strncmp(text, "tmux", 4) == 0;
    replies->iterm |= strncmp(text, "iTerm2", 6) == 0;
}

static void take_iterm(struct graphics_replies *replies, const char *text)
{
    (void)text;
    replies->iterm = true;
}

static void take_cell(struct graphics_replies *replies, const char *text)
{
    enum { MOST = 1000 };
    int height, width;
    if (sscanf(text, "%4d;%4d", &height, &width) != 2 || height < 1 || width < 1 || height > MOST ||
        width > MOST)
        return;
    replies->cell_height = height;
    replies->cell_width = width;
}

static const struct answer answers[] = {
    {"\033_G", "\033\\", NULL, take_kitty},
    {"\033P>|", "\033\\", NULL, take_version},
    {"\033[ITERM2 ", "n", NULL, take_iterm},
    {"\033[6;", "t", "0123456789;", take_cell},
    {"\033[?", "c", "0123456789;", take_attributes},
    {"\033[?1;0;", "S", "0123456789", take_registers},
    {"\033[0", "n", "", take_status},
};
enum { ANSWERS = sizeof answers / sizeof *answers, TEXT_BYTES = 256 };

enum match { MATCH_NONE, MATCH_BEGUN, MATCH_WHOLE };

/* *length: of the whole answer. */
static enum match match(const struct answer *answer, const char *bytes, size_t count,
                        char text[TEXT_BYTES], size_t *length)
{
    size_t begin = strlen(answer->begin), end = strlen(answer->end);
    if (memcmp(bytes, answer->begin, count < begin ? count : begin) != 0)
        return MATCH_NONE;
    for (size_t i = begin; i < count && i - begin < TEXT_BYTES - 1; i++) {
        if (i + end <= count && memcmp(bytes + i, answer->end, end) == 0) {
            memcpy(text, bytes + begin, i - begin);
            text[i - begin] = '\0';
            *length = i + end;
            return MATCH_WHOLE;
        }
        if (answer->allowed && !(bytes[i] && strchr(answer->allowed, bytes[i])))
            return MATCH_NONE;
    }
    return count < begin + TEXT_BYTES - 1 ? MATCH_BEGUN : MATCH_NONE;
}

/* Returns the length of the answer at the front; 0: none. *begun: an answer may be complete once
 * more bytes arrive. */
static size_t take_answer(struct graphics_replies *replies, const char *bytes, size_t count,
                          bool *begun)
{
    *begun = false;
    for (int i = 0; i < ANSWERS; i++) {
        char text[TEXT_BYTES];
        size_t length;
        enum match found = match(&answers[i], bytes, count, text, &length);
        *begun |= found == MATCH_BEGUN;
        if (found != MATCH_WHOLE)
            continue;
        answers[i].take(replies, text);
        return length;
    }
    return 0;
}

size_t graphics_reply_take(struct graphics_replies *replies, unsigned char *bytes, size_t count,
                           size_t *typed)
{
    size_t at = 0;
    bool begun = false;
    *typed = 0;
    while (at < count) {
        size_t length = take_answer(replies, (const char *)bytes + at, count - at, &begun);
        if (begun && length == 0)
            break;
        if (length == 0)
            bytes[(*typed)++] = bytes[at++];
        at += length;
    }
    memmove(bytes + *typed, bytes + at, count - at);
    return count - at;
}
