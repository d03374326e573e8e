#include "model/net/buffers.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/net/layout.h"

/* The widest of everything that uses the shared work buffers. */
struct widths {
    size_t learned, heads, head_dim, d_m, d_ff, layers, count;
};

static struct widths widest(const struct config *config)
{
    struct widths widths = {0};
    for (int m = 0; m < MODULE_COUNT; m++) {
        widths.head_dim = size_max(widths.head_dim, module_head_dim(config, m));
        widths.count = size_max(widths.count, module_heads(config, m));
        widths.heads =
            size_max(widths.heads, (size_t)module_heads(config, m) * module_head_dim(config, m));
        widths.layers = size_max(widths.layers, module_layers(config, m));
        for (int layer = 0; layer < module_layers(config, m); layer++) {
            const struct attention_config *attention = &config->attention[m][layer];
            if (attention->dhicm)
                widths.d_m = size_max(widths.d_m, attention->d_m);
        }
    }
    for (int stack = 0; stack < STACK_COUNT; stack++)
        widths.d_ff = size_max(widths.d_ff, config->stacks[stack].d_ff);
    widths.learned = widths.heads;
    return widths;
}

static void lay_out_work(const struct model *model, struct buffers *b, struct layout *layout)
{
    size_t rows = b->shape.rows, d = model->config->d_model;
    struct widths widest_of = widest(model->config);
    const struct stack_weights *stacks = model->stacks;
    bool deep = stacks[STACK_ENCODER].deep || stacks[STACK_DECODER].deep;
    bool means = stacks[STACK_ENCODER].means || stacks[STACK_DECODER].means;
    size_t dhicm = widest_of.d_m ? rows : 0, contexts = deep || means ? rows : 0;
    size_t recurrent = model->config->stacks[STACK_DECODER].recurrent ? rows : 0;

    layout_take(layout, &b->stream, rows, d);
    layout_take(layout, &b->other_stream, rows, d);
    layout_take(layout, &b->normed, rows, d);
    layout_take(layout, &b->inputs, deep ? rows : 0, widest_of.layers * d);
    layout_take(layout, &b->out, rows, d);
    layout_take(layout, &b->q, rows, widest_of.learned);
    layout_take(layout, &b->k, rows, widest_of.learned);
    layout_take(layout, &b->v, rows, widest_of.heads);
    layout_take(layout, &b->heads, rows, widest_of.heads);
    layout_take(layout, &b->context, contexts, widest_of.learned);
    layout_take(layout, &b->means, means ? rows : 0, widest_of.layers * d);
    layout_take(layout, &b->part, means ? rows : 0, widest_of.learned);
    layout_take(layout, &b->lambda, contexts, widest_of.count);
    layout_take(layout, &b->hidden, rows, widest_of.d_ff);
    layout_take(layout, &b->gated, model->config->gated ? rows : 0, widest_of.d_ff);
    layout_take(layout, &b->input, recurrent, d);
    layout_take(layout, &b->forget, recurrent, d);
    layout_take(layout, &b->head_query, dhicm, widest_of.d_m);
    layout_take(layout, &b->head_scale, dhicm, widest_of.head_dim);
    layout_take(layout, &b->head_mix, dhicm, widest_of.head_dim);
    layout_take(layout, &b->head_value, dhicm, widest_of.d_m);
    b->d_m = (int)widest_of.d_m;
    layout_take(layout, &b->importance, dhicm, widest_of.count);
    layout_take(layout, &b->captured, b->shape.captured, 1);
}

