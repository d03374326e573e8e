/* Opens a pipeline. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/buffer.h"
#include "model/text/pipeline_parts.h"
#include "model/text/quote.h"
#include "model/text/sentencepiece_shim.h"

/* Turns the model of a tokenizer.json of type Unigram into one for libsentencepiece, with the same
 * pieces and log-probabilities, without normalisation.
 */

/* Fields and values of sentencepiece_model.proto. */
enum {
    MODEL_PIECE = 1,
    MODEL_TRAINER = 2,
    MODEL_NORMALIZER = 3,
    PIECE_TEXT = 1,
    PIECE_SCORE = 2,
    PIECE_TYPE = 3,
    TYPE_NORMAL = 1,
    TYPE_UNKNOWN = 2,
    TYPE_CONTROL = 3,
    TYPE_BYTE = 6,
    TRAINER_MODEL_TYPE = 3,
    TRAINER_BYTE_FALLBACK = 35,
    UNIGRAM = 1,
    NORMALIZER_ADD_PREFIX = 3,
    NORMALIZER_REMOVE_BLANKS = 4,
    NORMALIZER_ESCAPE_BLANKS = 5
};
enum { WIRE_VARINT = 0, WIRE_BYTES = 2, WIRE_FLOAT = 5 };

static bool put_varint(struct text_buffer *out, uint64_t value, struct status *status)
{
    char bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (char)(0x80 | (value & 0x7F));
    bytes[count++] = (char)value;
    return buffer_add(out, bytes, count, status);
}

static bool put_number(struct text_buffer *out, int field, uint64_t value, struct status *status)
{
    return put_varint(out, (uint64_t)field << 3 | WIRE_VARINT, status) &&
           put_varint(out, value, status);
}

static bool put_bytes(struct text_buffer *out, int field, const char *bytes, size_t count,
                      struct status *status)
{
    return put_varint(out, (uint64_t)field << 3 | WIRE_BYTES, status) &&
           put_varint(out, count, status) && buffer_add(out, bytes, count, status);
}

static bool put_float(struct text_buffer *out, int field, float value, struct status *status)
{
    char bytes[4];
    // The format is little-endian, like every supported processor.
    memcpy(bytes, &value, sizeof bytes);
    return put_varint(out, (uint64_t)field << 3 | WIRE_FLOAT, status) &&
           buffer_add(out, bytes, sizeof bytes, status);
}

/* Returns the names of added special tokens as keys. */
static json_t *special_tokens(const json_t *root)
{
    json_t *names = json_object();
    const json_t *added = json_object_get(root, "added_tokens");
    for (size_t i = 0; i < json_array_size(added); i++) {
        const json_t *token = json_array_get(added, i);
        const char *content = json_string_value(json_object_get(token, "content"));
        if (content && json_is_true(json_object_get(token, "special")))
            json_object_set_new(names, content, json_true());
    }
    return names;
}

static bool is_byte(const char *piece)
{
    return strlen(piece) == 6 && strncmp(piece, "<0x", 3) == 0 && piece[5] == '>';
}

/* Puts [PIECE, LOG-PROBABILITY]. */
static bool put_piece(struct text_buffer *out, struct text_buffer *work, const json_t *entry,
                      size_t id, int type, struct status *status)
{
    const json_t *text = json_array_get(entry, 0), *score = json_array_get(entry, 1);
    if (!json_is_string(text) || !json_is_number(score) || !isfinite(json_number_value(score)))
        return status_fail(status, STATUS_INVALID,
                           "model.vocab[%zu]: expected a piece and its log-probability", id);
    return buffer_clear(work, status) &&
           put_bytes(work, PIECE_TEXT, json_string_value(text), json_string_length(text), status) &&
           put_float(work, PIECE_SCORE, (float)json_number_value(score), status) &&
           put_number(work, PIECE_TYPE, (uint64_t)type, status) &&
           put_bytes(out, MODEL_PIECE, work->data, work->count, status);
}

