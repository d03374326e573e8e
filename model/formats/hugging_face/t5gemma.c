/* T5Gemma, the first generation: a configuration for each stack, the norms and the tokeniser of
 * Gemma 2 (src/transformers/models/{t5gemma,gemma}). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/formats/options.h"
#include "model/text/quote.h"

static const char *const stacks[] = {"encoder", "decoder"};

/* Configuration -------------------------------------------------------------------------------- */

static const json_t *stack_object(const struct hf_reader *reader, int stack)
{
    return json_object_get(reader->config, stacks[stack]);
}

static bool refuse(struct hf_reader *reader, int stack, const char *key, const char *what)
{
    return status_fail(reader->status, STATUS_INVALID, "config.json: %s.%s: %s", stacks[stack], key,
                       what);
}

/* Reads a number of a stack; if it is absent, takes the default of transformers' class. */
static bool read_integer(struct hf_reader *reader, int stack, const char *key, int64_t usual,
                         int64_t *value)
{
    const json_t *found = json_object_get(stack_object(reader, stack), key);
    *value = found ? json_integer_value(found) : usual;
    return *value > 0 || refuse(reader, stack, key, "expected a number above 0");
}

static bool read_number(struct hf_reader *reader, int stack, const char *key, double usual,
                        double *value)
{
    const json_t *found = json_object_get(stack_object(reader, stack), key);
    *value = found ? json_number_value(found) : usual;
    return *value > 0 || refuse(reader, stack, key, "expected a number above 0");
}

/* Reads a cap; 0 for null, which means none. */
static bool read_cap(struct hf_reader *reader, int stack, const char *key, double usual,
                     double *value)
{
    *value = 0;
    return json_is_null(json_object_get(stack_object(reader, stack), key)) ||
           read_number(reader, stack, key, usual, value);
}

/* Reads the base of the angles, which must be of the default kind. Since version 5 of transformers
 * it is in an object of its own. */
static bool read_rotation(struct hf_reader *reader, int stack, double *base)
{
    static const char parameters[] = "rope_parameters", scaling[] = "rope_scaling";
    const json_t *object = stack_object(reader, stack);
    const json_t *rope = json_object_get(object, parameters);
    const char *type = json_string_value(json_object_get(rope, "rope_type"));
    const char *plain = "not supported, expected the default angles";
    if (rope && !json_is_null(rope) && (!type || strcmp(type, "default") != 0))
        return refuse(reader, stack, parameters, plain);
    if (json_object_size(json_object_get(object, scaling)) > 0)
        return refuse(reader, stack, scaling, plain);
    if (family_number(object, "partial_rotary_factor", 1) != 1 ||
        family_number(rope, "partial_rotary_factor", 1) != 1)
        return refuse(reader, stack, "partial_rotary_factor", plain);
    if (!read_number(reader, stack, "rope_theta", 10000, base))
        return false;
    *base = family_number(rope, "rope_theta", *base);
    return *base > 0 || refuse(reader, stack, "rope_theta", "expected a number above 0");
}

/* Reads which layers have a window; without a list, every other one, starting with the first. Too
 * many layers are refused later. */
static bool read_windows(struct hf_reader *reader, int stack, int64_t layers)
{
    enum { LAYERS_MOST = 1024 };
    static const char key[] = "layer_types";
    const json_t *types = json_object_get(stack_object(reader, stack), key);
    int64_t window;
    json_t *windowed = json_array_get(reader->windowed, (size_t)stack);
    if (json_is_null(types))
        types = NULL;
    if (types && json_array_size(types) != (size_t)layers)
        return refuse(reader, stack, key, "expected the type of each layer");
    for (int64_t layer = 0; layer < layers && layer <= LAYERS_MOST; layer++) {
        const char *type = json_string_value(json_array_get(types, (size_t)layer));
        bool slides = types ? type && strcmp(type, "sliding_attention") == 0 : layer % 2 == 0;
        if (types && !slides && (!type || strcmp(type, "full_attention") != 0))
            return refuse(reader, stack, key, "expected sliding_attention or full_attention");
        if (slides && json_array_append_new(windowed, json_integer(layer)) != 0)
            return status_no_memory(reader->status);
    }
    if (json_array_size(windowed) == 0)
        return true;
    if (!read_integer(reader, stack, "sliding_window", 4096, &window))
        return false;
    // Their window includes the token itself, so it reaches window - 1 tokens, in the encoder on
    // both sides. This is what transformers 4 does; version 5 differs in the encoder.
    reader->plain.stacks[stack].window = window - 1;
    reader->plain.stacks[stack].windowed = windowed;
    return window > 1 || refuse(reader, stack, "sliding_window", "1, expected 2 or more");
}

