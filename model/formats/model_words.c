#include "model/formats/model_words.h"
#include "model/text/quote.h"
#include "model/text/text.h"
#include "model/text/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *id_list(const int64_t *ids, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, ids[i] == PLAIN_SOURCE_LANGUAGE ? json_string("source_language")
                                    : ids[i] == PLAIN_TARGET_LANGUAGE
                                        ? json_string("target_language")
                                        : json_integer(ids[i]));
    return list;
}

static json_t *bias_json(const struct plain_config *config, int stack)
{
    json_t *bias = json_pack("{s:I, s:I}", "buckets", (json_int_t)config->stacks[stack].buckets,
                             "max_distance", (json_int_t)config->stacks[stack].max_distance);
    if (bias && config->stacks[stack].separate_biases)
        json_object_set_new(bias, "layers", json_string("separate"));
    return bias;
}

static json_t *positions_json(const struct plain_config *config, int stack)
{
    bool sinusoidal = strcmp(config->stacks[stack].positions, "sinusoidal") == 0;
    bool rotary = strcmp(config->stacks[stack].positions, "rotary") == 0;
    json_t *positions = json_pack("{s:s, s:I}", "kind", config->stacks[stack].positions, "offset",
                                  (json_int_t)config->stacks[stack].offset);
    if (sinusoidal || rotary)
        json_object_set_new(positions, "layout", json_string(config->stacks[stack].layout));
    if (rotary && config->stacks[stack].rotary_base > 0)
        json_object_set_new(positions, "base", json_real(config->stacks[stack].rotary_base));
    if (config->stacks[stack].buckets)
        json_object_set_new(positions, "bias", bias_json(config, stack));
    return positions;
}

static json_t *stack_json(const struct plain_config *config, int stack)
{
    int64_t heads = config->stacks[stack].heads, head_dim = config->stacks[stack].head_dim;
    if (!head_dim && heads)
        head_dim = config->d_model / heads;
    json_t *json = json_pack("{s:I, s:I, s:I}", "layers", (json_int_t)config->stacks[stack].layers,
                             "heads", (json_int_t)heads, "head_dim", (json_int_t)head_dim);
    if (json && config->stacks[stack].recurrent)
        json_object_set_new(json, "recurrence", json_string("ssru"));
    if (json && config->stacks[stack].kv_heads)
        json_object_set_new(json, "kv_heads", json_integer(config->stacks[stack].kv_heads));
    return json;
}

static json_t *sides_json(int64_t source, int64_t target)
{
    return json_pack("{s:I, s:I}", "source", (json_int_t)source, "target", (json_int_t)target);
}

static json_t *special_json(const struct plain_config *config)
{
    json_t *special =
        json_pack("{s:I, s:I}", "pad", (json_int_t)config->pad, "unk", (json_int_t)config->unk);
    if (config->source_differs) {
        json_object_set_new(special, "pad", sides_json(config->pad_source, config->pad));
        json_object_set_new(special, "unk", sides_json(config->unk_source, config->unk));
    }
    json_object_set_new(special, "eos", sides_json(config->eos_source, config->eos_target));
    if (config->has_bos)
        json_object_set_new(special, "bos", sides_json(config->bos[0], config->bos[1]));
    return special;
}

/* Sets a member of an object, which is NULL once memory has run out. */
static void put(json_t **object, const char *key, json_t *value)
{
    if (*object && value && json_object_set_new(*object, key, value) == 0)
        return;
    if (!*object)
        json_decref(value);
    json_decref(*object);
    *object = NULL;
}

static json_t *penalty_json(const struct plain_config *config)
{
    json_t *penalty = config->alpha == 0
                          ? json_pack("{s:s}", "kind", "none")
                          : json_pack("{s:s, s:f}", "kind", config->wu ? "wu" : "average", "alpha",
                                      config->alpha);
    if (config->length_offset)
        put(&penalty, "offset", json_integer(config->length_offset));
    return penalty;
}

static json_t *length_json(const struct plain_config *config)
{
    json_t *length = json_pack("{s:f, s:I}", "factor", config->length_factor, "plus",
                               (json_int_t)config->length_plus);
    if (config->length_most)
        put(&length, "most", json_integer(config->length_most));
    return length;
}

