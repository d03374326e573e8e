/* The layers of a stack, backwards. */
#include "gpu/derivatives.h"
#include "model/net/backward/backward.h"

/* The stack that goes back. */
struct stack_back {
    struct backward *back;
    const struct pass *pass;
    enum stack stack;
    const struct stack_weights *weights;
    const struct kept_stack *kept;
    int d;
};

static struct row_matrix rows_of(const struct stack_back *of, struct tensor tensor)
{
    return (struct row_matrix){tensor, of->d};
}

static void copy_rows(const struct stack_back *of, struct tensor y, struct tensor x)
{
    const struct move_args args = {
        .y = y, .ldy = of->d, .x = x, .ldx = of->d, .rows = of->pass->rows, .columns = of->d};
    of->back->model->backend->gather(of->back->model->device, &args);
}

/* dx = z' + residual, where z is what the norm read. */
static void norm_back(const struct stack_back *of, struct tensor dx, struct tensor dy,
                      struct tensor z, const struct norm_weights *norm, struct tensor residual)
{
    backward_absorb(of->back, rows_of(of, dy), norm->beta, of->pass->rows, of->d);
    const struct config *config = of->back->model->config;
    const struct norm_backward_args args = {.dx = dx,
                                            .dy = dy,
                                            .z = z,
                                            .residual = residual,
                                            .gamma = norm->gamma,
                                            .rms = config->rms_norm,
                                            .relevance = of->back->request->relevance,
                                            .lddy = of->d,
                                            .eps = config->norm_eps,
                                            .rows = of->pass->rows,
                                            .columns = of->d};
    of->back->model->backend->norm_backward(of->back->model->device, &args);
}

/* The norm behind a post-norm decoder's last layer multiplies by output_scale as well (model.c):
 * what the state is by itself. */
static float scale_of(const struct stack_back *of, int layer)
{
    const struct config *config = of->back->model->config;
    const struct stack_config *stack = &config->stacks[of->stack];
    const bool scaled = of->stack == STACK_DECODER && layer == stack->layers && !stack->pre_norm &&
                        !stack->last_norm;
    return scaled ? config->output_scale : 1;
}

static void keep_state(const struct stack_back *of, int layer)
{
    struct backward *back = of->back;
    const size_t count = (size_t)of->pass->rows * (size_t)of->d;
    const float scale = scale_of(of, layer);
    if (!back->request->states)
        return;
    float *state = backward_fetch(back, back->slopes.state, count);
    for (size_t i = 0; state && scale != 1 && i < count; i++)
        state[i] *= scale;
    back->out->states[of->stack][layer] = state;
}

/* Feed-forward layers -------------------------------------------------------------------------- */

/* y = x wᵀ + bias, as the forward pass computed it, but before the activation. */
static void project(const struct stack_back *of, struct tensor y, struct tensor x,
                    const struct projection *projection, int columns)
{
    const struct linear_args args = {.y = y,
                                     .ldy = columns,
                                     .x = x,
                                     .ldx = of->d,
                                     .weight = projection->weight,
                                     .bias = projection->bias,
                                     .rows = of->pass->rows};
    of->back->model->backend->linear(of->back->model->device, &args, 1);
}

/* Adds to dx, or with `fresh` writes it. */
static void feed_forward_back(const struct stack_back *of, int layer, struct tensor dout,
                              struct tensor dx, bool fresh)
{
    struct backward *back = of->back;
    const struct slopes *slopes = &back->slopes;
    const struct config *config = back->model->config;
    const struct layer_weights *weights = &of->weights->layers[layer];
    const struct kept_layer *kept = &of->kept->layers[layer];
    const bool again = !tape_keeps_hidden(config);
    const int width = config->stacks[of->stack].d_ff, rows = of->pass->rows;
    const struct projection *first = config->gated ? &weights->ffn_gate : &weights->ffn_in;
    struct activation_backward_args args = {.dy = slopes->hidden,
                                            .x = again ? slopes->before : kept->hidden,
                                            .activation = config->activation,
                                            .relevance = back->request->relevance,
                                            .rows = rows,
                                            .columns = width};
    backward_product(back, (struct row_matrix){slopes->hidden, width}, rows_of(of, dout),
                     weights->ffn_out.weight, rows, false);
    backward_absorb(back, rows_of(of, dout), weights->ffn_out.bias, rows, of->d);
    if (again)
        project(of, slopes->before, kept->feed_forward, first, width);
    if (config->gated) {
        project(of, slopes->factor, kept->feed_forward, &weights->ffn_in, width);
        args.factor = slopes->factor;
    }
    back->model->backend->activation_backward(back->model->device, &args);
    backward_absorb(back, (struct row_matrix){slopes->hidden, width}, first->bias, rows, width);
    if (config->gated)
        backward_absorb(back, (struct row_matrix){slopes->factor, width}, weights->ffn_in.bias,
                        rows, width);
    backward_product(back, rows_of(of, dx), (struct row_matrix){slopes->hidden, width},
                     first->weight, rows, !fresh);
    if (config->gated)
        backward_product(back, rows_of(of, dx), (struct row_matrix){slopes->factor, width},
                         weights->ffn_in.weight, rows, true);
}

