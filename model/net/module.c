/* One attention module: projections, context, attention, combination of heads. */
#include "model/net/module.h"

#include "model/net/observer.h"
#include "model/net/positions.h"
#include "model/net/tape.h"

static const struct attention_config *module_config(const struct pass *pass, enum module module,
                                                    int layer)
{
    return &pass->model->config->attention[module][layer];
}

static void run_linear(const struct pass *pass, struct linear_args args)
{
    if (!args.rows) {
        args.rows = pass->rows;
        args.group = pass->sentence;
    }
    pass->model->backend->linear(pass->model->device, &args, 1);
}

void run_projection(const struct pass *pass, struct tensor y, struct row_matrix x,
                    const struct projection *projection, int columns, enum activation activation)
{
    run_linear(pass, (struct linear_args){.y = y,
                                          .ldy = columns,
                                          .x = x.tensor,
                                          .ldx = x.ld,
                                          .weight = projection->weight,
                                          .bias = projection->bias,
                                          .activation = activation});
}

void add_projection(const struct pass *pass, struct tensor y, struct row_matrix x,
                    const struct projection *projection, int columns)
{
    run_linear(pass, (struct linear_args){.y = y,
                                          .ldy = columns,
                                          .x = x.tensor,
                                          .ldx = x.ld,
                                          .weight = projection->weight,
                                          .bias = projection->bias,
                                          .accumulate = true});
}

void run_projections(const struct pass *pass, struct row_matrix x, const struct output *outputs,
                     int count)
{
    struct linear_args args[LINEAR_MOST];
    for (int i = 0; i < count; i++)
        args[i] = (struct linear_args){.y = outputs[i].y,
                                       .ldy = outputs[i].ld,
                                       .x = x.tensor,
                                       .ldx = x.ld,
                                       .weight = outputs[i].projection->weight,
                                       .bias = outputs[i].projection->bias,
                                       .cache = outputs[i].cache,
                                       .cached = outputs[i].cached,
                                       .slot = outputs[i].slot,
                                       .group = pass->sentence,
                                       .rows = pass->rows};
    pass->model->backend->linear(pass->model->device, args, count);
}

static struct row_matrix columns_from(struct tensor tensor, int column, int ld)
{
    return (struct row_matrix){tensor_at(tensor, (size_t)column * sizeof(float)), ld};
}

/* c, the global context of this layer, becomes columns layer*d … of buffers->means: a row a
 * sentence in the encoder, a running mean a row in the decoder. */
static void run_mean(const struct pass *pass, enum module module, int layer, struct row_matrix x)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    int d = model->config->d_model;
    struct row_matrix y =
        columns_from(b->means, layer * d, module_layers(model->config, module) * d);
    if (module == MODULE_ENCODER) {
        struct mean_args args = {.y = y.tensor,
                                 .ldy = y.ld,
                                 .x = x.tensor,
                                 .ldx = x.ld,
                                 .begin = pass->first,
                                 .end = pass->last,
                                 .sentences = pass->sentences,
                                 .columns = d};
        model->backend->mean(model->device, &args);
        return;
    }
    struct prefix_mean_args args = {.y = y.tensor,
                                    .ldy = y.ld,
                                    .x = x.tensor,
                                    .ldx = x.ld,
                                    .sums = b->caches[layer].sums,
                                    .rows = pass->decoder,
                                    .columns = d};
    model->backend->prefix_mean(model->device, &args);
}

/* The row stride of queries and keys, and of what is mixed with them: the same in all layers of a
 * stack, whatever heads these learned, as a scope wants it. */
static int query_ld(const struct model *model, enum module module)
{
    return module_heads(model->config, module) * module_head_dim(model->config, module);
}

/* C U of the vectors that are one a sentence (encoder) or come from the running means (decoder):
 * global and deep-global. Returns whether there was any. */
static bool project_means(const struct pass *pass, enum module module, int layer,
                          const struct context_weights *weights, struct tensor y, int rows)
{
    const struct model *model = pass->model;
    int d = model->config->d_model, ld = module_layers(model->config, module) * d;
    struct {
        struct weight *weight;
        int column;
    } kinds[] = {{weights->vectors[0], layer * d}, {weights->vectors[2], 0}};
    bool begun = false;
    for (int i = 0; i < 2; i++) {
        if (!kinds[i].weight)
            continue;
        struct row_matrix x = columns_from(model->buffers->means, kinds[i].column, ld);
        run_linear(pass, (struct linear_args){.y = y,
                                              .ldy = query_ld(model, module),
                                              .x = x.tensor,
                                              .ldx = x.ld,
                                              .weight = kinds[i].weight,
                                              .accumulate = begun,
                                              .rows = rows});
        begun = true;
    }
    return begun;
}