static json_t *search_json(const struct plain_config *config)
{
    json_t *search =
        json_pack("{s:I, s:o, s:o}", "beam", (json_int_t)config->beam, "length_penalty",
                  penalty_json(config), "max_length", length_json(config));
    if (config->min_length > 0)
        put(&search, "min_length", json_integer(config->min_length));
    if (config->renormalize)
        put(&search, "renormalize", json_true());
    if (config->limit)
        put(&search, "limit", json_string(config->limit));
    if (config->ends)
        put(&search, "ends", json_deep_copy(config->ends));
    if (config->endings)
        put(&search, "endings", json_string(config->endings));
    if (config->excluded)
        put(&search, "excluded", json_deep_copy(config->excluded));
    if (config->specials_allowed)
        put(&search, "specials", json_string("allowed"));
    return search;
}

/* JSON must be UTF-8, but names of files and folders need not be: other bytes are escaped. */
static json_t *sizes_json(const struct plain_config *config)
{
    struct quoted name;
    return json_pack("{s:s, s:s, s:s, s:I, s:s, s:f, s:f, s:I}", "name",
                     quote_message(&name, config->name), "source_language", config->source_language,
                     "target_language", config->target_language, "d_model",
                     (json_int_t)config->d_model, "activation", config->activation, "norm_eps",
                     config->norm_eps, "embedding_scale", config->embedding_scale, "max_positions",
                     (json_int_t)config->max_positions);
}

/* Returns a single value if both stacks have the same. */
static json_t *each_json(json_t *encoder, json_t *decoder)
{
    if (!json_equal(encoder, decoder))
        return json_pack("{s:o, s:o}", "encoder", encoder, "decoder", decoder);
    json_decref(decoder);
    return encoder;
}

bool plain_last_norm(const struct plain_config *config, int stack)
{
    return config->stacks[stack].pre_norm ? !config->stacks[stack].no_last_norm
                                          : config->stacks[stack].last_norm;
}

static void put_layers(const struct plain_config *config, json_t **json)
{
    if (config->gated)
        put(json, "gated_ffn", json_true());
    if (config->rms_norm)
        put(json, "norm_kind", json_string("rms"));
    const bool embedding[2] = {config->stacks[0].embedding_norm, config->stacks[1].embedding_norm};
    put(json, "d_ff",
        each_json(json_integer(config->stacks[0].d_ff), json_integer(config->stacks[1].d_ff)));
    put(json, "norm",
        each_json(json_string(config->stacks[0].pre_norm ? "pre" : "post"),
                  json_string(config->stacks[1].pre_norm ? "pre" : "post")));
    if (embedding[0] || embedding[1])
        put(json, "embedding_norm",
            each_json(json_boolean(embedding[0]), json_boolean(embedding[1])));
    const bool output[2] = {config->stacks[0].output_norm, config->stacks[1].output_norm};
    if (output[0] || output[1])
        put(json, "output_norm", each_json(json_boolean(output[0]), json_boolean(output[1])));
    const bool last[2] = {plain_last_norm(config, 0), plain_last_norm(config, 1)};
    if (last[0] != config->stacks[0].pre_norm || last[1] != config->stacks[1].pre_norm)
        put(json, "last_norm", json_pack("{s:b, s:b}", "encoder", last[0], "decoder", last[1]));
}

bool plain_config_align(struct plain_config *config, int64_t layer, int64_t heads)
{
    int64_t layers = config->stacks[1].layers, all = config->stacks[1].heads;
    if (layer < -layers || layer >= layers || heads < 0 || heads > all)
        return false;
    config->alignment_layer = layer + (layer < 0 ? layers : 0);
    config->alignment_heads = heads ? heads : all;
    return true;
}

static json_t *alignment_json(const struct plain_config *config)
{
    json_t *heads = json_array();
    for (int64_t head = 0; head < config->alignment_heads; head++)
        json_array_append_new(heads, json_integer(head));
    return json_pack("{s:I, s:o}", "layer", (json_int_t)config->alignment_layer, "heads", heads);
}

static void put_scales(const struct plain_config *config, json_t **json)
{
    if (config->attention_scale > 0)
        put(json, "attention_scale", json_real(config->attention_scale));
    if (config->output_scale > 0)
        put(json, "output_scale", json_real(config->output_scale));
    if (config->attention_cap > 0)
        put(json, "attention_cap", json_real(config->attention_cap));
    if (config->output_cap > 0)
        put(json, "output_cap", json_real(config->output_cap));
}