/* Values that both stacks must share, because the net has one of each. */
struct shared {
    int64_t width;
    double eps, scalar, cap;
    const char *activation;
};

static bool read_stack(struct hf_reader *reader, int stack, struct shared *shared)
{
    struct plain_config *plain = &reader->plain;
    const json_t *object = stack_object(reader, stack);
    const json_t *activation = json_object_get(object, "hidden_activation");
    int64_t most;
    if (!json_is_object(object))
        return status_fail(reader->status, STATUS_INVALID,
                           "config.json: %s: missing, expected an object", stacks[stack]);
    if (!options_check(&options_transformers,
                       stack ? "config.json: decoder" : "config.json: encoder", object,
                       reader->status) ||
        !read_integer(reader, stack, "hidden_size", 2304, &shared->width) ||
        !read_integer(reader, stack, "intermediate_size", 9216, &plain->stacks[stack].d_ff) ||
        !read_integer(reader, stack, "num_hidden_layers", 26, &plain->stacks[stack].layers) ||
        !read_integer(reader, stack, "num_attention_heads", 8, &plain->stacks[stack].heads) ||
        !read_integer(reader, stack, "num_key_value_heads", 4, &plain->stacks[stack].kv_heads) ||
        !read_integer(reader, stack, "head_dim", 256, &plain->stacks[stack].head_dim) ||
        !read_integer(reader, stack, "max_position_embeddings", 8192, &most) ||
        !read_number(reader, stack, "rms_norm_eps", 1e-6, &shared->eps) ||
        !read_number(reader, stack, "query_pre_attn_scalar", 256, &shared->scalar) ||
        !read_cap(reader, stack, "attn_logit_softcapping", 50, &shared->cap) ||
        !read_rotation(reader, stack, &plain->stacks[stack].rotary_base) ||
        !read_windows(reader, stack, plain->stacks[stack].layers))
        return false;
    shared->activation = activation ? json_string_value(activation) : "gelu_pytorch_tanh";
    if (stack == 0 || most < plain->max_positions)
        plain->max_positions = most;
    plain->stacks[stack].pre_norm = plain->stacks[stack].output_norm = true;
    plain->stacks[stack].positions = "rotary";
    plain->stacks[stack].layout = "halves";
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Fails for models of size 9b-2b, whose encoder is wider than the decoder. */
static bool check_shared(struct hf_reader *reader, const struct shared shared[2])
{
    const char *different = shared[0].width != shared[1].width     ? "hidden_size"
                            : shared[0].eps != shared[1].eps       ? "rms_norm_eps"
                            : shared[0].scalar != shared[1].scalar ? "query_pre_attn_scalar"
                            : shared[0].cap != shared[1].cap       ? "attn_logit_softcapping"
                            : !same_text(shared[0].activation, shared[1].activation)
                                ? "hidden_activation"
                                : NULL;
    return !different ||
           refuse(reader, 1, different, "differs from the encoder's, expected the same value");
}

/* Copies the decoder's values for generation and special tokens where the whole model has none. */
static bool take_decoder_values(struct hf_reader *reader)
{
    static const char *const own[] = {"tie_word_embeddings", "vocab_size"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)stack_object(reader, 1), key, value)
    {
        bool kept = json_object_get(reader->config, key) != NULL;
        for (int i = 0; i < 2; i++)
            kept |= strcmp(key, own[i]) == 0;
        if (!kept && json_object_set(reader->config, key, value) != 0)
            return status_no_memory(reader->status);
    }
    return true;
}

bool hf_read_t5gemma(struct hf_reader *reader)
{
    enum { USUAL_VOCABULARY = 256000 };
    struct plain_config *plain = &reader->plain;
    struct shared shared[2];
    reader->windowed = json_pack("[[], []]");
    if (!reader->windowed ||
        (!json_object_get(reader->config, "vocab_size") &&
         json_object_set_new(reader->config, "vocab_size", json_integer(USUAL_VOCABULARY)) != 0))
        return status_no_memory(reader->status);
    if (!read_stack(reader, 0, &shared[0]) || !read_stack(reader, 1, &shared[1]) ||
        !check_shared(reader, shared) || !take_decoder_values(reader) ||
        !read_cap(reader, 1, "final_logit_softcapping", 30, &plain->output_cap))
        return false;
    plain->d_model = shared[1].width;
    plain->gated = plain->rms_norm = true;
    plain->norm_eps = shared[1].eps;
    plain->embedding_scale = sqrt((double)plain->d_model);
    plain->attention_scale = 1 / sqrt(shared[1].scalar);
    plain->attention_cap = shared[1].cap;
    return hf_read_activation(reader, "decoder.hidden_activation", shared[1].activation);
}

