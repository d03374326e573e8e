#include "model/net/backward/backward.h"

#include <stdlib.h>

#include "base/minmax.h"
#include "gpu/derivatives.h"

/* Memory --------------------------------------------------------------------------------------- */

/* The widest of both stacks. */
struct widths {
    size_t heads, count, head_dim, d_ff, d_m, layers, weights;
};

static size_t wanted_weights(const struct backward *back, enum module module)
{
    const struct config *config = back->model->config;
    const size_t n = (size_t)back->out->source_count, m = (size_t)back->out->target_rows;
    const size_t size = module == MODULE_ENCODER ? n * n : module == MODULE_DECODER ? m * m : m * n;
    const int heads = module_heads(config, module);
    const bool *wanted = back->request->weights[module];
    size_t most = 0;
    for (int layer = 0; wanted && layer < module_layers(config, module); layer++) {
        size_t count = 0;
        for (int h = 0; h < heads; h++)
            count += wanted[layer * heads + h];
        most = size_max(most, count * size);
    }
    return most;
}

static struct widths widest(const struct backward *back)
{
    const struct config *config = back->model->config;
    struct widths widths = {0};
    for (enum module m = 0; m < MODULE_COUNT; m++) {
        const size_t heads = (size_t)module_heads(config, m);
        const size_t head_dim = (size_t)module_head_dim(config, m);
        widths.heads = size_max(widths.heads, heads * head_dim);
        widths.count = size_max(widths.count, heads);
        widths.head_dim = size_max(widths.head_dim, head_dim);
        widths.layers = size_max(widths.layers, (size_t)module_layers(config, m));
        widths.weights = size_max(widths.weights, wanted_weights(back, m));
        for (int layer = 0; layer < module_layers(config, m); layer++)
            if (config->attention[m][layer].dhicm)
                widths.d_m = size_max(widths.d_m, (size_t)config->attention[m][layer].d_m);
    }
    for (int stack = 0; stack < STACK_COUNT; stack++)
        widths.d_ff = size_max(widths.d_ff, (size_t)config->stacks[stack].d_ff);
    return widths;
}

static void take_slopes(struct backward *back, const struct widths *widths, struct layout *layout)
{
    struct slopes *slopes = &back->slopes;
    const struct stack_weights *stacks = back->model->stacks;
    const bool deep = stacks[STACK_ENCODER].deep || stacks[STACK_DECODER].deep;
    const bool means = stacks[STACK_ENCODER].means || stacks[STACK_DECODER].means;
    const size_t n = (size_t)back->out->source_count, m = (size_t)back->out->target_rows;
    const size_t rows = size_max(n, m), d = (size_t)back->model->config->d_model;
    const size_t recurrent = back->model->config->stacks[STACK_DECODER].recurrent ? m : 0;
    const struct stack_config *config = back->model->config->stacks;
    const bool normed = config[STACK_ENCODER].output_norm || config[STACK_DECODER].output_norm;
    const size_t contexts = deep || means ? rows : 0, dhicm = widths->d_m ? rows : 0;

    layout_take(layout, &slopes->state, rows, d);
    layout_take(layout, &slopes->part, rows, d);
    layout_take(layout, &slopes->output, normed ? rows : 0, d);
    layout_take(layout, &slopes->encoded, n, d);
    layout_take(layout, &slopes->heads, rows, widths->heads);
    layout_take(layout, &slopes->q, rows, widths->heads);
    layout_take(layout, &slopes->k, rows, widths->heads);
    layout_take(layout, &slopes->v, rows, widths->heads);
    layout_take(layout, &slopes->hidden, rows, widths->d_ff);
    layout_take(layout, &slopes->before, rows, widths->d_ff);
    layout_take(layout, &slopes->factor, back->model->config->gated ? rows : 0, widths->d_ff);
    layout_take(layout, &slopes->context, contexts, widths->heads);
    layout_take(layout, &slopes->context_mean, means ? 1 : 0, widths->heads);
    layout_take(layout, &slopes->inputs, deep ? rows : 0, widths->layers * d);
    layout_take(layout, &slopes->means, means ? rows : 0, widths->layers * d);
    layout_take(layout, &slopes->sums, means ? m : recurrent, d);
    layout_take(layout, &slopes->input, recurrent, d);
    layout_take(layout, &slopes->forget, recurrent, d);
    layout_take(layout, &slopes->head_value, dhicm, widths->d_m);
    layout_take(layout, &slopes->head_mix, dhicm, widths->head_dim);
    layout_take(layout, &slopes->scale, dhicm, widths->head_dim);
    layout_take(layout, &slopes->gains, rows, widths->count);
    layout_take(layout, &slopes->weights, widths->weights, 1);
    layout_take(layout, &slopes->nowhere, rows, 1);
    slopes->d_m = (int)widths->d_m;
}

