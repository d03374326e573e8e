/* The tensors that a configuration requires: names, shapes, and which are optional. checkpoint_open
 * checks the file against them; model sizes are computed from them.
 */
#ifndef ATTNSCOPE_CHECKPOINT_RULES_H
#define ATTNSCOPE_CHECKPOINT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/checkpoint/config.h"

struct expected_tensor {
    char name[96];
    int dimensions; // 1 or 2
    int64_t shape[2];
    bool optional;
};

/* Calls `visit` for every float tensor of the model, including optional ones; stops and returns
 * false if `visit` does. */
bool expected_tensors(const struct config *config, int source_size, int target_size,
                      bool (*visit)(const struct expected_tensor *tensor, void *context,
                                    struct status *status),
                      void *context, struct status *status);

#endif
