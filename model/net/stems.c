#include "model/net/stems.h"

/* Of those that part last from the sentence the first: it has rows of its own before they part. Another one
 * that got its rows later had taken them over from a sentence that is as near. */
static struct stem find_stem(const struct model *model, const struct encoder_input *inputs,
                             int first, int s)
{
    struct stem stem = {.parent = s};
    const struct dials *dials = inputs[s].dials ? inputs[s].dials : model->dials;
    for (int other = first; other < s; other++) {
        const struct dials *before = inputs[other].dials ? inputs[other].dials : model->dials;
        int layer = dials_common_layers(before, dials, MODULE_ENCODER);
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
