/* Puts the tensors of torch.nn.Transformer (torch/nn/modules/transformer.py), whose stacks may also
 * be separate as nn.TransformerEncoder and nn.TransformerDecoder, and those of the tutorial's
 * layout under our names. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/nn_transformer/reader.h"
#include "model/text/quote.h"

static const struct module_name encoder_modules[] = {
    {.theirs = "self_attn.in_proj_", .ours = "self_attention.q self_attention.k self_attention.v"},
    {.theirs = "self_attn.out_proj", .ours = "self_attention.o"},
    {.theirs = "norm1", .ours = "norm1"},
    {.theirs = "linear1", .ours = "ffn.in"},
    {.theirs = "linear2", .ours = "ffn.out"},
    {.theirs = "norm2", .ours = "norm2"},
};

static const struct module_name decoder_modules[] = {
    {.theirs = "self_attn.in_proj_", .ours = "self_attention.q self_attention.k self_attention.v"},
    {.theirs = "self_attn.out_proj", .ours = "self_attention.o"},
    {.theirs = "norm1", .ours = "norm1"},
    {.theirs = "multihead_attn.in_proj_",
     .ours = "cross_attention.q cross_attention.k cross_attention.v"},
    {.theirs = "multihead_attn.out_proj", .ours = "cross_attention.o"},
    {.theirs = "norm2", .ours = "norm2"},
    {.theirs = "linear1", .ours = "ffn.in"},
    {.theirs = "linear2", .ours = "ffn.out"},
    {.theirs = "norm3", .ours = "norm3"},
};

static const struct module_name tutorial_encoder[] = {
    {.theirs = "self_attention.fc_q", .ours = "self_attention.q"},
    {.theirs = "self_attention.fc_k", .ours = "self_attention.k"},
    {.theirs = "self_attention.fc_v", .ours = "self_attention.v"},
    {.theirs = "self_attention.fc_o", .ours = "self_attention.o"},
    {.theirs = "self_attn_layer_norm", .ours = "norm1"},
    {.theirs = "positionwise_feedforward.fc_1", .ours = "ffn.in"},
    {.theirs = "positionwise_feedforward.fc_2", .ours = "ffn.out"},
    {.theirs = "ff_layer_norm", .ours = "norm2"},
};

static const struct module_name tutorial_decoder[] = {
    {.theirs = "self_attention.fc_q", .ours = "self_attention.q"},
    {.theirs = "self_attention.fc_k", .ours = "self_attention.k"},
    {.theirs = "self_attention.fc_v", .ours = "self_attention.v"},
    {.theirs = "self_attention.fc_o", .ours = "self_attention.o"},
    {.theirs = "self_attn_layer_norm", .ours = "norm1"},
    {.theirs = "encoder_attention.fc_q", .ours = "cross_attention.q"},
    {.theirs = "encoder_attention.fc_k", .ours = "cross_attention.k"},
    {.theirs = "encoder_attention.fc_v", .ours = "cross_attention.v"},
    {.theirs = "encoder_attention.fc_o", .ours = "cross_attention.o"},
    {.theirs = "enc_attn_layer_norm", .ours = "norm2"},
    {.theirs = "positionwise_feedforward.fc_1", .ours = "ffn.in"},
    {.theirs = "positionwise_feedforward.fc_2", .ours = "ffn.out"},
    {.theirs = "ff_layer_norm", .ours = "norm3"},
};

/* A layout: tensors of both stacks' first layers, tensors of decoders only, and the names of tables
 * within their stack, if there are any. */
static const struct layout {
    const char *self, *cross;
    const char *embedding, *positions, *output;
    struct stack_modules stacks[2]; // their layers and norms get the stack's name in front
} layouts[] = {
    {.self = ".layers.0.self_attn.in_proj_weight",
     .cross = ".layers.0.multihead_attn.in_proj_weight",
     .stacks = {{.ffn = "linear1", STACK_MODULES(encoder_modules)},
                {.ffn = "linear1", STACK_MODULES(decoder_modules)}}},
    {.self = ".layers.0.self_attention.fc_q.weight",
     .cross = ".layers.0.encoder_attention.fc_q.weight",
     .embedding = "tok_embedding",
     .positions = "pos_embedding",
     .output = "fc_out",
     .stacks = {{.ffn = "positionwise_feedforward.fc_1", STACK_MODULES(tutorial_encoder)},
                {.ffn = "positionwise_feedforward.fc_1", STACK_MODULES(tutorial_decoder)}}},
};