/* C U for every row, into buffers->context. */
static void project_context(const struct pass *pass, enum module module, int layer,
                            const struct context_weights *weights)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    int d = model->config->d_model;
    int ld = query_ld(model, module);
    bool begun;
    if (module == MODULE_ENCODER) {
        begun = project_means(pass, module, layer, weights, b->part, pass->sentences);
        struct move_args spread = {.y = b->context,
                                   .ldy = ld,
                                   .x = b->part,
                                   .ldx = ld,
                                   .index = pass->sentence,
                                   .rows = pass->rows,
                                   .columns = model_module(model, module, layer)->learned *
                                              module_head_dim(model->config, module)};
        if (begun)
            model->backend->gather(model->device, &spread);
    } else {
        begun = project_means(pass, module, layer, weights, b->context, pass->rows);
    }
    if (weights->vectors[1])
        run_linear(pass, (struct linear_args){.y = b->context,
                                              .ldy = ld,
                                              .x = b->inputs,
                                              .ldx = module_layers(model->config, module) * d,
                                              .weight = weights->vectors[1],
                                              .accumulate = begun});
}

static bool mixes_context(const struct pass *pass, enum module module, int layer, int side)
{
    const struct attention_config *config = module_config(pass, module, layer);
    return config->context && config->sides[side];
}

/* Queries or keys and their context, before they are mixed. */
static void keep_context(const struct pass *pass, enum module module, int layer, int side,
                         struct tensor y)
{
    const struct model *model = pass->model;
    const struct kept_module *kept = tape_module(pass, module, layer);
    const int ld = query_ld(model, module);
    if (!kept)
        return;
    tape_keep(pass, kept->plain[side], (struct row_matrix){y, ld}, ld);
    tape_keep(pass, kept->context[side], (struct row_matrix){model->buffers->context, ld}, ld);
}

/* Mixes queries or keys with their context, in place. */
static void mix_context(const struct pass *pass, enum module module, int layer, int side,
                        struct tensor y)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct attention_config *config = module_config(pass, module, layer);
    const struct module_weights *weights = model_module(model, module, layer);
    if (!mixes_context(pass, module, layer, side))
        return;
    const struct context_weights *context = &weights->context[side];
    int head_dim = module_head_dim(model->config, module);
    project_context(pass, module, layer, context);
    keep_context(pass, module, layer, side, y);
    bool observed = config->gate != GATE_NONE && observes_gates(pass);
    struct gate_args args = {.q = y,
                             .ldq = query_ld(model, module),
                             .cu = b->context,
                             .ldcu = query_ld(model, module),
                             .state = context->state,
                             .context = context->context,
                             .bias = context->bias,
                             .scope = config->gate,
                             .rows = pass->rows,
                             .heads = weights->learned,
                             .head_dim = head_dim};
    if (observed)
        args.lambda = b->lambda;
    model->backend->gate(model->device, &args);
    if (observed)
        observe_gate(pass, module, layer, side, config->gate == GATE_HEAD ? weights->learned : 1);
}

/* DHICM (Goindani and Shrivastava 2021, eq. 1-3): buffers->heads into buffers->out. By linearity
 * Σ_h G_h V O^h = V Σ_h G_h O^h and (W O^h)·(U x) = O^h·(Wᵀ U x). */
static void combine_dhicm(const struct pass *pass, enum module module, int layer,
                          struct row_matrix x)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct module_weights *weights = model_module(model, module, layer);
    int d_m = module_config(pass, module, layer)->d_m;
    int head_dim = module_head_dim(model->config, module);
    int heads = module_heads(model->config, module);
    struct tensor gains = b->gains[module];
    gains.offset += (size_t)layer * b->shape.variants * heads * sizeof(float);

    run_linear(pass, (struct linear_args){.y = b->head_query,
                                          .ldy = b->d_m,
                                          .x = x.tensor,
                                          .ldx = x.ld,
                                          .weight = weights->head_u});
    run_linear(pass, (struct linear_args){.y = b->head_scale,
                                          .ldy = head_dim,
                                          .x = b->head_query,
                                          .ldx = b->d_m,
                                          .weight = weights->head_w});
    const struct kept_module *kept = tape_module(pass, module, layer);
    if (kept)
        tape_keep(pass, kept->head_key, (struct row_matrix){b->head_scale, head_dim}, head_dim);
    struct mix_args mix = {.y = b->head_mix,
                           .o = b->heads,
                           .s = b->head_scale,
                           .gains = gains,
                           .variant = pass->variant,
                           .scale = (float)(1 / __builtin_sqrt(d_m)),
                           .rows = pass->rows,
                           .heads = heads,
                           .head_dim = head_dim};
    if (observes_importance(pass))
        mix.importance = b->importance;
    model->backend->mix_heads(model->device, &mix);
    observe_importance(pass, module, layer);
    run_linear(pass, (struct linear_args){.y = b->head_value,
                                          .ldy = b->d_m,
                                          .x = b->head_mix,
                                          .ldx = head_dim,
                                          .weight = weights->head_v});
    run_linear(pass, (struct linear_args){.y = b->out,
                                          .ldy = model->config->d_model,
                                          .x = b->head_value,
                                          .ldx = b->d_m,
                                          .weight = weights->head_out});
}

