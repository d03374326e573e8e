/* config.json of Eole (eole/config/models.py, config/inference.py): its settings, and the defaults
 * of those it omits. An option of the model also applies to stacks and embeddings that do not set
 * it. */
#include <math.h>
#include <string.h>

#include "model/formats/eole/eole.h"
#include "model/formats/options.h"
#include "model/text/quote.h"

static const char *const names[2] = {"encoder", "decoder"};

static bool open_config(struct eole_reader *reader)
{
    enum { MOST = 1 << 24 };
    reader->config =
        family_json(reader->contents, reader->folder, "config.json", MOST, reader->status);
    if (!reader->config)
        return false;
    reader->model = json_object_get(reader->config, "model");
    reader->embeddings = json_object_get(reader->model, "embeddings");
    if (!json_is_object(reader->model))
        return status_fail(reader->status, STATUS_INVALID,
                           "config.json: model: missing, expected how the model is built");
    for (int stack = 0; stack < 2; stack++) {
        reader->stacks[stack] = json_object_get(reader->model, names[stack]);
        if (!json_is_object(reader->stacks[stack]))
            return status_fail(reader->status, STATUS_INVALID,
                               "config.json: model.%s: missing, expected an encoder and a decoder",
                               names[stack]);
    }
    return true;
}

/* Returns the value of a part of the model, or else of the model. NULL: neither sets it. */
static json_t *value_of(const struct eole_reader *reader, const json_t *part, const char *key)
{
    json_t *own = json_object_get(part, key);
    return own ? own : json_object_get(reader->model, key);
}

static const char *text_of(const struct eole_reader *reader, const json_t *part, const char *key,
                           const char *otherwise)
{
    const char *text = json_string_value(value_of(reader, part, key));
    return text ? text : otherwise;
}

static bool refuse(struct eole_reader *reader, const char *key, const char *value,
                   const char *expected)
{
    return status_fail(reader->status, STATUS_INVALID,
                       "config.json: model: %s: %s is not supported, expected %s", key,
                       QUOTED(value), expected);
}

/* Refuses options of any part that would build another model. */
static bool check_parts(struct eole_reader *reader)
{
    const json_t *const parts[] = {reader->model, reader->stacks[0], reader->stacks[1],
                                   reader->embeddings, json_object_get(reader->config, "training")};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && !options_check(&options_eole, "config.json", parts[i], reader->status))
            return false;
    return true;
}

static bool check_kinds(struct eole_reader *reader)
{
    static const struct {
        const char *key, *kind;
        int stack; // -1: the model; -2: the embeddings
    } kinds[] = {{"encoder_type", "transformer", 0},     {"decoder_type", "transformer", 1},
                 {"encoder_layer_style", "standard", 0}, {"LM_type", "causal", 1},
                 {"embedding_type", "standard", -2},     {"generator_function", "softmax", -1}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const json_t *part = kinds[i].stack >= 0    ? reader->stacks[kinds[i].stack]
                             : kinds[i].stack == -2 ? reader->embeddings
                                                    : reader->model;
        const char *value = text_of(reader, part, kinds[i].key, kinds[i].kind);
        if (strcmp(value, kinds[i].kind) != 0)
            return refuse(reader, kinds[i].key, value, kinds[i].kind);
    }
    return true;
}

