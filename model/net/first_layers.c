#include "model/net/first_layers.h"

#include <stdlib.h>
#include <string.h>

#include "model/net/buffers.h"
#include "model/net/weights.h"

/* The fields of the cut model that the whole one does not share. */
struct cut_model {
    struct model model; // first: model_close is given its address
    struct checkpoint checkpoint;
    struct config config;
};

/* Tables that are computed grow with the sentences: each model has its own. */
static bool has_own_positions(const struct model *model, int stack)
{
    const enum positions_kind kind = model->config->stacks[stack].positions;
    return kind == POSITIONS_SINUSOIDAL || kind == POSITIONS_ROTARY;
}

static void forget_positions(struct model *model)
{
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        if (!has_own_positions(model, stack))
            continue;
        model->stacks[stack].positions = (struct tensor){0};
        model->stacks[stack].position_rows = 0;
    }
}

/* y = scale * x, (d) on the device, as a tensor of its own. Absent stays absent. */
static bool copy_scaled(const struct model *model, struct tensor x, float scale, struct tensor *y,
                        struct status *status)
{
    size_t bytes = (size_t)model->config->d_model * sizeof(float);
    *y = (struct tensor){0};
    if (!x.buffer)
        return true;
    float *values = memory_new(bytes, 1, status);
    bool ok = values && model->backend->allocate(model->device, bytes, y, status);
    if (ok) {
        model->backend->get(model->device, values, x, bytes);
        for (int i = 0; i < model->config->d_model; i++)
            values[i] *= scale;
        model->backend->put(model->device, *y, values, bytes);
    }
    free(values);
    return ok;
}

/* Logits are computed from what the last layer's last norm gives, which model_open scales for
 * it. */
static bool scale_last_norm(struct model *model, struct layer_weights *last, struct status *status)
{
    const struct norm_weights norm = last->norms[2];
    last->norms[2] = (struct norm_weights){0};
    return copy_scaled(model, norm.gamma, model->config->output_scale, &last->norms[2].gamma,
                       status) &&
           copy_scaled(model, norm.beta, model->config->output_scale, &last->norms[2].beta, status);
}

/* True if the cut decoder's last norm is not what the whole one has there. */
static bool has_own_norm(const struct model *model)
{
    const struct stack_config *decoder = &model->config->stacks[STACK_DECODER];
    return !decoder->pre_norm && !decoder->last_norm && model->config->output_scale != 1 &&
           decoder->layers < model->whole->config->stacks[STACK_DECODER].layers;
}

static bool cut_layers(struct model *model, enum stack stack, struct status *status)
{
    size_t count = (size_t)model->config->stacks[stack].layers;
    struct layer_weights *layers = memory_new(count, sizeof *layers, status);
    if (!layers)
        return false;
    memcpy(layers, model->stacks[stack].layers, count * sizeof *layers);
    model->stacks[stack].layers = layers;
    return stack != STACK_DECODER || !has_own_norm(model) ||
           scale_last_norm(model, &layers[count - 1], status);
}

struct model *model_first_layers(const struct model *whole, enum stack stack, int layers,
                                 struct status *status)
{
    struct cut_model *cut = memory_new(1, sizeof *cut, status);
    if (!cut)
        return NULL;
    cut->config = *whole->config;
    cut->config.stacks[stack].layers = layers;
    cut->checkpoint = *whole->checkpoint;
    cut->checkpoint.config = &cut->config;
    cut->model = *whole;
    cut->model.whole = whole;
    cut->model.checkpoint = &cut->checkpoint;
    cut->model.config = &cut->config;
    cut->model.cut = stack;
    forget_positions(&cut->model);
    cut->model.head_settings = head_settings_new(&cut->config, status);
    cut->model.buffers = cut->model.head_settings ? buffers_new(&cut->model, status) : NULL;
    if (cut->model.buffers && cut_layers(&cut->model, stack, status))
        return &cut->model;
    first_layers_close(&cut->model);
    return NULL;
}

void first_layers_close(struct model *model)
{
    const struct stack_weights *whole = &model->whole->stacks[model->cut];
    struct layer_weights *layers = model->stacks[model->cut].layers;
    if (layers != whole->layers) {
        if (model->cut == STACK_DECODER && has_own_norm(model)) {
            const struct norm_weights *norm =
                &layers[model->config->stacks[model->cut].layers - 1].norms[2];
            model->backend->release(model->device, norm->gamma);
            model->backend->release(model->device, norm->beta);
        }
        free(layers);
    }
    for (int stack = 0; stack < STACK_COUNT; stack++)
        if (has_own_positions(model, stack))
            model->backend->release(model->device, model->stacks[stack].positions);
    if (model->buffers)
        buffers_free(model->buffers, model->backend, model->device);
    head_settings_free(model->head_settings);
    free(model);
}
