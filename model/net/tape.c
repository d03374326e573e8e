#include "model/net/tape.h"

#include <stdlib.h>

/* Rows and widths of one stack's tensors. */
struct kept_size {
    const struct model *model;
    enum stack stack;
    size_t rows, d;
    struct layout *layout;
};

static void take(const struct kept_size *size, struct tensor *tensor, size_t columns)
{
    layout_take(size->layout, tensor, size->rows, columns);
}

static void take_module(const struct kept_size *size, enum module module, int layer,
                        struct kept_module *kept)
{
    const struct config *config = size->model->config;
    const struct attention_config *attention = &config->attention[module][layer];
    const size_t head_dim = (size_t)module_head_dim(config, module);
    const size_t width = (size_t)module_heads(config, module) * head_dim;
    const bool learned = model_module(size->model, module, layer)->learned > 0;
    if (learned)
        take(size, &kept->q, width);
    if (learned && module == MODULE_ENCODER)
        take(size, &kept->k, width);
    if (module == MODULE_ENCODER)
        take(size, &kept->v, width);
    for (int side = 0; side < SIDE_COUNT; side++)
        if (learned && attention->context && attention->sides[side]) {
            take(size, &kept->plain[side], width);
            take(size, &kept->context[side], width);
        }
    if (attention->dhicm) {
        take(size, &kept->head_outputs, width);
        take(size, &kept->head_key, head_dim);
    }
}

static void take_layer(const struct kept_size *size, int layer, struct kept_layer *kept)
{
    const struct stack_config *config = &size->model->config->stacks[size->stack];
    if (config->recurrent) {
        take(size, &kept->input, size->d);
        take(size, &kept->forget, size->d);
    } else {
        take_module(size, stack_self(size->stack), layer, &kept->self);
    }
    if (size->stack == STACK_DECODER)
        take_module(size, MODULE_CROSS, layer, &kept->cross);
    for (int norm = 0; norm < (size->stack == STACK_DECODER ? 3 : 2); norm++) {
        take(size, &kept->normed[norm], size->d);
        if (config->output_norm)
            take(size, &kept->outputs[norm], size->d);
    }
    if (tape_keeps_hidden(size->model->config))
        take(size, &kept->hidden, (size_t)config->d_ff);
    else
        take(size, &kept->feed_forward, size->d);
}

static void take_stack(const struct kept_size *size, struct kept_stack *kept)
{
    const struct stack_config *config = &size->model->config->stacks[size->stack];
    for (int layer = 0; layer < config->layers; layer++)
        take_layer(size, layer, &kept->layers[layer]);
    if (config->embedding_norm)
        take(size, &kept->embedding_norm, size->d);
    if (config->last_norm)
        take(size, &kept->last_norm, size->d);
}

static bool take_all(const struct model *model, const int rows[STACK_COUNT], struct tape *tape,
                     struct layout *layout, struct status *status)
{
    for (enum stack stack = 0; stack < STACK_COUNT; stack++) {
        const struct kept_size size = {model, stack, (size_t)rows[stack],
                                       (size_t)model->config->d_model, layout};
        take_stack(&size, &tape->stacks[stack]);
    }
    return !layout->overflow ||
           status_fail(status, STATUS_MEMORY, "sentences too long for this machine's memory");
}

bool tape_open(struct model *model, int n, int m, struct tape *tape, struct status *status)
{
    const int rows[STACK_COUNT] = {[STACK_ENCODER] = n, [STACK_DECODER] = m};
    struct layout layout = {0};
    bool ok = true;
    *tape = (struct tape){0};
    for (int stack = 0; ok && stack < STACK_COUNT; stack++) {
        tape->stacks[stack].layers = memory_new((size_t)model->config->stacks[stack].layers,
                                                sizeof *tape->stacks[stack].layers, status);
        ok = tape->stacks[stack].layers != NULL;
    }
    ok = ok && take_all(model, rows, tape, &layout, status) &&
         model->backend->allocate(model->device, layout.used, &tape->arena, status);
    layout = (struct layout){.buffer = tape->arena.buffer};
    if (ok && take_all(model, rows, tape, &layout, status))
        return true;
    tape_close(model, tape);
    return false;
}

void tape_close(struct model *model, struct tape *tape)
{
    model->backend->release(model->device, tape->arena);
    for (int stack = 0; stack < STACK_COUNT; stack++)
        free(tape->stacks[stack].layers);
    *tape = (struct tape){0};
}

struct kept_layer *tape_layer(const struct pass *pass, enum stack stack, int layer)
{
    struct tape *tape = pass->observer ? pass->observer->tape : NULL;
    return tape ? &tape->stacks[stack].layers[layer] : NULL;
}

struct kept_module *tape_module(const struct pass *pass, enum module module, int layer)
{
    struct kept_layer *kept = tape_layer(pass, module_stack(module), layer);
    return !kept ? NULL : module == MODULE_CROSS ? &kept->cross : &kept->self;
}

static struct tensor norm_of(const struct pass *pass, enum stack stack,
                             const struct norm_weights *norm)
{
    const struct stack_weights *weights = &pass->model->stacks[stack];
    const struct kept_stack *kept = &pass->observer->tape->stacks[stack];
    if (norm == &weights->embedding_norm)
        return kept->embedding_norm;
    if (norm == &weights->norm)
        return kept->last_norm;
    for (int layer = 0; layer < pass->model->config->stacks[stack].layers; layer++)
        for (int i = 0; i < LAYER_NORMS; i++) {
            if (norm == &weights->layers[layer].norms[i])
                return kept->layers[layer].normed[i];
            if (norm == &weights->layers[layer].output_norms[i])
                return kept->layers[layer].outputs[i];
        }
    return (struct tensor){0};
}

struct tensor tape_norm(const struct pass *pass, const struct norm_weights *norm)
{
    struct tensor place = {0};
    if (!pass->observer || !pass->observer->tape)
        return place;
    for (enum stack stack = 0; stack < STACK_COUNT && !tensor_present(place); stack++)
        place = norm_of(pass, stack, norm);
    return place;
}

void tape_keep(const struct pass *pass, struct tensor place, struct row_matrix x, int columns)
{
    const struct move_args copy = {.y = place,
                                   .ldy = columns,
                                   .x = x.tensor,
                                   .ldx = x.ld,
                                   .rows = pass->rows,
                                   .columns = columns};
    if (tensor_present(place))
        pass->model->backend->gather(pass->model->device, &copy);
}
