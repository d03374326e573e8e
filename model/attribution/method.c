#include "model/attribution/method.h"

#include <string.h>

const struct method_info method_table[METHOD_COUNT] = {
    [METHOD_WEIGHTS] = {"weights", "attention", "attention weight", .of_layers = true,
                        .of_heads = true, .shares = true},
    [METHOD_NORMS] = {"norms", "norms", "norm", .of_layers = true, .of_heads = true},
    [METHOD_BLOCK_NORMS] = {"block-norms", "block norms", "norm", .of_layers = true},
    [METHOD_CONTRIBUTIONS] = {"contributions", "contributions", "contribution", .of_layers = true,
                              .shares = true},
    [METHOD_ROLLOUT] = {"rollout", "rollout", "attention rollout", .of_layers = true, .joint = true,
                        .shares = true},
    [METHOD_FLOW] = {"flow", "flow", "attention flow", .of_layers = true, .joint = true,
                     .shares = true},
    [METHOD_ALTI] = {"alti", "ALTI", "contribution", .of_layers = true, .joint = true,
                     .shares = true},
    [METHOD_VALUE_ZEROING] = {"value-zeroing", "value zeroing", "share of the change",
                              .of_layers = true, .shares = true},
    [METHOD_SALIENCY] = {"saliency", "saliency", "norm of the gradient", .derivative = true,
                         .contrasts = true},
    [METHOD_GRADIENT_INPUT] = {"gradient-input", "gradient × input", "gradient × input",
                               .changes = true, .derivative = true, .contrasts = true},
    [METHOD_INTEGRATED_GRADIENTS] = {"integrated-gradients", "integrated gradients",
                                     "integrated gradient", .changes = true, .derivative = true,
                                     .contrasts = true, .baseline = true, .steps = true},
    [METHOD_GRADIENT_ATTENTION] = {"gradient-attention", "gradient x attention", "relevance",
                                   .by_weights = true, .derivative = true, .contrasts = true},
    [METHOD_LRP] = {"lrp", "LRP", "relevance", .changes = true, .derivative = true,
                    .contrasts = true},
    [METHOD_ERASURE] = {"erasure", "erasure", "loss of log-probability", .changes = true,
                        .contrasts = true, .baseline = true},
};

const char *const row_method_names[] = {"weights",
                                        "rollout",
                                        "flow",
                                        "alti",
                                        "saliency",
                                        "gradient-input",
                                        "integrated-gradients",
                                        "gradient-attention",
                                        "lrp",
                                        "erasure",
                                        NULL};

bool method_find(const char *name, enum method *method)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (strcmp(name, method_table[i].name) == 0) {
            *method = (enum method)i;
            return true;
        }
    return false;
}

bool method_check(enum method method, const struct config *config, enum module module,
                  struct status *status)
{
    const struct method_info *info = &method_table[method];
    const bool whole = (info->joint || info->by_weights) && module != MODULE_ENCODER;
    if (whole && config->stacks[STACK_DECODER].recurrent)
        return status_fail(status, STATUS_INVALID,
                           "%s: the decoder has a recurrence (SSRU), which mixes tokens without "
                           "attention weights",
                           info->name);
    return true;
}
