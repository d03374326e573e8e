/* Derivatives of an attention module, or a recurrence. */
#include <stdlib.h>

#include "gpu/derivatives.h"
#include "model/net/backward/backward.h"
#include "model/net/module.h"

/* The module that goes back. */
struct module_back {
    struct backward *back;
    const struct pass *pass;
    enum module module;
    int layer;
    const struct module_weights *weights;
    const struct attention_config *config;
    const struct kept_module *kept;
    int d, heads, head_dim;
    int ld;      // heads * head_dim: of queries, and of the encoder's keys
    int layers;  // of the stack
    int columns; // keys
};

static struct module_back module_of(struct backward *back, const struct pass *pass,
                                    enum module module, int layer)
{
    const struct config *config = back->model->config;
    const struct kept_layer *kept = &back->tape->stacks[module_stack(module)].layers[layer];
    const int heads = module_heads(config, module), head_dim = module_head_dim(config, module);
    return (struct module_back){.back = back,
                                .pass = pass,
                                .module = module,
                                .layer = layer,
                                .weights = model_module(back->model, module, layer),
                                .config = &config->attention[module][layer],
                                .kept = module == MODULE_CROSS ? &kept->cross : &kept->self,
                                .d = config->d_model,
                                .heads = heads,
                                .head_dim = head_dim,
                                .ld = heads * head_dim,
                                .layers = module_layers(config, module),
                                .columns = module == MODULE_DECODER ? back->out->target_rows
                                                                    : back->out->source_count};
}

/* Columns layer*d … of a matrix of all layers' vectors. */
static struct row_matrix layer_columns(const struct module_back *of, struct tensor tensor,
                                       int layer)
{
    return (struct row_matrix){tensor_at(tensor, (size_t)(layer * of->d) * sizeof(float)),
                               of->layers * of->d};
}

/* Combination of heads ------------------------------------------------------------------------- */

/* Adds what goes to the module's input through U x. */
static void dhicm_back(const struct module_back *of, struct tensor dout, struct tensor dx)
{
    const struct backward *back = of->back;
    const struct model *model = back->model;
    const struct slopes *slopes = &back->slopes;
    const struct buffers *b = model->buffers;
    const struct row_matrix value = {slopes->head_value, slopes->d_m};
    const int rows = of->pass->rows;
    const size_t first = (size_t)of->layer * (size_t)b->shape.variants * (size_t)of->heads;
    backward_product(back, value, (struct row_matrix){dout, of->d}, of->weights->head_out, rows,
                     false);
    backward_product(back, (struct row_matrix){slopes->head_mix, of->head_dim}, value,
                     of->weights->head_v, rows, false);
    const struct mix_backward_args args = {
        .dy = slopes->head_mix,
        .o = of->kept->head_outputs,
        .s = of->kept->head_key,
        .dout = slopes->heads,
        .ds = slopes->scale,
        .dgains = slopes->gains,
        .gains = tensor_at(b->gains[of->module], first * sizeof(float)),
        .variant = of->pass->variant,
        .scale = (float)(1 / __builtin_sqrt(of->config->d_m)),
        .relevance = back->request->relevance,
        .rows = rows,
        .heads = of->heads,
        .head_dim = of->head_dim};
    model->backend->mix_backward(model->device, &args);
    backward_product(back, value, (struct row_matrix){slopes->scale, of->head_dim},
                     of->weights->head_w, rows, false);
    backward_product(back, (struct row_matrix){dx, of->d}, value, of->weights->head_u, rows, true);
}

/* A gain acts on all rows alike. */
static void keep_gains(const struct module_back *of)
{
    struct backward *back = of->back;
    double *gains = back->out->gains[of->module];
    if (!back->request->gains)
        return;
    const size_t heads = (size_t)of->heads;
    float *rows = backward_fetch(back, back->slopes.gains, (size_t)of->pass->rows * heads);
    for (size_t i = 0; rows && i < (size_t)of->pass->rows * heads; i++)
        gains[(size_t)of->layer * heads + i % heads] += rows[i];
    free(rows);
}