/* Names of the stacks, such as "transformer.encoder", in the file. */
enum { STEM = 256, NAME = 400 };
struct stems {
    const struct layout *layout;
    char stacks[2][STEM];
};

/* Finding stacks ------------------------------------------------------------------------------- */

static const struct stored_tensor *find(struct nn_reader *reader, const char *stem,
                                        const char *name)
{
    char whole[NAME + 32];
    snprintf(whole, sizeof whole, "%s%s", stem, name);
    return tensor_set_find(&reader->modules.from, whole);
}

/* Takes the stack with this tensor if the layout has it in every first layer. Returns false for a
 * second encoder or decoder. */
static bool take_stack(struct nn_reader *reader, struct stems *stems, const char *name)
{
    char stem[STEM];
    size_t length = strlen(name) - strlen(stems->layout->self);
    if (!name_ends(name, stems->layout->self) || length >= sizeof stem)
        return true;
    snprintf(stem, sizeof stem, "%.*s", (int)length, name);
    char *own = stems->stacks[find(reader, stem, stems->layout->cross) != NULL];
    if (*own)
        return status_fail(reader->status, STATUS_INVALID,
                           "%s: a second %s beside %s, expected one encoder and one decoder",
                           QUOTED(stem), own == stems->stacks[0] ? "encoder" : "decoder",
                           QUOTED(own));
    memcpy(own, stem, length + 1);
    return true;
}

static bool take_stacks(struct nn_reader *reader, struct stems *stems)
{
    const struct tensor_part *part = &reader->modules.from.parts[0];
    for (int i = 0; i < part->count; i++)
        if (strlen(part->tensors[i].name) > strlen(stems->layout->self) &&
            !take_stack(reader, stems, part->tensors[i].name))
            return false;
    return true;
}

static bool find_stacks(struct nn_reader *reader, struct stems *stems)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        *stems = (struct stems){.layout = &layouts[i]};
        if (!take_stacks(reader, stems))
            return false;
        if (*stems->stacks[0] && *stems->stacks[1])
            return true;
    }
    return status_fail(reader->status, STATUS_INVALID,
                       "no encoder and decoder, expected tensors such as "
                       "transformer.encoder%s and transformer.decoder%s, or encoder%s",
                       layouts[0].self, layouts[0].cross, layouts[1].self);
}

/* Tables --------------------------------------------------------------------------------------- */

/* True if the tensor belongs to a layer or is not a matrix. */
static bool is_no_table(const struct stems *stems, const struct stored_tensor *tensor)
{
    for (int stack = 0; stack < 2; stack++) {
        size_t length = strlen(stems->stacks[stack]);
        if (strncmp(tensor->name, stems->stacks[stack], length) == 0 &&
            strncmp(tensor->name + length, ".layers.", strlen(".layers.")) == 0)
            return true;
    }
    return tensor->dimensions < 2;
}

/* Fails and lists the file's tables: the training program chose their names. */
static bool fail_table(struct nn_reader *reader, const struct stems *stems, const char *member,
                       const char *given)
{
    enum { MOST = 6 };
    const struct tensor_part *part = &reader->modules.from.parts[0];
    char names[500] = "";
    size_t length = 0;
    int shown = 0;
    for (int i = 0; i < part->count && shown < MOST; i++) {
        const struct stored_tensor *tensor = &part->tensors[i];
        if (is_no_table(stems, tensor) || length >= sizeof names / 2)
            continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%.80s (%lld rows)",
                                   shown++ ? ", " : "", QUOTED(tensor->name),
                                   (long long)tensor->shape[tensor->dimensions - 2]);
    }
    return status_fail(reader->status, STATUS_INVALID, "%s: %s: %s, expected one of %s",
                       nn_description, member, given ? QUOTED(given) : "missing", names);
}

/* The tensor NAME or NAME.weight. */
static const struct stored_tensor *find_table(struct nn_reader *reader, const char *name)
{
    const struct stored_tensor *table = find(reader, name, "");
    return table ? table : find(reader, name, ".weight");
}

/* Finds the table that a member names for a side, or that the layout has. NULL: none, with a
 * message. */
