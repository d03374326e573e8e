/* Reads JoeyNMT's config.yaml and puts the tensors under our names. Sources: joeynmt/config.py,
 * joeynmt/encoders.py, joeynmt/decoders.py, joeynmt/transformer_layers.py and
 * joeynmt/initialization.py. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/opennmt/joeynmt.h"
#include "model/formats/yaml/yaml.h"
#include "model/text/quote.h"

static const char *const names[2] = {"encoder", "decoder"};

const json_t *joey_get(const struct joey_reader *reader, const char *path)
{
    const json_t *value = reader->config;
    while (value && *path) {
        char key[64];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_object_get(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

/* Sizes and conventions ------------------------------------------------------------------------ */

static const char *text_of(const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

static bool refuse(struct joey_reader *reader, int stack, const char *key, const char *value,
                   const char *expected)
{
    return status_fail(reader->status, STATUS_INVALID,
                       "config.yaml: model.%s.%s: %s is not supported, expected %s", names[stack],
                       key, QUOTED(value), expected);
}

static bool read_sizes(struct joey_reader *reader, int stack)
{
    const json_t *config = reader->stacks[stack];
    const char *type = text_of(config, "type", stack ? "transformer" : "recurrent");
    if (strcmp(type, "transformer") != 0)
        return refuse(reader, stack, "type", type, "transformer");
    int64_t heads = family_integer(config, "num_heads", stack ? 8 : 4);
    reader->plain.stacks[stack].heads = heads;
    return (heads >= 1 && heads <= INT32_MAX) ||
           status_fail(reader->status, STATUS_INVALID,
                       "config.yaml: model.%s.num_heads: %lld, expected at least 1", names[stack],
                       (long long)heads);
}

static bool read_activation(struct joey_reader *reader)
{
    static const char *const known[] = {"relu", "gelu", "swish"};
    const char *name = text_of(reader->stacks[0], "activation", "relu");
    const char *other = text_of(reader->stacks[1], "activation", "relu");
    if (strcmp(name, other) != 0)
        return refuse(reader, 1, "activation", other, name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0)
            reader->plain.activation = known[i];
    return reader->plain.activation || refuse(reader, 0, "activation", name, "relu, gelu or swish");
}

static const struct stored_tensor *find(struct joey_reader *reader, const char *name)
{
    return tensor_set_find(&reader->modules.from, name);
}

/* True for the versions 2.0 to 2.2, which YAML may read as a number. */
static bool is_early_version_2(const struct joey_reader *reader)
{
    const json_t *version = joey_get(reader, "joeynmt_version");
    double given = json_number_value(version), number = given > 0 && given < 100 ? given : 0;
    int major = (int)number, minor = (int)lround(10 * (number - (int)number));
    if (json_is_string(version))
        sscanf(json_string_value(version), "%d.%d", &major, &minor);
    return major == 2 && minor < 3;
}

/* Sets the default of layer_norm. Version 1 only has pre-norm. Version 2 has post-norm, but since
 * 2.3 the encoder has pre-norm without a last norm. */
static bool read_norms(struct joey_reader *reader)
{
    static const char *const last[2] = {"encoder.layer_norm.weight", "decoder.layer_norm.weight"};
    for (int stack = 0; stack < 2; stack++) {
        bool final = find(reader, last[stack]) != NULL;
        bool pre = final || (stack == 0 && !is_early_version_2(reader));
        const char *norm = text_of(reader->stacks[stack], "layer_norm", pre ? "pre" : "post");
        reader->plain.stacks[stack].pre_norm = strcmp(norm, "pre") == 0;
        reader->plain.stacks[stack].no_last_norm = !final;
        if (strcmp(norm, "pre") != 0 && strcmp(norm, "post") != 0)
            return refuse(reader, stack, "layer_norm", norm, "pre or post");
    }
    reader->plain.norm_eps = 1e-6;
    return true;
}

/* Reads DeepNet's factors: those of the configuration or, with this initialisation, those of its
 * paper. */
static bool read_residuals(struct joey_reader *reader)
{
    bool deepnet = strcmp(text_of(reader->model, "initializer", ""), "xavier_normal") == 0;
    double layers[2];
    for (int stack = 0; stack < 2; stack++)
        layers[stack] = family_number(reader->stacks[stack], "num_layers", stack ? 4 : 8);
    for (int stack = 0; stack < 2; stack++) {
        double factor = family_number(reader->stacks[stack], "alpha", 1);
        if (deepnet)
            factor = stack ? pow(3 * layers[1], 1.0 / 4)
                           : 0.81 * pow(pow(layers[0], 4) * layers[1], 1.0 / 16);
        reader->modules.residual[stack] = factor;
        if (!(factor > 1e-3 && factor < 1e3))
            return status_fail(reader->status, STATUS_INVALID,
                               "config.yaml: model.%s.alpha: %g, expected 0.001 to 1000",
                               names[stack], factor);
        /* Without a last norm, the stack's output would be scaled, too. */
        if (factor != 1 && reader->plain.stacks[stack].pre_norm &&
            reader->plain.stacks[stack].no_last_norm)
            return refuse(reader, stack, "alpha", "a residual factor without a last norm", "1");
    }
    return true;
}

static bool is_scaled(const struct joey_reader *reader, int stack)
{
    return yaml_flag(json_object_get(reader->stacks[stack], "embeddings"), "scale", false);
}

static bool check_scale(struct joey_reader *reader)
{
    bool source = is_scaled(reader, 0), target = is_scaled(reader, 1);
    return yaml_flag(reader->model, "tied_embeddings", false) || source == target ||
           refuse(reader, 1, "embeddings.scale", target ? "true" : "false", "that of the encoder");
}

bool joey_is_version_1(const struct joey_reader *reader)
{
    return !json_is_object(joey_get(reader, "data.src"));
}

/* Lengths of sources and translations include end-of-sentence. alpha -1 means no penalty. In
 * version 1, a translation may end at its first token. In JoeyNMT, a finished hypothesis keeps its
 * place in the beam; "narrow" comes nearest to that. But JoeyNMT also extends it if what the model
 * predicts after its end is among the best continuations. */
static void read_search(struct joey_reader *reader)
{
    const json_t *testing = joey_get(reader, "testing");
    struct plain_config *plain = &reader->plain;
    int64_t least = joey_is_version_1(reader) ? 0 : family_integer(testing, "min_output_length", 1);
    int64_t beam = family_integer(testing, "beam_size", 1);
    double alpha = family_number(testing, "alpha", family_number(testing, "beam_alpha", -1));
    int64_t most =
        family_integer(testing, "max_output_length",
                       family_integer(joey_get(reader, "training"), "max_output_length", -1));
    plain->beam = beam >= 1 && beam <= 1000 ? beam : 1;
    plain->alpha = alpha > 0 && alpha <= 10 ? alpha : 0;
    plain->wu = true;
    plain->endings = "narrow";
    plain->limit =
        "open"; // joeynmt/search.py, beam_search: the last step finishes every hypothesis
    plain->min_length = least < 0 ? 0 : least <= 1000000 ? least : 1000000;
    plain->length_factor = most < 0 ? 1.5 : 0;
    plain->length_plus = most < 0 ? 0 : most <= 1000000 ? most : 1000000;
}

/* Prompts before a sentence are marked by an embedding added to every position. */
static bool check_prompts(struct joey_reader *reader)
{
    for (int side = 0; side < 2; side++)
        if (yaml_flag(joey_get(reader, side ? "data.trg" : "data.src"), "has_prompt", false))
            return status_fail(reader->status, STATUS_INVALID,
                               "config.yaml: data.%s.has_prompt: true is not supported, "
                               "expected false",
                               side ? "trg" : "src");
    return true;
}

static const char *language(const struct joey_reader *reader, const char *path, const char *older,
                            const char *otherwise)
{
    const char *name = json_string_value(joey_get(reader, path));
    if (!name)
        name = json_string_value(joey_get(reader, older)); // version 1
    return name ? name : otherwise;
}

bool joey_read_config(struct joey_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    plain->name = text_of(reader->config, "name", reader->name);
    plain->source_language = language(reader, "data.src.lang", "data.src", "source");
    plain->target_language = language(reader, "data.trg.lang", "data.trg", "target");
    if (!read_sizes(reader, 0) || !read_sizes(reader, 1) || !read_activation(reader) ||
        !read_norms(reader) || !read_residuals(reader) || !check_scale(reader) ||
        !check_prompts(reader))
        return false;
    read_search(reader);
    return true;
}

/* Tensors -------------------------------------------------------------------------------------- */

static const struct module_name encoder_modules[] = {
    {.theirs = "layer_norm", .ours = "norm1"},
    {.theirs = "src_src_att.q_layer", .ours = "self_attention.q"},
    {.theirs = "src_src_att.k_layer", .ours = "self_attention.k"},
    {.theirs = "src_src_att.v_layer", .ours = "self_attention.v"},
    {.theirs = "src_src_att.output_layer", .ours = "self_attention.o", .last = true},
    {.theirs = "feed_forward.layer_norm", .ours = "norm2"},
    {.theirs = "feed_forward.pwff_layer.0", .ours = "ffn.in"},
    {.theirs = "feed_forward.pwff_layer.3", .ours = "ffn.out", .last = true},
};

static const struct module_name decoder_modules[] = {
    {.theirs = "x_layer_norm", .ours = "norm1"},
    {.theirs = "trg_trg_att.q_layer", .ours = "self_attention.q"},
    {.theirs = "trg_trg_att.k_layer", .ours = "self_attention.k"},
    {.theirs = "trg_trg_att.v_layer", .ours = "self_attention.v"},
    {.theirs = "trg_trg_att.output_layer", .ours = "self_attention.o", .last = true},
    {.theirs = "dec_layer_norm", .ours = "norm2"},
    {.theirs = "src_trg_att.q_layer", .ours = "cross_attention.q"},
    {.theirs = "src_trg_att.k_layer", .ours = "cross_attention.k"},
    {.theirs = "src_trg_att.v_layer", .ours = "cross_attention.v"},
    {.theirs = "src_trg_att.output_layer", .ours = "cross_attention.o", .last = true},
    {.theirs = "feed_forward.layer_norm", .ours = "norm3"},
    {.theirs = "feed_forward.pwff_layer.0", .ours = "ffn.in"},
    {.theirs = "feed_forward.pwff_layer.3", .ours = "ffn.out", .last = true},
};

static const struct stack_modules stacks[2] = {
    {"encoder.layers", "encoder.layer_norm", "feed_forward.pwff_layer.0",
     STACK_MODULES(encoder_modules)},
    {"decoder.layers", "decoder.layer_norm", "feed_forward.pwff_layer.0",
     STACK_MODULES(decoder_modules)},
};

static const struct stored_tensor *need(struct joey_reader *reader, const char *name)
{
    const struct stored_tensor *tensor = find(reader, name);
    if (!tensor)
        status_fail(reader->status, STATUS_INVALID, "%s: missing (every Transformer has it)", name);
    return tensor;
}

bool joey_put_weights(struct joey_reader *reader)
{
    static const char *const harmless[] = {NULL};
    const struct stored_tensor *source = need(reader, "src_embed.lut.weight");
    const struct stored_tensor *target = source ? need(reader, "trg_embed.lut.weight") : NULL;
    const struct stored_tensor *output =
        target ? need(reader, "decoder.output_layer.weight") : NULL;
    if (!output || !modules_embeddings(&reader->modules, source, target, output))
        return false;
    reader->plain.embedding_scale = is_scaled(reader, 0) ? sqrt((double)reader->plain.d_model) : 1;
    const struct stored_tensor *tables[2] = {need(reader, "encoder.pe.pe"), NULL};
    tables[1] = tables[0] ? need(reader, "decoder.pe.pe") : NULL;
    return tables[1] && modules_positions(&reader->modules, tables) &&
           modules_stack(&reader->modules, 0, &stacks[0]) &&
           modules_stack(&reader->modules, 1, &stacks[1]) &&
           modules_left(&reader->modules, harmless);
}