static void keep_head_outputs(const struct module_back *of)
{
    struct backward *back = of->back;
    const bool *wanted = back->request->head_outputs[of->module];
    if (wanted && wanted[of->layer])
        back->out->head_outputs[of->module][of->layer] =
            backward_fetch(back, back->slopes.heads, (size_t)of->pass->rows * (size_t)of->ld);
}

/* Attention ------------------------------------------------------------------------------------ */

/* Numbers the heads whose weights are wanted. Returns how many there are. */
static int number_wanted(const struct module_back *of, int *captured)
{
    const bool *wanted = of->back->request->weights[of->module];
    int count = 0;
    for (int h = 0; h < of->heads; h++)
        captured[h] = wanted && wanted[of->layer * of->heads + h] ? count++ : -1;
    return count;
}

static void keep_weights(const struct module_back *of, const int *captured, int count)
{
    struct backward *back = of->back;
    const size_t size = (size_t)of->pass->rows * (size_t)of->columns;
    float *all = backward_fetch(back, back->slopes.weights, (size_t)count * size);
    back->out->layer_weights[of->module][of->layer] = all;
    for (int h = 0; all && h < of->heads; h++)
        if (captured[h] >= 0)
            back->out->weights[of->module][of->layer * of->heads + h] =
                all + (size_t)captured[h] * size;
}

/* The row stride of keys and of their derivatives. */
static int key_ld(const struct module_back *of)
{
    return of->module == MODULE_ENCODER ? of->ld : of->weights->learned * of->head_dim;
}

/* q k gets one half of the learned heads' relevance: softmax keeps what goes to neither. */
static void absorb_softmax(const struct module_back *of, const struct attention_backward_args *args)
{
    struct backward *back = of->back;
    const struct attention_args *forward = &args->forward;
    const int size = of->head_dim, rows = of->pass->rows;
    double kept = -backward_relevance(back, (struct row_matrix){forward->q, forward->ldq},
                                      (struct row_matrix){args->dq, forward->ldq}, rows,
                                      of->weights->learned * size) -
                  backward_relevance(back, (struct row_matrix){forward->k, forward->ldk},
                                     (struct row_matrix){args->dk, forward->ldk}, of->columns,
                                     of->weights->learned * size);
    for (int h = 0; h < of->heads; h++) {
        const size_t at = (size_t)(h * size) * sizeof(float);
        if (head_settings_head(back->head_settings, of->module, of->layer, h)->energy ==
            ENERGY_LEARNED)
            kept += backward_relevance(
                back, (struct row_matrix){tensor_at(forward->v, at), forward->ldv},
                (struct row_matrix){tensor_at(args->dv, at), forward->ldv}, of->columns, size);
    }
    back->out->absorbed += kept;
}

static void attention_back(const struct module_back *of)
{
    const struct slopes *slopes = &of->back->slopes;
    int captured[CONFIG_MAX_HEADS];
    const int count = number_wanted(of, captured);
    struct attention_backward_args args = {.forward =
                                               module_attention(of->pass, of->module, of->layer),
                                           .dout = slopes->heads,
                                           .dv = slopes->v,
                                           .key_rows = of->columns,
                                           .relevance = of->back->request->relevance};
    args.forward.captured = captured;
    args.forward.ldweights = of->columns;
    if (of->weights->learned) {
        args.forward.q = of->kept->q;
        args.dq = slopes->q;
        args.dk = slopes->k;
    }
    if (of->module == MODULE_ENCODER) {
        args.forward.v = of->kept->v;
        args.forward.k = of->kept->k;
    }
    if (count)
        args.dweights = slopes->weights;
    if (!of->config->dhicm)
        args.dgains = slopes->gains;
    of->back->model->backend->attention_backward(of->back->model->device, &args);
    if (count)
        keep_weights(of, captured, count);
    if (!of->config->dhicm)
        keep_gains(of);
    if (args.relevance && of->weights->learned)
        absorb_softmax(of, &args);
}

