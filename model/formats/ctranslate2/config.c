/* Reads the architecture and the search of a CTranslate2 model: the scalars of model.bin, and
 * config.json. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/ctranslate2/reader.h"

/* Reads a setting that must be the same in both stacks. */
static bool shared_setting(struct ct2_reader *reader, const char *name, double otherwise,
                           double *value)
{
    double values[2];
    for (int stack = 0; stack < 2; stack++)
        values[stack] = ct2_scalar(ct2_reader_setting(reader, stack, name), otherwise);
    *value = values[0];
    return values[0] == values[1] ||
           ct2_reader_fail(reader, name,
                           "differs between encoder and decoder; expected the same in both");
}

static bool read_activation(struct ct2_reader *reader)
{
    /* ops::ActivationType of CTranslate2. */
    static const char *const names[] = {"relu",         "gelu_tanh", "swish",  "gelu",
                                        "gelu_sigmoid", "tanh",      "sigmoid"};
    double value;
    if (!shared_setting(reader, "activation", 0, &value))
        return false;
    if (!(value >= 0 && value < (double)(sizeof names / sizeof *names)))
        return ct2_reader_fail(reader, "encoder/activation",
                               "a number that is not known, expected 0 to 6");
    reader->plain.activation = names[(int)value];
    return true;
}

/* The scale is a flag, the factor itself, or by default the square root of the width. */
static bool read_scale(struct ct2_reader *reader)
{
    double root = sqrt((double)reader->plain.d_model), scales[2];
    for (int stack = 0; stack < 2; stack++) {
        struct ct2_variable *scale = ct2_reader_find_in(reader, stack, "scale_embeddings");
        if (!scale)
            scale = ct2_reader_find_in(reader, stack, "embeddings/multiply_by_sqrt_depth");
        if (!scale || scale->type == CT2_INT8)
            scales[stack] = ct2_scalar(scale, 1) != 0 ? root : 1;
        else if (!ct2_reader_factor(reader, scale, &scales[stack]))
            return false;
    }
    reader->plain.embedding_scale = scales[0];
    return scales[0] == scales[1] ||
           ct2_reader_fail(reader, "scale_embeddings",
                           "differs between encoder and decoder; expected the same in both");
}

bool ct2_read_settings(struct ct2_reader *reader)
{
    return read_scale(reader) && read_activation(reader);
}

/* Before the third revision, TransformerBase and TransformerBig have a number of their own. */
static bool read_heads(struct ct2_reader *reader, int stack)
{
    enum { MOST = 1024, HEADS_ARE_STATED = 3 };
    bool big = strcmp(reader->file->specification, "TransformerBig") == 0;
    double heads = reader->file->revision < HEADS_ARE_STATED ? (big ? 16 : 8) : 0;
    heads = ct2_scalar(ct2_reader_setting(reader, stack, "num_heads"), heads);
    if (!(heads >= 1 && heads <= MOST))
        return ct2_reader_fail(reader, "num_heads", "missing or out of range, expected 1 to 1024");
    reader->plain.stacks[stack].heads = (int64_t)heads;
    return true;
}

bool ct2_read_sizes(struct ct2_reader *reader)
{
    char name[64];
    for (int stack = 0; stack < 2; stack++) {
        if (!read_heads(reader, stack))
            return false;
        reader->plain.stacks[stack].pre_norm =
            ct2_scalar(ct2_reader_setting(reader, stack, "pre_norm"), 1) != 0;
        snprintf(name, sizeof name, "%s/layer_0/ffn/linear_0/weight", ct2_stack_names[stack]);
        const struct ct2_variable *ffn = ct2_find(reader->file, name);
        reader->plain.stacks[stack].d_ff = ffn && ffn->dimensions ? ffn->shape[0] : 0;
    }
    /* A norm without an offset is RMSNorm, whose default epsilon is different. */
    reader->plain.rms_norm =
        !ct2_find(reader->file, "encoder/layer_0/self_attention/layer_norm/beta");
    reader->plain.gated = ct2_find(reader->file, "encoder/layer_0/ffn/linear_0_noact/weight");
    if (reader->plain.rms_norm &&
        !json_is_number(json_object_get(reader->config, "layer_norm_epsilon")))
        reader->plain.norm_eps = 1e-6;
    reader->zero_start =
        ct2_scalar(ct2_reader_find_in(reader, 1, "start_from_zero_embedding"), 0) != 0;
    return ct2_reader_factor(reader, ct2_reader_find_in(reader, 1, "scale_outputs"),
                             &reader->plain.output_scale);
}

/* Reads a layer and the number of its first heads; 0: all heads (src/layers/transformer.cc). For a
 * model that names no layer, converters write the last layer, and one head or all heads, so these
 * values say nothing about the model. */
bool ct2_read_alignment(struct ct2_reader *reader)
{
    double layer = ct2_scalar(ct2_reader_setting(reader, 1, "alignment_layer"), -1);
    double heads = ct2_scalar(ct2_reader_setting(reader, 1, "alignment_heads"), 1);
    bool whole = fabs(layer) <= INT16_MAX && fabs(heads) <= INT16_MAX;
    return (layer == -1 && heads <= 1) ||
           (whole && plain_config_align(&reader->plain, (int64_t)layer, (int64_t)heads)) ||
           ct2_reader_fail(reader, "decoder/alignment_layer",
                           "and alignment_heads: not a layer of the decoder with so many heads, "
                           "expected one");
}

/* Sets CTranslate2's own defaults: translate_batch with a beam of 2, 1 to 256 tokens. */
void ct2_set_defaults(struct ct2_reader *reader, const char *name)
{
    const json_t *eps = json_object_get(reader->config, "layer_norm_epsilon");
    struct plain_config *plain = &reader->plain;
    plain->name = name;
    plain->source_language = "source";
    plain->target_language = "target";
    plain->norm_eps = json_is_number(eps) ? json_number_value(eps) : 1e-5;
    plain->beam = 2;
    plain->alpha = 1;
    plain->length_plus = 256;
    plain->min_length = 1;
    plain->renormalize = true; // CTranslate2 calls apply_min_length before LogSoftMax
    plain->limit = "open"; // src/decoding.cc, is_last_step: hypotheses are registered as they are
    plain->tokenizer = "whitespace";
}
