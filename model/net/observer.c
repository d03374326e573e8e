#include "model/net/observer.h"

#include <stdlib.h>
#include <string.h>

/* Fetches floats from the device into fresh host memory. After a failure nothing more is
 * fetched. */
static float *fetch(const struct pass *pass, struct tensor tensor, size_t count)
{
    struct observer *observer = pass->observer;
    float *values = observer->failed ? NULL : memory_new(count, sizeof *values, observer->status);
    if (values)
        pass->model->backend->get(pass->model->device, values, tensor, count * sizeof *values);
    else
        observer->failed = true;
    return values;
}

static int columns_of(const struct pass *pass, enum module module)
{
    const struct capture *capture = pass->observer->capture;
    return module == MODULE_DECODER ? capture->target_rows : capture->source_count;
}

/* Nothing is in the second stream before the first layer. */
void observe_embeddings(const struct pass *pass, enum stack stack, const struct embed_args *args)
{
    const struct model *model = pass->model;
    const size_t count = (size_t)pass->rows * (size_t)model->config->d_model;
    struct observer *observer = pass->observer;
    struct embed_args alone = *args;
    if (!observer)
        return;
    if (observer->request->inputs[stack])
        model->backend->put(model->device, args->y, observer->request->inputs[stack],
                            count * sizeof(float));
    if (!observer->request->embeddings)
        return;
    observer->capture->inputs[stack] = fetch(pass, args->y, count);
    alone.y = model->buffers->other_stream;
    alone.positions = (struct tensor){0};
    model->backend->embed(model->device, &alone);
    observer->capture->embeddings[stack] = fetch(pass, alone.y, count);
}

void observe_attention(const struct pass *pass, enum module module, int layer,
                       struct attention_args *args, int *captured)
{
    if (!pass->observer || !pass->observer->request->weights[module])
        return;
    const bool *wanted = pass->observer->request->weights[module] + (size_t)layer * args->heads;
    int count = 0;
    for (int h = 0; h < args->heads; h++)
        captured[h] = wanted[h] ? count++ : -1;
    if (!count)
        return;
    args->weights = pass->model->buffers->captured;
    args->ldweights = columns_of(pass, module);
    args->captured = captured;
}

/* Reads all heads at once, because each read waits for the device. */
void observe_module(const struct pass *pass, enum module module, int layer,
                    const struct attention_args *args)
{
    if (!tensor_present(args->weights))
        return;
    struct capture *capture = pass->observer->capture;
    size_t size = (size_t)pass->rows * args->ldweights, count = 0;
    float **weights = capture->weights[module] + (size_t)layer * args->heads;
    for (int h = 0; h < args->heads; h++)
        count += args->captured[h] >= 0;
    float *all = fetch(pass, args->weights, count * size);
    capture->layer_weights[module][layer] = all;
    for (int h = 0; all && h < args->heads; h++)
        if (args->captured[h] >= 0)
            weights[h] = all + (size_t)args->captured[h] * size;
}

static void put_patch(const struct pass *pass, const struct head_patch *patch)
{
    const struct model *model = pass->model;
    size_t head_dim = (size_t)module_head_dim(model->config, patch->module);
    size_t width = (size_t)module_heads(model->config, patch->module) * head_dim;
    for (int i = 0; i < patch->count; i++) {
        size_t at = (size_t)patch->rows[i] * width + (size_t)patch->head * head_dim;
        model->backend->put(model->device, tensor_at(model->buffers->heads, at * sizeof(float)),
                            patch->outputs + (size_t)i * head_dim, head_dim * sizeof(float));
    }
}

void observe_heads(const struct pass *pass, enum module module, int layer)
{
    const struct capture_request *request = pass->observer ? pass->observer->request : NULL;
    if (request && request->patch && request->patch->module == module &&
        request->patch->layer == layer)
        put_patch(pass, request->patch);
    if (request && request->head_outputs[module] && request->head_outputs[module][layer])
        pass->observer->capture->head_outputs[module][layer] =
            fetch(pass, pass->model->buffers->heads,
                  (size_t)pass->rows * (size_t)(module_heads(pass->model->config, module) *
                                                module_head_dim(pass->model->config, module)));
}

bool observes_gates(const struct pass *pass)
{
    return pass->observer && pass->observer->request->gates;
}

void observe_gate(const struct pass *pass, enum module module, int layer, int side, int columns)
{
    pass->observer->capture->gates[module][side][layer] =
        fetch(pass, pass->model->buffers->lambda, (size_t)pass->rows * columns);
}

bool observes_importance(const struct pass *pass)
{
    return pass->observer && pass->observer->request->importance;
}

