/* Encoder passes: the rows of their sentences, and what the decoder reads of them. */
#include <stdlib.h>

#include "model/net/transformer.h"

/* The rows of all sentences, one after the other, as (ENCODER_FIELDS, rows). */
static void describe_rows(const struct model *model, const struct encoder_input *inputs, int count,
                          int rows, int32_t *fields, int32_t *ranges)
{
    int m = 0;
    for (int s = 0; s < count; s++) {
        const struct sentence *sentence = inputs[s].sentence;
        int begin = m;
        for (int i = 0; i < sentence->count; i++, m++) {
            const int32_t values[ENCODER_FIELDS] = {
                [ENCODER_ID] = sentence->ids[i],
                [ENCODER_INDEX] = i,
                [ENCODER_BEGIN] = begin,
                [ENCODER_END] = begin + sentence->count,
                [ENCODER_VARIANT] = inputs[s].variant,
                [ENCODER_WORD] = sentence->words[i],
                [ENCODER_SENTENCE] = s,
                [ENCODER_PLACE] = inputs[s].source * model->buffers->shape.source_positions + i};
            for (int f = 0; f < ENCODER_FIELDS; f++)
                fields[f * rows + m] = values[f];
        }
        ranges[s] = begin;
        ranges[count + s] = m;
    }
}

/* The words of the sources' tokens, to their places for the decoder. */
static void store_source_words(struct model *model, int rows)
{
    struct buffers *b = model->buffers;
    struct move_args args = {.y = b->source_word,
                             .ldy = 1,
                             .x = row_field(b->encoder_fields, ENCODER_WORD, rows),
                             .ldx = 1,
                             .index = row_field(b->encoder_fields, ENCODER_PLACE, rows),
                             .rows = rows,
                             .columns = 1};
    if (b->words[MODULE_CROSS])
        model->backend->scatter(model->device, &args);
}

/* Keys and values of every decoder layer's cross-attention, into the source caches. */
static void fill_cross_caches(const struct pass *pass)
{
    struct model *model = pass->model;
    struct buffers *b = model->buffers;
    struct matrix encoded = {b->normed, model->config->d_model};
    int head_dim = module_head_dim(model->config, MODULE_CROSS);
    struct tensor place = row_field(b->encoder_fields, ENCODER_PLACE, pass->rows);
    for (int layer = 0; layer < b->cache_count; layer++) {
        const struct module_weights *weights = model_module(model, MODULE_CROSS, layer);
        int learned = weights->learned * head_dim;
        int values = module_heads(model->config, MODULE_CROSS) * head_dim;
        const struct output outputs[] = {
            {b->v, &weights->v, values, b->caches[layer].cross_v, place},
            {b->k, &weights->k, learned, b->caches[layer].cross_k, place}};
        run_projections(pass, encoded, outputs, learned ? 2 : 1);
    }
}

bool encode(struct model *model, const struct encoder_input *inputs, int count, int rows,
            struct observer *observer, struct status *status)
{
    struct buffers *b = model->buffers;
    int32_t *fields = memory_new((size_t)ENCODER_FIELDS * rows, sizeof *fields, status);
    int32_t *ranges = memory_new(2 * (size_t)count, sizeof *ranges, status);
    bool ok = fields && ranges;
    if (ok) {
        describe_rows(model, inputs, count, rows, fields, ranges);
        model->backend->put(model->device, b->encoder_fields, fields,
                            (size_t)ENCODER_FIELDS * rows * sizeof *fields);
        model->backend->put(model->device, b->sentence_ranges, ranges,
                            2 * (size_t)count * sizeof *ranges);
        store_source_words(model, rows);
    }
    free(fields);
    free(ranges);
    if (!ok)
        return false;

    struct pass pass = {.model = model,
                        .rows = rows,
                        .sentences = count,
                        .sentence = row_field(b->encoder_fields, ENCODER_SENTENCE, rows),
                        .first = b->sentence_ranges,
                        .last = row_field(b->sentence_ranges, 1, count),
                        .begin = row_field(b->encoder_fields, ENCODER_BEGIN, rows),
                        .end = row_field(b->encoder_fields, ENCODER_END, rows),
                        .position = row_field(b->encoder_fields, ENCODER_INDEX, rows),
                        .variant = row_field(b->encoder_fields, ENCODER_VARIANT, rows),
                        .word = row_field(b->encoder_fields, ENCODER_WORD, rows),
                        .row_word = row_field(b->encoder_fields, ENCODER_WORD, rows),
                        .observer = observer};
    embed_rows(&pass, STACK_ENCODER, row_field(b->encoder_fields, ENCODER_ID, rows), pass.position);
    run_stack(&pass, STACK_ENCODER);
    fill_cross_caches(&pass);
    return true;
}