static void lay_out_rows(const struct model *model, struct buffers *b, struct layout *layout)
{
    size_t rows = b->shape.rows;
    size_t source_rows = (size_t)b->shape.sources * b->shape.source_positions;
    size_t slots = (size_t)b->shape.lanes * b->shape.positions;
    const struct config *config = model->config;

    layout_take(layout, &b->encoder_fields, rows, ENCODER_FIELDS);
    layout_take(layout, &b->sentence_fields, rows, SENTENCE_FIELDS);
    layout_take(layout, &b->source_word, source_rows, 1);
    layout_take(layout, &b->row_lane, rows, 1);
    layout_take(layout, &b->slot, rows, 1);
    layout_take(layout, &b->row_word, rows, 1);
    layout_take(layout, &b->columns, rows, LANE_FIELDS);
    layout_take(layout, &b->word, slots, 1);
    for (int layer = 0; layer < b->cache_count; layer++) {
        const struct module_weights *self = model_module(model, MODULE_DECODER, layer);
        const struct module_weights *cross = model_module(model, MODULE_CROSS, layer);
        struct layer_cache *cache = &b->caches[layer];
        size_t head_dim = module_head_dim(config, MODULE_DECODER),
               element = model->buffers->cache_bytes;
        size_t heads = module_heads(config, MODULE_DECODER);
        bool recurrent = config->stacks[STACK_DECODER].recurrent;
        layout_take_elements(layout, &cache->self_k, slots, self->learned * head_dim, element);
        layout_take_elements(layout, &cache->self_v, recurrent ? 0 : slots, heads * head_dim,
                             element);
        layout_take(layout, &cache->states, recurrent ? slots : 0, config->d_model);
        layout_take_elements(layout, &cache->cross_k, source_rows, cross->learned * head_dim,
                             element);
        layout_take_elements(layout, &cache->cross_v, source_rows, heads * head_dim, element);
        layout_take(layout, &cache->sums, model->stacks[STACK_DECODER].means ? slots : 0,
                    config->d_model);
    }
}

static void lay_out_search(const struct model *model, struct buffers *b, struct layout *layout)
{
    size_t logit_rows = b->shape.logit_rows, ranked = b->shape.ranked_rows, beam = b->shape.beam;
    size_t lanes = b->shape.lanes, positions = b->shape.positions;
    size_t sentences = beam ? lanes / beam : 0;
    size_t vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    size_t entry = 3 * sentences + lanes * (LANE_FIELDS + 2 + model->config->start.count);
    struct search_state *state = &b->state;

    layout_take(layout, &b->logits, logit_rows, vocabulary);
    layout_take(layout, &b->top_id, ranked, 2 * beam);
    layout_take(layout, &b->top_lp, ranked, 2 * beam);
    layout_take(layout, &b->target, ranked, 1);
    layout_take(layout, &b->target_lp, ranked, 1);
    layout_take(layout, &b->eos, ranked, 1);
    layout_take(layout, &b->entry, entry, 1);
    layout_take(layout, &state->lane, lanes, LANE_FIELDS);
    layout_take(layout, &state->path, lanes, positions);
    layout_take(layout, &state->score, lanes, 1);
    layout_take(layout, &state->token, lanes, positions);
    layout_take(layout, &state->token_lp, lanes, positions);
    layout_take(layout, &state->limit, sentences, 1);
    layout_take(layout, &state->penalty, positions + 1, 1);
    layout_take(layout, &state->done, sentences, 1);
    b->finished = (struct tensor){layout->buffer, layout->used};
    layout_take(layout, &state->count, sentences, 1);
    layout_take(layout, &state->finished_score, sentences, 2 * beam);
    layout_take(layout, &state->finished_length, sentences, 2 * beam);
    b->finished_bytes = layout->used - b->finished.offset;
    layout_take(layout, &state->finished_token, sentences, 2 * beam * positions);
    layout_take(layout, &state->finished_lp, sentences, 2 * beam * positions);
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t heads = (size_t)module_layers(model->config, m) * module_heads(model->config, m);
        layout_take(layout, &b->table[m], heads * b->shape.variants, sizeof(struct head) / 4);
        layout_take(layout, &b->gains[m], heads * b->shape.variants, 1);
    }
    state->sentences = (int)sentences;
    state->beam = b->shape.beam;
    state->positions = b->shape.positions;
    state->starts = model->config->start.count;
    state->eos = model->config->special[SPECIAL_EOS][SIDE_TARGET];
    state->renormalize = model->config->search.renormalize;
    const struct id_list *ends = &model->config->ends;
    state->end_count = ends->count ? ends->count : 1;
    for (int i = 0; i < state->end_count; i++)
        state->ends[i] = ends->count ? ends->ids[i] : state->eos;
}

