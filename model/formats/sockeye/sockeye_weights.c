/* Puts the tensors of Sockeye 3 (sockeye/transformer.py, sockeye/layers.py) under our names.
 * Sockeye saves keys and values interleaved: for every head, the rows of its key, then those of its
 * value. */
#include <math.h>

#include "model/formats/sockeye/sockeye.h"

/* `norm`: "pre_" or "post_", where the norms are. */
#define SELF_ATTENTION(name)                                                                       \
    {.theirs = name ".ff_in",                                                                      \
     .ours = "self_attention.q self_attention.k self_attention.v",                                 \
     .interleaved = true},                                                                         \
    {                                                                                              \
        .theirs = name ".ff_out", .ours = "self_attention.o"                                       \
    }
#define FEED_FORWARD                                                                               \
    {.theirs = "ff.ff1", .ours = "ffn.in", .gated = "ffn.gate"},                                   \
        {.theirs = "ff.linear", .gated = "ffn.in"},                                                \
    {                                                                                              \
        .theirs = "ff.ff2", .ours = "ffn.out"                                                      \
    }
#define ENCODER(norm)                                                                              \
    {                                                                                              \
        {.theirs = norm "self_attention.layer_norm", .ours = "norm1"},                             \
            SELF_ATTENTION("self_attention"), {.theirs = norm "ff.layer_norm", .ours = "norm2"},   \
            FEED_FORWARD                                                                           \
    }
#define DECODER(norm, ...)                                                                         \
    {                                                                                              \
        {.theirs = norm "autoregr_layer.layer_norm", .ours = "norm1"}, __VA_ARGS__,                \
            {.theirs = norm "enc_attention.layer_norm", .ours = "norm2"},                          \
            {.theirs = "enc_attention.ff_q", .ours = "cross_attention.q"},                         \
            {.theirs = "enc_attention.ff_kv",                                                      \
             .ours = "cross_attention.k cross_attention.v",                                        \
             .interleaved = true},                                                                 \
            {.theirs = "enc_attention.ff_out", .ours = "cross_attention.o"},                       \
            {.theirs = norm "ff.layer_norm", .ours = "norm3"}, FEED_FORWARD                        \
    }
#define RECURRENCE                                                                                 \
    {.theirs = "autoregr_layer.linear", .ours = "recurrence.input"},                               \
    {                                                                                              \
        .theirs = "autoregr_layer.forget_gate", .ours = "recurrence.forget"                        \
    }

enum { ENCODER_MODULES = 7, DECODER_MODULES = 12 };
static const struct module_name encoders[2][ENCODER_MODULES] = {ENCODER("post_"), ENCODER("pre_")};
static const struct module_name decoders[2][DECODER_MODULES] = {
    DECODER("post_", SELF_ATTENTION("autoregr_layer")),
    DECODER("pre_", SELF_ATTENTION("autoregr_layer"))};
static const struct module_name recurrent_decoders[2][DECODER_MODULES] = {
    DECODER("post_", RECURRENCE), DECODER("pre_", RECURRENCE)};

static bool put_stack(struct sockeye_reader *reader, int stack)
{
    static const char *const layers[2] = {"encoder.layers", "decoder.layers"};
    static const char *const norms[2] = {"encoder.final_process.layer_norm",
                                         "decoder.final_process.layer_norm"};
    const int pre = reader->plain.stacks[stack].pre_norm;
    const struct module_name *modules = stack == 0 ? encoders[pre]
                                        : reader->plain.stacks[1].recurrent
                                            ? recurrent_decoders[pre]
                                            : decoders[pre];
    const struct stack_modules names = {layers[stack], norms[stack], "ff.ff1", modules,
                                        stack == 0 ? ENCODER_MODULES : DECODER_MODULES};
    return modules_stack(&reader->modules, stack, &names);
}

static const struct stored_tensor *need(struct sockeye_reader *reader, const char *name)
{
    const struct stored_tensor *tensor = tensor_set_find(&reader->modules.from, name);
    if (!tensor)
        status_fail(reader->status, STATUS_INVALID, "%s: missing (every Transformer has it)", name);
    return tensor;
}

static bool open_weights(struct sockeye_reader *reader)
{
    int count;
    const struct mapped_file *file =
        family_file(reader->contents, reader->folder, "params.best", reader->status);
    struct torch_file *torch = file ? contents_torch(reader->contents, file, reader->status) : NULL;
    const struct stored_tensor *tensors =
        torch ? torch_tensors(torch, torch_root(torch), &count, reader->status) : NULL;
    return tensors && tensor_set_add(&reader->modules.from, tensors, count, reader->status);
}

/* Two kinds of tensors may be left over. The network that predicts lengths serves a brevity
 * penalty, which is off unless a command line asks for it. Traced modules repeat weights. */
bool sockeye_put_weights(struct sockeye_reader *reader)
{
    static const char *const harmless[] = {"length_ratio.*", "*traced*", NULL};
    static const char *const tables[2] = {"encoder.pos_embedding.weight",
                                          "decoder.pos_embedding.weight"};
    const struct stored_tensor *source, *target, *output, *bias, *positions[2];
    if (!open_weights(reader) || !(source = need(reader, "embedding_source.embedding.weight")) ||
        !(target = need(reader, "embedding_target.embedding.weight")) ||
        !(output = need(reader, "output_layer.weight")) ||
        !(bias = need(reader, "output_layer.bias")) || !(positions[0] = need(reader, tables[0])) ||
        !(positions[1] = need(reader, tables[1])) ||
        !modules_embeddings(&reader->modules, source, target, output) ||
        !contents_add(reader->contents, "output.bias", bias, reader->status))
        return false;
    reader->plain.embedding_scale = sqrt((double)reader->plain.d_model);
    return modules_positions(&reader->modules, positions) && put_stack(reader, 0) &&
           put_stack(reader, 1) && modules_left(&reader->modules, harmless);
}
