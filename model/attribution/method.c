#include "model/attribution/method.h"

#include <string.h>

const struct method_info method_table[METHOD_COUNT] = {
    [METHOD_WEIGHTS] = {"weights", "attention", "attention weight", true, false, true},
    [METHOD_NORMS] = {"norms", "norms", "norm", true, false, false},
    [METHOD_BLOCK_NORMS] = {"block-norms", "block norms", "norm", false, false, false},
    [METHOD_CONTRIBUTIONS] = {"contributions", "contributions", "contribution", false, false, true},
    [METHOD_ROLLOUT] = {"rollout", "rollout", "attention rollout", false, true, true},
    [METHOD_FLOW] = {"flow", "flow", "attention flow", false, true, true},
    [METHOD_ALTI] = {"alti", "ALTI", "contribution", false, true, true},
};

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
    bool whole = method_table[method].joint && module != MODULE_ENCODER;
    if (whole && config->stacks[STACK_DECODER].recurrent)
        return status_fail(status, STATUS_INVALID,
                           "%s: the decoder has a recurrence (SSRU), which mixes tokens without "
                           "attention weights",
                           method_table[method].name);
    return true;
}
