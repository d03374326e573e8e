/* The two stacks: embedding, layers, norms; the decoder's rows, logits. */
#include "model/net/transformer.h"

/* y = norm(x + residual); `sum` gets what was normed, where it is wanted. */
static void run_norm(const struct pass *pass, struct matrix y, struct tensor sum, struct tensor x,
                     struct matrix residual, const struct norm_weights *norm)
{
    const struct config *config = pass->model->config;
    struct norm_args args = {.y = y.tensor,
                             .ldy = y.ld,
                             .sum = sum,
                             .x = x,
                             .residual = residual.tensor,
                             .ldresidual = residual.ld,
                             .gamma = norm->gamma,
                             .beta = norm->beta,
                             .eps = config->norm_eps,
                             .rows = pass->rows,
                             .columns = config->d_model};
    pass->model->backend->norm(pass->model->device, &args);
}

/* The input of self-attention in one layer: where the deep context of later layers reads all of them,
 * each has its own columns. */
static struct matrix attention_input(const struct pass *pass, enum stack stack, int layer)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    int d = model->config->d_model, layers = model->config->stacks[stack].layers;
    if (!model->stacks[stack].deep || layer >= layers)
        return (struct matrix){b->normed, d};
    return (struct matrix){tensor_at(b->inputs, (size_t)layer * d * sizeof(float)), layers * d};
}

static void run_feed_forward(const struct pass *pass, const struct layer_weights *layer,
                             struct matrix x)
{
    const struct config *config = pass->model->config;
    struct buffers *b = pass->model->buffers;
    run_projection(pass, b->hidden, x, &layer->ffn_in, config->d_ff, config->activation);
    run_projection(pass, b->out, (struct matrix){b->hidden, config->d_ff}, &layer->ffn_out,
                   config->d_model, ACTIVATION_NONE);
}

/* A forced pass is one piece for all of a long sentence; a search tells of its steps. */
static void tell_layer(const struct pass *pass, enum stack stack, int layer)
{
    const struct config *config = pass->model->config;
    int encoder = config->stacks[STACK_ENCODER].layers;
    struct status unused; // the device has been told to stop
    if (pass->observer)
        watch_proceed(pass->model->checkpoint->watcher, "computing",
                      (stack == STACK_DECODER ? encoder : 0) + layer + 1,
                      encoder + config->stacks[STACK_DECODER].layers, &unused);
}

/* Pre-norm: stream += f(norm(stream)). Each norm adds the sublayer before it to the stream. */
static void run_pre_norm(struct pass *pass, enum stack stack)
{
    struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct stack_weights *weights = &model->stacks[stack];
    struct matrix normed = {b->normed, model->config->d_model};
    struct matrix stream = {b->stream, model->config->d_model};
    int layers = model->config->stacks[stack].layers;
    enum module self = stack == STACK_ENCODER ? MODULE_ENCODER : MODULE_DECODER;

    struct matrix x = attention_input(pass, stack, 0);
    run_norm(pass, x, (struct tensor){0}, b->stream, (struct matrix){0},
             &weights->layers[0].norms[0]);
    for (int i = 0; i < layers; i++) {
        const struct layer_weights *layer = &weights->layers[i];
        int norm = 1;
        if (stack == STACK_ENCODER)
            fork_rows(pass, i);
        run_module(pass, self, i, x);
        run_norm(pass, normed, b->stream, b->out, stream, &layer->norms[norm++]);
        if (stack == STACK_DECODER) {
            run_module(pass, MODULE_CROSS, i, normed);
            run_norm(pass, normed, b->stream, b->out, stream, &layer->norms[norm]);
        }
        run_feed_forward(pass, layer, normed);
        x = attention_input(pass, stack, i + 1);
        run_norm(pass, x, b->stream, b->out, stream,
                 i + 1 < layers ? &weights->layers[i + 1].norms[0] : &weights->norm);
        tell_layer(pass, stack, i);
    }
}

/* Whether what the first layer reads is as the embedding gives it, side by side and not normalised. */
static bool embeds_input(const struct pass *pass, enum stack stack)
{
    const struct config *config = pass->model->config;
    return !config->pre_norm && attention_input(pass, stack, 0).ld == config->d_model;
}