/* The rule for layers of self-attention whose heads look only so far. More heads than there can be
 * are refused later. */
static json_t *window_json(const struct plain_config *config, int stack)
{
    enum { HEADS_MOST = 1024 };
    json_t *heads = json_array();
    for (int64_t h = 0; h < config->stacks[stack].heads && h <= HEADS_MOST; h++)
        json_array_append_new(heads, json_pack("{s:s, s:{s:I}}", "energy", "learned", "mask",
                                               "local", (json_int_t)config->stacks[stack].window));
    return json_pack("{s:s, s:s, s:O, s:o}", "stack", stack ? "decoder" : "encoder", "kind", "self",
                     "layers", config->stacks[stack].windowed, "heads", heads);
}

static void put_windows(const struct plain_config *config, json_t **json)
{
    json_t *rules = json_array();
    for (int stack = 0; stack < 2; stack++)
        if (json_array_size(config->stacks[stack].windowed))
            json_array_append_new(rules, window_json(config, stack));
    if (json_array_size(rules))
        put(json, "attention", rules);
    else
        json_decref(rules);
}

static json_t *tokenizer_json(const struct plain_config *config)
{
    json_t *json = json_pack("{s:s, s:s, s:b}", "kind", config->tokenizer, "pretokenizer",
                             config->moses ? "moses" : "none", "lowercase", (int)config->lowercase);
    if (config->normalized)
        put(&json, "punctuation", json_string("normalized"));
    if (config->word_end)
        put(&json, "marks", json_string("word_end"));
    if (config->blanks)
        put(&json, "blanks", json_string(config->blanks));
    if (json_array_size(config->added))
        put(&json, "added", json_deep_copy(config->added));
    if (config->language_codes)
        put(&json, "language_codes", json_true());
    if (config->last_blank)
        put(&json, "last_blank", json_true());
    return json;
}

json_t *plain_config_json(const struct plain_config *config)
{
    json_t *json = sizes_json(config);
    if (config->languages)
        put(&json, "languages", json_deep_copy(config->languages));
    put_layers(config, &json);
    put_scales(config, &json);
    put_windows(config, &json);
    put(&json, "positions",
        json_pack("{s:o, s:o}", "encoder", positions_json(config, 0), "decoder",
                  positions_json(config, 1)));
    put(&json, "encoder", stack_json(config, 0));
    put(&json, "decoder", stack_json(config, 1));
    put(&json, "tied",
        json_pack("{s:s?, s:s?}", "target_embedding",
                  config->tied_target ? "source_embedding" : NULL, "output",
                  config->tied_output ? "target_embedding" : NULL));
    put(&json, "special", special_json(config));
    put(&json, "source",
        json_pack("{s:o, s:o}", "prefix", id_list(config->prefix, config->prefix_count), "suffix",
                  id_list(config->suffix, config->suffix_count)));
    put(&json, "target",
        json_pack("{s:o, s:o*}", "start", id_list(config->start, config->start_count), "prefix",
                  config->target_prefix_count
                      ? id_list(config->target_prefix, config->target_prefix_count)
                      : NULL));
    put(&json, "tokenizer", tokenizer_json(config));
    put(&json, "search", search_json(config));
    if (config->alignment_heads)
        put(&json, "alignment", alignment_json(config));
    return json;
}

/* Vocabularies --------------------------------------------------------------------------------- */

bool piece_list_add(struct piece_list *list, const char *piece, size_t bytes, struct status *status)
{
    bool zero = memchr(piece, '\0', bytes) != NULL;
    if (bytes == 0 || zero || memchr(piece, '\n', bytes))
        return status_fail(status, STATUS_INVALID, "piece %d: %s, expected text in one line",
                           list->count,
                           bytes == 0 ? "empty"
                           : zero     ? "a zero byte"
                                      : "a line break");
    if (!memory_grow((void **)&list->text, &list->capacity, list->bytes + bytes + 1, 1, status))
        return false;
    memcpy(list->text + list->bytes, piece, bytes);
    list->bytes += bytes;
    list->text[list->bytes++] = '\n';
    list->count++;
    return true;
}

