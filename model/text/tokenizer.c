#include <stdlib.h>
#include <string.h>

#include "model/text/bpe.h"
#include "model/text/buffer.h"
#include "model/text/marks.h"
#include "model/text/moses/moses.h"
#include "model/text/pipeline.h"
#include "model/text/sentencepiece_shim.h"
#include "model/text/text.h"

struct tokenizer {
    enum tokenizer_kind kind;
    enum piece_marks marks;
    bool moses, lowercase;
    char *language;
    struct sentencepiece_model *sentencepiece;
    struct bpe *bpe;
    struct pipeline *pipeline;
    struct buffer text, work; // of the line being split
};

const char *const tokenizer_names[TOKENIZER_KINDS] = {
    [TOKENIZER_SENTENCEPIECE] = "sentencepiece", [TOKENIZER_BPE] = "bpe",
    [TOKENIZER_WHITESPACE] = "whitespace",       [TOKENIZER_BYTE_BPE] = "byte_bpe",
    [TOKENIZER_JSON] = "tokenizer_json",         [TOKENIZER_JOINER] = "joiner"};

static const char blanks[] = " \t";

static bool has(const char *model, size_t bytes, const char *text)
{
    return memmem(model, bytes, text, strlen(text)) != NULL;
}

/* A SentencePiece model is no text; of merges, those of bytes write a blank as "Ġ" and know no end of a word. */
enum tokenizer_kind tokenizer_recognise(const char *model, size_t bytes)
{
    size_t blank = 0;
    while (blank + 1 < bytes && model[blank] && strchr(" \t\r\n", model[blank]))
        blank++;
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)model[i] < ' ' && !strchr("\t\r\n", model[i] ? model[i] : 'x'))
            return TOKENIZER_SENTENCEPIECE;
    if (bytes == 0 || utf8_invalid(model, bytes) >= 0)
        return TOKENIZER_SENTENCEPIECE;
    if (model[blank] == '{')
        return TOKENIZER_JSON;
    return has(model, bytes, BYTE_LEVEL_BLANK) && !has(model, bytes, "</w>") ? TOKENIZER_BYTE_BPE
                                                                             : TOKENIZER_BPE;
}

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
        tokenizer->sentencepiece = sentencepiece_open(spec->model, spec->model_bytes, status);
        return tokenizer->sentencepiece != NULL;
    case TOKENIZER_BPE:
        tokenizer->bpe = bpe_open(spec->model, spec->model_bytes, false, status);
        return tokenizer->bpe != NULL;
    case TOKENIZER_BYTE_BPE:
        tokenizer->pipeline = pipeline_open_bytes(spec->model, spec->model_bytes, status);
        return tokenizer->pipeline != NULL;
    case TOKENIZER_JSON:
        tokenizer->pipeline = pipeline_open_json(spec->model, spec->model_bytes, status);
        return tokenizer->pipeline != NULL;
    case TOKENIZER_WHITESPACE:
    case TOKENIZER_JOINER:
        break;
    }
    return true;
}

enum tokenizer_kind tokenizer_kind(const struct tokenizer *tokenizer)
{
    return tokenizer->kind;
}

enum tokenizer_kind tokenizer_marks(const struct tokenizer *tokenizer)
{
    static const enum tokenizer_kind of_marks[] = {[MARKS_NONE] = TOKENIZER_WHITESPACE,
                                                   [MARKS_SENTENCEPIECE] = TOKENIZER_SENTENCEPIECE,
                                                   [MARKS_BPE] = TOKENIZER_BPE,
                                                   [MARKS_BYTE_BPE] = TOKENIZER_BYTE_BPE};
    if (tokenizer->kind == TOKENIZER_WHITESPACE)
        return of_marks[tokenizer->marks];
    if (tokenizer->kind != TOKENIZER_JSON)
        return tokenizer->kind;
    return pipeline_of_bytes(tokenizer->pipeline) ? TOKENIZER_BYTE_BPE : TOKENIZER_SENTENCEPIECE;
}

struct tokenizer *tokenizer_open(const struct tokenizer_spec *spec, struct status *status)
{
    struct tokenizer *tokenizer = memory_new(1, sizeof *tokenizer, status);
    if (!tokenizer)
        return NULL;
    tokenizer->kind = spec->kind;
    tokenizer->marks = spec->marks;
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
    pipeline_close(tokenizer->pipeline);
    free(tokenizer->language);
    free(tokenizer->text.data);
    free(tokenizer->work.data);
    free(tokenizer);
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
        if (!buffer_clear(work, status) || !buffer_add_lowercase(work, text->data, status))
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
    if (tokenizer->pipeline)
        return pipeline_split(tokenizer->pipeline, word, pieces, status);
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

/* Appends a piece without the marks of its kind; *open: the next one joins it without a blank. */
static bool piece_join(enum tokenizer_kind kind, const char *piece, bool *open, struct buffer *text,
                       struct status *status)
{
    const size_t mark = strlen(JOINER);
    size_t length = strlen(piece);
    uint8_t class = word_class(kind, piece);
    bool closed = kind == TOKENIZER_JOINER && !(class & WORD_BEGINS);
    if (!*open && !closed && !buffer_add(text, " ", 1, status))
        return false;
    if (kind == TOKENIZER_BPE) {
        *open = !(class & WORD_ENDS);
        return buffer_add(text, piece, *open ? length - 2 : length, status);
    }
    *open = kind == TOKENIZER_JOINER && class & WORD_JOINS;
    if (closed) {
        piece += mark;
        length -= mark;
    }
    return buffer_add(text, piece, *open && length ? length - mark : length, status);
}

/* Joins by blanks, but where a piece says that it belongs to the next one, or to the one before it. */
static char *words_join(enum tokenizer_kind kind, const char *const *pieces, int count,
                        struct status *status)
{
    struct buffer text = {0};
    bool good = buffer_clear(&text, status), open = true;
    for (int i = 0; good && i < count; i++)
        good = piece_join(kind, pieces[i], &open, &text, status);
    if (good)
        return text.data;
    free(text.data);
    return NULL;
}

/* Pieces of the subword model as text. */
static char *pieces_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                         struct status *status)
{
    if (tokenizer->sentencepiece)
        return sentencepiece_join(tokenizer->sentencepiece, pieces, count, status);
    if (tokenizer->pipeline)
        return pipeline_join(tokenizer->pipeline, pieces, count, status);
    return words_join(tokenizer->kind, pieces, count, status);
}

char *tokenizer_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                     struct status *status)
{
    char *text = pieces_join(tokenizer, pieces, count, status);
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

static char *word_join(struct tokenizer *tokenizer, enum tokenizer_kind marks,
                       const char *const *pieces, int count, struct status *status)
{
    if (tokenizer->kind != TOKENIZER_WHITESPACE || marks == TOKENIZER_WHITESPACE)
        return tokenizer_join(tokenizer, pieces, count, status);
    return marks == TOKENIZER_BPE
               ? words_join(marks, pieces, count, status)
               : pipeline_join_marks(marks == TOKENIZER_BYTE_BPE, pieces, count, status);
}

char *tokenizer_join_word(struct tokenizer *tokenizer, const char *const *pieces, int count,
                          struct status *status)
{
    enum tokenizer_kind marks = tokenizer_marks(tokenizer);
    char *text = word_join(tokenizer, marks, pieces, count, status);
    if (text && marks == TOKENIZER_BYTE_BPE && text[0] == ' ' && text[1])
        memmove(text, text + 1, strlen(text));
    return text;
}