static bool put_nowhere(struct backward *back, struct status *status)
{
    const int rows = int_max(back->out->source_count, back->out->target_rows);
    int32_t *nowhere = memory_new((size_t)rows, sizeof *nowhere, status);
    for (int m = 0; nowhere && m < rows; m++)
        nowhere[m] = -1;
    if (nowhere)
        back->model->backend->put(back->model->device, back->slopes.nowhere, nowhere,
                                  (size_t)rows * sizeof *nowhere);
    free(nowhere);
    return nowhere != NULL;
}

bool backward_open(struct backward *back, struct status *status)
{
    const struct widths widths = widest(back);
    struct layout layout = {0};
    take_slopes(back, &widths, &layout);
    if (layout.overflow)
        return status_fail(status, STATUS_MEMORY, "sentences too long for this machine's memory");
    if (!back->model->backend->allocate(back->model->device, layout.used, &back->arena, status))
        return false;
    layout = (struct layout){.buffer = back->arena.buffer};
    take_slopes(back, &widths, &layout);
    if (put_nowhere(back, status))
        return true;
    backward_close(back);
    return false;
}

void backward_close(struct backward *back)
{
    back->model->backend->release(back->model->device, back->arena);
    back->arena = (struct tensor){0};
}

/* Steps ---------------------------------------------------------------------------------------- */

void backward_product(const struct backward *back, struct row_matrix dx, struct row_matrix dy,
                      const struct weight *weight, int rows, bool add)
{
    const struct linear_backward_args args = {.dx = dx.tensor,
                                              .dy = dy.tensor,
                                              .lddx = dx.ld,
                                              .lddy = dy.ld,
                                              .weight = weight,
                                              .accumulate = add,
                                              .rows = rows};
    back->model->backend->linear_backward(back->model->device, &args);
}

void backward_clear(const struct backward *back, struct row_matrix x, int rows, int columns)
{
    const struct move_args args = {.y = x.tensor,
                                   .ldy = x.ld,
                                   .x = x.tensor,
                                   .ldx = x.ld,
                                   .index = back->slopes.nowhere,
                                   .rows = rows,
                                   .columns = columns};
    back->model->backend->gather(back->model->device, &args);
}

void backward_add(const struct backward *back, struct row_matrix y, struct row_matrix x,
                  struct tensor index, int rows, int columns)
{
    const struct add_args args = {.y = y.tensor,
                                  .ldy = y.ld,
                                  .x = x.tensor,
                                  .ldx = x.ld,
                                  .index = index,
                                  .rows = rows,
                                  .columns = columns};
    back->model->backend->add(back->model->device, &args);
}

float *backward_fetch(struct backward *back, struct tensor tensor, size_t count)
{
    float *values = back->failed ? NULL : memory_new(count, sizeof *values, back->status);
    back->failed = back->failed || !values;
    if (values)
        back->model->backend->get(back->model->device, values, tensor, count * sizeof *values);
    return values;
}

/* Relevance ------------------------------------------------------------------------------------ */

static size_t extent_of(struct row_matrix matrix, int rows, int columns)
{
    return (size_t)(rows - 1) * (size_t)matrix.ld + (size_t)columns;
}

double backward_relevance(struct backward *back, struct row_matrix x, struct row_matrix dx,
                          int rows, int columns)
{
    float *values = backward_fetch(back, x.tensor, extent_of(x, rows, columns));
    float *slopes = backward_fetch(back, dx.tensor, extent_of(dx, rows, columns));
    double sum = 0;
    for (int m = 0; values && slopes && m < rows; m++)
        for (int c = 0; c < columns; c++)
            sum += (double)values[(size_t)m * (size_t)x.ld + (size_t)c] *
                   (double)slopes[(size_t)m * (size_t)dx.ld + (size_t)c];
    free(values);
    free(slopes);
    return sum;
}

void backward_absorb(struct backward *back, struct row_matrix dy, struct tensor bias, int rows,
                     int columns)
{
    if (back->request->relevance && tensor_present(bias))
        back->out->absorbed +=
            backward_relevance(back, (struct row_matrix){bias, 0}, dy, rows, columns);
}