/* Contexts ------------------------------------------------------------------------------------- */

/* C U, whose derivatives are in slopes->context, ld apart: adds those by the vectors. */
static void context_back(const struct module_back *of, const struct context_weights *weights,
                         int ld)
{
    const struct backward *back = of->back;
    const struct slopes *slopes = &back->slopes;
    struct row_matrix projected = {slopes->context, ld};
    int rows = of->pass->rows;
    if (weights->vectors[1])
        backward_product(back, layer_columns(of, slopes->inputs, 0), projected, weights->vectors[1],
                         rows, true);
    if (of->module == MODULE_ENCODER && (weights->vectors[0] || weights->vectors[2])) {
        const struct mean_args mean = {.y = slopes->context_mean,
                                       .ldy = ld,
                                       .x = slopes->context,
                                       .ldx = ld,
                                       .begin = of->pass->first,
                                       .end = of->pass->last,
                                       .sentences = of->pass->sentences,
                                       .columns = of->weights->learned * of->head_dim};
        back->model->backend->mean(back->model->device, &mean);
        projected.tensor = slopes->context_mean;
        rows = of->pass->sentences;
    }
    if (weights->vectors[0])
        backward_product(back, layer_columns(of, slopes->means, of->layer), projected,
                         weights->vectors[0], rows, true);
    if (weights->vectors[2])
        backward_product(back, layer_columns(of, slopes->means, 0), projected, weights->vectors[2],
                         rows, true);
}

/* dy (rows, ld), of queries or keys that were mixed with their context, becomes that of those that
 * were not. */
static void mixed_back(const struct module_back *of, int side, struct row_matrix dy)
{
    const struct backward *back = of->back;
    const struct context_weights *weights = &of->weights->context[side];
    if (!of->config->context || !of->config->sides[side])
        return;
    const struct gate_backward_args args = {.dq = dy.tensor,
                                            .dcu = back->slopes.context,
                                            .q = of->kept->plain[side],
                                            .cu = of->kept->context[side],
                                            .state = weights->state,
                                            .context = weights->context,
                                            .bias = weights->bias,
                                            .scope = of->config->gate,
                                            .relevance = back->request->relevance,
                                            .lddq = dy.ld,
                                            .ldq = of->ld,
                                            .rows = of->pass->rows,
                                            .heads = of->weights->learned,
                                            .head_dim = of->head_dim};
    back->model->backend->gate_backward(back->model->device, &args);
    context_back(of, weights, dy.ld);
}

/* Adds the derivatives of the contexts that later layers read from this one's input. In the encoder
 * a sentence has one mean, whose derivative goes to every row. */
static void contexts_back(const struct module_back *of, struct row_matrix dx)
{
    const struct backward *back = of->back;
    const struct slopes *slopes = &back->slopes;
    const struct stack_weights *stack = &back->model->stacks[module_stack(of->module)];
    const struct row_matrix means = layer_columns(of, slopes->means, of->layer);
    if (stack->deep)
        backward_add(back, dx, layer_columns(of, slopes->inputs, of->layer), (struct tensor){0},
                     of->pass->rows, of->d);
    if (!stack->means)
        return;
    if (of->module == MODULE_ENCODER) {
        backward_add(back, dx, means, of->pass->sentence, of->pass->rows, of->d);
        return;
    }
    const struct prefix_mean_backward_args args = {.dx = dx.tensor,
                                                   .dy = means.tensor,
                                                   .dsums = slopes->sums,
                                                   .lddx = dx.ld,
                                                   .lddy = means.ld,
                                                   .rows = of->pass->decoder,
                                                   .columns = of->d};
    backward_clear(back, (struct row_matrix){slopes->sums, of->d}, of->pass->rows, of->d);
    back->model->backend->prefix_mean_backward(back->model->device, &args);
}

