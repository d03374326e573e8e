#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/loader.h"
#include "model/checkpoint/stored.h"
#include "model/net/buffers.h"
#include "model/net/positions.h"
#include "model/net/weights.h"

_Static_assert((int)WORD_BEGINS == (int)CLASS_BEGINS && (int)WORD_ENDS == (int)CLASS_ENDS &&
                   (int)WORD_JOINS == (int)CLASS_JOINS &&
                   (int)WORD_FIRST_SCRIPT == (int)CLASS_FIRST_SCRIPT &&
                   (int)WORD_LAST_SCRIPT == (int)CLASS_LAST_SCRIPT &&
                   (int)WORD_APART == (int)CLASS_APART,
               "text and backend agree on word classes");

static const char *const context_names[] = {"global", "deep", "deep_global"};

static const char loading[] = "loading";

/* A tensor is about to be put on the device. */
static bool take(struct model *model, const struct stored_tensor *stored, struct status *status)
{
    model->loaded++;
    model->loaded_elements += stored->elements;
    // It is not over before the last one is there.
    double done = (double)model->loaded_elements - (double)stored->elements;
    return watch_proceed(model->checkpoint->watch, loading, done,
                         (double)model->checkpoint->parameters, status) &&
           contents_unchanged(model->checkpoint->contents, status);
}

static bool put_floats(struct model *model, const struct stored_tensor *stored, const float *values,
                       struct tensor *out, struct status *status)
{
    const struct repetition repeated = weights_repetition(model->config, stored);
    const size_t parts = (size_t)repeated.parts, times = (size_t)repeated.times;
    const size_t bytes = (size_t)stored->elements * sizeof *values;
    float *all = times > 1 ? stored_repeat(values, parts, bytes / parts, times, status) : NULL;
    const bool ok =
        (times == 1 || all) && model->backend->allocate(model->device, bytes * times, out, status);
    if (ok)
        model->backend->put(model->device, *out, all ? all : values, bytes * times);
    free(all);
    return ok;
}

/* A tensor that the configuration allows to be absent stays {0} or NULL: the checkpoint has been
 * checked, so what is missing is meant to be. */
static bool load_scaled(struct model *model, const char *name, float scale, struct tensor *out,
                        struct status *status)
{
    const struct stored_tensor *stored = checkpoint_tensor(model->checkpoint, "%s", name);
    if (!stored)
        return true;
    if (!take(model, stored, status))
        return false;
    float *values = stored_floats(stored, status);
    for (int64_t i = 0; values && scale != 1 && i < stored->elements; i++)
        values[i] *= scale;
    const bool ok = values && put_floats(model, stored, values, out, status);
    free(values);
    contents_release(model->checkpoint->contents, stored);
    return ok;
}

static bool load_vector(struct model *model, const char *name, struct tensor *out,
                        struct status *status)
{
    return load_scaled(model, name, 1, out, status);
}

/* Integer matrices can only be multiplied by; if rows are read as well, the matrix is stored as
 * floats. */
static struct weight *put_matrix(struct model *model, const struct stored_tensor *stored, int use,
                                 struct status *status)
{
    const struct stored_integers *integers = model->integers ? stored->integers : NULL;
    const struct repetition repeated = weights_repetition(model->config, stored);
    struct weight_spec spec = {.data = stored->data,
                               .dtype = stored_backend_dtype(stored),
                               .n = (int)stored->shape[0],
                               .k = (int)stored->shape[1],
                               .use = use};
    if (integers && use == WEIGHT_LINEAR) {
        spec.data = integers->values;
        spec.dtype = DTYPE_I8;
        spec.integers =
            (struct integer_spec){integers->scale, integers->activation, integers->shifted};
    }
    if (repeated.times == 1)
        return model->backend->weight(model->device, &spec, status);
    const size_t rows = (size_t)(spec.n / repeated.parts);
    void *all = stored_repeat(spec.data, (size_t)repeated.parts,
                              rows * (size_t)spec.k * stored_dtype_bytes(spec.dtype),
                              (size_t)repeated.times, status);
    spec.data = all;
    spec.n *= repeated.times;
    struct weight *weight = all ? model->backend->weight(model->device, &spec, status) : NULL;
    free(all);
    return weight;
}

static bool load_matrix(struct model *model, const char *name, int use, struct weight **out,
                        struct status *status)
{
    const struct stored_tensor *stored = checkpoint_tensor(model->checkpoint, "%s", name);
    if (!stored)
        return true;
    if (!take(model, stored, status))
        return false;
    *out = put_matrix(model, stored, use, status);
    contents_release(model->checkpoint->contents, stored);
    return *out != NULL;
}

/* The name of one layer's module: "encoder.layers.0.self_attention". */
struct place {
    char name[64];
};