static bool is_rotary(const struct pass *pass, enum module module)
{
    return module != MODULE_CROSS &&
           pass->model->config->stacks[module_stack(module)].positions == POSITIONS_ROTARY;
}

void module_rotate(const struct pass *pass, enum module module, int layer, struct row_matrix x,
                   bool back)
{
    const struct model *model = pass->model;
    const enum stack stack = module_stack(module);
    const struct rotate_args args = {.x = x.tensor,
                                     .ldx = x.ld,
                                     .pos = pass->position,
                                     .table = model->stacks[stack].positions,
                                     .interleaved =
                                         model->config->stacks[stack].layout == LAYOUT_INTERLEAVED,
                                     .back = back,
                                     .rows = pass->rows,
                                     .heads = model_module(model, module, layer)->learned,
                                     .head_dim = module_head_dim(model->config, module)};
    if (is_rotary(pass, module))
        model->backend->rotate(model->device, &args);
}

/* Keys that change after their projection are stored after the change. */
static void store_keys(const struct pass *pass, int layer, int columns)
{
    const struct buffers *b = pass->model->buffers;
    struct move_args args = {.y = b->caches[layer].self_k,
                             .ldy = columns,
                             .x = b->k,
                             .ldx = query_ld(pass->model, MODULE_DECODER),
                             .index = pass->decoder.slot,
                             .cache = true,
                             .rows = pass->rows,
                             .columns = columns};
    pass->model->backend->scatter(pass->model->device, &args);
}

/* Queries, and for self-attention keys and values too, into the buffers. */
static void project_inputs(const struct pass *pass, enum module module, int layer,
                           struct row_matrix x)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct module_weights *weights = model_module(model, module, layer);
    int head_dim = module_head_dim(model->config, module);
    int learned = weights->learned * head_dim;
    int ld = query_ld(model, module); // of values, too
    struct output outputs[] = {{.y = b->v, .ld = ld, .projection = &weights->v},
                               {.y = b->q, .ld = ld, .projection = &weights->q},
                               {.y = b->k, .ld = ld, .projection = &weights->k}};
    bool changed = mixes_context(pass, module, layer, SIDE_K) || is_rotary(pass, module);
    if (module == MODULE_DECODER) {
        outputs[0].cache = b->caches[layer].self_v;
        if (!changed)
            outputs[2].cache = b->caches[layer].self_k;
        outputs[0].slot = outputs[2].slot = pass->decoder.slot;
        outputs[0].cached = true;
        outputs[2].cached = !changed;
    }
    if (module == MODULE_CROSS) {
        run_projections(pass, x, outputs + 1, learned ? 1 : 0);
        return; // keys and values are those of the source (fill_cross_caches), without context
    }
    run_projections(pass, x, outputs, learned ? 3 : 1);
    if (learned) {
        mix_context(pass, module, layer, SIDE_Q, b->q);
        mix_context(pass, module, layer, SIDE_K, b->k);
        module_rotate(pass, module, layer, (struct row_matrix){b->q, ld}, false);
        module_rotate(pass, module, layer, (struct row_matrix){b->k, ld}, false);
    }
    if (module == MODULE_DECODER && learned && changed)
        store_keys(pass, layer, learned);
}

/* Sets the keys and values of a module. */
static void set_keys(const struct pass *pass, enum module module, int layer,
                     struct attention_args *args)
{
    struct buffers *b = pass->model->buffers;
    const struct layer_cache *cache = module == MODULE_ENCODER ? NULL : &b->caches[layer];
    args->keys = module == MODULE_DECODER ? KEYS_PATH : KEYS_RANGE;
    args->cached = cache != NULL;
    args->k = module == MODULE_ENCODER   ? b->k
              : module == MODULE_DECODER ? cache->self_k
                                         : cache->cross_k;
    args->v = module == MODULE_ENCODER   ? b->v
              : module == MODULE_DECODER ? cache->self_v
                                         : cache->cross_v;
    if (!b->words[module])
        return;
    args->word = module == MODULE_DECODER ? b->word : pass->word;
    args->row_word = pass->row_word;
}

