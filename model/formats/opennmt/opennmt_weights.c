/* Puts the tensors of OpenNMT-py under our names. Sources: onmt/encoders/transformer.py,
 * onmt/decoders/transformer.py and onmt/modules/embeddings.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/opennmt/opennmt.h"
#include "model/text/quote.h"

static const struct module_name encoder_modules[] = {
    {.theirs = "layer_norm", .ours = "norm1"},
    {.theirs = "self_attn.linear_query", .ours = "self_attention.q"},
    {.theirs = "self_attn.linear_keys", .ours = "self_attention.k"},
    {.theirs = "self_attn.linear_values", .ours = "self_attention.v"},
    {.theirs = "self_attn.final_linear", .ours = "self_attention.o", .last = true},
    {.theirs = "feed_forward.layer_norm", .ours = "norm2"},
    {.theirs = "feed_forward.w_1", .ours = "ffn.in", .gated = "ffn.gate"},
    {.theirs = "feed_forward.w_3", .gated = "ffn.in"},
    {.theirs = "feed_forward.w_2", .ours = "ffn.out", .last = true},
};

static const struct module_name decoder_modules[] = {
    {.theirs = "layer_norm_1", .ours = "norm1"},
    {.theirs = "self_attn.linear_query", .ours = "self_attention.q"},
    {.theirs = "self_attn.linear_keys", .ours = "self_attention.k"},
    {.theirs = "self_attn.linear_values", .ours = "self_attention.v"},
    {.theirs = "self_attn.final_linear", .ours = "self_attention.o", .last = true},
    {.theirs = "layer_norm_2", .ours = "norm2"},
    {.theirs = "context_attn.linear_query", .ours = "cross_attention.q"},
    {.theirs = "context_attn.linear_keys", .ours = "cross_attention.k"},
    {.theirs = "context_attn.linear_values", .ours = "cross_attention.v"},
    {.theirs = "context_attn.final_linear", .ours = "cross_attention.o", .last = true},
    {.theirs = "feed_forward.layer_norm", .ours = "norm3"},
    {.theirs = "feed_forward.w_1", .ours = "ffn.in", .gated = "ffn.gate"},
    {.theirs = "feed_forward.w_3", .gated = "ffn.in"},
    {.theirs = "feed_forward.w_2", .ours = "ffn.out", .last = true},
};

static const struct stack_modules stacks[2] = {
    {"encoder.transformer", "encoder.layer_norm", "feed_forward.w_1",
     STACK_MODULES(encoder_modules)},
    {"decoder.transformer_layers", "decoder.layer_norm", "feed_forward.w_1",
     STACK_MODULES(decoder_modules)},
};

/* Files ---------------------------------------------------------------------------------------- */

static bool add_dict(struct onmt_reader *reader, const char *member)
{
    int count;
    const struct stored_tensor *tensors =
        torch_tensors(reader->torch, pickle_get(reader->root, member), &count, reader->status);
    return tensors ? tensor_set_add(&reader->modules.from, tensors, count, reader->status)
                   : status_prefix(reader->status, "%s", member);
}

static bool add_part(struct onmt_reader *reader, const char *name)
{
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, name, reader->status);
    if (!file)
        return false;
    const struct safetensors *part = contents_part(reader->contents, file, reader->status);
    if (!part)
        return status_prefix(reader->status, "%s", QUOTED(name));
    return tensor_set_add(&reader->modules.from, safetensors_tensor(part, 0),
                          safetensors_count(part), reader->status);
}

/* model.pt may have its weights in model.safetensors, or in model.00.safetensors and so on. */
static bool add_parts(struct onmt_reader *reader)
{
    enum { MOST = 100 };
    size_t stem = strlen(reader->file);
    if (name_ends(reader->file, ".pt"))
        stem -= strlen(".pt");
    char name[300];
    snprintf(name, sizeof name, "%.*s.safetensors", (int)stem, reader->file);
    if (family_has(reader->folder, name))
        return add_part(reader, name);
    for (int part = 0; part < MOST; part++) {
        snprintf(name, sizeof name, "%.*s.%02d.safetensors", (int)stem, reader->file, part);
        if (!family_has(reader->folder, name))
            return part > 0 ||
                   status_fail(reader->status, STATUS_INVALID,
                               "%s: missing, expected the weights there or in the checkpoint",
                               QUOTED(name));
        if (!add_part(reader, name))
            return false;
    }
    return true;
}

static bool open_weights(struct onmt_reader *reader)
{
    if (!pickle_get(reader->root, "model"))
        return add_parts(reader);
    return add_dict(reader, "model") &&
           (pickle_none(pickle_get(reader->root, "generator")) || add_dict(reader, "generator"));
}

/* Tensors -------------------------------------------------------------------------------------- */

/* Finds the first of several names; NULL: none. */
static const struct stored_tensor *find(struct onmt_reader *reader, const char *const *names)
{
    const struct stored_tensor *found = NULL;
    for (; !found && *names; names++)
        found = tensor_set_find(&reader->modules.from, *names);
    return found;
}

static bool put_embeddings(struct onmt_reader *reader)
{
    static const char *const outputs[] = {"weight", "0.weight", "generator.weight", NULL};
    static const char *const biases[] = {"bias", "0.bias", "generator.bias", NULL};
    const struct stored_tensor *embeddings[2];
    for (int stack = 0; stack < 2; stack++) {
        char name[96];
        snprintf(name, sizeof name, "%s.embeddings.make_embedding.emb_luts.0.weight",
                 stack ? "decoder" : "encoder");
        embeddings[stack] = tensor_set_find(&reader->modules.from, name);
        if (!embeddings[stack])
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: missing (every Transformer has it)", name);
    }
    const struct stored_tensor *output = find(reader, outputs), *bias = find(reader, biases);
    if (!output)
        return status_fail(reader->status, STATUS_INVALID,
                           "generator.weight: missing (every Transformer has it)");
    return modules_embeddings(&reader->modules, embeddings[0], embeddings[1], output) &&
           (!bias || contents_add(reader->contents, "output.bias", bias, reader->status));
}

/* The toolkit scales embeddings only if it adds positions to them. */
static bool put_positions(struct onmt_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    const struct stored_tensor *const tables[2] = {
        tensor_set_find(&reader->modules.from, "encoder.embeddings.make_embedding.pe.pe"),
        tensor_set_find(&reader->modules.from, "decoder.embeddings.make_embedding.pe.pe")};
    bool none = strcmp(plain->stacks[0].positions, "none") == 0;
    plain->embedding_scale = none ? 1 : sqrt((double)plain->d_model);
    return none || !tables[0] || !tables[1] || modules_positions(&reader->modules, tables);
}

bool onmt_put_weights(struct onmt_reader *reader)
{
    /* Versions before 1.1 stored the causal mask of the decoder. */
    static const char *const harmless[] = {"*.mask", NULL};
    reader->modules = (struct modules){.contents = reader->contents,
                                       .plain = &reader->plain,
                                       .residual = {1, 1},
                                       .status = reader->status};
    return open_weights(reader) && put_embeddings(reader) && put_positions(reader) &&
           modules_stack(&reader->modules, 0, &stacks[0]) &&
           modules_stack(&reader->modules, 1, &stacks[1]) &&
           modules_left(&reader->modules, harmless);
}
