#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "model/text/bpe.h"
#include "model/text/buffer.h"
#include "model/text/moses.h"
#include "model/text/sentencepiece_shim.h"
#include "model/text/text.h"
#include "model/text/utf8.h"

struct tokenizer {
    enum tokenizer_kind kind;
    bool moses, lowercase;
    char *language;
    struct sentencepiece_model *sentencepiece;
    struct bpe *bpe;
    struct buffer text, work; // of the line being split
};

static const char blanks[] = " \t";

static bool tokenizer_load(struct tokenizer *tokenizer, const struct tokenizer_spec *spec,
                           struct status *status)
{
    const char *language = spec->language ? spec->language : "en";
    tokenizer->language = memory_new(strlen(language) + 1, 1, status);
    if (!tokenizer->language)
        return false;
    memcpy(tokenizer->language, language, strlen(language));
    switch (spec->kind) {
    case TOKENIZER_SENTENCEPIECE:
        if (!sentencepiece_check(spec->model, spec->model_bytes, status))
            return false;
        tokenizer->sentencepiece = sentencepiece_open(spec->model, spec->model_bytes, status);
        return tokenizer->sentencepiece != NULL;
    case TOKENIZER_BPE:
        tokenizer->bpe = bpe_open(spec->model, spec->model_bytes, status);
        return tokenizer->bpe != NULL;
    case TOKENIZER_WHITESPACE:
        break;
    }
    return true;
}

struct tokenizer *tokenizer_open(const struct tokenizer_spec *spec, struct status *status)
{
    struct tokenizer *tokenizer = memory_new(1, sizeof *tokenizer, status);
    if (!tokenizer)
        return NULL;
    tokenizer->kind = spec->kind;
    tokenizer->moses = spec->moses;
    tokenizer->lowercase = spec->lowercase;
    if (tokenizer_load(tokenizer, spec, status))
        return tokenizer;
    tokenizer_close(tokenizer);
    return NULL;
}

void tokenizer_close(struct tokenizer *tokenizer)
{
    if (!tokenizer)
        return;
    sentencepiece_close(tokenizer->sentencepiece);
    bpe_close(tokenizer->bpe);
    free(tokenizer->language);
    free(tokenizer->text.data);
    free(tokenizer->work.data);
    free(tokenizer);
}

static void buffer_swap(struct buffer *a, struct buffer *b)
{
    struct buffer kept = *a;
    *a = *b;
    *b = kept;
}

/* Character by character, whatever is around. Capital I with dot alone becomes two characters, as
 * Unicode's SpecialCasing and with it Perl and Python have it. */
static bool lowercase_write(const char *text, struct buffer *out, struct status *status)
{
    static const uint32_t capital_i_dot = 0x130, dot_above = 0x307;
    size_t length;
    if (!buffer_clear(out, status))
        return false;
    for (; *text; text += length) {
        uint32_t character = utf8_decode(text, &length);
        uint32_t lower = (uint32_t)utf8proc_tolower((utf8proc_int32_t)character);
        if (!buffer_add_character(out, lower, status))
            return false;
        if (character == capital_i_dot && !buffer_add_character(out, dot_above, status))
            return false;
    }
    return true;
}

/* Fills tokenizer->text with the line as the subword model wants it. Moses comes before
 * lower-casing, as in the usual preparation of training data: its abbreviations are
 * case-sensitive. */
static bool line_prepare(struct tokenizer *tokenizer, const char *line, struct status *status)
{
    struct buffer *text = &tokenizer->text, *work = &tokenizer->work;
    size_t bytes = strlen(line);
    ptrdiff_t invalid = utf8_invalid(line, bytes);
    if (invalid >= 0)
        return status_fail(status, STATUS_INVALID, "byte %td: invalid UTF-8", invalid);
    if (!buffer_clear(text, status) || !buffer_add(text, line, bytes, status))
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (text->data[i] == '\n' || text->data[i] == '\r')
            text->data[i] = ' ';
    if (tokenizer->moses) {
        if (!moses_tokenize(text->data, tokenizer->language, work, status))
            return false;
        buffer_swap(text, work);
    }
    if (tokenizer->lowercase) {
        if (!lowercase_write(text->data, work, status))
            return false;
        buffer_swap(text, work);
    }
    return true;
}

bool tokenizer_split(struct tokenizer *tokenizer, const char *text, struct pieces *pieces,
                     struct status *status)
{
    pieces_clear(pieces);
    if (!line_prepare(tokenizer, text, status))
        return false;
    const char *word = tokenizer->text.data;
    if (tokenizer->kind == TOKENIZER_SENTENCEPIECE)
        return sentencepiece_split(tokenizer->sentencepiece, word, pieces, status);
    while (*(word += strspn(word, blanks)) != '\0') {
        size_t length = strcspn(word, blanks);
        bool good = tokenizer->bpe ? bpe_split(tokenizer->bpe, word, length, pieces, status)
                                   : pieces_add(pieces, word, length, status);
        if (!good)
            return false;
        word += length;
    }
    return true;
}

/* Joins by blanks, but where a bpe piece says that the next one continues it. */
static char *words_join(enum tokenizer_kind kind, const char *const *pieces, int count,
                        struct status *status)
{
    struct buffer text = {0};
    bool good = buffer_clear(&text, status);
    for (int i = 0; good && i < count; i++) {
        size_t length = strlen(pieces[i]);
        bool continued = kind == TOKENIZER_BPE && !(word_class(kind, pieces[i]) & WORD_ENDS);
        good = buffer_add(&text, pieces[i], continued ? length - 2 : length, status) &&
               (continued || i + 1 == count || buffer_add(&text, " ", 1, status));
    }
    if (good)
        return text.data;
    free(text.data);
    return NULL;
}

char *tokenizer_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                     struct status *status)
{
    char *text = tokenizer->kind == TOKENIZER_SENTENCEPIECE
                     ? sentencepiece_join(tokenizer->sentencepiece, pieces, count, status)
                     : words_join(tokenizer->kind, pieces, count, status);
    if (!text || !tokenizer->moses)
        return text;
    struct buffer plain = {0};
    bool good = moses_detokenize(text, tokenizer->language, &plain, status);
    free(text);
    if (good)
        return plain.data;
    free(plain.data);
    return NULL;
}
