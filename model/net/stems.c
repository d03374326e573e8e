#include "model/net/stems.h"

#include "base/minmax.h"

/* The parent is the earlier input that shares the most layers. Among equals it is the first, which
 * has its own rows before the two differ. */
static struct stem find_stem(const struct model *model, const struct encoder_input *inputs,
                             int first, int s)
{
    struct stem stem = {.parent = s};
    const struct head_settings *head_settings =
        inputs[s].head_settings ? inputs[s].head_settings : model->head_settings;
    for (int other = first; other < s; other++) {
        const struct head_settings *before =
            inputs[other].head_settings ? inputs[other].head_settings : model->head_settings;
        int layer = head_settings_common_layers(before, head_settings, MODULE_ENCODER);
        layer = int_min(layer, model->config->stacks[STACK_ENCODER].layers);
        if (layer <= stem.layer)
            continue;
        stem.parent = other;
        stem.layer = layer;
    }
    return stem;
}

void stems_find(const struct model *model, const struct encoder_input *inputs, int count,
                struct stem *stems, struct stage *stages)
{
    int layers = model->config->stacks[STACK_ENCODER].layers;
    struct stage all = {0};
    for (int s = 0, first = 0; s < count; s++) {
        if (inputs[s].sentence != inputs[first].sentence)
            first = s;
        stems[s] = find_stem(model, inputs, first, s);
    }
    for (int layer = 0; layer <= layers; layer++) {
        for (int s = 0; s < count; s++) {
            if (stems[s].layer != layer)
                continue;
            stems[s].number = all.sentences++;
            stems[s].row = all.rows;
            all.rows += inputs[s].sentence->count;
        }
        stages[layer] = all;
    }
}

void stems_copy_rows(const struct pass *pass, struct row_matrix matrix, int columns,
                     struct tensor stem, int first, int end)
{
    struct move_args args = {
        .y = tensor_at(matrix.tensor, (size_t)first * matrix.ld * sizeof(float)),
        .ldy = matrix.ld,
        .x = matrix.tensor,
        .ldx = matrix.ld,
        .index = tensor_at(stem, (size_t)first * sizeof(int32_t)),
        .rows = end - first,
        .columns = columns};
    pass->model->backend->gather(pass->model->device, &args);
}

void stems_fork(struct pass *pass, int layer)
{
    const struct model *model = pass->model;
    const struct stack_weights *weights = &model->stacks[STACK_ENCODER];
    struct buffers *b = model->buffers;
    int d = model->config->d_model, layers = model->config->stacks[STACK_ENCODER].layers;
    int first = pass->rows, first_sentence = pass->sentences;
    pass->rows = pass->stages[layer].rows;
    pass->sentences = pass->stages[layer].sentences;
    if (layer == 0 || pass->sentences == first_sentence)
        return;
    if (weights->deep)
        stems_copy_rows(pass, (struct row_matrix){b->inputs, layers * d}, (layer + 1) * d,
                        pass->stem, first, pass->rows);
    else
        stems_copy_rows(pass, (struct row_matrix){b->normed, d}, d, pass->stem, first, pass->rows);
    if (model->config->stacks[STACK_ENCODER].pre_norm)
        stems_copy_rows(pass, (struct row_matrix){b->stream, d}, d, pass->stem, first, pass->rows);
    if (weights->means)
        stems_copy_rows(pass, (struct row_matrix){b->means, layers * d}, layer * d,
                        pass->sentence_stem, first_sentence, pass->sentences);
}