/* Tensors -------------------------------------------------------------------------------------- */

/* Adds 1 to the weight, in float32: the toolkit multiplies by 1 + weight. */
static bool put_norm(struct hf_reader *reader, const char *theirs, const char *ours)
{
    const struct stored_tensor *weight = hf_find(reader, theirs);
    if (!weight)
        return hf_missing(reader, theirs);
    if (!stored_is_float(weight))
        return contents_add(reader->contents, ours, weight, reader->status);
    float *values =
        contents_memory(reader->contents, weight->elements, sizeof *values, reader->status);
    for (int64_t i = 0; values && i < weight->elements; i++)
        values[i] = 1 + stored_value(weight, i);
    return values && contents_floats(reader->contents, ours, values, weight->dimensions,
                                     weight->shape, reader->status);
}

static bool put_attention(struct hf_reader *reader, int stack, const char *theirs, const char *ours)
{
    static const char parts[] = "qkvo";
    const char *const kinds[] = {"weight", "bias"};
    const bool biased =
        json_is_true(json_object_get(stack_object(reader, stack), "attention_bias"));
    for (const char *part = parts; *part; part++)
        for (int kind = 0; kind < (biased ? 2 : 1); kind++) {
            char from[160], to[160];
            snprintf(from, sizeof from, "%s.%c_proj.%s", theirs, *part, kinds[kind]);
            snprintf(to, sizeof to, "%s.%c.%s", ours, *part, kinds[kind]);
            if (!hf_put(reader, from, to))
                return false;
        }
    return true;
}

/* Sublayers as the file names them, and the number of our norm in encoder and decoder; 0: none. */
static const struct {
    const char *sublayer;
    int number[2];
} norms[] = {{"self_attn", {1, 1}}, {"cross_attn", {0, 2}}, {"feedforward", {2, 3}}};

static bool put_norms(struct hf_reader *reader, int stack, const char *theirs, const char *ours)
{
    for (int i = 0; i < 6; i++) {
        const char *sublayer = norms[i / 2].sublayer;
        const int number = norms[i / 2].number[stack];
        char from[160], to[160];
        snprintf(from, sizeof from, "%s.%s_%s_layernorm.weight", theirs, i % 2 ? "post" : "pre",
                 sublayer);
        snprintf(to, sizeof to, "%s.%s%d.weight", ours, i % 2 ? "output_norm" : "norm", number);
        if (number && !put_norm(reader, from, to))
            return false;
    }
    return true;
}

static bool put_layer(struct hf_reader *reader, int stack, int layer)
{
    static const char *const parts[][2] = {{"gate", "gate"}, {"up", "in"}, {"down", "out"}};
    char theirs[64], ours[64], from[128], to[128];
    snprintf(theirs, sizeof theirs, "model.%s.layers.%d", stacks[stack], layer);
    snprintf(ours, sizeof ours, "%s.layers.%d", stacks[stack], layer);
    for (int kind = 0; kind <= stack; kind++) {
        snprintf(from, sizeof from, "%s.%s_attn", theirs, kind ? "cross" : "self");
        snprintf(to, sizeof to, "%s.%s_attention", ours, kind ? "cross" : "self");
        if (!put_attention(reader, stack, from, to))
            return false;
    }
    for (int i = 0; i < 3; i++) {
        snprintf(from, sizeof from, "%s.mlp.%s_proj.weight", theirs, parts[i][0]);
        snprintf(to, sizeof to, "%s.ffn.%s.weight", ours, parts[i][1]);
        if (!hf_put(reader, from, to))
            return false;
    }
    return put_norms(reader, stack, theirs, ours);
}

/* True if the output is the decoder's embedding: the configurations of the whole model and of the
 * decoder do not both untie them. */
static bool output_tied(const struct hf_reader *reader)
{
    static const char key[] = "tie_word_embeddings";
    return !json_is_false(json_object_get(reader->config, key)) ||
           !json_is_false(json_object_get(stack_object(reader, 1), key));
}

bool hf_put_t5gemma(struct hf_reader *reader)
{
    if (!hf_put_embeddings(reader, "model.", output_tied(reader)))
        return false;
    for (int stack = 0; stack < 2; stack++) {
        char from[64], to[64];
        snprintf(from, sizeof from, "model.%s.norm.weight", stacks[stack]);
        snprintf(to, sizeof to, "%s.norm.weight", stacks[stack]);
        for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++)
            if (!put_layer(reader, stack, layer))
                return false;
        if (!put_norm(reader, from, to))
            return false;
    }
    return hf_put_output_bias(reader);
}
