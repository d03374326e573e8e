#include "model/net/transformer.h"

#include "model/net/module.h"
#include "model/net/observer.h"
#include "model/net/stems.h"
#include "model/net/tape.h"

/* y = norm(x + residual); `sum` receives the input of the norm if it is wanted. */
static void run_norm(const struct pass *pass, struct row_matrix y, struct tensor sum,
                     struct tensor x, struct row_matrix residual, const struct norm_weights *norm)
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
                             .rms = config->rms_norm,
                             .eps = config->norm_eps,
                             .rows = pass->rows,
                             .columns = config->d_model};
    const struct tensor kept = tape_norm(pass, norm);
    if (!tensor_present(sum))
        args.sum = kept;
    pass->model->backend->norm(pass->model->device, &args);
    if (tensor_present(sum))
        tape_keep(pass, kept, (struct row_matrix){sum, config->d_model}, config->d_model);
}

/* The input of self-attention in one layer: where the deep context of later layers reads all of
 * them, each has its own columns. */
static struct row_matrix attention_input(const struct pass *pass, enum stack stack, int layer)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    int d = model->config->d_model, layers = model->config->stacks[stack].layers;
    if (!model->stacks[stack].deep || layer >= layers)
        return (struct row_matrix){b->normed, d};
    return (struct row_matrix){tensor_at(b->inputs, (size_t)layer * d * sizeof(float)), layers * d};
}

/* hidden = activation(gate(x)) * in(x) */
static void run_gated(const struct pass *pass, struct row_matrix x,
                      const struct layer_weights *weights, struct row_matrix hidden, bool consumed)
{
    const struct model *model = pass->model;
    struct tensor gated = model->buffers->gated;
    const struct linear_args gate = {.y = hidden.tensor,
                                     .ldy = hidden.ld,
                                     .x = x.tensor,
                                     .ldx = x.ld,
                                     .weight = weights->ffn_gate.weight,
                                     .bias = weights->ffn_gate.bias,
                                     .activation = model->config->activation,
                                     .consumed = consumed,
                                     .factor = gated,
                                     .group = pass->sentence,
                                     .rows = pass->rows};
    run_projection(pass, gated, x, &weights->ffn_in, hidden.ld, ACTIVATION_NONE);
    model->backend->linear(model->device, &gate, 1);
}

/* hidden = activation(in(x)) */
static void run_plain(const struct pass *pass, struct row_matrix x,
                      const struct layer_weights *weights, struct row_matrix hidden, bool consumed)
{
    const struct model *model = pass->model;
    const struct linear_args in = {.y = hidden.tensor,
                                   .ldy = hidden.ld,
                                   .x = x.tensor,
                                   .ldx = x.ld,
                                   .weight = weights->ffn_in.weight,
                                   .bias = weights->ffn_in.bias,
                                   .activation = model->config->activation,
                                   .consumed = consumed,
                                   .group = pass->sentence,
                                   .rows = pass->rows};
    model->backend->linear(model->device, &in, 1);
}

/* The hidden units of a feed-forward layer; consumed: nothing but the next operation reads them. */
static struct row_matrix run_hidden(const struct pass *pass, enum stack stack, int layer,
                                    struct row_matrix x, bool consumed)
{
    const struct config *config = pass->model->config;
    const struct layer_weights *weights = &pass->model->stacks[stack].layers[layer];
    struct row_matrix hidden = {pass->model->buffers->hidden, config->stacks[stack].d_ff};
    const struct kept_layer *kept = tape_layer(pass, stack, layer);
    const bool kept_hidden = kept && tape_keeps_hidden(config);
    if (kept)
        tape_keep(pass, kept->feed_forward, x, config->d_model);
    if (config->gated)
        run_gated(pass, x, weights, hidden, consumed);
    else
        run_plain(pass, x, weights, hidden, consumed && !kept_hidden);
    if (kept_hidden)
        tape_keep(pass, kept->hidden, hidden, hidden.ld);
    return hidden;
}

/* Norms the output of a layer's sublayer in its place, if the stack does that. */
static void norm_output(const struct pass *pass, enum stack stack, int layer, int sublayer)
{
    const struct model *model = pass->model;
    const struct row_matrix out = {model->buffers->out, model->config->d_model};
    if (model->config->stacks[stack].output_norm)
        run_norm(pass, out, (struct tensor){0}, out.tensor, (struct row_matrix){0},
                 &model->stacks[stack].layers[layer].output_norms[sublayer]);
}

static void run_feed_forward(const struct pass *pass, enum stack stack, int layer,
                             struct row_matrix x)
{
    const struct layer_weights *weights = &pass->model->stacks[stack].layers[layer];
    run_projection(pass, pass->model->buffers->out, run_hidden(pass, stack, layer, x, true),
                   &weights->ffn_out, pass->model->config->d_model, ACTIVATION_NONE);
    norm_output(pass, stack, layer, stack == STACK_DECODER ? 2 : 1);
}

