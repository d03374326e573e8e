#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "model/text/added_tokens.h"
#include "model/text/bpe.h"
#include "model/text/buffer.h"
#include "model/text/marks.h"
#include "model/text/moses/moses.h"
#include "model/text/pipeline.h"
#include "model/text/scripts.h"
#include "model/text/sentencepiece_shim.h"
#include "model/text/text.h"
#include "model/text/utf8.h"

struct tokenizer {
    enum tokenizer_kind kind;
    enum piece_marks marks;
    enum blanks blanks;
    bool moses, normalized, lowercase, language_codes, last_blank;
    enum spacing_kind spacing;
    char *language;
    struct sentencepiece_model *sentencepiece;
    struct bpe *bpe;
    struct pipeline *pipeline;
    struct added_tokens added;
    struct text_buffer text, work, part; // of the line being split
    struct strings cut;
};

const char *const tokenizer_names[TOKENIZER_KINDS] = {
    [TOKENIZER_SENTENCEPIECE] = "sentencepiece", [TOKENIZER_BPE] = "bpe",
    [TOKENIZER_WHITESPACE] = "whitespace",       [TOKENIZER_BYTE_BPE] = "byte_bpe",
    [TOKENIZER_JSON] = "tokenizer_json",         [TOKENIZER_JOINER] = "joiner"};

const char *const blanks_names[BLANKS_KINDS] = {[BLANKS_ASCII] = "ascii",
                                                [BLANKS_SPACE] = "space",
                                                [BLANKS_UNICODE] = "unicode",
                                                [BLANKS_PIECES] = "pieces"};

static bool has(const char *model, size_t bytes, const char *text)
{
    return memory_find(model, bytes, text, strlen(text)) != NULL;
}

/* A SentencePiece model is not text. Merges of bytes write a blank as "Ġ" and do not mark the end
 * of a word. */
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
        tokenizer->bpe =
            bpe_open(spec->model, spec->model_bytes,
                     spec->marks == MARKS_WORD_END ? BPE_ENDED : BPE_CONTINUED, status);
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

static enum piece_marks marks_of(const struct tokenizer *tokenizer, enum piece_marks given)
{
    switch (tokenizer->kind) {
    case TOKENIZER_SENTENCEPIECE:
        return sentencepiece_marks_ends(tokenizer->sentencepiece) ? MARKS_SENTENCEPIECE_SUFFIX
                                                                  : MARKS_SENTENCEPIECE;
    case TOKENIZER_BPE:
        return given == MARKS_WORD_END ? given : MARKS_BPE;
    case TOKENIZER_BYTE_BPE:
        return MARKS_BYTE_BPE;
    case TOKENIZER_JSON:
        return pipeline_marks(tokenizer->pipeline);
    case TOKENIZER_JOINER:
        return MARKS_JOINER;
    case TOKENIZER_WHITESPACE:
        break;
    }
    return given;
}

enum piece_marks tokenizer_marks(const struct tokenizer *tokenizer)
{
    return tokenizer->marks;
}

bool tokenizer_is_added(const struct tokenizer *tokenizer, const char *piece)
{
    return added_tokens_have(&tokenizer->added, piece);
}

uint8_t tokenizer_word_class(const struct tokenizer *tokenizer, const char *piece)
{
    if (tokenizer_is_added(tokenizer, piece))
        return WORD_BEGINS | WORD_ENDS;
    return word_class(tokenizer->marks, piece) |
           (tokenizer->spacing == SPACED
                ? 0
                : script_class(tokenizer->spacing, tokenizer->marks, piece));
}

void tokenizer_see(struct tokenizer *tokenizer, const struct vocabulary *vocabulary)
{
    const enum spacing_kind spacing = scripts_spacing(vocabulary, tokenizer->marks);
    tokenizer->spacing = spacing == SPACED ? tokenizer->spacing : spacing;
}

bool tokenizer_unspaced(const struct tokenizer *tokenizer)
{
    return tokenizer->spacing != SPACED;
}

