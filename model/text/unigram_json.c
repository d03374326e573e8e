#include "model/text/unigram_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/buffer.h"
#include "model/text/quote.h"

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

static bool put_varint(struct buffer *out, uint64_t value, struct status *status)
{
    char bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (char)(0x80 | (value & 0x7F));
    bytes[count++] = (char)value;
    return buffer_add(out, bytes, count, status);
}

static bool put_number(struct buffer *out, int field, uint64_t value, struct status *status)
{
    return put_varint(out, (uint64_t)field << 3 | WIRE_VARINT, status) &&
           put_varint(out, value, status);
}

static bool put_bytes(struct buffer *out, int field, const char *bytes, size_t count,
                      struct status *status)
{
    return put_varint(out, (uint64_t)field << 3 | WIRE_BYTES, status) &&
           put_varint(out, count, status) && buffer_add(out, bytes, count, status);
}

static bool put_float(struct buffer *out, int field, float value, struct status *status)
{
    char bytes[4];
    // The format is little-endian, as is every processor that this runs on.
    memcpy(bytes, &value, sizeof bytes);
    return put_varint(out, (uint64_t)field << 3 | WIRE_FLOAT, status) &&
           buffer_add(out, bytes, sizeof bytes, status);
}

/* Names of added special tokens, as keys. */
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

/* [PIECE, LOG-PROBABILITY] */
static bool put_piece(struct buffer *out, struct buffer *work, const json_t *entry, size_t id,
                      int type, struct status *status)
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

static bool put_pieces(const json_t *root, struct buffer *out, struct buffer *work,
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

/* The text comes normalised, its blanks marked. */
static bool put_settings(const json_t *root, struct buffer *out, struct buffer *work,
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

struct sentencepiece_model *unigram_json_open(const json_t *root, struct status *status)
{
    struct buffer out = {0}, work = {0};
    struct sentencepiece_model *model = NULL;
    if (put_pieces(root, &out, &work, status) && put_settings(root, &out, &work, status))
        model = sentencepiece_open(out.data, out.count, status);
    free(out.data);
    free(work.data);
    return model;
}
