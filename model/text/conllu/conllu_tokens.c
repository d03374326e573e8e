#include "model/text/conllu/conllu_tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "model/text/buffer.h"
#include "model/text/byte_level.h"
#include "model/text/marks.h"
#include "model/text/utf8.h"

/* A character as it is compared, and the words or tokens first … last that it belongs to. */
struct character {
    utf8proc_int32_t code;
    int first, last;
};

struct characters {
    struct character *list; // (count)
    size_t count, capacity;
};

/* Characters ----------------------------------------------------------------------------------------- */

/* Adds what is left of a character without blanks, marks, case and compatibility forms. */
static bool add_character(struct characters *out, utf8proc_int32_t code, int first, int last,
                          struct status *status)
{
    enum { PARTS_MOST = 32 };
    utf8proc_int32_t parts[PARTS_MOST];
    int boundary = 0;
    utf8proc_ssize_t count =
        utf8proc_decompose_char(code, parts, PARTS_MOST,
                                UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                    UTF8PROC_IGNORE | UTF8PROC_STRIPMARK,
                                &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < PARTS_MOST; i++) {
        if (utf8_is_space((uint32_t)parts[i]))
            continue;
        if (!memory_grow((void **)&out->list, &out->capacity, out->count + 1, sizeof *out->list,
                         status))
            return false;
        out->list[out->count++] = (struct character){parts[i], first, last};
    }
    return true;
}

static bool add_words(const struct conllu_sentence *sentence, const char *text,
                      struct characters *out, struct status *status)
{
    for (int w = 0; w < sentence->count; w++)
        for (size_t at = (size_t)sentence->words[w].begin, length;
             at < (size_t)sentence->words[w].end; at += length)
            if (!add_character(out, (utf8proc_int32_t)utf8_decode(text + at, &length), w, w,
                               status))
                return false;
    return true;
}

/* The byte of a piece such as "<0xE2>", or -1. */
static int byte_of(const char *piece)
{
    unsigned byte;
    int end = 0;
    return strlen(piece) == 6 && sscanf(piece, "<0x%2X>%n", &byte, &end) == 1 && end == 6
               ? (int)byte
               : -1;
}

/* Appends the bytes that a piece spells, without its marks. */
static bool add_piece(enum tokenizer_kind marks, const char *piece, struct buffer *out,
                      struct status *status)
{
    const size_t blank = strlen(BLANK_MARK), joiner = strlen(JOINER);
    const char *end = piece + strlen(piece), *mark;
    uint8_t class = word_class(marks, piece);
    if (marks == TOKENIZER_BYTE_BPE)
        return byte_level_decode(piece, out, status);
    if (marks == TOKENIZER_SENTENCEPIECE && byte_of(piece) >= 0)
        return buffer_add(out, &(char){(char)byte_of(piece)}, 1, status);
    for (; marks == TOKENIZER_SENTENCEPIECE && (mark = strstr(piece, BLANK_MARK));
         piece = mark + blank)
        if (!buffer_add(out, piece, (size_t)(mark - piece), status) ||
            !buffer_add(out, " ", 1, status))
            return false;
    if (marks == TOKENIZER_BPE && !(class & WORD_ENDS))
        end -= strlen(CONTINUED);
    if (marks == TOKENIZER_JOINER && !(class & WORD_BEGINS))
        piece += joiner;
    if (marks == TOKENIZER_JOINER && (class & WORD_JOINS) && piece < end)
        end -= joiner;
    return buffer_add(out, piece, (size_t)(end - piece), status);
}

/* The character at `text` and its bytes, as far as they are valid; Moses' escapes are one character. */
static utf8proc_int32_t next_character(const char *text, size_t bytes, size_t *length)
{
    static const struct {
        const char *text;
        char character;
    } escapes[] = {{"&amp;", '&'},   {"&#124;", '|'}, {"&lt;", '<'},  {"&gt;", '>'},
                   {"&apos;", '\''}, {"&quot;", '"'}, {"&#91;", '['}, {"&#93;", ']'}};
    for (size_t i = 0; *text == '&' && i < sizeof escapes / sizeof *escapes; i++)
        if (strncmp(text, escapes[i].text, strlen(escapes[i].text)) == 0) {
            *length = strlen(escapes[i].text);
            return escapes[i].character;
        }
    utf8proc_int32_t code;
    utf8proc_ssize_t read =
        utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)bytes, &code);
    *length = read > 0 ? (size_t)read : 1;
    return read > 0 ? code : 0xFFFD;
}

/* A character belongs to all tokens that have bytes of it. ends: (count), where each token's bytes end. */
static bool cut_characters(const struct buffer *bytes, const size_t *ends, int count,
                           struct characters *out, struct status *status)
{
    int token = 0;
    for (size_t at = 0, length; at < bytes->count; at += length) {
        utf8proc_int32_t code = next_character(bytes->data + at, bytes->count - at, &length);
        while (token < count && ends[token] <= at)
            token++;
        int last = token;
        while (last + 1 < count && ends[last] < at + length)
            last++;
        if (!add_character(out, code, token, last, status))
            return false;
    }
    return true;
}

