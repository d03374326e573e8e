/* Puts the tensors of fairseq's Transformer under our names. They come from
 * fairseq/models/transformer, fairseq/modules/transformer_layer.py and multihead_attention.py;
 * older names are those that their upgrade_state_dict_named knows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/fairseq/fairseq.h"
#include "model/text/quote.h"

enum { MAX_LAYERS = 1024, NAME = 160 };

static const char *const stacks[2] = {"encoder", "decoder"};

static const struct stored_tensor *find(struct fs_reader *reader, const char *name)
{
    return tensor_set_find(&reader->weights, name);
}

static const struct stored_tensor *find_in(struct fs_reader *reader, int stack, const char *name)
{
    char full[2 * NAME];
    snprintf(full, sizeof full, "%s.%s", stacks[stack], name);
    return find(reader, full);
}

static bool missing(struct fs_reader *reader, const char *name)
{
    return fs_fail(reader, "%s: missing (every Transformer has it; arch %s)", QUOTED(name),
                   QUOTED(fs_architecture(reader)));
}

int64_t fs_rows(struct fs_reader *reader, int side)
{
    const struct stored_tensor *tensor = tensor_set_find(
        &reader->weights, side ? "decoder.embed_tokens.weight" : "encoder.embed_tokens.weight");
    return tensor && tensor->dimensions == 2 ? tensor->shape[0] : -1;
}

/* Layers --------------------------------------------------------------------------------------- */

/* Puts THEIRS.weight, which must exist, and THEIRS.bias. */
static bool put_pair(struct fs_reader *reader, const char *theirs, const char *ours)
{
    static const char *const parts[] = {"weight", "bias"};
    for (int i = 0; i < 2; i++) {
        char from[NAME], to[NAME];
        snprintf(from, sizeof from, "%s.%s", theirs, parts[i]);
        snprintf(to, sizeof to, "%s.%s", ours, parts[i]);
        const struct stored_tensor *tensor = find(reader, from);
        if (!tensor && i == 0)
            return missing(reader, from);
        if (tensor && !contents_add(reader->contents, to, tensor, reader->status))
            return false;
    }
    return true;
}

/* Older checkpoints stack queries, keys and values in one tensor. */
static bool put_stacked(struct fs_reader *reader, const struct stored_tensor *tensor,
                        const char *ours, const char *part)
{
    static const char *const projections[] = {"q", "k", "v"};
    int64_t rows = tensor->shape[0] / 3;
    if (tensor->dimensions < 1 || tensor->shape[0] % 3 != 0)
        return fs_fail(reader, "%s: expected queries, keys and values of equal width",
                       QUOTED(tensor->name));
    for (int i = 0; i < 3; i++) {
        char to[NAME];
        snprintf(to, sizeof to, "%s.%s.%s", ours, projections[i], part);
        if (!contents_rows(reader->contents, to, tensor, i * rows, rows, reader->status))
            return false;
    }
    return true;
}

static bool put_attention(struct fs_reader *reader, const char *theirs, const char *ours)
{
    static const char *const projections[][2] = {
        {"q_proj", "q"}, {"k_proj", "k"}, {"v_proj", "v"}, {"out_proj", "o"}};
    char from[NAME], to[NAME];
    snprintf(from, sizeof from, "%s.in_proj_weight", theirs);
    const struct stored_tensor *weight = find(reader, from);
    snprintf(from, sizeof from, "%s.in_proj_bias", theirs);
    const struct stored_tensor *bias = find(reader, from);
    if ((weight && !put_stacked(reader, weight, ours, "weight")) ||
        (weight && bias && !put_stacked(reader, bias, ours, "bias")))
        return false;
    for (int i = weight ? 3 : 0; i < 4; i++) {
        snprintf(from, sizeof from, "%s.%s", theirs, projections[i][0]);
        snprintf(to, sizeof to, "%s.%s", ours, projections[i][1]);
        if (!put_pair(reader, from, to))
            return false;
    }
    return true;
}

