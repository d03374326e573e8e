/* The tensors of Marian's and BART's relatives in the transformers package, under our names. */
#include <stdio.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/text/quote.h"

/* Adds a weight and its bias. Only norms must have a bias, which checkpoint_open checks. */
static bool put_pair(struct hf_reader *reader, const char *theirs, const char *ours)
{
    char from[160], to[160];
    snprintf(from, sizeof from, "%s.weight", theirs);
    snprintf(to, sizeof to, "%s.weight", ours);
    if (!hf_put(reader, from, to))
        return false;
    snprintf(from, sizeof from, "%s.bias", theirs);
    snprintf(to, sizeof to, "%s.bias", ours);
    return !hf_find(reader, from) || hf_put(reader, from, to);
}

static bool put_layer(struct hf_reader *reader, int stack, int layer)
{
    static const struct {
        const char *theirs, *ours[2]; // of the encoder, of the decoder
    } pairs[] = {
        {"self_attn.q_proj", {"self_attention.q", "self_attention.q"}},
        {"self_attn.k_proj", {"self_attention.k", "self_attention.k"}},
        {"self_attn.v_proj", {"self_attention.v", "self_attention.v"}},
        {"self_attn.out_proj", {"self_attention.o", "self_attention.o"}},
        {"self_attn_layer_norm", {"norm1", "norm1"}},
        {"encoder_attn.q_proj", {NULL, "cross_attention.q"}},
        {"encoder_attn.k_proj", {NULL, "cross_attention.k"}},
        {"encoder_attn.v_proj", {NULL, "cross_attention.v"}},
        {"encoder_attn.out_proj", {NULL, "cross_attention.o"}},
        {"encoder_attn_layer_norm", {NULL, "norm2"}},
        {"fc1", {"ffn.in", "ffn.in"}},
        {"fc2", {"ffn.out", "ffn.out"}},
        {"final_layer_norm", {"norm2", "norm3"}},
    };
    static const char *const stacks[] = {"encoder", "decoder"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char theirs[128], ours[128];
        if (!pairs[i].ours[stack])
            continue;
        snprintf(theirs, sizeof theirs, "model.%s.layers.%d.%s", stacks[stack], layer,
                 pairs[i].theirs);
        snprintf(ours, sizeof ours, "%s.layers.%d.%s", stacks[stack], layer, pairs[i].ours[stack]);
        if (!put_pair(reader, theirs, ours))
            return false;
    }
    return true;
}

static bool put_stack(struct hf_reader *reader, int stack)
{
    static const struct {
        const char *embedding_norm[2], *norm[2]; // theirs, ours
    } parts[] = {
        {{"model.encoder.layernorm_embedding", "encoder.embedding_norm"},
         {"model.encoder.layer_norm", "encoder.norm"}},
        {{"model.decoder.layernorm_embedding", "decoder.embedding_norm"},
         {"model.decoder.layer_norm", "decoder.norm"}},
    };
    for (int layer = 0; layer < reader->plain.stacks[stack].layers; layer++)
        if (!put_layer(reader, stack, layer))
            return false;
    if (reader->plain.stacks[stack].embedding_norm &&
        !put_pair(reader, parts[stack].embedding_norm[0], parts[stack].embedding_norm[1]))
        return false;
    return !reader->plain.stacks[stack].pre_norm ||
           put_pair(reader, parts[stack].norm[0], parts[stack].norm[1]);
}

/* BART's and mBART's positions are learned. Marian's, Pegasus' and FSMT's are sines, but if a file
 * stores a table, transformers uses whatever is in it. M2M100's are always computed. */
static bool put_positions(struct hf_reader *reader, int stack)
{
    static const char *const names[][2] = {
        {"model.encoder.embed_positions.weight", "encoder.positions.weight"},
        {"model.decoder.embed_positions.weight", "decoder.positions.weight"}};
    bool sines = reader->type->layout != NULL;
    if (sines && (reader->type->languages || !hf_find(reader, names[stack][0])))
        return true;
    reader->plain.stacks[stack].positions = "learned";
    return hf_put(reader, names[stack][0], names[stack][1]);
}

static bool check_leftovers(struct hf_reader *reader)
{
    static const char *const harmless[] = {"*embed_positions.weight*", "*.version*", NULL};
    const struct stored_tensor *left = tensor_set_left(&reader->weights, harmless);
    return !left || status_fail(reader->status, STATUS_INVALID,
                                "%s: not a tensor of a %s model that is computed here",
                                QUOTED(left->name), reader->type->name);
}

bool hf_put_weights(struct hf_reader *reader)
{
    if (reader->type->t5)
        return hf_put_t5(reader) && check_leftovers(reader);
    if (reader->type->t5gemma)
        return hf_put_t5gemma(reader) && check_leftovers(reader);
    const json_t *tie = json_object_get(reader->config, "tie_word_embeddings");
    bool tied = reader->type->fsmt || !json_is_false(tie);
    if (reader->type->indictrans)
        tied = json_is_true(json_object_get(reader->config, "share_decoder_input_output_embed"));
    return hf_put_embeddings(reader, "model.", tied) && put_stack(reader, 0) &&
           put_stack(reader, 1) && put_positions(reader, 0) && put_positions(reader, 1) &&
           hf_put_output_bias(reader) && check_leftovers(reader);
}
