/* How much memory the weights of a model take. */
#include "model/net/weights.h"

#include <string.h>

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), most = strlen(end);
    return length >= most && strcmp(text + length - most, end) == 0;
}

/* Learned positions are read as a tensor, not multiplied with. */
static bool is_weight(const struct stored_tensor *tensor)
{
    return tensor->dimensions == 2 && !ends_with(tensor->name, ".positions.weight");
}

struct reservation weights_reservation(const struct model *model)
{
    const struct safetensors *file = model->checkpoint->file;
    size_t vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    struct reservation whole = {.bytes = 2 * vocabulary, .count = 2}; // excluded, classes
    for (int i = 0; i < safetensors_count(file); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(file, i);
        if (tensor->dtype == STORED_U8)
            continue; // of the host
        if (is_weight(tensor))
            whole.elements += (size_t)tensor->elements;
        else
            whole.bytes += (size_t)tensor->elements * sizeof(float);
        whole.count++;
    }
    return whole;
}
