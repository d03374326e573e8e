/* T5, mT5, UMT5 and MADLAD in the transformers package: their configuration and the names of their
 * tensors (src/transformers/models/{t5,mt5,umt5}). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"

/* Positions are relative, so that there is no last one. */
enum { ENDLESS_POSITIONS = 4096 };

/* Reads "relu", "gated-gelu" or "gated-silu". The GELU of a gate is the tanh approximation. */
static bool read_feed_forward(struct hf_reader *reader)
{
    static const char key[] = "feed_forward_proj", gated[] = "gated-";
    const char *name = json_string_value(json_object_get(reader->config, key));
    if (!name)
        name = reader->type->gated ? "gated-gelu" : "relu";
    reader->plain.gated = strncmp(name, gated, strlen(gated)) == 0;
    if (strcmp(name, "gated-gelu") == 0)
        name = "gated-gelu_new";
    return hf_read_activation(reader, key, name + (reader->plain.gated ? strlen(gated) : 0));
}

/* The first version of T5 scales the states from which logits are computed. Since version 5 of the
 * package the configuration says so; in older ones, models with a tied output are of that version.
 * mT5 never scales them; UMT5 follows T5's rule. */
static void read_output_scale(struct hf_reader *reader)
{
    const json_t *scales = json_object_get(reader->config, "scale_decoder_outputs");
    const json_t *tied = json_object_get(reader->config, "tie_word_embeddings");
    bool scaled = scales ? json_is_true(scales) : !json_is_false(tied);
    if (scaled && !reader->type->unscaled && reader->plain.d_model > 0)
        reader->plain.output_scale = 1 / sqrt((double)reader->plain.d_model);
}

bool hf_read_t5(struct hf_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const json_t *config = reader->config;
    int64_t layers, heads, head_dim, d_ff;
    if (!hf_need(reader, "d_model", &plain->d_model) || !hf_need(reader, "num_layers", &layers) ||
        !hf_need(reader, "num_heads", &heads) || !hf_need(reader, "d_kv", &head_dim) ||
        !hf_need(reader, "d_ff", &d_ff) || !read_feed_forward(reader))
        return false;
    for (int stack = 0; stack < 2; stack++) {
        plain->stacks[stack].layers =
            stack ? family_integer(config, "num_decoder_layers", layers) : layers;
        plain->stacks[stack].heads = heads;
        plain->stacks[stack].head_dim = head_dim;
        plain->stacks[stack].d_ff = d_ff;
        plain->stacks[stack].pre_norm = true;
        plain->stacks[stack].positions = "none";
        plain->stacks[stack].buckets = family_integer(config, "relative_attention_num_buckets", 32);
        plain->stacks[stack].max_distance =
            family_integer(config, "relative_attention_max_distance", 128);
        plain->stacks[stack].separate_biases = reader->type->separate_biases;
    }
    plain->rms_norm = true;
    plain->norm_eps = family_number(config, "layer_norm_epsilon", 1e-6);
    plain->embedding_scale = plain->attention_scale = 1;
    plain->max_positions = ENDLESS_POSITIONS;
    read_output_scale(reader);
    return true;
}

/* Tensors -------------------------------------------------------------------------------------- */

static const char *const stacks[] = {"encoder", "decoder"};

/* Adds the weight of a part of a layer: `theirs` within the block, `ours` within the layer. */
static bool put_part(struct hf_reader *reader, int stack, int layer, const char *theirs,
                     const char *ours)
{
    char from[128], to[128];
    snprintf(from, sizeof from, "%s.block.%d.layer.%s.weight", stacks[stack], layer, theirs);
    snprintf(to, sizeof to, "%s.layers.%d.%s.weight", stacks[stack], layer, ours);
    return hf_put(reader, from, to);
}

static bool put_parts(struct hf_reader *reader, int stack, int layer, const char *const (*parts)[2],
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!put_part(reader, stack, layer, parts[i][0], parts[i][1]))
            return false;
    return true;
}

#define PUT_PARTS(reader, stack, layer, parts)                                                     \
    put_parts(reader, stack, layer, parts, sizeof(parts) / sizeof *(parts))

/* Adds the last part of a block, after self-attention or cross-attention. */
static bool put_feed_forward(struct hf_reader *reader, int stack, int layer)
{
    static const char *const plain[][2] = {{"wi", "in"}, {"wo", "out"}};
    static const char *const gated[][2] = {{"wi_0", "gate"}, {"wi_1", "in"}, {"wo", "out"}};
    const char *const(*parts)[2] = reader->plain.gated ? gated : plain;
    for (int i = 0; i < (reader->plain.gated ? 3 : 2); i++) {
        char theirs[64], ours[16];
        snprintf(theirs, sizeof theirs, "%d.DenseReluDense.%s", stack + 1, parts[i][0]);
        snprintf(ours, sizeof ours, "ffn.%s", parts[i][1]);
        if (!put_part(reader, stack, layer, theirs, ours))
            return false;
    }
    return true;
}

static bool put_layer(struct hf_reader *reader, int stack, int layer)
{
    static const char *const self[][2] = {{"0.SelfAttention.q", "self_attention.q"},
                                          {"0.SelfAttention.k", "self_attention.k"},
                                          {"0.SelfAttention.v", "self_attention.v"},
                                          {"0.SelfAttention.o", "self_attention.o"},
                                          {"0.layer_norm", "norm1"},
                                          {"1.layer_norm", "norm2"}};
    static const char *const cross[][2] = {{"1.EncDecAttention.q", "cross_attention.q"},
                                           {"1.EncDecAttention.k", "cross_attention.k"},
                                           {"1.EncDecAttention.v", "cross_attention.v"},
                                           {"1.EncDecAttention.o", "cross_attention.o"},
                                           {"2.layer_norm", "norm3"}};
    return PUT_PARTS(reader, stack, layer, self) &&
           (stack == 0 || PUT_PARTS(reader, stack, layer, cross)) &&
           put_feed_forward(reader, stack, layer);
}

/* UMT5 has biases of relative positions in every layer. The others have one in the first layer,
 * which all layers use. */
static bool put_bias(struct hf_reader *reader, int stack)
{
    static const char bias[] = "0.SelfAttention.relative_attention_bias";
    char from[128], to[64];
    if (reader->type->separate_biases) {
        for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++)
            if (!put_part(reader, stack, layer, bias, "relative_bias"))
                return false;
        return true;
    }
    snprintf(from, sizeof from, "%s.block.0.layer.%s.weight", stacks[stack], bias);
    snprintf(to, sizeof to, "%s.relative_bias.weight", stacks[stack]);
    return hf_put(reader, from, to);
}

static bool put_stack(struct hf_reader *reader, int stack)
{
    char from[128], to[64];
    for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++)
        if (!put_layer(reader, stack, layer))
            return false;
    if (!put_bias(reader, stack))
        return false;
    snprintf(from, sizeof from, "%s.final_layer_norm.weight", stacks[stack]);
    snprintf(to, sizeof to, "%s.norm.weight", stacks[stack]);
    return hf_put(reader, from, to);
}

/* The output is tied to the embeddings unless a file has separate weights for it, whatever the
 * configuration says. */
bool hf_put_t5(struct hf_reader *reader)
{
    // Old files contain it, but nothing reads it: cross-attention has no positions.
    hf_find(reader, "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
    return hf_put_embeddings(reader, "", true) && put_stack(reader, 0) && put_stack(reader, 1) &&
           hf_put_output_bias(reader);
}