/* Layers --------------------------------------------------------------------------------------- */

enum sublayer_kind { SUBLAYER_SELF, SUBLAYER_CROSS, SUBLAYER_FEED_FORWARD };

/* The kinds of a layer's sublayers, and so of its norms. */
static int sublayers_of(enum stack stack, enum sublayer_kind kinds[LAYER_NORMS])
{
    int count = 0;
    kinds[count++] = SUBLAYER_SELF;
    if (stack == STACK_DECODER)
        kinds[count++] = SUBLAYER_CROSS;
    kinds[count++] = SUBLAYER_FEED_FORWARD;
    return count;
}

/* Adds to dx. */
static void sublayer_back(const struct stack_back *of, enum sublayer_kind kind, int layer,
                          struct tensor dout, struct tensor dx)
{
    if (kind == SUBLAYER_FEED_FORWARD)
        feed_forward_back(of, layer, dout, dx, false);
    else if (kind == SUBLAYER_CROSS)
        backward_module(of->back, of->pass, MODULE_CROSS, layer, dout, dx);
    else if (of->back->model->config->stacks[of->stack].recurrent)
        backward_recurrence(of->back, of->pass, layer, dout, dx);
    else
        backward_module(of->back, of->pass, stack_self(of->stack), layer, dout, dx);
}

/* Returns the derivatives of a sublayer's output before its norm, if it has one: dout is of what is
 * added to the stream. */
static struct tensor output_back(const struct stack_back *of, int layer, int sublayer,
                                 struct tensor dout)
{
    if (!of->back->model->config->stacks[of->stack].output_norm)
        return dout;
    norm_back(of, of->back->slopes.output, dout, of->kept->layers[layer].outputs[sublayer],
              &of->weights->layers[layer].output_norms[sublayer], (struct tensor){0});
    return of->back->slopes.output;
}

static void pre_norm_layer(const struct stack_back *of, int layer)
{
    const struct slopes *slopes = &of->back->slopes;
    enum sublayer_kind kinds[LAYER_NORMS];
    for (int i = sublayers_of(of->stack, kinds) - 1; i >= 0; i--) {
        const struct tensor dout = output_back(of, layer, i, slopes->state);
        if (kinds[i] == SUBLAYER_FEED_FORWARD) {
            feed_forward_back(of, layer, dout, slopes->part, true);
        } else {
            backward_clear(of->back, rows_of(of, slopes->part), of->pass->rows, of->d);
            sublayer_back(of, kinds[i], layer, dout, slopes->part);
        }
        norm_back(of, slopes->state, slopes->part, of->kept->layers[layer].normed[i],
                  &of->weights->layers[layer].norms[i], slopes->state);
    }
}

static void post_norm_layer(const struct stack_back *of, int layer)
{
    const struct slopes *slopes = &of->back->slopes;
    enum sublayer_kind kinds[LAYER_NORMS];
    for (int i = sublayers_of(of->stack, kinds) - 1; i >= 0; i--) {
        norm_back(of, slopes->part, slopes->state, of->kept->layers[layer].normed[i],
                  &of->weights->layers[layer].norms[i], (struct tensor){0});
        copy_rows(of, slopes->state, slopes->part);
        sublayer_back(of, kinds[i], layer, output_back(of, layer, i, slopes->part), slopes->state);
    }
}

void backward_stack(struct backward *back, const struct pass *pass, enum stack stack)
{
    const struct stack_config *config = &back->model->config->stacks[stack];
    const struct stack_back of = {.back = back,
                                  .pass = pass,
                                  .stack = stack,
                                  .weights = &back->model->stacks[stack],
                                  .kept = &back->tape->stacks[stack],
                                  .d = back->model->config->d_model};
    const struct slopes *slopes = &back->slopes;
    const int all = config->layers * of.d;
    if (of.weights->deep)
        backward_clear(back, (struct row_matrix){slopes->inputs, all}, pass->rows, all);
    if (of.weights->means)
        backward_clear(back, (struct row_matrix){slopes->means, all}, pass->rows, all);
    if (config->last_norm)
        norm_back(&of, slopes->state, slopes->state, of.kept->last_norm, &of.weights->norm,
                  (struct tensor){0});
    for (int layer = config->layers - 1; layer >= 0; layer--) {
        keep_state(&of, layer + 1);
        if (config->pre_norm)
            pre_norm_layer(&of, layer);
        else
            post_norm_layer(&of, layer);
    }
    keep_state(&of, 0);
    if (config->embedding_norm)
        norm_back(&of, slopes->state, slopes->state, of.kept->embedding_norm,
                  &of.weights->embedding_norm, (struct tensor){0});
    if (back->request->embeddings)
        back->out->embeddings[stack] =
            backward_fetch(back, slopes->state, (size_t)pass->rows * (size_t)of.d);
}

void backward_encoder_output(struct backward *back, const struct pass *encoder)
{
    const struct stack_back of = {.back = back, .pass = encoder, .d = back->model->config->d_model};
    copy_rows(&of, back->slopes.state, back->slopes.encoded);
}
