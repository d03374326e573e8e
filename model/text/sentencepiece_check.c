#include <stdlib.h>
#include <string.h>

#include "model/text/charsmap.h"
#include "model/text/sentencepiece_shim.h"

/* The fields of sentencepiece_model.proto that matter here. */
enum {
    MODEL_PIECE = 1,
    MODEL_TRAINER = 2,
    MODEL_NORMALIZER = 3,
    MODEL_DENORMALIZER = 5,
    PIECE_TEXT = 1,
    PIECE_TYPE = 3,
    TRAINER_BLANK_SUFFIX = 24, // treat_whitespace_as_suffix
    NORMALIZER_CHARSMAP = 2,
    TYPE_USER_DEFINED = 4
};

/* Limits of the library's arrays. */
enum { PIECE_BYTES_MOST = 4096, USER_PREFIXES_MOST = 64 };

struct span {
    const unsigned char *data;
    size_t bytes;
};

/* Protocol Buffers wire format: a message is a list of fields. */
struct field {
    uint32_t number;
    bool has_data;
    struct span data; // for a length-delimited field
    uint64_t value;   // for a varint
};

static bool varint_read(struct span *message, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && message->bytes > 0; shift += 7) {
        unsigned char byte = *message->data++;
        message->bytes--;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool span_take(struct span *message, uint64_t bytes, struct span *taken)
{
    if (bytes > message->bytes)
        return false;
    *taken = (struct span){message->data, (size_t)bytes};
    message->data += bytes;
    message->bytes -= (size_t)bytes;
    return true;
}

static bool field_read(struct span *message, struct field *field, struct status *status)
{
    uint64_t tag, length;
    struct span skipped;
    bool good = varint_read(message, &tag) && tag <= UINT32_MAX && tag >= 8;
    *field = (struct field){.number = good ? (uint32_t)tag >> 3 : 0};
    switch (good ? tag & 7 : 8) {
    case 0:
        good = varint_read(message, &field->value);
        break;
    case 1:
        good = span_take(message, 8, &skipped);
        break;
    case 2:
        field->has_data = true;
        good = varint_read(message, &length) && span_take(message, length, &field->data);
        break;
    case 5:
        good = span_take(message, 4, &skipped);
        break;
    default:
        good = false;
    }
    return good || status_fail(status, STATUS_INVALID,
                               "not a SentencePiece model: broken Protocol Buffers field");
}

/* A piece that ended at its first NUL would be only half in the library's tries, and half a
 * character would make its matches lose step with the text. */
static bool piece_text_check(struct span text, int id, struct status *status)
{
    const char *bytes = (const char *)text.data;
    if (text.bytes > PIECE_BYTES_MOST)
        return status_fail(status, STATUS_INVALID,
                           "piece %d of the SentencePiece model: %zu bytes, expected at most %d",
                           id, text.bytes, PIECE_BYTES_MOST);
    if (utf8_invalid(bytes, text.bytes) >= 0 || memchr(bytes, '\0', text.bytes))
        return status_fail(status, STATUS_INVALID,
                           "piece %d of the SentencePiece model: expected UTF-8 without NUL", id);
    return true;
}

/* Reads one piece; *text stays empty unless it is user-defined. */
static bool piece_check(struct span message, int id, struct span *text, struct status *status)
{
    struct field field;
    struct span last = {0};
    uint64_t type = 0;
    while (message.bytes > 0) {
        if (!field_read(&message, &field, status))
            return false;
        if (field.number == PIECE_TEXT && field.has_data) {
            if (!piece_text_check(field.data, id, status))
                return false;
            last = field.data;
        } else if (field.number == PIECE_TYPE && !field.has_data) {
            type = field.value;
        }
    }
    *text = type == TYPE_USER_DEFINED ? last : (struct span){0};
    return true;
}

/* The library's matcher has room for a limited number of user-defined pieces that match at one
 * place. Only pieces with more bytes than that can have as many others as prefixes. */
static bool user_pieces_check(const struct span *pieces, size_t count, struct status *status)
{
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].bytes <= USER_PREFIXES_MOST)
            continue;
        int prefixes = 0;
        for (size_t j = 0; j < count; j++)
            prefixes += pieces[j].bytes <= pieces[i].bytes &&
                        memcmp(pieces[j].data, pieces[i].data, pieces[j].bytes) == 0;
        if (prefixes > USER_PREFIXES_MOST)
            return status_fail(status, STATUS_INVALID,
                               "user-defined pieces of the SentencePiece model: %d begin alike, "
                               "expected at most %d",
                               prefixes, USER_PREFIXES_MOST);
    }
    return true;
}

static bool normalizer_check(struct span message, struct status *status)
{
    struct field field;
    while (message.bytes > 0) {
        if (!field_read(&message, &field, status))
            return false;
        if (field.number == NORMALIZER_CHARSMAP && field.has_data &&
            !charsmap_check(field.data.data, field.data.bytes, status))
            return status_prefix(status, "SentencePiece model");
    }
    return true;
}

static bool model_check(struct span message, struct span **user, size_t *user_count,
                        struct status *status)
{
    struct field field;
    struct span text;
    size_t capacity = 0;
    for (int id = 0; message.bytes > 0;) {
        if (!field_read(&message, &field, status))
            return false;
        if (!field.has_data)
            continue;
        if (field.number == MODEL_PIECE) {
            if (!piece_check(field.data, id++, &text, status))
                return false;
            if (text.bytes > 0) {
                if (!memory_grow((void **)user, &capacity, *user_count + 1, sizeof **user, status))
                    return false;
                (*user)[(*user_count)++] = text;
            }
        } else if (field.number == MODEL_NORMALIZER || field.number == MODEL_DENORMALIZER) {
            if (!normalizer_check(field.data, status))
                return false;
        }
    }
    return user_pieces_check(*user, *user_count, status);
}

bool sentencepiece_check(const char *model, size_t bytes, struct status *status)
{
    struct span *user = NULL;
    size_t user_count = 0;
    if (bytes == 0)
        return status_fail(status, STATUS_INVALID, "not a SentencePiece model: empty");
    bool good =
        model_check((struct span){(const unsigned char *)model, bytes}, &user, &user_count, status);
    free(user);
    return good;
}

bool sentencepiece_ends_words(const char *model, size_t bytes)
{
    struct span message = {(const unsigned char *)model, bytes};
    struct field field, option;
    struct status status;
    bool ends = false;
    while (message.bytes > 0 && field_read(&message, &field, &status))
        while (field.number == MODEL_TRAINER && field.data.bytes > 0 &&
               field_read(&field.data, &option, &status))
            if (option.number == TRAINER_BLANK_SUFFIX && !option.has_data)
                ends = option.value != 0;
    return ends;
}
