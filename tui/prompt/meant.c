#include "tui/prompt/meant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utf8proc.h>

#include "terminal/text/arguments.h"
#include "tui/command/commands.h"
#include "tui/manual/key_table.h"

static bool is_one_of(const char *line, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(line, *words) == 0)
            return true;
    return false;
}

static bool is_small(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* True if all of these bytes are keys of some view, or numbers before them. */
static bool are_keys(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_digit(text[i]) && (text[i] == ' ' || !key_anywhere((unsigned char)text[i])))
            return false;
    return length > 0;
}

/* True if this cannot be a word: at most two small letters or one capital, besides digits, or more
 * letters without a vowel. "Hi" is a word. */
static bool is_no_word(const char *line)
{
    int letters = 0, vowels = 0;
    for (const char *c = line; *c; c++) {
        letters += !is_digit(*c);
        vowels += strchr("aeiouyAEIOUY", *c) != NULL;
        if (is_capital(*c) && is_small(c[1]))
            return false;
    }
    return letters > 0 && (letters <= 2 || vowels == 0);
}

/* Returns the command that begins at a colon inside the line; NULL: none. After a word, only a full
 * name is a command: "at 5:in" is text. */
static const char *find_inside(const char *line)
{
    for (const char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
        char name[32];
        struct status unused;
        size_t length = strcspn(colon + 1, " \t:");
        if (colon == line || length == 0 || length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, colon + 1);
        if (command_is(name) ||
            (are_keys(line, (size_t)(colon - line)) && command_find(name, &unused)))
            return colon;
    }
    return NULL;
}

/* Returns the sentence after the key that opens the prompt, if it is in another script (from U+0370
 * on), as no word mixes scripts. NULL: none. */
static const char *find_behind_key(const char *line)
{
    utf8proc_int32_t letter;
    bool other = line[0] == 'i' &&
                 utf8proc_iterate((const utf8proc_uint8_t *)line + 1, -1, &letter) > 0 &&
                 letter >= 0x370;
    return other && utf8proc_category(letter) <= UTF8PROC_CATEGORY_LO ? line + 1 : NULL;
}

/* True for a command without its colon: a command's name, followed by an existing file or
 * folder. */
static bool lacks_colon(const char *line)
{
    char word[256];
    size_t length = strcspn(line, " ");
    bool there = false;
    snprintf(word, sizeof word, "%.*s", (int)length, line);
    if (length >= sizeof word || !command_is(word))
        return false;
    for (line += length; *line && !there; line += length) {
        line += strspn(line, " ");
        length = strcspn(line, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, line);
        there =
            length > 0 && length < sizeof word && strpbrk(word, "/.") && access(word, F_OK) == 0;
    }
    return there;
}

/* True if the text at a colon begins with a command's name. */
static bool begins_command(const char *colon)
{
    char name[32];
    struct status unused;
    if (*colon != ':')
        return false;
    size_t length = strcspn(colon + 1, " \t\n");
    snprintf(name, sizeof name, "%.*s", (int)length, colon + 1);
    return length > 0 && length < sizeof name && command_find(name, &unused);
}

/* Returns lines without their blanks in front if each is blank or a command after two blanks or
 * more, as documents indent commands. The caller frees it; NULL: they are not, or out of memory. */
static char *without_indent(const char *lines)
{
    char *out = strdup(lines), *end = out;
    while (out && *lines) {
        size_t blanks = strspn(lines, " \t"), length = strcspn(lines + blanks, "\n");
        if (length > 0 && (blanks < 2 || !begins_command(lines + blanks))) {
            free(out);
            return NULL;
        }
        length += lines[blanks + length] == '\n';
        memcpy(end, lines + blanks, length);
        end += length;
        lines += blanks + length;
    }
    if (!out)
        return NULL;
    *end = '\0';
    if (*out == ':')
        return out;
    free(out); // blank lines alone, or first
    return NULL;
}

/* Returns what a line means. *rest: the line to use instead; NULL: this line. */
static enum meant meaning_of(const char *line, bool keys, const char **rest)
{
    static const char *const leave[] = {"quit", "exit", "ZZ", "ZQ", NULL};
    static const char *const help[] = {"help", "?", NULL};
    *rest = NULL;
    if (*line == ':' || is_blank(*line) || strchr(line, '\n'))
        return MEANT_AS_TYPED;
    if (is_one_of(line, leave))
        return MEANT_QUIT;
    if (is_one_of(line, help))
        return MEANT_HELP;
    *rest = find_inside(line);
    if (!*rest && keys)
        *rest = find_behind_key(line);
    if (*rest)
        return MEANT_REST;
    *rest = lacks_colon(line) ? line : NULL;
    if (*rest)
        return MEANT_COMMAND;
    return keys && are_keys(line, strlen(line)) && is_no_word(line) ? MEANT_KEYS : MEANT_AS_TYPED;
}

enum meant line_meant(const char *line, bool keys, char **line_of)
{
    const char *rest;
    *line_of = *line ? without_indent(line) : NULL;
    if (*line_of)
        return MEANT_REST;
    enum meant meant = meaning_of(line, keys, &rest);
    if (rest && asprintf(line_of, "%s%s", meant == MEANT_COMMAND ? ":" : "", rest) < 0) {
        *line_of = NULL;
        return MEANT_AS_TYPED;
    }
    return meant;
}