struct attention_args module_attention(const struct pass *pass, enum module module, int layer)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct module_weights *weights = model_module(model, module, layer);
    int heads = module_heads(model->config, module);
    int head_dim = module_head_dim(model->config, module);
    size_t head_settings = (size_t)layer * b->shape.variants * heads;
    struct attention_args args = {
        .o = b->heads,
        .q = b->q,
        .ldq = query_ld(model, module),
        .ldk = module == MODULE_ENCODER ? query_ld(model, module) : weights->learned * head_dim,
        .ldv = heads * head_dim,
        .heads = heads,
        .head_dim = head_dim,
        .scale = model->config->attention_scale,
        .cap = model->config->attention_cap,
        .learned = weights->place,
        .rows = pass->decoder,
        .begin = pass->begin,
        .end = pass->end,
        .position = pass->position,
        .table = tensor_at(b->table[module], head_settings * sizeof(struct head)),
        .entmax = b->entmax[module],
        .variant = pass->variant};
    args.rows.rows = pass->rows;
    /* Under DHICM the gains act on G, and G reads the unscaled heads. */
    if (!module_config(pass, module, layer)->dhicm)
        args.gains = tensor_at(b->gains[module], head_settings * sizeof(float));
    const enum stack stack = module_stack(module);
    if (module != MODULE_CROSS) {
        const struct tensor own = model->stacks[stack].layers[layer].bias;
        args.bias = tensor_present(own) ? own : model->stacks[stack].bias;
        args.distance = relative_span(model->config, stack);
    }
    set_keys(pass, module, layer, &args);
    if (!weights->learned)
        args.q = args.k = (struct tensor){0};
    return args;
}

static void run_attention(const struct pass *pass, enum module module, int layer)
{
    const struct model *model = pass->model;
    struct attention_args args = module_attention(pass, module, layer);
    int captured[CONFIG_MAX_HEADS];
    observe_attention(pass, module, layer, &args, captured);
    model->backend->attention(model->device, &args);
    observe_module(pass, module, layer, &args);
}

void run_recurrence(const struct pass *pass, int layer, struct row_matrix x)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct layer_weights *weights = &model->stacks[STACK_DECODER].layers[layer];
    int d = model->config->d_model;
    struct recurrence_args args = {.y = b->out,
                                   .states = b->caches[layer].states,
                                   .x = b->input,
                                   .f = b->forget,
                                   .rows = pass->decoder,
                                   .columns = d};
    run_projection(pass, b->input, x, &weights->input, d, ACTIVATION_NONE);
    run_projection(pass, b->forget, x, &weights->forget, d, ACTIVATION_SIGMOID);
    const struct kept_layer *kept = tape_layer(pass, STACK_DECODER, layer);
    if (kept) {
        tape_keep(pass, kept->input, (struct row_matrix){b->input, d}, d);
        tape_keep(pass, kept->forget, (struct row_matrix){b->forget, d}, d);
    }
    model->backend->recurrence(model->device, &args);
}

/* Keeps what the backward pass needs of attention. */
static void keep_module(const struct pass *pass, enum module module, int layer)
{
    const struct buffers *b = pass->model->buffers;
    const struct kept_module *kept = tape_module(pass, module, layer);
    const int ld = query_ld(pass->model, module);
    if (!kept)
        return;
    tape_keep(pass, kept->q, (struct row_matrix){b->q, ld}, ld);
    tape_keep(pass, kept->k, (struct row_matrix){b->k, ld}, ld);
    tape_keep(pass, kept->v, (struct row_matrix){b->v, ld}, ld);
    tape_keep(pass, kept->head_outputs, (struct row_matrix){b->heads, ld}, ld);
}

void run_module(const struct pass *pass, enum module module, int layer, struct row_matrix x)
{
    const struct model *model = pass->model;
    struct buffers *b = model->buffers;
    const struct module_weights *weights = model_module(model, module, layer);
    const struct stack_weights *stack = &model->stacks[module_stack(module)];
    if (stack->means && module != MODULE_CROSS)
        run_mean(pass, module, layer, x);
    project_inputs(pass, module, layer, x);
    observe_values(pass, module, layer);
    run_attention(pass, module, layer);
    observe_heads(pass, module, layer);
    keep_module(pass, module, layer);
    if (module_config(pass, module, layer)->dhicm) {
        combine_dhicm(pass, module, layer, x);
        return;
    }
    int values = module_heads(model->config, module) * module_head_dim(model->config, module);
    run_projection(pass, b->out, (struct row_matrix){b->heads, values}, &weights->o,
                   model->config->d_model, ACTIVATION_NONE);
}