static bool add_tokens(enum tokenizer_kind marks, const char *const *pieces, int count,
                       struct characters *out, struct status *status)
{
    struct buffer bytes = {0};
    size_t *ends = memory_new((size_t)count, sizeof *ends, status);
    bool ok = ends && buffer_clear(&bytes, status);
    for (int i = 0; ok && i < count; i++) {
        ok = !pieces[i] || add_piece(marks, pieces[i], &bytes, status);
        ends[i] = bytes.count;
    }
    ok = ok && cut_characters(&bytes, ends, count, out, status);
    free(ends);
    free(bytes.data);
    return ok;
}

/* Comparison ----------------------------------------------------------------------------------------- */

enum { ALIKE_LEAST = 3, SKIP_MOST = 200 };

/* Whether both go on alike: three characters, or as many as both have left. */
static bool alike(const struct characters *a, size_t i, const struct characters *b, size_t j)
{
    size_t left = a->count - i, other = b->count - j;
    size_t least = left < other ? left : other;
    if (least < ALIKE_LEAST && left != other)
        return false;
    for (size_t k = 0; k < least && k < ALIKE_LEAST; k++)
        if (a->list[i + k].code != b->list[j + k].code)
            return false;
    return true;
}

/* How many characters of each to skip until both go on alike: together as few as possible, else all. */
static void find_skip(const struct characters *a, size_t i, const struct characters *b, size_t j,
                      size_t *skip_a, size_t *skip_b)
{
    size_t left = a->count - i, other = b->count - j;
    for (size_t sum = 1; sum <= SKIP_MOST; sum++)
        for (size_t k = 0; k <= sum + 1; k++) {
            size_t half = sum / 2, step = (k + 1) / 2; // about as many of both first
            if ((k & 1) && step > half)
                continue;
            size_t x = k & 1 ? half - step : half + step;
            if (x > sum || x > left || sum - x > other || !alike(a, i + x, b, j + sum - x))
                continue;
            *skip_a = x;
            *skip_b = sum - x;
            return;
        }
    *skip_a = left;
    *skip_b = other;
}

/* The votes of a token's characters, which come word by word. */
struct votes {
    int best, most, word, count;
};

static void vote(struct votes *votes, int word)
{
    votes->count = votes->count && votes->word == word ? votes->count + 1 : 1;
    votes->word = word;
    if (votes->count > votes->most) {
        votes->most = votes->count;
        votes->best = word;
    }
}

/* Character j of the tokens stands for character i of the words. */
static void join(const struct characters *words, size_t i, const struct characters *tokens,
                 size_t j, struct votes *votes)
{
    for (int token = tokens->list[j].first; token <= tokens->list[j].last; token++)
        vote(&votes[token], words->list[i].first);
}

/* Gives every character of the tokens that has one its character of the words. next: (tokens), how many of the words'
 * characters come before the end of each token. */
static void compare(const struct characters *words, const struct characters *tokens,
                    struct votes *votes, size_t *next)
{
    for (size_t i = 0, j = 0; j < tokens->count;) {
        size_t skip_a = 1, skip_b = 1;
        if (i == words->count || words->list[i].code != tokens->list[j].code)
            find_skip(words, i, tokens, j, &skip_a, &skip_b);
        for (size_t k = 0; k < skip_b; k++) {
            if (skip_a)
                join(words, i + k * skip_a / skip_b, tokens, j + k, votes);
            next[tokens->list[j + k].last] =
                i + (k + 1 == skip_b ? skip_a : (k + 1) * skip_a / skip_b);
        }
        i += skip_a;
        j += skip_b;
    }
}

/* A token without votes is where the tokens before it end. */
static void choose(const struct characters *words, const char *const *pieces, int count,
                   const struct votes *votes, const size_t *next, int *out)
{
    size_t at = 0;
    for (int t = 0; t < count; t++) {
        at = next[t] > at ? next[t] : at;
        out[t] = -1;
        if (!pieces[t] || words->count == 0)
            continue;
        size_t place = at < words->count ? at : words->count - 1;
        out[t] = votes[t].most ? votes[t].best : words->list[place].first;
    }
}

bool conllu_tokens(const struct conllu_sentence *sentence, const char *text,
                   enum tokenizer_kind marks, const char *const *pieces, int count, int *words,
                   struct status *status)
{
    struct characters of_words = {0}, of_tokens = {0};
    struct votes *votes = memory_new((size_t)count, sizeof *votes, status);
    size_t *next = votes ? memory_new((size_t)count, sizeof *next, status) : NULL;
    bool ok = next && add_words(sentence, text, &of_words, status) &&
              add_tokens(marks, pieces, count, &of_tokens, status);
    if (ok) {
        compare(&of_words, &of_tokens, votes, next);
        choose(&of_words, pieces, count, votes, next, words);
    }
    free(votes);
    free(next);
    free(of_words.list);
    free(of_tokens.list);
    return ok;
}