/* The whole ------------------------------------------------------------------------------------ */

/* Keys and values of cross-attention are the encoder's output projected. */
static void projections_back(const struct module_back *of, struct row_matrix dx)
{
    struct backward *back = of->back;
    const struct slopes *slopes = &back->slopes;
    const struct row_matrix q = {slopes->q, of->ld}, k = {slopes->k, key_ld(of)};
    const bool cross = of->module == MODULE_CROSS;
    const struct row_matrix source = cross ? (struct row_matrix){slopes->encoded, of->d} : dx;
    if (of->weights->learned) {
        module_rotate(of->pass, of->module, of->layer, q, true);
        module_rotate(of->pass, of->module, of->layer, k, true);
        mixed_back(of, SIDE_Q, q);
        if (!cross)
            mixed_back(of, SIDE_K, k);
        backward_absorb(back, q, of->weights->q.bias, of->pass->rows,
                        of->weights->learned * of->head_dim);
        backward_absorb(back, k, of->weights->k.bias, of->columns,
                        of->weights->learned * of->head_dim);
        backward_product(back, dx, q, of->weights->q.weight, of->pass->rows, true);
        backward_product(back, source, k, of->weights->k.weight, of->columns, true);
    }
    backward_absorb(back, (struct row_matrix){slopes->v, of->ld}, of->weights->v.bias, of->columns,
                    of->ld);
    backward_product(back, source, (struct row_matrix){slopes->v, of->ld}, of->weights->v.weight,
                     of->columns, true);
    if (!cross)
        contexts_back(of, dx);
}

void backward_module(struct backward *back, const struct pass *pass, enum module module, int layer,
                     struct tensor dout, struct tensor dx)
{
    const struct module_back of = module_of(back, pass, module, layer);
    if (of.config->dhicm) {
        dhicm_back(&of, dout, dx);
        keep_gains(&of);
    } else {
        backward_absorb(back, (struct row_matrix){dout, of.d}, of.weights->o.bias, pass->rows,
                        of.d);
        backward_product(back, (struct row_matrix){back->slopes.heads, of.ld},
                         (struct row_matrix){dout, of.d}, of.weights->o.weight, pass->rows, false);
    }
    keep_head_outputs(&of);
    attention_back(&of);
    projections_back(&of, (struct row_matrix){dx, of.d});
}

void backward_recurrence(struct backward *back, const struct pass *pass, int layer,
                         struct tensor dout, struct tensor dx)
{
    const struct model *model = back->model;
    const struct slopes *slopes = &back->slopes;
    const struct kept_layer *kept = &back->tape->stacks[STACK_DECODER].layers[layer];
    const struct layer_weights *weights = &model->stacks[STACK_DECODER].layers[layer];
    const int d = model->config->d_model;
    const struct recurrence_backward_args args = {.dy = dout,
                                                  .states = model->buffers->caches[layer].states,
                                                  .x = kept->input,
                                                  .f = kept->forget,
                                                  .dx = slopes->input,
                                                  .dz = slopes->forget,
                                                  .dstates = slopes->sums,
                                                  .rows = pass->decoder,
                                                  .relevance = back->request->relevance,
                                                  .columns = d};
    backward_clear(back, (struct row_matrix){slopes->sums, d}, pass->rows, d);
    model->backend->recurrence_backward(model->device, &args);
    backward_absorb(back, (struct row_matrix){slopes->input, d}, weights->input.bias, pass->rows,
                    d);
    backward_product(back, (struct row_matrix){dx, d}, (struct row_matrix){slopes->input, d},
                     weights->input.weight, pass->rows, true);
    backward_product(back, (struct row_matrix){dx, d}, (struct row_matrix){slopes->forget, d},
                     weights->forget.weight, pass->rows, true);
}