/* Post-norm: x = norm(x + f(x)). The stream holds what lies between the sublayers of a layer. */
static void run_post_norm(struct pass *pass, enum stack stack)
{
    struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct stack_weights *weights = &model->stacks[stack];
    struct matrix stream = {b->stream, model->config->d_model};
    enum module self = stack == STACK_ENCODER ? MODULE_ENCODER : MODULE_DECODER;
    const struct tensor nowhere = {0};

    struct matrix x = attention_input(pass, stack, 0);
    struct move_args begin = {.y = x.tensor,
                              .ldy = x.ld,
                              .x = b->stream,
                              .ldx = stream.ld,
                              .rows = pass->rows,
                              .columns = stream.ld};
    if (!embeds_input(pass, stack))
        model->backend->gather(model->device, &begin);
    for (int i = 0; i < model->config->stacks[stack].layers; i++) {
        const struct layer_weights *layer = &weights->layers[i];
        int norm = 0;
        if (stack == STACK_ENCODER)
            fork_rows(pass, i);
        run_module(pass, self, i, x);
        run_norm(pass, stream, nowhere, b->out, x, &layer->norms[norm++]);
        if (stack == STACK_DECODER) {
            run_module(pass, MODULE_CROSS, i, stream);
            run_norm(pass, stream, nowhere, b->out, stream, &layer->norms[norm++]);
        }
        run_feed_forward(pass, layer, stream);
        x = attention_input(pass, stack, i + 1);
        run_norm(pass, x, nowhere, b->out, stream, &layer->norms[norm]);
        tell_layer(pass, stack, i);
    }
}

void run_stack(struct pass *pass, enum stack stack)
{
    if (pass->model->config->pre_norm)
        run_pre_norm(pass, stack);
    else
        run_post_norm(pass, stack);
}

void embed_rows(const struct pass *pass, enum stack stack, struct tensor ids, struct tensor pos)
{
    struct model *model = pass->model;
    struct embed_args args = {
        .y = embeds_input(pass, stack) ? attention_input(pass, stack, 0).tensor
                                       : model->buffers->stream,
        .ids = ids,
        .pos = pos,
        .positions = model->stacks[stack].positions,
        .table = stack == STACK_ENCODER ? model->source_embedding : model->target_embedding,
        .scale = model->config->embedding_scale,
        .rows = pass->rows};
    model->backend->embed(model->device, &args);
}

struct row_args decoder_rows(const struct model *model, int rows)
{
    struct buffers *b = model->buffers;
    return (struct row_args){.rows = rows,
                             .lane = b->row_lane,
                             .pos = row_field(b->columns, LANE_POS, rows),
                             .slot = b->slot,
                             .path = b->state.path,
                             .positions = b->shape.positions};
}

void decode(struct model *model, int rows, struct observer *observer)
{
    struct buffers *b = model->buffers;
    struct pass pass = {.model = model,
                        .rows = rows,
                        .decoder = decoder_rows(model, rows),
                        .begin = row_field(b->columns, LANE_BEGIN, rows),
                        .end = row_field(b->columns, LANE_END, rows),
                        .position = row_field(b->columns, LANE_POS, rows),
                        .variant = row_field(b->columns, LANE_VARIANT, rows),
                        .word = b->source_word,
                        .row_word = b->row_word,
                        .observer = observer};
    struct tensor ids = row_field(b->columns, LANE_TOKEN, rows);
    if (b->words[MODULE_DECODER] || b->words[MODULE_CROSS]) {
        struct word_args args = {.ids = ids,
                                 .classes = model->classes,
                                 .token = b->state.token,
                                 .word = b->word,
                                 .row_word = b->row_word,
                                 .rows = pass.decoder,
                                 .starts = model->config->start.count};
        model->backend->words(model->device, &args);
    }
    embed_rows(&pass, STACK_DECODER, ids, pass.position);
    run_stack(&pass, STACK_DECODER);
}

struct linear_args logits_product(const struct model *model, struct tensor x, int rows)
{
    return (struct linear_args){.y = model->buffers->logits,
                                .ldy = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]),
                                .x = x,
                                .ldx = model->config->d_model,
                                .weight = model->output,
                                .bias = model->output_bias,
                                .rows = rows};
}
