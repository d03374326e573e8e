#include "base/system.h"
#include "model/score/bleu.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/score/bleu_files.h"
#include "model/text/utf8.h"

typedef bool class(uint32_t character);

void bleu_tokens_clear(struct bleu_tokens *tokens)
{
    tokens->text.count = 0;
    tokens->count = 0;
}

void bleu_tokens_free(struct bleu_tokens *tokens)
{
    characters_free(&tokens->text);
    free(tokens->tokens);
    *tokens = (struct bleu_tokens){0};
}

/* Classes of characters ------------------------------------------------------------------------ */

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_no_digit(uint32_t c)
{
    return !is_digit(c);
}

static bool is_point(uint32_t c)
{
    return c == '.' || c == ',';
}

static bool is_dash(uint32_t c)
{
    return c == '-';
}

/* True for ASCII's marks except the apostrophe, comma, dash and period. */
static bool is_ascii_mark(uint32_t c)
{
    return c > ' ' && c < 0x7F && strchr("!\"#$%&()*+/:;<=>?@[\\]^_`{|}~", (int)c);
}

static bool is_no_number(uint32_t c)
{
    return !character_is_number(c);
}

/* True for the blocks that sacreBLEU's list means, as its code reads them: where the list has five
 * hexadecimal digits, it compares only the first four, so that General Punctuation to Supplemental
 * Operators count as Chinese. */