static bool put_pieces(const json_t *root, struct text_buffer *out, struct text_buffer *work,
                       struct status *status)
{
    const json_t *model = json_object_get(root, "model"), *unk = json_object_get(model, "unk_id");
    const json_t *vocab = json_object_get(model, "vocab");
    bool bytes = json_is_true(json_object_get(model, "byte_fallback")), good = true;
    size_t count = json_array_size(vocab);
    if (!json_is_integer(unk) || json_integer_value(unk) < 0 ||
        (size_t)json_integer_value(unk) >= count)
        return status_fail(status, STATUS_INVALID,
                           "model.unk_id: expected the id of a piece of model.vocab");
    json_t *special = special_tokens(root);
    for (size_t id = 0; good && id < count; id++) {
        const json_t *entry = json_array_get(vocab, id);
        const char *piece = json_string_value(json_array_get(entry, 0));
        int type = (json_int_t)id == json_integer_value(unk)  ? TYPE_UNKNOWN
                   : piece && json_object_get(special, piece) ? TYPE_CONTROL
                   : piece && bytes && is_byte(piece)         ? TYPE_BYTE
                                                              : TYPE_NORMAL;
        good = put_piece(out, work, entry, id, type, status);
    }
    json_decref(special);
    return good;
}

/* The text arrives normalised and with its blanks marked. */
static bool put_settings(const json_t *root, struct text_buffer *out, struct text_buffer *work,
                         struct status *status)
{
    bool bytes = json_is_true(json_object_get(json_object_get(root, "model"), "byte_fallback"));
    return buffer_clear(work, status) && put_number(work, TRAINER_MODEL_TYPE, UNIGRAM, status) &&
           put_number(work, TRAINER_BYTE_FALLBACK, bytes, status) &&
           put_bytes(out, MODEL_TRAINER, work->data, work->count, status) &&
           buffer_clear(work, status) && put_number(work, NORMALIZER_ADD_PREFIX, 0, status) &&
           put_number(work, NORMALIZER_REMOVE_BLANKS, 0, status) &&
           put_number(work, NORMALIZER_ESCAPE_BLANKS, 0, status) &&
           put_bytes(out, MODEL_NORMALIZER, work->data, work->count, status);
}

/* `root`: the whole file. No text is split into one of its added special tokens. NULL on
 * failure. */
static struct sentencepiece_model *unigram_json_open(const json_t *root, struct status *status)
{
    struct text_buffer out = {0}, work = {0};
    struct sentencepiece_model *model = NULL;
    if (put_pieces(root, &out, &work, status) && put_settings(root, &out, &work, status))
        model = sentencepiece_open(out.data, out.count, status);
    free(out.data);
    free(work.data);
    return model;
}

/* Returns how Metaspace marks the beginning of a text. */
static enum prefix prefix_of(const json_t *json)
{
    const char *scheme = json_string_value(json_object_get(json, "prepend_scheme"));
    if (!scheme)
        return json_is_false(json_object_get(json, "add_prefix_space")) ? PREFIX_NEVER
                                                                        : PREFIX_ALWAYS;
    return strcmp(scheme, "never") == 0   ? PREFIX_NEVER
           : strcmp(scheme, "first") == 0 ? PREFIX_FIRST
                                          : PREFIX_ALWAYS;
}

static bool read_metaspace(struct pipeline *pipeline, const json_t *json, struct status *status)
{
    const char *mark = json_string_value(json_object_get(json, "replacement"));
    pipeline->marked = true;
    pipeline->split = !json_is_false(json_object_get(json, "split"));
    pipeline->prefix = prefix_of(json);
    return (mark && strcmp(mark, BLANK_MARK) == 0) ||
           status_fail(status, STATUS_INVALID,
                       "pre_tokenizer: Metaspace: expected \"" BLANK_MARK "\" as the replacement");
}

/* The decoder only decides what becomes of the first mark: everything else follows from the
 * pre-tokenizer. */