/* Old checkpoints number the norms of a layer. */
static bool put_norm(struct fs_reader *reader, const char *layer, const char *name, int number,
                     const char *ours)
{
    char from[NAME];
    snprintf(from, sizeof from, "%s.layer_norms.%d.weight", layer, number);
    if (find(reader, from))
        snprintf(from, sizeof from, "%s.layer_norms.%d", layer, number);
    else
        snprintf(from, sizeof from, "%s.%s", layer, name);
    return put_pair(reader, from, ours);
}

/* A part of a layer with both names. */
struct part {
    const char *theirs, *ours;
    bool (*put)(struct fs_reader *reader, const char *theirs, const char *ours);
};

static bool put_parts(struct fs_reader *reader, const char *layer, const struct part *parts,
                      int count)
{
    for (int i = 0; i < count; i++) {
        char from[NAME], to[NAME];
        snprintf(from, sizeof from, "%s.%s", layer, parts[i].theirs);
        snprintf(to, sizeof to, "%s.%s", layer, parts[i].ours);
        if (!parts[i].put(reader, from, to))
            return false;
    }
    return true;
}

static bool put_layer(struct fs_reader *reader, int stack, int number)
{
    static const struct part parts[] = {
        {"self_attn", "self_attention", put_attention},
        {"fc1", "ffn.in", put_pair},
        {"fc2", "ffn.out", put_pair},
        {"encoder_attn", "cross_attention", put_attention},
    };
    static const struct {
        const char *theirs;
        int number[2];       // in older checkpoints, for the encoder and the decoder
        const char *ours[2]; // NULL: not present
    } norms[] = {
        {"self_attn_layer_norm", {0, 0}, {"norm1", "norm1"}},
        {"encoder_attn_layer_norm", {0, 1}, {NULL, "norm2"}},
        {"final_layer_norm", {1, 2}, {"norm2", "norm3"}},
    };
    char layer[NAME / 2], ours[NAME];
    snprintf(layer, sizeof layer, "%s.layers.%d", stacks[stack], number);
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++) {
        if (!norms[i].ours[stack])
            continue;
        snprintf(ours, sizeof ours, "%s.%s", layer, norms[i].ours[stack]);
        if (!put_norm(reader, layer, norms[i].theirs, norms[i].number[stack], ours))
            return false;
    }
    return put_parts(reader, layer, parts, stack == 0 ? 3 : 4);
}

/* Stacks --------------------------------------------------------------------------------------- */

static int count_layers(struct fs_reader *reader, int stack)
{
    int layers = 0;
    for (; layers < MAX_LAYERS; layers++) {
        char name[NAME];
        snprintf(name, sizeof name, "layers.%d.fc1.weight", layers);
        const struct stored_tensor *tensor = find_in(reader, stack, name);
        if (!tensor)
            break;
        reader->plain.stacks[stack].d_ff = tensor->dimensions == 2 ? tensor->shape[0] : 0;
    }
    return layers;
}

/* Stacks with pre-norm end with a norm, except in models from before that norm. */
static bool put_last_norm(struct fs_reader *reader, int stack)
{
    char name[NAME], ours[NAME];
    bool has = reader->plain.stacks[stack].pre_norm && find_in(reader, stack, "layer_norm.weight");
    reader->plain.stacks[stack].no_last_norm = !has;
    snprintf(name, sizeof name, "%s.layer_norm", stacks[stack]);
    snprintf(ours, sizeof ours, "%s.norm", stacks[stack]);
    return !has || put_pair(reader, name, ours);
}

static bool put_embedding_norm(struct fs_reader *reader, int stack)
{
    char name[NAME], ours[NAME];
    bool has = find_in(reader, stack, "layernorm_embedding.weight");
    reader->plain.stacks[stack].embedding_norm = has;
    snprintf(name, sizeof name, "%s.layernorm_embedding", stacks[stack]);
    snprintf(ours, sizeof ours, "%s.embedding_norm", stacks[stack]);
    return !has || put_pair(reader, name, ours);
}

static bool put_stack(struct fs_reader *reader, int stack)
{
    int layers = count_layers(reader, stack);
    char first[NAME];
    snprintf(first, sizeof first, "%s.layers.0.fc1.weight", stacks[stack]);
    reader->plain.stacks[stack].layers = layers;
    if (layers == 0)
        return missing(reader, first);
    for (int i = 0; i < layers; i++)
        if (!put_layer(reader, stack, i))
            return false;
    return put_last_norm(reader, stack) && put_embedding_norm(reader, stack);
}