static bool lay_out(const struct model *model, struct buffers *b, struct layout *layout,
                    struct status *status)
{
    lay_out_work(model, b, layout);
    lay_out_rows(model, b, layout);
    lay_out_search(model, b, layout);
    return !layout->overflow ||
           status_fail(status, STATUS_MEMORY, "sentences too long for this machine's memory");
}

struct buffers *buffers_new(const struct model *model, struct status *status)
{
    struct buffers *buffers = memory_new(1, sizeof *buffers, status);
    struct device_info info;
    model->backend->info(model->device, &info);
    if (buffers)
        buffers->cache_bytes = info.cache_bytes;
    return buffers;
}

void buffers_free(struct buffers *buffers, const struct backend *backend, struct device *device)
{
    if (!buffers)
        return;
    backend->release(device, buffers->arena);
    free(buffers->caches);
    free(buffers);
}

static bool ensure_caches(const struct model *model, struct buffers *b, struct status *status)
{
    if (b->caches)
        return true;
    b->cache_count = model->config->stacks[STACK_DECODER].layers;
    b->caches = memory_new(b->cache_count, sizeof *b->caches, status);
    return b->caches != NULL;
}

/* Computes the bytes that a run of this shape needs; returns false on overflow. */
static bool buffers_size(const struct model *model, const struct buffers_shape *shape,
                         size_t *bytes, struct status *status)
{
    struct buffers counted = {.shape = *shape};
    struct layout layout = {0};
    bool ok = ensure_caches(model, &counted, status) && lay_out(model, &counted, &layout, status);
    free(counted.caches);
    *bytes = layout.used;
    return ok;
}

void buffers_renew(struct buffers *buffers)
{
    static atomic_uint_fast64_t last; // counts over all models, because several may share a device
    buffers->recording = atomic_fetch_add(&last, 1) + 1;
}

/* Strides and counts that operations receive must be equal; room may be larger. A much larger
 * layout is not wanted, because data used together should lie close together. */
static bool layout_suits(const struct buffers *b, const struct buffers_shape *shape, size_t bytes)
{
    const struct buffers_shape *has = &b->shape;
    return (!shape->beam || has->beam == shape->beam) && has->variants == shape->variants &&
           has->sources >= shape->sources && has->source_positions >= shape->source_positions &&
           has->lanes >= shape->lanes && has->positions >= shape->positions &&
           has->rows >= shape->rows && has->logit_rows >= shape->logit_rows &&
           has->ranked_rows >= shape->ranked_rows && has->captured >= shape->captured &&
           b->used / 4 <= bytes;
}

bool buffers_fit(const struct model *model, const struct buffers_shape *shape)
{
    static const size_t host_bytes = (size_t)2 << 30;
    struct status unused;
    struct device_info info;
    size_t bytes, most = host_bytes;
    if (!buffers_size(model, shape, &bytes, &unused))
        return false;
    model->backend->info(model->device, &info);
    if (info.memory_total)
        most = info.memory_total / 4;
    return bytes <= most;
}

void buffers_drop(struct model *model)
{
    struct buffers *b = model->buffers;
    model->backend->release(model->device, b->arena);
    b->arena = (struct tensor){0};
    b->capacity = 0;
}

/* Returns n or slightly more: 1, 2, 3, 4, 6, 8, 12, … */
static int roomier(int n)
{
    int whole = 1;
    while (whole < n && whole <= INT_MAX / 2)
        whole *= 2;
    int half = whole / 4 * 3;
    return whole < n ? n : half >= n ? half : whole;
}

/* If steps are recorded, a new layout loses their recordings. So one layout serves runs that take
 * turns, such as a search and the forced pass that shows its result, and sentences of similar
 * lengths. */