/* Reads conventions that must be the same in both stacks. */
static bool read_conventions(struct eole_reader *reader, int stack)
{
    static const struct {
        const char *theirs, *ours;
        bool gated;
    } known[] = {{"relu", "relu", false},
                 {"gelu", "gelu", false},
                 {"gelu-tanh", "gelu_tanh", false},
                 {"quick_gelu", "gelu_sigmoid", false},
                 {"silu", "swish", false},
                 {"gated-gelu", "gelu", true},
                 {"gated-gelu-tanh", "gelu_tanh", true},
                 {"gated-silu", "swish", true}};
    struct plain_config *plain = &reader->plain;
    const json_t *part = reader->stacks[stack];
    const char *activation = text_of(reader, part, "mlp_activation_fn", "relu");
    const char *norm = text_of(reader, part, "layer_norm", "standard");
    const char *first = text_of(reader, reader->stacks[0], "mlp_activation_fn", "relu");
    bool rms = strcmp(norm, "rms") == 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(activation, known[i].theirs) == 0) {
            plain->activation = known[i].ours;
            plain->gated = known[i].gated;
        }
    if (!plain->activation || strcmp(activation, first) != 0)
        return refuse(reader, "mlp_activation_fn", activation,
                      stack ? "that of the encoder" : "relu, gelu, silu, gated-silu or gated-gelu");
    if ((!rms && strcmp(norm, "standard") != 0 && strcmp(norm, "standardFP32") != 0) ||
        (stack && rms != plain->rms_norm))
        return refuse(reader, "layer_norm", norm,
                      stack ? "that of the encoder" : "standard or rms");
    plain->rms_norm = rms;
    return true;
}