static bool load_named(struct model *model, const struct place *place, const char *name,
                       struct weight **out, struct status *status)
{
    char full[256];
    snprintf(full, sizeof full, "%s.%s", place->name, name);
    return load_matrix(model, full, WEIGHT_LINEAR, out, status);
}

static bool load_projection(struct model *model, const struct place *place, const char *name,
                            struct projection *out, struct status *status)
{
    char bias[256], weight[64];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.%s.bias", place->name, name);
    return load_named(model, place, weight, &out->weight, status) &&
           load_vector(model, bias, &out->bias, status);
}

static bool load_norm(struct model *model, const char *name, float scale, struct norm_weights *out,
                      struct status *status)
{
    char gamma[256], beta[256];
    snprintf(gamma, sizeof gamma, "%s.weight", name);
    snprintf(beta, sizeof beta, "%s.bias", name);
    return load_scaled(model, gamma, scale, &out->gamma, status) &&
           load_scaled(model, beta, scale, &out->beta, status);
}

/* output_scale is folded into the norm whose output the logits are computed from. `layer` is the
 * number of layers for the norm behind the last one. */
static float norm_scale(const struct model *model, enum stack stack, int layer, int norm)
{
    const struct stack_config *of = &model->config->stacks[stack];
    bool last = of->last_norm ? layer == of->layers : layer == of->layers - 1 && norm == 2;
    return stack == STACK_DECODER && last ? model->config->output_scale : 1;
}

static bool load_head_w(struct model *model, const struct place *place, struct weight **out,
                        struct status *status)
{
    const struct stored_tensor *stored =
        checkpoint_tensor(model->checkpoint, "%s.dhicm.w", place->name);
    if (!stored)
        return true;
    void *transposed = take(model, stored, status) ? stored_transpose(stored, status) : NULL;
    if (!transposed)
        return false;
    struct weight_spec spec = {.data = transposed,
                               .dtype = stored_backend_dtype(stored),
                               .n = (int)stored->shape[1],
                               .k = (int)stored->shape[0],
                               .use = WEIGHT_LINEAR};
    *out = model->backend->weight(model->device, &spec, status);
    free(transposed);
    return *out != NULL;
}

static bool load_context(struct model *model, const struct place *place, int side,
                         struct context_weights *out, struct status *status)
{
    char name[128];
    for (int kind = 0; kind < CONTEXT_KINDS; kind++) {
        snprintf(name, sizeof name, "context.%s.%s", context_names[kind], gate_side_names[side]);
        if (!load_named(model, place, name, &out->vectors[kind], status))
            return false;
    }
    struct {
        const char *name;
        struct tensor *out;
    } parts[] = {{"state", &out->state}, {"context", &out->context}, {"bias", &out->bias}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "%s.context.gate_%s.%s", place->name, gate_side_names[side],
                 parts[i].name);
        if (!load_vector(model, name, parts[i].out, status))
            return false;
    }
    return true;
}

/* In the order in which passes multiply by them, weights first, so that a device can process
 * adjacent ones in one product. */
static bool load_inputs(struct model *model, enum module module, const struct place *place,
                        struct module_weights *out, struct status *status)
{
    struct projection *const inputs[] = {&out->v, &out->q, &out->k};
    static const char *const names[][2] = {
        {"v.weight", "v.bias"}, {"q.weight", "q.bias"}, {"k.weight", "k.bias"}};
    bool ok = true;
    for (int i = 0; ok && i < 3; i++) {
        int at = module == MODULE_CROSS ? (3 - i) % 3 : i;
        ok = load_named(model, place, names[at][0], &inputs[at]->weight, status);
    }
    for (int i = 0; ok && i < 3; i++) {
        char full[256];
        snprintf(full, sizeof full, "%s.%s", place->name, names[i][1]);
        ok = load_vector(model, full, &inputs[i]->bias, status);
    }
    return ok;
}

static bool load_module(struct model *model, enum module module, int layer,
                        struct module_weights *out, struct status *status)
{
    struct place place;
    snprintf(place.name, sizeof place.name, "%s.layers.%d.%s", stack_names[module_stack(module)],
             layer, module == MODULE_CROSS ? "cross_attention" : "self_attention");
    int heads = module_heads(model->config, module);
    out->place = memory_new(heads, sizeof *out->place, status);
    if (!out->place)
        return false;
    for (int h = 0; h < heads; h++) {
        const struct head *head = head_settings_head(model->head_settings, module, layer, h);
        out->place[h] = head->energy == ENERGY_LEARNED ? out->learned++ : -1;
    }
    return load_inputs(model, module, &place, out, status) &&
           load_projection(model, &place, "o", &out->o, status) &&
           load_head_w(model, &place, &out->head_w, status) &&
           load_named(model, &place, "dhicm.u", &out->head_u, status) &&
           load_named(model, &place, "dhicm.v", &out->head_v, status) &&
           load_named(model, &place, "dhicm.out", &out->head_out, status) &&
           load_context(model, &place, SIDE_Q, &out->context[SIDE_Q], status) &&
           load_context(model, &place, SIDE_K, &out->context[SIDE_K], status);
}