static void read_decoder(struct pipeline *pipeline, const json_t *json, int depth)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    const json_t *parts = json_object_get(json, "decoders");
    for (size_t i = 0; depth < 8 && i < json_array_size(parts); i++)
        read_decoder(pipeline, json_array_get(parts, i), depth + 1);
    if (type && strcmp(type, "Metaspace") == 0)
        pipeline->keep_first = prefix_of(json) == PREFIX_NEVER;
    else if (type && strcmp(type, "Replace") == 0)
        pipeline->keep_first = true;
    else if (type && strcmp(type, "Strip") == 0 &&
             json_integer_value(json_object_get(json, "start")) > 0)
        pipeline->keep_first = false;
}

static bool read_bytes(struct pipeline *pipeline, const json_t *json)
{
    pipeline->of_bytes = true;
    pipeline->split = !json_is_false(json_object_get(json, "use_regex"));
    pipeline->prefix =
        json_is_false(json_object_get(json, "add_prefix_space")) ? PREFIX_NEVER : PREFIX_ALWAYS;
    return true;
}

/* True if a step splits at blanks, of which the normalizer leaves none: Gemma's. */
static bool splits_nothing(const struct pipeline *pipeline, const json_t *json)
{
    const char *pattern =
        json_string_value(json_object_get(json_object_get(json, "pattern"), "String"));
    return pattern && strcmp(pattern, " ") == 0 && !json_is_true(json_object_get(json, "invert")) &&
           normalizer_replaces_blanks(pipeline->normalizer);
}

static bool read_cutter(struct pipeline *pipeline, const json_t *json, struct status *status)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    bool last = pipeline->marked || pipeline->of_bytes;
    if (type && strcmp(type, "Split") == 0 && splits_nothing(pipeline, json))
        return true;
    if (type && strcmp(type, "WhitespaceSplit") == 0 && !last)
        return pipeline->split_words = true;
    if (type && strcmp(type, "Metaspace") == 0 && !last)
        return read_metaspace(pipeline, json, status);
    if (type && strcmp(type, "ByteLevel") == 0 && !last)
        return read_bytes(pipeline, json);
    return status_fail(status, STATUS_INVALID,
                       "pre_tokenizer: %s is not supported%s, expected WhitespaceSplit, Metaspace "
                       "or ByteLevel",
                       type ? QUOTED(type) : "a step without a type", last ? " in this place" : "");
}

static bool read_cutters(struct pipeline *pipeline, const json_t *json, struct status *status)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    const json_t *parts = json_object_get(json, "pretokenizers");
    if (!json || json_is_null(json))
        return true;
    if (!type || strcmp(type, "Sequence") != 0)
        return read_cutter(pipeline, json, status);
    for (size_t i = 0; i < json_array_size(parts); i++)
        if (!read_cutter(pipeline, json_array_get(parts, i), status))
            return false;
    return true;
}

/* Adds a merge, "a b" or ["a", "b"]. Those of line breaks, which Gemma's model has, are passed
 * over: no line of text has them. */
static bool add_merge(const json_t *merge, size_t number, struct text_buffer *lines,
                      struct status *status)
{
    const char *whole = json_string_value(merge);
    const char *left = json_string_value(json_array_get(merge, 0));
    const char *right = json_string_value(json_array_get(merge, 1));
    bool pair = left && right && *left && *right && !strchr(left, ' ') && !strchr(right, ' ');
    if (!pair && !whole)
        return status_fail(status, STATUS_INVALID, "model.merges[%zu]: expected two pieces",
                           number);
    if (strpbrk(whole ? whole : left, "\r\n") || (!whole && strpbrk(right, "\r\n")))
        return true;
    return (whole ? buffer_add_text(lines, whole, status)
                  : buffer_add_text(lines, left, status) && buffer_add(lines, " ", 1, status) &&
                        buffer_add_text(lines, right, status)) &&
           buffer_add(lines, "\n", 1, status);
}