void observe_importance(const struct pass *pass, enum module module, int layer)
{
    if (observes_importance(pass))
        pass->observer->capture->importance[module][layer] =
            fetch(pass, pass->model->buffers->importance,
                  (size_t)pass->rows * module_heads(pass->model->config, module));
}

/* Fetches elements of a cache, as floats. */
static float *fetch_cached(const struct pass *pass, struct tensor tensor, size_t count)
{
    if (pass->model->buffers->cache_bytes == sizeof(float))
        return fetch(pass, tensor, count);
    struct observer *observer = pass->observer;
    uint16_t *narrow =
        observer->failed ? NULL : memory_new(count, sizeof *narrow, observer->status);
    float *values = narrow ? memory_new(count, sizeof *values, observer->status) : NULL;
    observer->failed = !values;
    if (values)
        pass->model->backend->get(pass->model->device, narrow, tensor, count * sizeof *narrow);
    for (size_t i = 0; values && i < count; i++) {
        const uint32_t bits = (uint32_t)narrow[i] << 16; // of the float that the bfloat16 is
        memcpy(values + i, &bits, sizeof bits);
    }
    free(narrow);
    return values;
}

/* The values of the rows' keys, of the only sentence of the pass: a straight path in the
 * decoder. */
static struct tensor values_of(const struct pass *pass, enum module module, int layer)
{
    const struct buffers *b = pass->model->buffers;
    if (module == MODULE_ENCODER)
        return b->v;
    return module == MODULE_DECODER ? b->caches[layer].self_v : b->caches[layer].cross_v;
}

static float *fetch_values(const struct pass *pass, enum module module, int layer, size_t count)
{
    const struct tensor values = values_of(pass, module, layer);
    return module == MODULE_ENCODER ? fetch(pass, values, count)
                                    : fetch_cached(pass, values, count);
}

void observe_values(const struct pass *pass, enum module module, int layer)
{
    const struct zeroed_value *zeroed = pass->observer ? pass->observer->request->zeroed : NULL;
    if (!zeroed || zeroed->module != module || zeroed->layer != layer || pass->observer->failed)
        return;
    const struct model *model = pass->model;
    const size_t element =
        module == MODULE_ENCODER ? sizeof(float) : (size_t)model->buffers->cache_bytes;
    const size_t bytes = element * (size_t)(module_heads(model->config, module) *
                                            module_head_dim(model->config, module));
    void *zeros = memory_new(1, bytes, pass->observer->status);
    pass->observer->failed = !zeros;
    if (zeros)
        model->backend->put(model->device,
                            tensor_at(values_of(pass, module, layer), (size_t)zeroed->key * bytes),
                            zeros, bytes);
    free(zeros);
}

/* Fetches rows that are `ld` floats apart and closes the gaps. */
static float *fetch_rows(const struct pass *pass, struct row_matrix matrix, size_t columns)
{
    size_t rows = (size_t)pass->rows, ld = (size_t)matrix.ld;
    float *values = fetch(pass, matrix.tensor, (rows - 1) * ld + columns);
    for (size_t r = 1; values && ld != columns && r < rows; r++)
        memmove(values + r * columns, values + r * ld, columns * sizeof *values);
    return values;
}

static bool decomposes(const struct pass *pass, enum module module, int layer)
{
    return pass->observer && pass->observer->request->sublayers[module] &&
           pass->observer->request->sublayers[module][layer];
}

void observe_plain_output(const struct pass *pass, enum module module, int layer)
{
    const struct config *config = pass->model->config;
    const struct row_matrix output = {pass->model->buffers->out, config->d_model};
    if (decomposes(pass, module, layer) && config->stacks[module_stack(module)].output_norm)
        pass->observer->capture->sublayers[module][layer].plain =
            fetch_rows(pass, output, (size_t)config->d_model);
}

void observe_sublayer(const struct pass *pass, enum module module, int layer,
                      struct row_matrix residual)
{
    if (!decomposes(pass, module, layer))
        return;
    const struct model *model = pass->model;
    struct sublayer *out = &pass->observer->capture->sublayers[module][layer];
    size_t d = (size_t)model->config->d_model, keys = (size_t)columns_of(pass, module);
    size_t values =
        (size_t)(module_heads(model->config, module) * module_head_dim(model->config, module));
    const struct row_matrix output = {model->buffers->out, model->config->d_model};
    out->residual = fetch_rows(pass, residual, d);
    out->output = fetch_rows(pass, output, d);
    out->parts = fetch_values(pass, module, layer, keys * values);
}

void observe_state(const struct pass *pass, enum stack stack, int layer, struct row_matrix state)
{
    const struct capture_request *request = pass->observer ? pass->observer->request : NULL;
    if (request && request->states[stack] && request->states[stack][layer])
        pass->observer->capture->states[stack][layer] =
            fetch_rows(pass, state, (size_t)pass->model->config->d_model);
}