bool piece_list_add_bytes(struct piece_list *list, const char *piece, size_t bytes,
                          struct status *status)
{
    enum { REPLACEMENT = 0xFFFD, REPLACEMENT_BYTES = 3 };
    if (utf8_invalid(piece, bytes) < 0)
        return piece_list_add(list, piece, bytes, status);
    char *text = memory_new(bytes, REPLACEMENT_BYTES, status);
    size_t size = 0;
    if (!text)
        return false;
    for (size_t i = 0; i < bytes;) {
        size_t length = utf8_valid_length(piece + i, bytes - i);
        memcpy(text + size, piece + i, length);
        size += length ? length : utf8_encode(REPLACEMENT, text + size);
        i += length ? length : 1;
    }
    bool good = piece_list_add(list, text, size, status);
    free(text);
    return good;
}

bool piece_list_add_number(struct piece_list *list, struct status *status)
{
    char number[32];
    snprintf(number, sizeof number, "<id %d>", list->count);
    return piece_list_add(list, number, strlen(number), status);
}

bool piece_list_equal(const struct piece_list *a, const struct piece_list *b)
{
    return a->bytes == b->bytes && (a->bytes == 0 || memcmp(a->text, b->text, a->bytes) == 0);
}

int piece_list_find(const struct piece_list *list, const char *piece)
{
    size_t length = strlen(piece);
    const char *at = list->text;
    for (int id = 0; id < list->count; id++) {
        const char *newline = strchr(at, '\n');
        if ((size_t)(newline - at) == length && memcmp(at, piece, length) == 0)
            return id;
        at = newline + 1;
    }
    return -1;
}

void piece_list_free(struct piece_list *list)
{
    free(list->text);
}

static bool put_pieces(struct contents *contents, const char *name, const struct piece_list *list,
                       struct status *status)
{
    return contents_text(contents, name, list->text ? list->text : "", list->bytes, status);
}

bool contents_vocabularies(struct contents *contents, const struct piece_list *source,
                           const struct piece_list *target, struct status *status)
{
    if (source == target)
        return put_pieces(contents, "vocab.shared", source, status);
    return put_pieces(contents, "vocab.source", source, status) &&
           put_pieces(contents, "vocab.target", target, status);
}

bool contents_subwords(struct contents *contents, const struct mapped_file *source,
                       const struct mapped_file *target, struct status *status)
{
    if (source == target)
        return contents_borrow(contents, "tokenizer.shared", source, status);
    return contents_borrow(contents, "tokenizer.source", source, status) &&
           contents_borrow(contents, "tokenizer.target", target, status);
}

/* Tensors -------------------------------------------------------------------------------------- */

void stored_put(void *data, enum stored_dtype dtype, int64_t index, float value)
{
    enum { BIAS_DIFFERENCE = 127 - 15 }; // for the exponents of float32 and float16
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t exponent = (bits >> 23 & 0xff) - BIAS_DIFFERENCE;
    uint16_t bfloat = (uint16_t)(bits >> 16);
    uint16_t half = (uint16_t)((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff));
    const void *element = dtype == STORED_F16    ? (const void *)&half
                          : dtype == STORED_BF16 ? (const void *)&bfloat
                                                 : &value;
    size_t size = dtype == STORED_F32 ? sizeof value : sizeof half;
    memcpy((char *)data + (size_t)index * size, element, size);
}

/* Copies the integers, with a row of zeros at the end. */
static bool grow_integers(struct contents *contents, const struct stored_tensor *from,
                          struct stored_tensor *grown, struct status *status)
{
    if (!from->integers)
        return true;
    struct stored_integers *integers = contents_memory(contents, 1, sizeof *integers, status);
    int8_t *values = contents_memory(contents, grown->elements, sizeof *values, status);
    if (!integers || !values)
        return false;
    memcpy(values, from->integers->values, (size_t)from->elements);
    *integers = *from->integers;
    integers->values = values;
    grown->integers = integers;
    return true;
}

const struct stored_tensor *with_zero_row(struct contents *contents,
                                          const struct stored_tensor *from,
                                          struct stored_tensor *grown, struct status *status)
{
    int64_t rows = from->shape[0];
    size_t row = rows ? from->bytes / (size_t)rows : 0;
    char *data = contents_memory(contents, rows + 1, row, status);
    if (!data)
        return NULL;
    memcpy(data, from->data, from->bytes);
    *grown = *from;
    grown->data = data;
    grown->bytes = from->bytes + row;
    grown->elements = rows ? from->elements / rows * (rows + 1) : 0;
    grown->shape[0] = rows + 1;
    return grow_integers(contents, from, grown, status) ? grown : NULL;
}
