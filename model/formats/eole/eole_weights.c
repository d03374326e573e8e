/* The tensors of Eole under our names: eole/encoders/transformer.py, eole/decoders/transformer.py,
 * eole/modules/embeddings.py. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/eole/eole.h"
#include "model/text/quote.h"

#define SELF_ATTENTION                                                                             \
    {.theirs = "self_attn.linear_query", .ours = "self_attention.q"},                              \
        {.theirs = "self_attn.linear_keys", .ours = "self_attention.k"},                           \
        {.theirs = "self_attn.linear_values", .ours = "self_attention.v"},                         \
    {                                                                                              \
        .theirs = "self_attn.final_linear", .ours = "self_attention.o"                             \
    }
#define FEED_FORWARD                                                                               \
    {.theirs = "mlp.gate_up_proj", .ours = "ffn.in", .gated = "ffn.gate"},                         \
        {.theirs = "mlp.up_proj", .gated = "ffn.in"},                                              \
    {                                                                                              \
        .theirs = "mlp.down_proj", .ours = "ffn.out"                                               \
    }

static const struct module_name encoder_modules[] = {
    {.theirs = "input_layernorm", .ours = "norm1"},
    SELF_ATTENTION,
    {.theirs = "post_attention_layernorm", .ours = "norm2"},
    FEED_FORWARD,
};

static const struct module_name decoder_modules[] = {
    {.theirs = "input_layernorm", .ours = "norm1"},
    SELF_ATTENTION,
    {.theirs = "precontext_layernorm", .ours = "norm2"},
    {.theirs = "context_attn.linear_query", .ours = "cross_attention.q"},
    {.theirs = "context_attn.linear_keys", .ours = "cross_attention.k"},
    {.theirs = "context_attn.linear_values", .ours = "cross_attention.v"},
    {.theirs = "context_attn.final_linear", .ours = "cross_attention.o"},
    {.theirs = "post_attention_layernorm", .ours = "norm3"},
    FEED_FORWARD,
};

static const struct stack_modules stacks[2] = {
    {"encoder.transformer_layers", "encoder.layer_norm", "mlp.gate_up_proj",
     STACK_MODULES(encoder_modules)},
    {"decoder.transformer_layers", "decoder.layer_norm", "mlp.gate_up_proj",
     STACK_MODULES(decoder_modules)},
};

/* model.00.safetensors, model.01.safetensors and so on. */
static bool open_weights(struct eole_reader *reader)
{
    enum { MOST = 100 };
    for (int part = 0; part < MOST; part++) {
        char name[32];
        snprintf(name, sizeof name, "model.%02d.safetensors", part);
        if (part > 0 && !family_has(reader->folder, name))
            return true;
        const struct mapped_file *file =
            family_file(reader->contents, reader->folder, name, reader->status);
        if (!file)
            return false;
        const struct safetensors *tensors = contents_part(reader->contents, file, reader->status);
        if (!tensors)
            return status_prefix(reader->status, "%s", name);
        if (!tensor_set_add(&reader->modules.from, safetensors_tensor(tensors, 0),
                            safetensors_count(tensors), reader->status))
            return false;
    }
    return true;
}

static const struct stored_tensor *find(struct eole_reader *reader, const char *name)
{
    return tensor_set_find(&reader->modules.from, name);
}

/* Shared tables are written once. */
static bool put_embeddings(struct eole_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const bool shared = json_is_true(json_object_get(reader->model, "share_embeddings"));
    const bool tied = json_is_true(json_object_get(reader->model, "share_decoder_embeddings"));
    const struct stored_tensor *source = find(reader, "src_emb.embeddings.weight");
    const struct stored_tensor *target = find(reader, "tgt_emb.embeddings.weight");
    const struct stored_tensor *output = find(reader, "generator.weight");
    const struct stored_tensor *bias = find(reader, "generator.bias");
    if (shared && !target)
        target = source;
    if (tied && !output)
        output = target;
    if (!source || !target || !output)
        return status_fail(reader->status, STATUS_INVALID, "%s: missing (every Transformer has it)",
                           !source   ? "src_emb.embeddings.weight"
                           : !target ? "tgt_emb.embeddings.weight"
                                     : "generator.weight");
    if (!modules_embeddings(&reader->modules, source, target, output))
        return false;
    if (plain->embedding_scale == 0)
        plain->embedding_scale = sqrt((double)plain->d_model);
    return !bias || contents_add(reader->contents, "output.bias", bias, reader->status);
}

/* A table of sines may be absent; a learned table may not. */
static bool put_positions(struct eole_reader *reader)
{
    const struct stored_tensor *tables[2];
    for (int stack = 0; stack < 2; stack++) {
        char name[64];
        snprintf(name, sizeof name, "%s_emb.%s", stack ? "tgt" : "src",
                 reader->tables ? reader->tables : "");
        tables[stack] = reader->tables ? find(reader, name) : NULL;
        if (!tables[stack] && strcmp(reader->plain.stacks[stack].positions, "learned") == 0)
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: missing, expected learned positions", name);
    }
    return !tables[0] || !tables[1] || modules_positions(&reader->modules, tables);
}

/* Every file has layer_scalar, a factor that only the layers of other models use. */
bool eole_put_weights(struct eole_reader *reader)
{
    static const char *const harmless[] = {"*.layer_scalar", NULL};
    return open_weights(reader) && put_embeddings(reader) && put_positions(reader) &&
           modules_stack(&reader->modules, 0, &stacks[0]) &&
           modules_stack(&reader->modules, 1, &stacks[1]) &&
           modules_left(&reader->modules, harmless);
}