/* A module over x; `residual` is what its output will be added to. */
static void run_attention_sublayer(const struct pass *pass, enum module module, int layer,
                                   struct row_matrix x, struct row_matrix residual)
{
    run_module(pass, module, layer, x);
    observe_plain_output(pass, module, layer);
    norm_output(pass, module_stack(module), layer, module == MODULE_CROSS);
    observe_sublayer(pass, module, layer, residual);
}

/* Self-attention, or the recurrence that takes its place. */
static void run_self(const struct pass *pass, enum stack stack, int layer, struct row_matrix x,
                     struct row_matrix residual)
{
    if (pass->model->config->stacks[stack].recurrent) {
        run_recurrence(pass, layer, x);
        norm_output(pass, stack, layer, 0);
    } else {
        run_attention_sublayer(pass, stack_self(stack), layer, x, residual);
    }
}

/* The stream alternates between two buffers: a device may compute a norm inside the product that
 * reads it, where one part of the product would overwrite what another one still reads. */
static struct row_matrix next_stream(const struct pass *pass, struct row_matrix stream)
{
    struct buffers *b = pass->model->buffers;
    const bool first = stream.tensor.offset == b->stream.offset;
    return (struct row_matrix){first ? b->other_stream : b->stream, stream.ld};
}

/* The end of a pre-norm stack whose last layer no norm follows: x, the input of its feed-forward
 * layer, becomes stream + f(x). */
static void end_without_norm(const struct pass *pass, enum stack stack, struct row_matrix x,
                             struct row_matrix residual)
{
    const struct model *model = pass->model;
    const bool normed = model->config->stacks[stack].output_norm;
    int last = model->config->stacks[stack].layers - 1;
    struct row_matrix hidden = {0};
    const struct add_args output = {.y = x.tensor,
                                    .ldy = x.ld,
                                    .x = model->buffers->out,
                                    .ldx = model->config->d_model,
                                    .rows = pass->rows,
                                    .columns = x.ld};
    struct move_args stream = {.y = x.tensor,
                               .ldy = x.ld,
                               .x = residual.tensor,
                               .ldx = residual.ld,
                               .rows = pass->rows,
                               .columns = x.ld};
    if (normed)
        run_feed_forward(pass, stack, last, x);
    else
        hidden = run_hidden(pass, stack, last, x, false);
    model->backend->gather(model->device, &stream);
    if (normed)
        model->backend->add(model->device, &output);
    else
        add_projection(pass, x.tensor, hidden, &model->stacks[stack].layers[last].ffn_out, x.ld);
}

/* A forced pass is one piece for all of a long sentence; a search tells of its steps. */
static void tell_layer(const struct pass *pass, enum stack stack, int layer)
{
    const struct config *config = pass->model->config;
    int encoder = config->stacks[STACK_ENCODER].layers;
    struct status unused; // the device was told to stop
    if (pass->observer)
        watch_proceed(pass->model->checkpoint->watch, "computing",
                      (stack == STACK_DECODER ? encoder : 0) + layer + 1,
                      encoder + config->stacks[STACK_DECODER].layers, &unused);
}

/* Adds the sublayer's output to the stream; y = norm(stream). */
static void add_and_norm(const struct pass *pass, struct row_matrix y, struct row_matrix *stream,
                         const struct norm_weights *norm)
{
    const struct row_matrix next = next_stream(pass, *stream);
    run_norm(pass, y, next.tensor, pass->model->buffers->out, *stream, norm);
    *stream = next;
}

/* Pre-norm: stream += f(norm(stream)). Each norm adds the sublayer before it to the stream. */
static void run_pre_norm(struct pass *pass, enum stack stack)
{
    struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct stack_weights *weights = &model->stacks[stack];
    struct row_matrix normed = {b->normed, model->config->d_model};
    struct row_matrix stream = {b->stream, model->config->d_model};
    int layers = model->config->stacks[stack].layers;

    struct row_matrix x = attention_input(pass, stack, 0);
    run_norm(pass, x, (struct tensor){0}, b->stream, (struct row_matrix){0},
             &weights->layers[0].norms[0]);
    for (int i = 0; i < layers; i++) {
        const struct layer_weights *layer = &weights->layers[i];
        int norm = 1;
        if (stack == STACK_ENCODER)
            stems_fork(pass, i);
        run_self(pass, stack, i, x, stream);
        add_and_norm(pass, normed, &stream, &layer->norms[norm++]);
        if (stack == STACK_DECODER) {
            run_attention_sublayer(pass, MODULE_CROSS, i, normed, stream);
            add_and_norm(pass, normed, &stream, &layer->norms[norm]);
        }
        x = attention_input(pass, stack, i + 1);
        if (i + 1 < layers || model->config->stacks[stack].last_norm) {
            run_feed_forward(pass, stack, i, normed);
            add_and_norm(pass, x, &stream,
                         i + 1 < layers ? &weights->layers[i + 1].norms[0] : &weights->norm);
            observe_state(pass, stack, i, stream);
        } else {
            end_without_norm(pass, stack, normed, stream);
            observe_state(pass, stack, i, normed);
        }
        tell_layer(pass, stack, i);
    }
}

