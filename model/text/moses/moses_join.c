#include <stdlib.h>
#include <string.h>

#include "model/text/moses/moses.h"
#include "model/text/moses/moses_classes.h"
#include "model/text/utf8.h"

/* Applied in this order; the result of the last one is not replaced again. */
static const struct {
    const char *from, *to;
} replacements[] = {
    {" @-@ ", "-"},  {"&bar;", "|"}, {"&#124;", "|"}, {"&lt;", "<"},
    {"&gt;", ">"},   {"&bra;", "["}, {"&ket;", "]"},  {"&quot;", "\""},
    {"&apos;", "'"}, {"&#91;", "["}, {"&#93;", "]"},  {"&amp;", "&"},
};

enum { REPLACEMENTS = sizeof replacements / sizeof *replacements };

static void replace_all(char *text, const char *from, const char *to)
{
    char *out = text, *next;
    while ((next = strstr(text, from))) {
        memmove(out, text, (size_t)(next - text));
        out += next - text;
        out = stpcpy(out, to);
        text = next + strlen(from);
    }
    memmove(out, text, strlen(text) + 1);
}

/* Quotation marks open and close in turn, each kind separately. */
static const char *const quotes[] = {"'", "\"", "``", "`", "''"};
enum { QUOTES = sizeof quotes / sizeof *quotes, QUOTE_KINDS = QUOTES + 1 };

struct joining {
    const struct moses_language *language;
    struct text_buffer *out;
    struct status *status;
    bool good;
    bool blank;             // true: a blank goes before the next token
    bool open[QUOTE_KINDS]; // the last kind: all other runs of marks
};

struct token {
    const char *text; // NUL-terminated, not empty
    size_t length;
    uint32_t first, last;
};

static void write_token(struct joining *joining, bool blank_before, const struct token *token,
                        bool blank_after)
{
    struct text_buffer *out = joining->out;
    bool blank = blank_before && out->count > 0 && out->data[out->count - 1] != ' ';
    joining->good = joining->good && (!blank || buffer_add(out, " ", 1, joining->status)) &&
                    buffer_add(out, token->text, token->length, joining->status);
    joining->blank = blank_after;
}

/* True if `text` consists of characters of `set`. */
static bool made_of(const char *text, const char *set)
{
    size_t length;
    for (; *text; text += length) {
        char character[5] = {0};
        length = utf8_length(*text);
        memcpy(character, text, length);
        if (!strstr(set, character))
            return false;
    }
    return true;
}

static bool opens(const struct token *token)
{
    size_t length;
    for (const char *at = token->text; *at; at += length) {
        uint32_t character = utf8_decode(at, &length);
        bool sign = character == '(' || character == '[' || character == '{' || character == 0xBF ||
                    character == 0xA1;
        if (!sign && !moses_currency(character))
            return false;
    }
    return true;
}

/* Returns the character after the first, or before the last; 0 if there is none. */
static uint32_t second(const struct token *token)
{
    size_t length, at = utf8_length(*token->text);
    return at < token->length ? utf8_decode(token->text + at, &length) : 0;
}

static uint32_t last_but_one(const struct token *token)
{
    size_t length, at = token->length - 1;
    while (at > 0 && (token->text[at] & 0xC0) == 0x80)
        at--;
    if (at == 0)
        return 0;
    for (at--; at > 0 && (token->text[at] & 0xC0) == 0x80;)
        at--;
    return utf8_decode(token->text + at, &length);
}

static bool contraction(const struct joining *joining, const struct token *token)
{
    return token->first == '\'' && moses_alpha(joining->language, second(token));
}

static bool elision(const struct joining *joining, const struct token *token,
                    const struct token *next)
{
    return token->last == '\'' && moses_alpha(joining->language, last_but_one(token)) && next &&
           moses_alpha(joining->language, next->first);
}

static int quote_kind(const char *text)
{
    int kind = 0;
    if (made_of(text, "„“”"))
        text = "\"";
    while (kind < QUOTES && strcmp(quotes[kind], text) != 0)
        kind++;
    return kind;
}

static void join_quote(struct joining *joining, const struct token *token,
                       const struct token *before)
{
    bool *open = &joining->open[quote_kind(token->text)];
    if (joining->language->czech_quotes && strcmp(token->text, "„") == 0)
        *open = false;
    if (joining->language->czech_quotes && strcmp(token->text, "“") == 0)
        *open = true;
    // "the Jones' house": a possessive rather than a quotation.
    bool possessive = joining->language->joins_contractions && !*open && before &&
                      strcmp(token->text, "'") == 0 && before->last == 's';
    if (possessive) {
        write_token(joining, false, token, true);
        return;
    }
    write_token(joining, joining->blank && !*open, token, *open);
    *open = !*open;
}

/* `before` and `next`: the neighbours, or NULL. */
static void join_token(struct joining *joining, const struct token *token,
                       const struct token *before, const struct token *next)
{
    const struct moses_language *language = joining->language;
    bool blank = joining->blank;
    if (moses_ideograph(token->first) && !language->spaces_ideographs)
        write_token(joining, blank && !(before && moses_ideograph(before->last)), token, true);
    else if (opens(token))
        write_token(joining, blank, token, false);
    else if (made_of(token->text, ",.?!:;\\%}])"))
        write_token(joining,
                    language->spaces_punctuation && token->length == 1 &&
                        strchr("?!:;\\%", *token->text),
                    token, true);
    else if (language->joins_contractions && before && contraction(joining, token))
        write_token(joining, false, token, true);
    else if (language->joins_elisions && elision(joining, token, next))
        write_token(joining, blank, token, false);
    else if (made_of(token->text, "'\"„“`"))
        join_quote(joining, token, before);
    else
        write_token(joining, blank, token, true);
}

/* Takes the next token off *text, which moves on. Returns false at the end. */
static bool token_next(char **text, struct token *token)
{
    size_t length = 0;
    while (**text && moses_blank(utf8_decode(*text, &length)))
        *text += length;
    if (**text == '\0')
        return false;
    *token = (struct token){.text = *text, .first = utf8_decode(*text, &length)};
    char *end = *text;
    uint32_t character;
    while (*end && !moses_blank(character = utf8_decode(end, &length))) {
        token->last = character;
        end += length;
    }
    token->length = (size_t)(end - *text);
    *text = *end ? end + length : end;
    *end = '\0';
    return true;
}

static bool join(struct joining *joining, char *text)
{
    struct token before, token, next;
    bool first = true, more = token_next(&text, &token);
    while (more && joining->good) {
        more = token_next(&text, &next);
        join_token(joining, &token, first ? NULL : &before, more ? &next : NULL);
        before = token;
        token = next;
        first = false;
    }
    return joining->good;
}

bool moses_detokenize(const char *tokens, const char *language, struct text_buffer *out,
                      struct status *status)
{
    struct text_buffer text = {0};
    struct joining joining = {moses_language(language), out, status, true, true, {false}};
    bool good = buffer_clear(out, status) && buffer_add_text(&text, " ", status) &&
                buffer_add_text(&text, tokens, status) && buffer_add_text(&text, " ", status);
    for (int i = 0; good && i < REPLACEMENTS; i++)
        replace_all(text.data, replacements[i].from, replacements[i].to);
    good = good && join(&joining, text.data);
    free(text.data);
    return good;
}
