#include "terminal/text/arguments.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

const char *skip_blanks(const char *text)
{
    while (is_blank(*text))
        text++;
    return text;
}

bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Copies one word, unquoted, to `word`. Returns where it ends; NULL if a quote is not closed. */
static const char *unquote(const char *text, char *word, size_t *bytes)
{
    char quote = 0;
    *bytes = 0;
    for (; *text && (quote || !is_blank(*text)); text++) {
        bool escapes =
            *text == '\\' && (quote == 0 || (quote == '"' && text[1] && strchr("\\\"", text[1])));
        if (escapes && !text[1])
            return NULL;
        if (escapes)
            word[(*bytes)++] = *++text;
        else if (!quote && (*text == '"' || *text == '\''))
            quote = *text;
        else if (quote && *text == quote)
            quote = 0;
        else
            word[(*bytes)++] = *text;
    }
    return quote ? NULL : text;
}

bool arguments_split(const char *text, struct strings *words, struct status *status)
{
    strings_clear(words);
    char *word = memory_new(strlen(text) + 1, 1, status);
    bool ok = word != NULL;
    for (text = skip_blanks(text); ok && *text; text = skip_blanks(text)) {
        size_t bytes;
        const char *end = unquote(text, word, &bytes);
        if (!end)
            ok = status_fail(status, STATUS_INVALID,
                             "unfinished quote or backslash: %s (the character itself: \\\" or "
                             "\\\\)",
                             QUOTED(text));
        else
            ok = strings_add(words, word, bytes, status);
        text = end ? end : text;
    }
    free(word);
    return ok;
}

char *arguments_split_typed(const char *text, struct strings *words, size_t *start,
                            struct status *status)
{
    const char *begin = text, *end;
    size_t bytes = 0;
    strings_clear(words);
    char *word = memory_new(strlen(text) + 1, 1, status);
    for (text = skip_blanks(text); word; text = skip_blanks(end)) {
        *start = text - begin;
        end = unquote(text, word, &bytes);
        if (!end || !*end)
            break;
        if (!strings_add(words, word, bytes, status)) {
            free(word);
            word = NULL;
        }
    }
    if (word)
        word[bytes] = '\0';
    return word;
}

char *arguments_path(const char *typed)
{
    const char *home = getenv("HOME");
    const bool at_home = home && *typed == '~' && (!typed[1] || typed[1] == '/');
    char *path = NULL;
    return asprintf(&path, "%s%s", at_home ? home : "", typed + at_home) < 0 ? NULL : path;
}

void arguments_quote(FILE *stream, const char *word)
{
    if (!*word)
        fputs("\"\"", stream);
    for (; *word; word++) {
        if (is_blank(*word) || *word == '\\' || *word == '"' || *word == '\'')
            fputc('\\', stream);
        fputc(*word, stream);
    }
}

/* True if the text is a single quoted word. */
static bool is_quoted(const char *text, char *word, size_t *bytes)
{
    char quote = text[0];
    size_t length = strlen(text);
    if ((quote != '"' && quote != '\'') || length < 2 || text[length - 1] != quote)
        return false;
    for (size_t i = 1; i + 1 < length; i++) {
        if (text[i] == '\\' && quote == '"')
            i++;
        else if (text[i] == quote)
            return false;
    }
    const char *end = unquote(text, word, bytes);
    return end && !*end;
}

static char *trim(const char *text, size_t bytes, struct status *status)
{
    while (bytes && is_blank(text[0])) {
        text++;
        bytes--;
    }
    while (bytes && is_blank(text[bytes - 1]))
        bytes--;
    char *trimmed = memory_new(bytes + 1, 1, status);
    if (trimmed)
        memcpy(trimmed, text, bytes);
    return trimmed;
}

char *arguments_trim(const char *text, struct status *status)
{
    return trim(text, strlen(text), status);
}

char *arguments_text(const char *text, size_t bytes, struct status *status)
{
    char *trimmed = trim(text, bytes, status);
    char *word = trimmed ? memory_new(strlen(trimmed) + 1, 1, status) : NULL;
    size_t unquoted;
    if (word && is_quoted(trimmed, word, &unquoted)) {
        memcpy(trimmed, word, unquoted);
        trimmed[unquoted] = '\0';
    }
    if (!word) {
        free(trimmed);
        trimmed = NULL;
    }
    free(word);
    return trimmed;
}

/* Returns the bytes of a quoted word at the beginning of `text` (is_quoted); 0: none. */
static size_t quoted_length(const char *text)
{
    char quote = text[0];
    if (quote != '"' && quote != '\'')
        return 0;
    for (size_t i = 1; text[i]; i++) {
        if (text[i] == quote)
            return i + 1;
        i += text[i] == '\\' && quote == '"' && text[i + 1];
    }
    return 0;
}

const char *arguments_bar(const char *text)
{
    const char *begin = skip_blanks(text);
    size_t quoted = quoted_length(begin);
    const char *after = skip_blanks(begin + quoted);
    if (quoted && (!*after || begins_with(after, "|||")))
        return *after ? after : NULL;
    return strstr(text, "|||");
}

static bool needs_quotes(const char *text)
{
    size_t length = strlen(text);
    return !length || is_blank(text[0]) || is_blank(text[length - 1]) || strstr(text, "|||") ||
           quoted_length(text) == length;
}

void arguments_quote_text(FILE *out, const char *text)
{
    if (!needs_quotes(text)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

const char *arguments_after(const char *text, int count)
{
    char quote = 0;
    for (text = skip_blanks(text); count > 0 && *text; count--, text = skip_blanks(text))
        for (; *text && (quote || !is_blank(*text)); text++) {
            if (*text == '\\' && quote != '\'' && text[1])
                text++;
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
            else if (quote && *text == quote)
                quote = 0;
        }
    return text;
}

/* strtol and strtod would also accept blanks and signs before the number. */
static bool starts_number(const char *text)
{
    return (*text >= '0' && *text <= '9') || ((*text == '-' || *text == '.') && text[1]);
}

bool parse_int(const char *what, const char *text, int least, int most, int *out,
               struct status *status)
{
    char *end = NULL;
    errno = 0;
    long value = starts_number(text) ? strtol(text, &end, 10) : 0;
    if (!end || *end || errno || value < least || value > most) {
        if (least == most)
            return status_fail(status, STATUS_INVALID, "%s: \"%s\", expected %d, the only one",
                               what, QUOTED(text), least);
        if (most == INT_MAX)
            return status_fail(status, STATUS_INVALID,
                               "%s: \"%s\", expected a whole number from %d", what, QUOTED(text),
                               least);
        return status_fail(status, STATUS_INVALID,
                           "%s: \"%s\", expected a whole number from %d to %d", what, QUOTED(text),
                           least, most);
    }
    *out = (int)value;
    return true;
}

bool parse_double(const char *what, const char *text, double least, double most, double *out,
                  struct status *status)
{
    char *end = NULL;
    // Only strtod accepts hexadecimal, "inf" and "nan".
    bool decimal = starts_number(text) && strspn(text, "0123456789.eE+-") == strlen(text);
    double value = decimal ? strtod(text, &end) : 0;
    if (!end || end == text || *end || !(value >= least && value <= most))
        return status_fail(status, STATUS_INVALID, "%s: \"%s\", expected a number from %g to %g",
                           what, QUOTED(text), least, most);
    *out = value;
    return true;
}