/* Post-norm: x = norm(x + f(x)). The stream holds what lies between the sublayers of a layer, and
 * the last layer's output where another norm follows it. */
static void run_post_norm(struct pass *pass, enum stack stack)
{
    struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct stack_weights *weights = &model->stacks[stack];
    struct row_matrix stream = {b->stream, model->config->d_model};
    const struct tensor nowhere = {0};
    const struct stack_config *config = &model->config->stacks[stack];

    struct row_matrix x = attention_input(pass, stack, 0);
    for (int i = 0; i < config->layers; i++) {
        const struct layer_weights *layer = &weights->layers[i];
        int norm = 0;
        if (stack == STACK_ENCODER)
            stems_fork(pass, i);
        run_self(pass, stack, i, x, x);
        run_norm(pass, stream, nowhere, b->out, x, &layer->norms[norm++]);
        if (stack == STACK_DECODER) {
            run_attention_sublayer(pass, MODULE_CROSS, i, stream, stream);
            const struct row_matrix next = next_stream(pass, stream);
            run_norm(pass, next, nowhere, b->out, stream, &layer->norms[norm++]);
            stream = next;
        }
        run_feed_forward(pass, stack, i, stream);
        x = config->last_norm && i + 1 == config->layers ? next_stream(pass, stream)
                                                         : attention_input(pass, stack, i + 1);
        run_norm(pass, x, nowhere, b->out, stream, &layer->norms[norm]);
        observe_state(pass, stack, i, x);
        tell_layer(pass, stack, i);
    }
    if (config->last_norm)
        run_norm(pass, attention_input(pass, stack, config->layers), nowhere, x.tensor,
                 (struct row_matrix){0}, &weights->norm);
}

void run_stack(struct pass *pass, enum stack stack)
{
    if (pass->model->config->stacks[stack].pre_norm)
        run_pre_norm(pass, stack);
    else
        run_post_norm(pass, stack);
}

/* Returns the input of a stack: the stream, or under post-norm the input of self-attention in the
 * first layer. */
static struct row_matrix stack_input(const struct pass *pass, enum stack stack)
{
    const struct config *config = pass->model->config;
    if (config->stacks[stack].pre_norm)
        return (struct row_matrix){pass->model->buffers->stream, config->d_model};
    return attention_input(pass, stack, 0);
}

/* The embedding writes contiguous rows. They go through `out` if they must be normalised, or if the
 * stack begins with rows that are further apart. */
void embed_rows(const struct pass *pass, enum stack stack, struct tensor ids, struct tensor pos)
{
    struct model *model = pass->model;
    const struct stack_weights *weights = &model->stacks[stack];
    struct row_matrix input = stack_input(pass, stack);
    bool normed = model->config->stacks[stack].embedding_norm;
    bool copied = !normed && input.ld != model->config->d_model;
    struct embed_args args = {.y = normed || copied ? model->buffers->out : input.tensor,
                              .ids = ids,
                              .pos = pos,
                              .table = stack == STACK_ENCODER ? model->source_embedding
                                                              : model->target_embedding,
                              .scale = model->config->embedding_scale,
                              .rows = pass->rows};
    if (model->config->stacks[stack].positions != POSITIONS_ROTARY)
        args.positions = weights->positions;
    struct move_args copy = {.y = input.tensor,
                             .ldy = input.ld,
                             .x = args.y,
                             .ldx = model->config->d_model,
                             .rows = pass->rows,
                             .columns = model->config->d_model};
    model->backend->embed(model->device, &args);
    observe_embeddings(pass, stack, &args);
    if (normed)
        run_norm(pass, input, (struct tensor){0}, args.y, (struct row_matrix){0},
                 &weights->embedding_norm);
    else if (copied)
        model->backend->gather(model->device, &copy);
}

/* The rows of one decoder pass, as buffers->columns (LANE_FIELDS, rows), row_lane and slot hold
 * them. */
static struct row_args decoder_rows(const struct model *model, int rows)
{
    struct buffers *b = model->buffers;
    return (struct row_args){.rows = rows,
                             .lane = b->row_lane,
                             .pos = row_field(b->columns, LANE_POS, rows),
                             .slot = b->slot,
                             .path = b->state.path,
                             .positions = b->shape.positions};
}

struct pass decoder_pass(struct model *model, int rows, struct observer *observer)
{
    struct buffers *b = model->buffers;
    return (struct pass){.model = model,
                         .rows = rows,
                         .decoder = decoder_rows(model, rows),
                         .begin = row_field(b->columns, LANE_BEGIN, rows),
                         .end = row_field(b->columns, LANE_END, rows),
                         .position = row_field(b->columns, LANE_POS, rows),
                         .variant = row_field(b->columns, LANE_VARIANT, rows),
                         .word = b->source_word,
                         .row_word = b->row_word,
                         .observer = observer};
}

void decode(struct model *model, int rows, struct observer *observer)
{
    struct buffers *b = model->buffers;
    struct pass pass = decoder_pass(model, rows, observer);
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
                                .cap = model->config->output_cap,
                                .rows = rows};
}