/* Without a pipeline, nothing is normalized. */
static bool add_token(struct tokenizer *tokenizer, const struct added_token *token,
                      struct status *status)
{
    struct added_token how = *token;
    how.normalized = token->normalized && tokenizer->pipeline;
    if (!buffer_clear(&tokenizer->part, status) ||
        !buffer_add_text(&tokenizer->part, token->text, status) ||
        (how.normalized && !pipeline_normalize(tokenizer->pipeline, &tokenizer->part, status)))
        return false;
    return added_tokens_add(&tokenizer->added, &how, tokenizer->part.data, status);
}

static bool add_tokens(struct tokenizer *tokenizer, const struct added_token *list, int count,
                       struct status *status)
{
    for (int i = 0; i < count; i++)
        if (!add_token(tokenizer, &list[i], status))
            return false;
    return true;
}

static bool load_added(struct tokenizer *tokenizer, const struct tokenizer_spec *spec,
                       struct status *status)
{
    int count = 0;
    const struct added_token *own =
        tokenizer->pipeline ? pipeline_added(tokenizer->pipeline, &count) : NULL;
    return add_tokens(tokenizer, own, count, status) &&
           add_tokens(tokenizer, spec->added, spec->added_count, status);
}

struct tokenizer *tokenizer_open(const struct tokenizer_spec *spec, struct status *status)
{
    struct tokenizer *tokenizer = memory_new(1, sizeof *tokenizer, status);
    if (!tokenizer)
        return NULL;
    tokenizer->kind = spec->kind;
    tokenizer->blanks = spec->blanks;
    tokenizer->moses = spec->moses;
    tokenizer->normalized = spec->normalized;
    tokenizer->lowercase = spec->lowercase;
    tokenizer->language_codes = spec->language_codes;
    tokenizer->last_blank = spec->last_blank;
    if (tokenizer_load(tokenizer, spec, status) && load_added(tokenizer, spec, status)) {
        tokenizer->marks = marks_of(tokenizer, spec->marks);
        return tokenizer;
    }
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
    added_tokens_free(&tokenizer->added);
    strings_free(&tokenizer->cut);
    free(tokenizer->text.data);
    free(tokenizer->work.data);
    free(tokenizer->part.data);
    free(tokenizer);
}

static bool line_prepare(struct tokenizer *tokenizer, const char *line, struct status *status)
{
    struct text_buffer *text = &tokenizer->text;
    size_t bytes = strlen(line);
    ptrdiff_t invalid = utf8_invalid(line, bytes);
    if (invalid >= 0)
        return status_fail(status, STATUS_INVALID, "byte %td: invalid UTF-8", invalid);
    if (!buffer_clear(text, status) || !buffer_add(text, line, bytes, status))
        return false;
    for (size_t i = 0; i < bytes; i++)
        if (text->data[i] == '\n' || text->data[i] == '\r')
            text->data[i] = ' ';
    return true;
}

/* Prepares a text without added tokens for the subword model. Moses comes before lower-casing, as
 * usual for training data: its abbreviations are case-sensitive. */