static struct buffers_shape shape_kept(const struct buffers *b, const struct buffers_shape *wanted)
{
    const struct buffers_shape *has = &b->shape;
    return (struct buffers_shape){
        .sources = int_max(wanted->sources, has->sources),
        .source_positions = int_max(roomier(wanted->source_positions), has->source_positions),
        .lanes = int_max(wanted->lanes, has->lanes),
        .positions = int_max(roomier(wanted->positions), has->positions),
        .rows = int_max(roomier(wanted->rows), has->rows),
        .logit_rows = int_max(roomier(wanted->logit_rows), has->logit_rows),
        .ranked_rows = int_max(roomier(wanted->ranked_rows), has->ranked_rows),
        .beam = wanted->beam ? wanted->beam : has->beam,
        .variants = wanted->variants,
        .captured = size_max(wanted->captured + wanted->captured / 2, has->captured)};
}

/* Returns the layout for a run that takes `bytes`. */
static struct buffers_shape shape_chosen(const struct model *model,
                                         const struct buffers_shape *wanted, size_t bytes)
{
    struct status unused;
    size_t size;
    struct buffers_shape kept = shape_kept(model->buffers, wanted);
    bool kept_suits = model->backend->records && buffers_size(model, &kept, &size, &unused) &&
                      size / 4 <= bytes && buffers_fit(model, &kept);
    return kept_suits ? kept : *wanted;
}

bool buffers_prepare(struct model *model, const struct buffers_shape *shape, struct status *status)
{
    struct buffers *b = model->buffers;
    size_t bytes;
    if (model->reserved)
        return status_fail(status, STATUS_BUSY, "the model is at work");
    if (!ensure_caches(model, b, status) || !buffers_size(model, shape, &bytes, status))
        return false;
    if (b->capacity && layout_suits(b, shape, bytes))
        return true;
    const struct buffers_shape chosen = shape_chosen(model, shape, bytes);
    if (!buffers_size(model, &chosen, &bytes, status))
        return false;
    buffers_renew(b);
    if (bytes > b->capacity) {
        buffers_drop(model);
        if (!model->backend->allocate(model->device, bytes, &b->arena, status))
            return false;
        b->capacity = bytes;
    }
    b->shape = chosen;
    b->used = bytes;
    struct layout layout = {.buffer = b->arena.buffer};
    return lay_out(model, b, &layout, status);
}

/* Copies one module's head settings in the device's layout: (layers, G, H). */
static void put_module(struct model *model, const struct head_settings *const *head_settings,
                       int variants, enum module module, struct head *heads, float *gains)
{
    struct buffers *b = model->buffers;
    int layers = model->head_settings->layers[module], count = model->head_settings->count[module];
    bool words = false, entmax = false;
    size_t at = 0;
    for (int layer = 0; layer < layers; layer++)
        for (int g = 0; g < variants; g++)
            for (int h = 0; h < count; h++, at++) {
                const struct head_settings *own =
                    head_settings[g] ? head_settings[g] : model->head_settings;
                heads[at] = *head_settings_head(own, module, layer, h);
                gains[at] = *head_settings_gain(own, module, layer, h);
                words |= heads[at].energy == ENERGY_FIXED && heads[at].unit == UNIT_WORD;
                entmax |= head_has_entmax(&heads[at]);
            }
    if (words != b->words[module] || entmax != b->entmax[module])
        buffers_renew(b);
    b->words[module] = words;
    b->entmax[module] = entmax;
    model->backend->put(model->device, b->table[module], heads, at * sizeof *heads);
    model->backend->put(model->device, b->gains[module], gains, at * sizeof *gains);
}

bool buffers_put_head_settings(struct model *model,
                               const struct head_settings *const *head_settings, int variants,
                               struct status *status)
{
    size_t most = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        most = size_max(most,
                        (size_t)model->head_settings->layers[m] * model->head_settings->count[m]);
    struct head *heads = memory_new(most * variants, sizeof *heads, status);
    float *gains = memory_new(most * variants, sizeof *gains, status);
    if (heads && gains)
        for (int m = 0; m < MODULE_COUNT; m++)
            put_module(model, head_settings, variants, m, heads, gains);
    bool ok = heads && gains;
    free(heads);
    free(gains);
    return ok;
}