/* Positions ------------------------------------------------------------------------------------ */

static bool is_learned(const struct fs_reader *reader, int stack)
{
    return strcmp(reader->plain.stacks[stack].positions, "learned") == 0;
}

/* The tables may differ in length: the shorter one limits sentences. */
static bool put_positions(struct fs_reader *reader)
{
    const struct stored_tensor *tables[2] = {NULL, NULL};
    int64_t most = reader->plain.max_positions;
    for (int stack = 0; stack < 2; stack++) {
        if (!is_learned(reader, stack))
            continue;
        tables[stack] = find_in(reader, stack, "embed_positions.weight");
        if (!tables[stack] || tables[stack]->dimensions != 2 ||
            tables[stack]->shape[0] <= FS_PAD + 1)
            return fs_fail(reader,
                           "%s.embed_positions.weight: missing or short, expected a row "
                           "for each position",
                           stacks[stack]);
        int64_t rows = tables[stack]->shape[0] - (FS_PAD + 1);
        most = rows < most ? rows : most;
    }
    reader->plain.max_positions = most;
    for (int stack = 0; stack < 2; stack++) {
        char ours[NAME];
        snprintf(ours, sizeof ours, "%s.positions.weight", stacks[stack]);
        if (tables[stack] && !contents_rows(reader->contents, ours, tables[stack], 0,
                                            most + FS_PAD + 1, reader->status))
            return false;
    }
    return true;
}

/* Embeddings ----------------------------------------------------------------------------------- */

/* Finds the output's weight by its new or old name, or the target's embedding. */
static const struct stored_tensor *find_output(struct fs_reader *reader)
{
    const struct stored_tensor *output = find(reader, "decoder.output_projection.weight");
    if (!output)
        output = find(reader, "decoder.embed_out");
    return output ? output : find(reader, "decoder.embed_tokens.weight");
}

static bool put_embeddings(struct fs_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const struct stored_tensor *source = find(reader, "encoder.embed_tokens.weight");
    const struct stored_tensor *target = find(reader, "decoder.embed_tokens.weight");
    const struct stored_tensor *output = find_output(reader);
    if (!source || !target)
        return missing(reader,
                       source ? "decoder.embed_tokens.weight" : "encoder.embed_tokens.weight");
    bool all = fs_flag(reader, "share_all_embeddings");
    plain->d_model = source->dimensions == 2 ? source->shape[1] : 0;
    plain->embedding_scale =
        fs_flag(reader, "no_scale_embedding") ? 1 : sqrt((double)plain->d_model);
    plain->tied_target = all || source->data == target->data;
    plain->tied_output =
        all || fs_flag(reader, "share_decoder_input_output_embed") || output->data == target->data;
    return contents_add(reader->contents, "source_embedding.weight", source, reader->status) &&
           (plain->tied_target ||
            contents_add(reader->contents, "target_embedding.weight", target, reader->status)) &&
           (plain->tied_output ||
            contents_add(reader->contents, "output.weight", output, reader->status));
}

/* The whole ------------------------------------------------------------------------------------ */

/* Version numbers, tables of sinusoidal positions, and BART's heads for classifying sentences may
 * be left over. */
static bool check_left(struct fs_reader *reader)
{
    /* In version 0.12.2, encoder layers have a second copy of their weights for a faster
     * implementation. */
    static const char *const harmless[] = {"*.version*",
                                           "*._float_tensor*",
                                           "*.embed_positions.weights*",
                                           "*classification_heads.*",
                                           "encoder.layers.*.in_proj_*",
                                           "encoder.layers.*.out_proj_*",
                                           "encoder.layers.*.fc[12]_*",
                                           NULL};
    const struct stored_tensor *left = tensor_set_left(&reader->weights, harmless);
    return !left || fs_fail(reader,
                            "%s: is not supported (arch %s), expected the tensors of a "
                            "Transformer",
                            QUOTED(left->name), QUOTED(fs_architecture(reader)));
}

bool fs_put_weights(struct fs_reader *reader)
{
    return put_embeddings(reader) && put_positions(reader) && put_stack(reader, 0) &&
           put_stack(reader, 1) && check_left(reader);
}