static bool is_chinese(uint32_t c)
{
    static const uint32_t blocks[][2] = {
        {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x303F},
        {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF},
        {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
        {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (c >= blocks[i][0] && c <= blocks[i][1])
            return true;
    return false;
}

/* Steps ---------------------------------------------------------------------------------------- */

static bool add_two(struct characters *out, uint32_t a, uint32_t b, struct status *status)
{
    return characters_add(out, a, status) && characters_add(out, b, status);
}

/* One step over a whole text, which it replaces. A matched pair is skipped as a whole, as by a
 * regular expression: in "..." only the first two match. `second` NULL: single characters get a
 * blank on either side. Otherwise pairs get a blank between them and one before or after them. */
struct step {
    class *first, *second;
    bool before;
};

static bool apply_at(const struct step *step, const struct characters *in, size_t *at,
                     struct characters *out, struct status *status)
{
    uint32_t c = in->at[(*at)++];
    if (!step->first(c))
        return characters_add(out, c, status);
    if (!step->second)
        return add_two(out, ' ', c, status) && characters_add(out, ' ', status);
    if (*at == in->count || !step->second(in->at[*at]))
        return characters_add(out, c, status);
    uint32_t next = in->at[(*at)++];
    return step->before ? add_two(out, ' ', c, status) && add_two(out, ' ', next, status)
                        : add_two(out, c, ' ', status) && add_two(out, next, ' ', status);
}

static bool apply(const struct step *steps, size_t count, struct characters *text,
                  struct status *status)
{
    for (size_t i = 0; i < count; i++) {
        struct characters out = {0};
        bool ok = true;
        for (size_t at = 0; ok && at < text->count;)
            ok = apply_at(&steps[i], text, &at, &out, status);
        characters_free(ok ? text : &out);
        if (!ok)
            return false;
        *text = out;
    }
    return true;
}

/* Replaces an ASCII text by one character everywhere; `by` 0: removes it. */
static void replace(struct characters *text, const char *what, uint32_t by)
{
    size_t length = strlen(what), kept = 0;
    for (size_t i = 0; i < text->count;) {
        size_t same = 0;
        while (same < length && i + same < text->count &&
               text->at[i + same] == (unsigned char)what[same])
            same++;
        if (same < length)
            text->at[kept++] = text->at[i++];
        else if (by)
            text->at[kept++] = by;
        i += same == length ? length : 0;
    }
    text->count = kept;
}

static bool apply_western(struct characters *text, struct status *status)
{
    static const struct step steps[] = {
        {is_ascii_mark, NULL, false},
        {is_no_digit, is_point, false},
        {is_point, is_no_digit, true},
        {is_digit, is_dash, false},
    };
    return apply(steps, sizeof steps / sizeof *steps, text, status);
}

/* Tokenisers ----------------------------------------------------------------------------------- */

/* The beginning and the end of the text count as blanks. */
static bool tokenize_13a(struct characters *text, struct status *status)
{
    replace(text, "<skipped>", 0);
    replace(text, "&quot;", '"');
    replace(text, "&amp;", '&');
    replace(text, "&lt;", '<');
    replace(text, "&gt;", '>');
    if (!add_two(text, ' ', ' ', status))
        return false;
    memmove(text->at + 1, text->at, (text->count - 2) * sizeof *text->at);
    text->at[0] = ' ';
    return apply_western(text, status);
}

static bool tokenize_intl(struct characters *text, struct status *status)
{
    static const struct step steps[] = {
        {is_no_number, character_is_punctuation, false},
        {character_is_punctuation, is_no_number, true},
        {character_is_symbol, NULL, false},
    };
    return apply(steps, sizeof steps / sizeof *steps, text, status);
}

static bool is_any(uint32_t c)
{
    (void)c;
    return true;
}

static bool tokenize_char(struct characters *text, struct status *status)
{
    static const struct step step = {is_any, NULL, false};
    return apply(&step, 1, text, status);
}

static void trim_front(struct characters *text)
{
    size_t blanks = 0;
    while (blanks < text->count && character_is_space(text->at[blanks]))
        blanks++;
    text->count -= blanks;
    if (text->count)
        memmove(text->at, text->at + blanks, text->count * sizeof *text->at);
}

static bool tokenize_zh(struct characters *text, struct status *status)
{
    static const struct step step = {is_chinese, NULL, false};
    trim_front(text);
    return apply(&step, 1, text, status) && apply_western(text, status);
}

static bool tokenize_none(struct characters *text, struct status *status)
{
    (void)text;
    (void)status;
    return true;
}

static char *text_of(const struct characters *characters, struct status *status)
{
    enum { BYTES_MOST = 4 };
    char *text = memory_new(BYTES_MOST * characters->count + 1, 1, status);
    size_t used = 0;
    for (size_t i = 0; text && i < characters->count; i++)
        used += utf8_encode(characters->at[i], text + used);
    return text;
}

/* Joins the pieces by blanks. */
static bool tokenize_by_file(enum bleu_tokenizer tokenizer, struct characters *text,
                             struct status *status)
{
    struct strings pieces = {0};
    char *whole = text_of(text, status);
    bool ok = whole && bleu_files_split(tokenizer, whole, &pieces, status);
    text->count = 0;
    for (int i = 0; ok && i < pieces.count; i++)
        ok = (!i || characters_add(text, ' ', status)) &&
             characters_add_text(text, pieces.text[i], status);
    strings_free(&pieces);
    free(whole);
    return ok;
}

static bool tokenize_flores101(struct characters *text, struct status *status)
{
    return tokenize_by_file(BLEU_FLORES101, text, status);
}

static bool tokenize_flores200(struct characters *text, struct status *status)
{
    return tokenize_by_file(BLEU_FLORES200, text, status);
}

static bool tokenize_ja_mecab(struct characters *text, struct status *status)
{
    trim_front(text);
    return tokenize_by_file(BLEU_JA_MECAB, text, status);
}

static bool tokenize_ko_mecab(struct characters *text, struct status *status)
{
    trim_front(text);
    return tokenize_by_file(BLEU_KO_MECAB, text, status);
}

static bool (*const tokenizers[])(struct characters *text, struct status *status) = {
    [BLEU_13A] = tokenize_13a,
    [BLEU_INTL] = tokenize_intl,
    [BLEU_CHAR] = tokenize_char,
    [BLEU_ZH] = tokenize_zh,
    [BLEU_NONE] = tokenize_none,
    [BLEU_SPM] = tokenize_flores101,
    [BLEU_FLORES101] = tokenize_flores101,
    [BLEU_FLORES200] = tokenize_flores200,
    [BLEU_JA_MECAB] = tokenize_ja_mecab,
    [BLEU_KO_MECAB] = tokenize_ko_mecab,
};

/* Adds the words between blanks. */
static bool add_tokens(struct bleu_tokens *tokens, const struct characters *text,
                       struct status *status)
{
    bool inside = false;
    for (size_t i = 0; i < text->count; i++) {
        bool blank = character_is_space(text->at[i]);
        if (!blank && !inside) {
            if (tokens->count == INT_MAX)
                return status_fail(status, STATUS_MEMORY, "more than %d tokens", INT_MAX);
            if (!memory_grow((void **)&tokens->tokens, &tokens->capacity, (size_t)tokens->count + 1,
                             sizeof *tokens->tokens, status))
                return false;
            tokens->tokens[tokens->count++] = (struct token){tokens->text.count, 0};
        }
        inside = !blank;
        if (blank)
            continue;
        if (!characters_add(&tokens->text, text->at[i], status))
            return false;
        tokens->tokens[tokens->count - 1].length++;
    }
    return true;
}

bool bleu_tokens_add(struct bleu_tokens *tokens, enum bleu_tokenizer tokenizer, bool lowercase,
                     const char *text, struct status *status)
{
    struct characters characters = {0};
    bool ok = characters_add_text(&characters, text, status) &&
              (!lowercase || characters_lower(&characters, status));
    characters_trim(&characters);
    ok =
        ok && tokenizers[tokenizer](&characters, status) && add_tokens(tokens, &characters, status);
    characters_free(&characters);
    return ok;
}

/* Numbers -------------------------------------------------------------------------------------- */

static int compare_tokens(const void *a, const void *b, void *context)
{
    const struct bleu_tokens *tokens = context;
    const struct token *one = &tokens->tokens[*(const int *)a];
    const struct token *other = &tokens->tokens[*(const int *)b];
    if (one->length != other->length)
        return one->length < other->length ? -1 : 1;
    // Only equality matters, so byte order is good enough.
    return memcmp(tokens->text.at + one->begin, tokens->text.at + other->begin,
                  one->length * sizeof *tokens->text.at);
}

uint32_t *bleu_tokens_numbers(const struct bleu_tokens *tokens, struct status *status)
{
    uint32_t *numbers = memory_new(tokens->count, sizeof *numbers, status);
    int *order = memory_new(tokens->count, sizeof *order, status);
    if (!numbers || !order) {
        free(numbers);
        free(order);
        return NULL;
    }
    for (int i = 0; i < tokens->count; i++)
        order[i] = i;
    sort_with(order, tokens->count, sizeof *order, compare_tokens, (void *)tokens);
    for (int i = 1; i < tokens->count; i++) {
        bool same = compare_tokens(&order[i - 1], &order[i], (void *)tokens) == 0;
        numbers[order[i]] = numbers[order[i - 1]] + !same;
    }
    free(order);
    return numbers;
}