/* The bias is stored by bucket; the backend wants it by distance. `owner`: the name of the stack,
 * or of the layer. */
static bool load_relative_bias(struct model *model, enum stack stack, const char *owner,
                               struct tensor *bias, struct status *status)
{
    const struct stored_tensor *stored =
        checkpoint_tensor(model->checkpoint, "%s.relative_bias.weight", owner);
    if (!stored)
        return true;
    const size_t bytes = relative_bias_bytes(model->config, stack);
    float *weights = take(model, stored, status) ? stored_floats(stored, status) : NULL;
    float *table = weights ? memory_new(bytes, 1, status) : NULL;
    bool ok = table && model->backend->allocate(model->device, bytes, bias, status);
    if (ok) {
        relative_bias(model->config, stack, weights, table);
        model->backend->put(model->device, *bias, table, bytes);
    }
    free(table);
    free(weights);
    return ok;
}

static bool load_layer(struct model *model, enum stack stack, int layer, struct layer_weights *out,
                       struct status *status)
{
    struct place place;
    snprintf(place.name, sizeof place.name, "%s.layers.%d", stack_names[stack], layer);
    for (int i = 0; i < (stack == STACK_ENCODER ? 2 : 3); i++) {
        char norm[128];
        snprintf(norm, sizeof norm, "%s.norm%d", place.name, i + 1);
        if (!load_norm(model, norm, norm_scale(model, stack, layer, i), &out->norms[i], status))
            return false;
        snprintf(norm, sizeof norm, "%s.output_norm%d", place.name, i + 1);
        if (!load_norm(model, norm, 1, &out->output_norms[i], status))
            return false;
    }
    if (stack == STACK_DECODER && !load_module(model, MODULE_CROSS, layer, &out->cross, status))
        return false;
    enum module self = stack_self(stack);
    return (layer >= module_layers(model->config, self) ||
            load_module(model, self, layer, &out->self, status)) &&
           load_projection(model, &place, "recurrence.input", &out->input, status) &&
           load_projection(model, &place, "recurrence.forget", &out->forget, status) &&
           load_projection(model, &place, "ffn.in", &out->ffn_in, status) &&
           load_projection(model, &place, "ffn.gate", &out->ffn_gate, status) &&
           load_projection(model, &place, "ffn.out", &out->ffn_out, status) &&
           load_relative_bias(model, stack, place.name, &out->bias, status);
}

static bool load_stack(struct model *model, enum stack stack, struct status *status)
{
    struct stack_weights *out = &model->stacks[stack];
    const struct stack_config *config = &model->config->stacks[stack];
    enum module self = stack_self(stack);
    const struct attention_config *modules = model->config->attention[self];
    out->layers = memory_new(config->layers, sizeof *out->layers, status);
    if (!out->layers)
        return false;
    for (int layer = 0; layer < config->layers; layer++) {
        if (!load_layer(model, stack, layer, &out->layers[layer], status))
            return false;
        if (layer >= module_layers(model->config, self))
            continue;
        out->deep |= (modules[layer].context & CONTEXT_DEEP) != 0;
        out->means |= (modules[layer].context & (CONTEXT_GLOBAL | CONTEXT_DEEP_GLOBAL)) != 0;
    }
    char norm[64], embedding_norm[64];
    snprintf(norm, sizeof norm, "%s.norm", stack_names[stack]);
    snprintf(embedding_norm, sizeof embedding_norm, "%s.embedding_norm", stack_names[stack]);
    if (!load_norm(model, norm, norm_scale(model, stack, config->layers, 0), &out->norm, status) ||
        !load_norm(model, embedding_norm, 1, &out->embedding_norm, status) ||
        !load_relative_bias(model, stack, stack_names[stack], &out->bias, status))
        return false;
    if (config->positions != POSITIONS_LEARNED)
        return true;
    char positions[64];
    snprintf(positions, sizeof positions, "%s.positions.weight", stack_names[stack]);
    if (!load_vector(model, positions, &out->positions, status))
        return false;
    /* Row 0 of the table is the position of index 0. */
    size_t skipped = (size_t)config->offset * model->config->d_model * sizeof(float);
    out->positions = tensor_at(out->positions, skipped);
    out->position_rows = model->config->max_positions;
    return true;
}

/* The embedding that is the output, too, as integers: then they are two matrices. NULL: it is one,
 * or none. */