static bool part_prepare(struct tokenizer *tokenizer, struct text_buffer *text,
                         struct status *status)
{
    struct text_buffer *work = &tokenizer->work;
    if (tokenizer->normalized && !moses_normalize(text, tokenizer->language, status))
        return false;
    if (tokenizer->moses) {
        if (!moses_tokenize(text->data, tokenizer->language,
                            tokenizer->normalized ? MOSES_DASHES_SPLIT : MOSES_DASHES_KEPT, work,
                            status))
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

/* Words ---------------------------------------------------------------------------------------- */

static bool is_blank(enum blanks blanks, uint32_t character)
{
    if (blanks >= BLANKS_UNICODE) // Python also counts ASCII's separators
        return utf8_is_space(character) || (character >= 0x1C && character <= 0x1F);
    return character == ' ' || (blanks == BLANKS_ASCII && character == '\t');
}

/* Returns the bytes of the run of blanks, or of other characters, at the beginning. */
static size_t span_of(enum blanks blanks, const char *text, bool blank)
{
    size_t at = 0, length;
    while (text[at] && is_blank(blanks, utf8_decode(text + at, &length)) == blank)
        at += length;
    return at;
}

/* Adds the words between blanks. */
static bool add_words(enum blanks blanks, const char *text, struct strings *pieces,
                      struct status *status)
{
    while (*(text += span_of(blanks, text, true))) {
        size_t length = span_of(blanks, text, false);
        if (!strings_add(pieces, text, length, status))
            return false;
        text += length;
    }
    return true;
}

/* Splits words into pieces. */
static bool cut_words(struct tokenizer *tokenizer, const char *text, struct strings *pieces,
                      struct status *status)
{
    bool twice = tokenizer->blanks == BLANKS_PIECES;
    enum blanks blanks = twice ? BLANKS_SPACE : tokenizer->blanks;
    struct strings *cut = twice ? &tokenizer->cut : pieces;
    strings_clear(&tokenizer->cut);
    while (*(text += span_of(blanks, text, true))) {
        size_t length = span_of(blanks, text, false);
        if (!bpe_split(tokenizer->bpe, text, length, cut, status))
            return false;
        text += length;
    }
    for (int i = 0; twice && i < cut->count; i++)
        if (!add_words(BLANKS_UNICODE, cut->text[i], pieces, status))
            return false;
    return true;
}

/* True if the last character of a text is white space. */
static bool ends_in_blank(const char *text, size_t bytes)
{
    size_t begin = bytes, length;
    while (begin > 0 && ((unsigned char)text[--begin] & 0xC0) == 0x80)
        ;
    return bytes > 0 && utf8_is_space(utf8_decode(text + begin, &length));
}

static bool cut_sentencepiece(struct tokenizer *tokenizer, const char *text, struct strings *pieces,
                              struct status *status)
{
    bool blank = tokenizer->last_blank && ends_in_blank(text, strlen(text));
    return sentencepiece_split(tokenizer->sentencepiece, text, pieces, status) &&
           (!blank || strings_add(pieces, BLANK_MARK, strlen(BLANK_MARK), status));
}

/* Returns the bytes of a language code at the beginning of a text, ">>deu<<", whether or not the
 * model knows it. */
static size_t code_length(const char *text)
{
    const char *end = strncmp(text, ">>", 2) == 0 ? strstr(text + 2, "<<") : NULL;
    return end ? (size_t)(end + 2 - text) : 0;
}

/* Splits text without added tokens. */
static bool cut_plain(struct tokenizer *tokenizer, const char *text, struct strings *pieces,
                      struct status *status)
{
    size_t code = tokenizer->language_codes ? code_length(text) : 0;
    if (code && !strings_add(pieces, text, code, status))
        return false;
    text += code;
    if (tokenizer->sentencepiece)
        return cut_sentencepiece(tokenizer, text, pieces, status);
    return tokenizer->bpe ? cut_words(tokenizer, text, pieces, status)
                          : add_words(tokenizer->blanks, text, pieces, status);
}

/* Added tokens --------------------------------------------------------------------------------- */

/* Splits tokenizer->part, which is normalized, between added tokens of both kinds. `first`: nothing
 * comes before it. */
static bool cut_normalized(struct tokenizer *tokenizer, bool first, struct strings *pieces,
                           struct status *status)
{
    struct text_part part;
    struct token_scan scan = {.tokens = &tokenizer->added,
                              .text = tokenizer->part.data,
                              .bytes = tokenizer->part.count,
                              .normalized = true};
    while (token_scan_next(&scan, &part))
        if (!(part.token
                  ? strings_add(pieces, part.token, strlen(part.token), status)
                  : pipeline_cut(tokenizer->pipeline, scan.text + part.begin, part.end - part.begin,
                                 first && part.begin == 0, pieces, status)))
            return false;
    return true;
}

/* Splits the text between added tokens. */
static bool cut_between(struct tokenizer *tokenizer, const struct text_part *part,
                        struct strings *pieces, struct status *status)
{
    struct text_buffer *text = &tokenizer->part;
    if (!buffer_clear(text, status) ||
        !buffer_add(text, tokenizer->text.data + part->begin, part->end - part->begin, status) ||
        !part_prepare(tokenizer, text, status))
        return false;
    if (!tokenizer->pipeline)
        return cut_plain(tokenizer, text->data, pieces, status);
    return pipeline_normalize(tokenizer->pipeline, text, status) &&
           cut_normalized(tokenizer, part->begin == 0, pieces, status);
}

bool tokenizer_split(struct tokenizer *tokenizer, const char *text, struct strings *pieces,
                     struct status *status)
{
    struct text_part part;
    strings_clear(pieces);
    if (!line_prepare(tokenizer, text, status))
        return false;
    struct token_scan scan = {
        .tokens = &tokenizer->added, .text = tokenizer->text.data, .bytes = tokenizer->text.count};
    while (token_scan_next(&scan, &part))
        if (!(part.token ? strings_add(pieces, part.token, strlen(part.token), status)
                         : cut_between(tokenizer, &part, pieces, status)))
            return false;
    return true;
}

/* Joining -------------------------------------------------------------------------------------- */

/* Appends a piece without its marks; *open: the next one joins it without a blank. */
static bool piece_join(enum piece_marks marks, const char *piece, bool *open,
                       struct text_buffer *text, struct status *status)
{
    size_t length = strlen(piece);
    uint8_t class = word_class(marks, piece);
    bool closed = marks == MARKS_JOINER && !(class & WORD_BEGINS);
    bool ends = class & WORD_ENDS;
    if (!*open && !closed && !buffer_add(text, " ", 1, status))
        return false;
    if (marks == MARKS_BPE || marks == MARKS_WORD_END) {
        *open = !ends;
        length -= marks == MARKS_WORD_END ? (ends ? strlen(END_OF_WORD) : 0)
                                          : (ends ? 0 : strlen(CONTINUED));
        return buffer_add(text, piece, length, status);
    }
    *open = marks == MARKS_JOINER && class & WORD_JOINS;
    if (closed) {
        piece += strlen(JOINER);
        length -= strlen(JOINER);
    }
    return buffer_add(text, piece, *open && length ? length - strlen(JOINER) : length, status);
}

/* Joins with blanks, except where a mark joins a piece to the next or previous one. */
static char *words_join(enum piece_marks marks, const char *const *pieces, int count,
                        struct status *status)
{
    struct text_buffer text = {0};
    bool good = buffer_clear(&text, status), open = true;
    for (int i = 0; good && i < count; i++)
        good = piece_join(marks, pieces[i], &open, &text, status);
    if (good)
        return text.data;
    free(text.data);
    return NULL;
}

/* Joins the pieces of the subword model to text. Keeps the marks of pieces split by other
 * programs. */
static char *pieces_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                         struct status *status)
{
    if (tokenizer->sentencepiece)
        return sentencepiece_join(tokenizer->sentencepiece, pieces, count, status);
    if (tokenizer->pipeline && tokenizer->marks != MARKS_WORD_END)
        return pipeline_join(tokenizer->pipeline, pieces, count, status);
    return words_join(tokenizer->kind == TOKENIZER_WHITESPACE ? MARKS_NONE : tokenizer->marks,
                      pieces, count, status);
}

char *tokenizer_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                     struct status *status)
{
    char *text = pieces_join(tokenizer, pieces, count, status);
    if (!text || !tokenizer->moses)
        return text;
    struct text_buffer plain = {0};
    bool good = moses_detokenize(text, tokenizer->language, &plain, status);
    free(text);
    if (good)
        return plain.data;
    free(plain.data);
    return NULL;
}

static char *word_join(struct tokenizer *tokenizer, const char *const *pieces, int count,
                       struct status *status)
{
    if (tokenizer->kind != TOKENIZER_WHITESPACE)
        return tokenizer_join(tokenizer, pieces, count, status);
    switch (tokenizer->marks) {
    case MARKS_SENTENCEPIECE:
    case MARKS_SENTENCEPIECE_SUFFIX:
    case MARKS_BYTE_BPE:
        return pipeline_join_marks(tokenizer->marks == MARKS_BYTE_BPE, pieces, count, status);
    default:
        return words_join(tokenizer->marks, pieces, count, status);
    }
}

char *tokenizer_join_word(struct tokenizer *tokenizer, const char *const *pieces, int count,
                          struct status *status)
{
    char *text = word_join(tokenizer, pieces, count, status);
    size_t bytes = text ? strlen(text) : 0;
    if (text && tokenizer->marks == MARKS_BYTE_BPE && text[0] == ' ' && text[1])
        memmove(text, text + 1, bytes);
    if (text && tokenizer->marks == MARKS_SENTENCEPIECE_SUFFIX && bytes > 1 &&
        text[bytes - 1] == ' ')
        text[bytes - 1] = '\0';
    return text;
}