static bool read_merges(struct pipeline *pipeline, const json_t *merges, struct status *status)
{
    struct text_buffer lines = {0};
    bool good = buffer_add_text(&lines, "#version: 0.2\n", status);
    if (!json_is_array(merges))
        good = status_fail(status, STATUS_INVALID, "model.merges: missing, expected pairs");
    pipeline->characters = json_array_size(merges) == 0 && !pipeline->marked;
    for (size_t i = 0; good && i < json_array_size(merges); i++)
        good = add_merge(json_array_get(merges, i), i, &lines, status);
    if (good)
        pipeline->bpe =
            bpe_open(lines.data, lines.count, pipeline->ended ? BPE_ENDED : BPE_PLAIN, status);
    free(lines.data);
    return pipeline->bpe || status_prefix(status, "model.merges");
}

/* A vocabulary has one piece per line. Empty pieces and pieces with a line break are skipped: no
 * line of text has them. */
static bool read_pieces(struct pipeline *pipeline, const json_t *vocab, struct status *status)
{
    struct text_buffer lines = {0};
    const char *piece;
    json_t *id;
    bool good = buffer_clear(&lines, status);
    json_object_foreach((json_t *)vocab, piece, id)
    {
        if (good && *piece && !strpbrk(piece, "\r\n"))
            good = buffer_add_text(&lines, piece, status) && buffer_add(&lines, "\n", 1, status);
    }
    if (good)
        pipeline->vocabulary = vocabulary_open(lines.data, lines.count, status);
    free(lines.data);
    return pipeline->vocabulary || status_prefix(status, "model.vocab");
}

/* Reads the ending of a word's last piece, if white space separates words. */
static bool read_suffix(struct pipeline *pipeline, const json_t *model, struct status *status)
{
    const char *suffix = json_string_value(json_object_get(model, "end_of_word_suffix"));
    pipeline->ended = suffix && *suffix;
    if (!pipeline->ended)
        return true;
    if (strcmp(suffix, END_OF_WORD) != 0)
        return status_fail(
            status, STATUS_INVALID,
            "model.end_of_word_suffix: \"%s\" is not supported, expected " END_OF_WORD,
            QUOTED(suffix));
    return (pipeline->split_words && !pipeline->marked && !pipeline->of_bytes) ||
           status_fail(status, STATUS_INVALID,
                       "model.end_of_word_suffix: \"%s\" is not supported here, expected "
                       "WhitespaceSplit alone as the pre_tokenizer",
                       suffix);
}

/* Prefixes and ignored merges would change the pieces. */
static bool check_bpe(const json_t *model, struct status *status)
{
    const char *prefix = json_string_value(json_object_get(model, "continuing_subword_prefix"));
    if (prefix && *prefix)
        return status_fail(
            status, STATUS_INVALID,
            "model.continuing_subword_prefix: \"%s\" is not supported, expected none",
            QUOTED(prefix));
    return !json_is_true(json_object_get(model, "ignore_merges")) ||
           status_fail(status, STATUS_INVALID,
                       "model.ignore_merges: true is not supported, expected false");
}

static bool read_model(struct pipeline *pipeline, const json_t *root, struct status *status)
{
    const json_t *model = json_object_get(root, "model");
    const char *type = json_string_value(json_object_get(model, "type"));
    // Older files do not state it.
    if (!type)
        type = json_object_get(model, "merges") ? "BPE" : "Unigram";
    if (strcmp(type, "Unigram") == 0) {
        pipeline->unigram = unigram_json_open(root, status);
        return pipeline->unigram != NULL;
    }
    if (strcmp(type, "BPE") != 0)
        return status_fail(status, STATUS_INVALID,
                           "model: %s is not supported, expected Unigram or BPE", QUOTED(type));
    pipeline->fuse = json_is_true(json_object_get(model, "fuse_unk"));
    pipeline->byte_fallback = json_is_true(json_object_get(model, "byte_fallback"));
    pipeline->no_unknown = !json_is_string(json_object_get(model, "unk_token"));
    return check_bpe(model, status) && read_suffix(pipeline, model, status) &&
           read_pieces(pipeline, json_object_get(model, "vocab"), status) &&
           read_merges(pipeline, json_object_get(model, "merges"), status);
}

