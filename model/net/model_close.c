/* Gives back what model.c has loaded. */
#include <stdlib.h>

#include "model/net/buffers.h"
#include "model/net/weights.h"

static void close_projection(struct model *model, struct projection *projection)
{
    model->backend->forget(model->device, projection->weight);
    model->backend->release(model->device, projection->bias);
}

static void close_norm(struct model *model, struct norm_weights *norm)
{
    model->backend->release(model->device, norm->gamma);
    model->backend->release(model->device, norm->beta);
}

static void close_module(struct model *model, struct module_weights *module)
{
    struct projection *projections[] = {&module->q, &module->k, &module->v, &module->o};
    struct weight *weights[] = {module->head_w, module->head_u, module->head_v, module->head_out};
    for (int i = 0; i < 4; i++) {
        close_projection(model, projections[i]);
        model->backend->forget(model->device, weights[i]);
    }
    for (int side = 0; side < SIDE_COUNT; side++) {
        struct context_weights *context = &module->context[side];
        for (int kind = 0; kind < CONTEXT_KINDS; kind++)
            model->backend->forget(model->device, context->vectors[kind]);
        model->backend->release(model->device, context->state);
        model->backend->release(model->device, context->context);
        model->backend->release(model->device, context->bias);
    }
    free(module->place);
}

static void close_stack(struct model *model, enum stack stack)
{
    struct stack_weights *weights = &model->stacks[stack];
    for (int i = 0; weights->layers && i < model->config->stacks[stack].layers; i++) {
        struct layer_weights *layer = &weights->layers[i];
        close_module(model, &layer->self);
        close_module(model, &layer->cross);
        close_projection(model, &layer->input);
        close_projection(model, &layer->forget);
        for (int n = 0; n < 3; n++) {
            close_norm(model, &layer->norms[n]);
            close_norm(model, &layer->output_norms[n]);
        }
        close_projection(model, &layer->ffn_in);
        close_projection(model, &layer->ffn_gate);
        close_projection(model, &layer->ffn_out);
        model->backend->release(model->device, layer->bias);
    }
    free(weights->layers);
    close_norm(model, &weights->norm);
    close_norm(model, &weights->embedding_norm);
    model->backend->release(model->device, weights->positions);
    model->backend->release(model->device, weights->bias);
}

void model_close(struct model *model)
{
    if (!model)
        return;
    if (model->whole) {
        first_layers_close(model);
        return;
    }
    close_stack(model, STACK_ENCODER);
    close_stack(model, STACK_DECODER);
    if (model->output != model->source_embedding && model->output != model->target_embedding)
        model->backend->forget(model->device, model->output);
    if (model->target_embedding != model->source_embedding)
        model->backend->forget(model->device, model->target_embedding);
    model->backend->forget(model->device, model->source_embedding);
    model->backend->release(model->device, model->output_bias);
    model->backend->release(model->device, model->excluded);
    model->backend->release(model->device, model->classes);
    buffers_free(model->buffers, model->backend, model->device);
    head_settings_free(model->head_settings);
    free(model);
}
