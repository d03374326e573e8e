/* The memory that the weights of a model take. */
#include "model/net/weights.h"

#include <string.h>

#include "model/net/positions.h"

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), most = strlen(end);
    return length >= most && strcmp(text + length - most, end) == 0;
}

/* Learned positions and biases are read as tensors, not multiplied with. */
static bool is_weight(const struct stored_tensor *tensor)
{
    return tensor->dimensions == 2 && !ends_with(tensor->name, ".positions.weight") &&
           !ends_with(tensor->name, ".relative_bias.weight");
}

struct repetition weights_repetition(const struct config *config,
                                     const struct stored_tensor *tensor)
{
    static const char *const ends[] = {".k.weight", ".k.bias", ".v.weight", ".v.bias"};
    const bool encoder = strncmp(tensor->name, "encoder.", strlen("encoder.")) == 0;
    const struct stack_config *of = &config->stacks[encoder ? STACK_ENCODER : STACK_DECODER];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(tensor->name, ends[i]))
            return (struct repetition){of->kv_heads, of->heads / of->kv_heads};
    return (struct repetition){1, 1};
}

size_t relative_bias_bytes(const struct config *config, enum stack stack)
{
    return (size_t)config->stacks[stack].heads * (2 * (size_t)relative_span(config, stack) + 1) *
           sizeof(float);
}

/* Biases of relative positions that a stack has on the device. */
static int relative_bias_count(const struct config *config, enum stack stack)
{
    const struct stack_config *of = &config->stacks[stack];
    return of->buckets == 0 ? 0 : of->separate_biases ? of->layers : 1;
}

struct reservation weights_reservation(const struct model *model)
{
    const struct contents *contents = model->checkpoint->contents;
    size_t vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    struct reservation whole = {.bytes = 2 * vocabulary, .count = 2}; // excluded, classes
    for (int i = 0; i < contents->count; i++) {
        const struct stored_tensor *tensor = &contents->tensors[i];
        if (tensor->dtype == STORED_U8)
            continue; // of the host
        const size_t elements =
            (size_t)tensor->elements * (size_t)weights_repetition(model->config, tensor).times;
        if (is_weight(tensor))
            whole.elements += elements;
        else
            whole.bytes += elements * sizeof(float);
        whole.count++;
    }
    /* On the device a bias is by distance, besides what was counted by bucket. */
    for (enum stack stack = 0; stack < STACK_COUNT; stack++)
        whole.bytes += (size_t)relative_bias_count(model->config, stack) *
                       relative_bias_bytes(model->config, stack);
    return whole;
}