static bool flag(const json_t *object, const char *key)
{
    return json_is_true(json_object_get(object, key));
}

static bool read_added(struct pipeline *pipeline, const json_t *list, struct status *status)
{
    size_t i;
    json_t *token;
    pipeline->added = memory_new(json_array_size(list), sizeof *pipeline->added, status);
    if (!pipeline->added)
        return false;
    json_array_foreach((json_t *)list, i, token)
    {
        const char *text = json_string_value(json_object_get(token, "content"));
        if (!text || !*text || strpbrk(text, "\r\n"))
            continue;
        struct added_token *added = &pipeline->added[pipeline->added_count];
        *added = (struct added_token){strdup(text), flag(token, "lstrip"), flag(token, "rstrip"),
                                      flag(token, "single_word"), flag(token, "normalized")};
        if (!added->text)
            return status_no_memory(status);
        pipeline->added_count++;
    }
    return true;
}

static bool read_root(struct pipeline *pipeline, const json_t *root, struct status *status)
{
    if (!json_is_object(json_object_get(root, "model")))
        return status_fail(status, STATUS_INVALID, "model: missing, expected a tokenizer.json");
    read_decoder(pipeline, json_object_get(root, "decoder"), 0);
    pipeline->normalizer = normalizer_open(json_object_get(root, "normalizer"), status);
    return pipeline->normalizer &&
           read_cutters(pipeline, json_object_get(root, "pre_tokenizer"), status) &&
           read_model(pipeline, root, status) &&
           read_added(pipeline, json_object_get(root, "added_tokens"), status);
}

struct pipeline *pipeline_open_json(const char *data, size_t bytes, struct status *status)
{
    json_error_t error;
    struct pipeline *pipeline = memory_new(1, sizeof *pipeline, status);
    json_t *root = pipeline ? json_loadb(data ? data : "", bytes, 0, &error) : NULL;
    bool good = root && read_root(pipeline, root, status);
    if (pipeline && !root)
        status_fail(status, STATUS_INVALID, "line %d: %s, expected JSON", error.line,
                    QUOTED(error.text));
    json_decref(root);
    if (good)
        return pipeline;
    pipeline_close(pipeline);
    return NULL;
}

void pipeline_close(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    normalizer_close(pipeline->normalizer);
    sentencepiece_close(pipeline->unigram);
    bpe_close(pipeline->bpe);
    vocabulary_close(pipeline->vocabulary);
    for (int i = 0; i < pipeline->added_count; i++)
        free((char *)pipeline->added[i].text);
    free(pipeline->added);
    free(pipeline->work.data);
    free(pipeline->part.data);
    strings_free(&pipeline->cut);
    free(pipeline);
}

const struct added_token *pipeline_added(const struct pipeline *pipeline, int *count)
{
    *count = pipeline->added_count;
    return pipeline->added;
}

enum piece_marks pipeline_marks(const struct pipeline *pipeline)
{
    return pipeline->of_bytes     ? MARKS_BYTE_BPE
           : pipeline->ended      ? MARKS_WORD_END
           : pipeline->characters ? MARKS_NONE
                                  : MARKS_SENTENCEPIECE;
}

struct pipeline *pipeline_open_bytes(const char *merges, size_t bytes, struct status *status)
{
    struct pipeline *pipeline = memory_new(1, sizeof *pipeline, status);
    if (!pipeline)
        return NULL;
    pipeline->of_bytes = pipeline->split = true;
    pipeline->prefix = PREFIX_NEVER;
    pipeline->normalizer = normalizer_open(NULL, status);
    if (pipeline->normalizer)
        pipeline->bpe = bpe_open(merges, bytes, BPE_PLAIN, status);
    if (pipeline->bpe)
        return pipeline;
    pipeline_close(pipeline);
    return NULL;
}
