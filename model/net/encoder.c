#include "model/net/encoder.h"

#include <stdlib.h>

#include "model/net/module.h"
#include "model/net/stems.h"
#include "model/net/transformer.h"

/* The host's part of a pass, computed before it. */
struct plan {
    struct stem *stems;   // (count)
    struct stage *stages; // (layers + 1)
    int32_t *fields;      // (ENCODER_FIELDS, rows)
    int32_t *sentences;   // (SENTENCE_FIELDS, count)
    int *groups;          // (count + 1): the first row of each sentence, then the number of rows
};

static void plan_close(struct plan *plan)
{
    free(plan->stems);
    free(plan->stages);
    free(plan->fields);
    free(plan->sentences);
    free(plan->groups);
}

static bool plan_open(const struct model *model, int count, int rows, struct plan *plan,
                      struct status *status)
{
    size_t stages = (size_t)model->config->stacks[STACK_ENCODER].layers + 1;
    *plan = (struct plan){
        .stems = memory_new(count, sizeof *plan->stems, status),
        .stages = memory_new(stages, sizeof *plan->stages, status),
        .fields = memory_new((size_t)ENCODER_FIELDS * rows, sizeof *plan->fields, status),
        .sentences = memory_new((size_t)SENTENCE_FIELDS * count, sizeof *plan->sentences, status),
        .groups = memory_new((size_t)count + 1, sizeof *plan->groups, status)};
    if (plan->stems && plan->stages && plan->fields && plan->sentences && plan->groups)
        return true;
    plan_close(plan);
    return false;
}

static void describe_sentence(const struct model *model, const struct encoder_input *input,
                              const struct stem *stem, int stem_row, int rows, int32_t *fields)
{
    const struct sentence *sentence = input->sentence;
    for (int i = 0; i < sentence->count; i++) {
        const int32_t values[ENCODER_FIELDS] = {
            [ENCODER_ID] = sentence->ids[i],
            [ENCODER_INDEX] = i,
            [ENCODER_BEGIN] = stem->row,
            [ENCODER_END] = stem->row + sentence->count,
            [ENCODER_VARIANT] = input->variant,
            [ENCODER_WORD] = sentence->words[i],
            [ENCODER_SENTENCE] = stem->number,
            [ENCODER_PLACE] = input->source * model->buffers->shape.source_positions + i,
            [ENCODER_STEM] = stem_row + i};
        for (int f = 0; f < ENCODER_FIELDS; f++)
            fields[f * rows + stem->row + i] = values[f];
    }
}

static void describe_sentences(const struct model *model, const struct encoder_input *inputs,
                               int count, int rows, const struct plan *plan)
{
    for (int s = 0; s < count; s++) {
        const struct stem *stem = &plan->stems[s], *parent = &plan->stems[stem->parent];
        describe_sentence(model, &inputs[s], stem, parent->row, rows, plan->fields);
        const int32_t values[SENTENCE_FIELDS] = {[SENTENCE_BEGIN] = stem->row,
                                                 [SENTENCE_END] =
                                                     stem->row + inputs[s].sentence->count,
                                                 [SENTENCE_STEM] = parent->number};
        for (int f = 0; f < SENTENCE_FIELDS; f++)
            plan->sentences[f * count + stem->number] = values[f];
        plan->groups[stem->number] = stem->row;
    }
    plan->groups[count] = rows;
}

/* Stores the words of the sources' tokens for the decoder. */
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

/* Source caches -------------------------------------------------------------------------------- */

/* Fills the caches of sentences that have no rows of their own in any layer, by copying those of
 * other sentences. */
static void store_copies(const struct pass *pass, const struct output *output, int columns,
                         int rows)
{
    size_t first = pass->rows;
    struct row_matrix y = {output->y, output->ld};
    struct move_args args = {.y = output->cache,
                             .ldy = columns,
                             .x = tensor_at(output->y, first * output->ld * sizeof(float)),
                             .ldx = output->ld,
                             .index = tensor_at(output->slot, first * sizeof(int32_t)),
                             .cache = true,
                             .rows = rows - pass->rows,
                             .columns = columns};
    if (!args.rows)
        return;
    stems_copy_rows(pass, y, columns, pass->stem, pass->rows, rows);
    pass->model->backend->scatter(pass->model->device, &args);
}

/* Computes the keys and values of every decoder layer's cross-attention and stores them in the
 * source caches of all `rows`. */