static double number_of(const struct eole_reader *reader, int stack, const char *key,
                        double otherwise)
{
    const json_t *value = value_of(reader, reader->stacks[stack], key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* Returns a whole number. Any other value, or one too large for a size, becomes INT32_MIN, which no
 * caller accepts. */
static int64_t whole_of(const struct eole_reader *reader, int stack, const char *key, int otherwise)
{
    const double value = number_of(reader, stack, key, otherwise);
    return value == floor(value) && fabs(value) < INT32_MAX ? (int64_t)value : INT32_MIN;
}

/* Keys and values must have as many heads as queries, of the usual width. Energies are divided by
 * the root of attn_scaling, or else of that width. */
static bool read_stack(struct eole_reader *reader, int stack)
{
    enum { HEADS = 8 };
    struct plain_config *plain = &reader->plain;
    double heads = number_of(reader, stack, "heads", HEADS);
    double eps = number_of(reader, stack, "norm_eps", 1e-5);
    double scaling = number_of(reader, stack, "attn_scaling", 0);
    double scale = scaling > 0 ? 1 / sqrt(scaling) : 0;
    double of_keys = number_of(reader, stack, "heads_kv", heads);
    if (!(heads >= 1 && heads <= 1024 && heads == floor(heads)))
        return status_fail(reader->status, STATUS_INVALID,
                           "config.json: model.%s: %g heads, expected 1 to 1024", names[stack],
                           heads);
    if (of_keys != heads)
        return refuse(reader, "heads_kv", "fewer heads for keys and values", "as many as heads");
    if (!(eps > 0 && eps < 1))
        return status_fail(reader->status, STATUS_INVALID,
                           "config.json: model.%s: norm_eps: %g, expected a number between 0 and 1",
                           names[stack], eps);
    if (stack && (eps != plain->norm_eps || scale != plain->attention_scale))
        return refuse(reader, eps != plain->norm_eps ? "norm_eps" : "attn_scaling",
                      "another one for the decoder", "one for both stacks");
    plain->norm_eps = eps;
    plain->attention_scale = scale;
    plain->stacks[stack].heads = (int64_t)heads;
    plain->stacks[stack].head_dim = whole_of(reader, stack, "head_dim", 0);
    plain->stacks[stack].pre_norm = true;
    plain->stacks[stack].no_last_norm =
        stack == 0 &&
        json_is_false(json_object_get(reader->stacks[stack], "final_encoder_layer_norm"));
    return read_conventions(reader, stack);
}

/* Sines, whose table may be in the file, are added to embeddings times the root of their width;
 * learned positions are added to unscaled embeddings. */
static bool read_positions(struct eole_reader *reader)
{
    enum { POSITIONS = 5000 }; // of the package's table, if the file has none
    static const char key[] = "position_encoding_type";
    static const struct {
        const char *type, *layout, *tables;
    } kinds[] = {{"SinusoidalInterleaved", "interleaved", "pe.pe"},
                 {"SinusoidalConcat", "halves_fairseq", "pe.pe"},
                 {"Learned", NULL, "pe.weight"}};
    const json_t *value = value_of(reader, reader->embeddings, key);
    const char *type = value ? json_string_value(value) : kinds[0].type;
    bool known = json_is_null(value);
    reader->plain.max_positions = POSITIONS;
    for (int stack = 0; stack < 2; stack++)
        reader->plain.stacks[stack].positions = "none";
    for (size_t i = 0; type && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(type, kinds[i].type) != 0)
            continue;
        known = true;
        reader->tables = kinds[i].tables;
        for (int stack = 0; stack < 2; stack++) {
            reader->plain.stacks[stack].positions = kinds[i].layout ? "sinusoidal" : "learned";
            reader->plain.stacks[stack].layout = kinds[i].layout;
        }
    }
    return known || refuse(reader, key, type ? type : "this value",
                           "SinusoidalInterleaved, SinusoidalConcat, Learned or null");
}

/* `normalize` scales embeddings with their positions; learned positions would be scaled, too. */
static bool read_scale(struct eole_reader *reader)
{
    const bool normalize = json_is_true(value_of(reader, reader->embeddings, "normalize"));
    const char *positions = reader->plain.stacks[0].positions;
    if (normalize && strcmp(positions, "none") != 0)
        return refuse(reader, "normalize", "true with positions", "false");
    reader->plain.embedding_scale = normalize || strcmp(positions, "sinusoidal") == 0 ? 0 : 1;
    return true; // 0: the root of the width, which the weights show
}

/* Reads the options of the section `inference`; otherwise the defaults of `eole predict` apply. The
 * maximum length does not count the start token; the length penalty does. */
static void read_search(struct eole_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const json_t *given = json_object_get(reader->config, "inference");
    const char *penalty = json_string_value(json_object_get(given, "length_penalty"));
    double beam = family_number(given, "beam_size", 5);
    double ratio = family_number(given, "max_length_ratio", 2);
    double most = family_number(given, "max_length", 250);
    plain->beam = beam >= 1 && beam <= 1000 ? (int64_t)beam : 5;
    plain->wu = penalty && strcmp(penalty, "wu") == 0;
    plain->alpha = penalty && strcmp(penalty, "none") == 0 ? 0 : family_number(given, "alpha", 1);
    plain->length_offset = 1;
    plain->endings = "top";
    plain->limit = "open"; // at max_length all hypotheses are finished
    plain->length_factor = ratio > 0 && ratio < 1000 ? ratio : 0;
    plain->length_most = most >= 1 && most < 1e6 ? (int64_t)most : 250;
    plain->length_plus = plain->length_factor > 0 ? 5 : plain->length_most;
    plain->min_length = family_integer(given, "min_length", 0);
}

bool eole_read_config(struct eole_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    plain->name = reader->name;
    plain->source_language = "source";
    plain->target_language = "target";
    if (!open_config(reader) || !check_parts(reader) || !check_kinds(reader) ||
        !read_stack(reader, 0) || !read_stack(reader, 1) || !read_positions(reader) ||
        !read_scale(reader))
        return false;
    read_search(reader);
    return true;
}

/* Reads the heads of guided alignment (Garg et al. 2019), for models trained with it. */
bool eole_read_alignment(struct eole_reader *reader)
{
    const int64_t layer = whole_of(reader, 1, "alignment_layer", -2);
    const int64_t heads = whole_of(reader, 1, "alignment_heads", 0);
    return !(number_of(reader, 1, "lambda_align", 0) > 0) ||
           plain_config_align(&reader->plain, layer, heads) ||
           status_fail(reader->status, STATUS_INVALID,
                       "config.json: model.decoder.alignment_layer: %lld with %lld "
                       "alignment_heads: not a layer of the decoder with so many heads, expected "
                       "one",
                       (long long)layer, (long long)heads);
}