static const struct stored_tensor *table_of_side(struct nn_reader *reader,
                                                 const struct stems *stems, const char *member,
                                                 int side, const char *within)
{
    char name[NAME];
    const json_t *value = nn_of_side(json_object_get(reader->description, member), side);
    const char *given = json_string_value(value);
    if (!value && within)
        snprintf(name, sizeof name, "%.255s.%s", stems->stacks[side], within);
    else
        snprintf(name, sizeof name, "%s", given ? given : "");
    const struct stored_tensor *table = *name ? find_table(reader, name) : NULL;
    if (!table)
        fail_table(reader, stems, member, value || within ? name : NULL);
    return table;
}

static bool put_output_bias(struct nn_reader *reader, const struct stored_tensor *output)
{
    static const char ending[] = ".weight";
    char name[NAME];
    if (!name_ends(output->name, ending) || strlen(output->name) >= sizeof name)
        return true;
    size_t length = strlen(output->name) - strlen(ending);
    snprintf(name, sizeof name, "%.*s.bias", (int)length, output->name);
    const struct stored_tensor *bias = tensor_set_find(&reader->modules.from, name);
    return !bias || contents_add(reader->contents, "output.bias", bias, reader->status);
}

static bool put_embeddings(struct nn_reader *reader, const struct stems *stems)
{
    const char *within = stems->layout->embedding;
    const struct stored_tensor *source = table_of_side(reader, stems, "embeddings", 0, within);
    const struct stored_tensor *target =
        source ? table_of_side(reader, stems, "embeddings", 1, within) : NULL;
    const struct stored_tensor *output =
        target ? table_of_side(reader, stems, "output", 1, stems->layout->output) : NULL;
    if (!output || !modules_embeddings(&reader->modules, source, target, output))
        return false;
    reader->rows[0] = source->shape[0];
    reader->rows[1] = target->shape[0];
    if (reader->plain.embedding_scale == 0)
        reader->plain.embedding_scale = sqrt((double)reader->plain.d_model);
    return put_output_bias(reader, output);
}

/* Computes positions, sine and cosine in turn, as in PyTorch's own tutorial. */
static void compute_positions(struct nn_reader *reader, const char *kind)
{
    enum { ENDLESS_POSITIONS = 5000 };
    for (int stack = 0; stack < 2; stack++) {
        reader->plain.stacks[stack].positions = kind;
        reader->plain.stacks[stack].layout = "interleaved";
    }
    reader->plain.max_positions = ENDLESS_POSITIONS;
}

static bool put_positions(struct nn_reader *reader, const struct stems *stems)
{
    static const char key[] = "positions";
    static const char *const computed[] = {"sinusoidal", "none"};
    const char *kind = json_string_value(json_object_get(reader->description, key));
    const struct stored_tensor *tables[2] = {NULL};
    for (int i = 0; kind && i < 2; i++)
        if (strcmp(kind, computed[i]) == 0)
            return compute_positions(reader, computed[i]), true;
    for (int side = 0; side < 2; side++) {
        tables[side] = table_of_side(reader, stems, key, side, stems->layout->positions);
        if (!tables[side])
            return false;
    }
    return modules_positions(&reader->modules, tables);
}

/* Stacks --------------------------------------------------------------------------------------- */

static bool put_stack(struct nn_reader *reader, const struct stems *stems, int stack)
{
    char layers[STEM + 8], norm[STEM + 8];
    struct stack_modules names = stems->layout->stacks[stack];
    snprintf(layers, sizeof layers, "%s.layers", stems->stacks[stack]);
    snprintf(norm, sizeof norm, "%s.norm", stems->stacks[stack]);
    names.layers = layers;
    names.norm = norm;
    bool last = find(reader, norm, ".weight") != NULL;
    reader->plain.stacks[stack].last_norm = last;
    reader->plain.stacks[stack].no_last_norm = !last;
    return modules_stack(&reader->modules, stack, &names);
}

bool nn_put_weights(struct nn_reader *reader)
{
    static const char *const harmless[] = {"*mask*", NULL};
    struct stems stems;
    return (find_stacks(reader, &stems) ||
            status_prefix(reader->status, "%s", QUOTED(reader->weights))) &&
           put_embeddings(reader, &stems) && put_positions(reader, &stems) &&
           put_stack(reader, &stems, 0) && put_stack(reader, &stems, 1) &&
           (modules_left(&reader->modules, harmless) ||
            status_prefix(reader->status, "%s", QUOTED(reader->weights)));
}