static void fill_cross_caches(const struct pass *pass, int rows)
{
    struct model *model = pass->model;
    struct buffers *b = model->buffers;
    struct row_matrix encoded = {b->normed, model->config->d_model};
    int head_dim = module_head_dim(model->config, MODULE_CROSS);
    struct tensor place = row_field(b->encoder_fields, ENCODER_PLACE, rows);
    for (int layer = 0; layer < b->cache_count; layer++) {
        const struct module_weights *weights = model_module(model, MODULE_CROSS, layer);
        int values = module_heads(model->config, MODULE_CROSS) * head_dim;
        int columns[] = {values, weights->learned * head_dim};
        bool cached = pass->rows == rows;
        const struct output outputs[] = {
            {b->v, values, &weights->v, b->caches[layer].cross_v, place, cached},
            {b->k, values, &weights->k, b->caches[layer].cross_k, place, cached}};
        int count = weights->learned ? 2 : 1;
        run_projections(pass, encoded, outputs, count);
        for (int i = 0; i < count; i++)
            store_copies(pass, &outputs[i], columns[i], rows);
    }
}

/* Passes --------------------------------------------------------------------------------------- */

struct pass encoder_pass(struct model *model, int count, int rows, const struct stage *stages,
                         struct observer *observer)
{
    struct tensor fields = model->buffers->encoder_fields;
    struct tensor sentences = model->buffers->sentence_fields;
    return (struct pass){.model = model,
                         .rows = stages[0].rows,
                         .sentences = stages[0].sentences,
                         .stages = stages,
                         .stem = row_field(fields, ENCODER_STEM, rows),
                         .sentence = row_field(fields, ENCODER_SENTENCE, rows),
                         .first = row_field(sentences, SENTENCE_BEGIN, count),
                         .last = row_field(sentences, SENTENCE_END, count),
                         .sentence_stem = row_field(sentences, SENTENCE_STEM, count),
                         .begin = row_field(fields, ENCODER_BEGIN, rows),
                         .end = row_field(fields, ENCODER_END, rows),
                         .position = row_field(fields, ENCODER_INDEX, rows),
                         .variant = row_field(fields, ENCODER_VARIANT, rows),
                         .word = row_field(fields, ENCODER_WORD, rows),
                         .row_word = row_field(fields, ENCODER_WORD, rows),
                         .observer = observer};
}

struct encoding {
    const struct pass *pass;
    struct tensor ids;
    int rows;
};

static void run_layers(void *context)
{
    const struct encoding *encoding = context;
    struct pass pass = *encoding->pass; // a copy, because layers change it
    embed_rows(&pass, STACK_ENCODER, encoding->ids, pass.position);
    run_stack(&pass, STACK_ENCODER);
}

static void run_cross_caches(void *context)
{
    const struct encoding *encoding = context;
    struct pass pass = *encoding->pass;
    pass.rows = encoding->pass->stages[pass.model->config->stacks[STACK_ENCODER].layers - 1].rows;
    fill_cross_caches(&pass, encoding->rows);
}

/* True if sentences can be computed by a recorded scope: none is copied from another, contexts of
 * whole sentences have no row for every token, and an observer is called layer by layer. */
static bool is_scope(const struct pass *pass, int rows)
{
    return pass->rows == rows && !pass->model->stacks[STACK_ENCODER].means && !pass->observer;
}

/* The source caches have other row strides than the encoder, and therefore a separate scope. */
static void run_encoder(const struct pass *pass, const int *groups, int count, int rows)
{
    const struct backend *backend = pass->model->backend;
    struct encoding encoding = {
        pass, row_field(pass->model->buffers->encoder_fields, ENCODER_ID, rows), rows};
    struct scope_args scope = {
        .rows = rows, .groups = groups, .count = count, .body = run_layers, .context = &encoding};
    if (!is_scope(pass, rows)) {
        run_layers(&encoding);
        run_cross_caches(&encoding);
        return;
    }
    backend->scope(pass->model->device, &scope);
    scope.body = run_cross_caches;
    backend->scope(pass->model->device, &scope);
}

bool encode(struct model *model, const struct encoder_input *inputs, int count, int rows,
            struct observer *observer, struct status *status)
{
    struct buffers *b = model->buffers;
    struct plan plan;
    if (!plan_open(model, count, rows, &plan, status))
        return false;
    stems_find(model, inputs, count, plan.stems, plan.stages);
    describe_sentences(model, inputs, count, rows, &plan);
    model->backend->put(model->device, b->encoder_fields, plan.fields,
                        (size_t)ENCODER_FIELDS * rows * sizeof *plan.fields);
    model->backend->put(model->device, b->sentence_fields, plan.sentences,
                        (size_t)SENTENCE_FIELDS * count * sizeof *plan.sentences);
    store_source_words(model, rows);
    const struct pass pass = encoder_pass(model, count, rows, plan.stages, observer);
    run_encoder(&pass, plan.groups, count, rows);
    plan_close(&plan);
    return true;
}