static const struct stored_tensor *integer_output(const struct model *model, bool output_is_source)
{
    const struct stored_tensor *tied =
        model->config->tied_output == TIED_NOT
            ? NULL
            : checkpoint_tensor(model->checkpoint, "%s_embedding.weight",
                                output_is_source ? "source" : "target");
    return model->integers && tied && tied->integers ? tied : NULL;
}

static bool load_embeddings(struct model *model, struct status *status)
{
    const struct config *config = model->config;
    bool output_is_source = config->tied_output == TIED_SOURCE_EMBEDDING ||
                            (config->tied_output == TIED_TARGET_EMBEDDING &&
                             config->tied_target == TIED_SOURCE_EMBEDDING);
    const struct stored_tensor *apart = integer_output(model, output_is_source);
    int source_use = WEIGHT_TABLE | (output_is_source && !apart ? WEIGHT_LINEAR : 0);
    int target_use =
        WEIGHT_TABLE | (config->tied_output == TIED_TARGET_EMBEDDING && !apart ? WEIGHT_LINEAR : 0);
    if (!load_matrix(model, "source_embedding.weight", source_use, &model->source_embedding,
                     status) ||
        !load_matrix(model, "target_embedding.weight", target_use, &model->target_embedding,
                     status) ||
        !load_matrix(model, "output.weight", WEIGHT_LINEAR, &model->output, status) ||
        !load_vector(model, "output.bias", &model->output_bias, status))
        return false;
    if (config->tied_target == TIED_SOURCE_EMBEDDING)
        model->target_embedding = model->source_embedding;
    if (apart)
        model->output = put_matrix(model, apart, WEIGHT_LINEAR, status);
    else if (config->tied_output != TIED_NOT)
        model->output = output_is_source ? model->source_embedding : model->target_embedding;
    return model->output != NULL;
}

/* The checkpoint has only tensors that its configuration calls for, so one that was not taken would
 * be a name that is spelt differently here. */
static bool check_all_loaded(const struct model *model, struct status *status)
{
    const struct contents *contents = model->checkpoint->contents;
    int weights = 0;
    for (int i = 0; i < contents->count; i++)
        weights += contents->tensors[i].dtype != STORED_U8;
    return model->loaded == weights ||
           status_fail(status, STATUS_INVALID, "%d tensors of weights used, expected %d",
                       model->loaded, weights);
}

static bool load(struct model *model, struct status *status)
{
    struct reservation whole = weights_reservation(model);
    model->head_settings = head_settings_new(model->config, status);
    model->buffers = buffers_new(model, status);
    return model->head_settings && model->buffers &&
           model->backend->reserve(model->device, &whole, status) &&
           load_embeddings(model, status) && load_stack(model, STACK_ENCODER, status) &&
           load_stack(model, STACK_DECODER, status) && target_tables_load(model, status) &&
           check_all_loaded(model, status) &&
           model->backend->reserve(model->device, NULL, status) &&
           model->backend->check(model->device, status);
}

struct model *model_open(const struct checkpoint *checkpoint, const struct backend *backend,
                         struct device *device, struct status *status)
{
    struct model *model = memory_new(1, sizeof *model, status);
    if (!model)
        return NULL;
    model->checkpoint = checkpoint;
    model->config = checkpoint->config;
    model->backend = backend;
    model->device = device;
    struct status other;
    struct device_info info;
    backend->info(device, &info);
    model->integers = model_precision(checkpoint, &info) == PRECISION_INT8;
    double all = (double)checkpoint->parameters;
    bool ok = load(model, status) && contents_unchanged(checkpoint->contents, status);
    if (watch_proceed(checkpoint->watch, loading, all, all, ok ? status : &other) && ok)
        return model;
    model_close(model);
    backend->reserve(device, NULL, &other);
    return NULL;
}

void model_reserve(struct model *model, bool reserved)
{
    model->reserved = reserved;
}

enum precision model_precision(const struct checkpoint *checkpoint, const struct device_info *info)
{
    return info->precision == PRECISION_INT8 && !checkpoint_has_integers(checkpoint)
               ? PRECISION_FP32
               : info->precision;
}

bool model_is_integer(const struct model *model)
{
    return model->integers;
}

bool model_check_floats(const struct model *model, const char *what, struct status *status)
{
    return !model->integers || status_fail(status, STATUS_INVALID,
                                           "products of 8 bits have no %s, expected --precision "
                                           "fp32",
                                           what);
}

bool model_device(const struct model *model, char text[DEVICE_TEXT])
{
    struct device_info info;
    model->backend->info(model->device, &info);
    info.precision = model_precision(model->checkpoint, &info);
    device_describe(model->backend, &info, text);
    return model->backend->exact;
}

const struct checkpoint *model_checkpoint(const struct model *model)
{
    return model->checkpoint;
}

const struct head_settings *model_head_settings(const struct model *model)
{
    return model->head_settings;
}
