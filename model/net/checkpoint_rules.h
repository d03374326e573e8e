/* The tensors that a configuration calls for: names, shapes, and which may be absent.
 *
 * One table, read by checkpoint_open; also the arithmetic of a model's size.
 */
#ifndef ATTNSCOPE_CHECKPOINT_RULES_H
#define ATTNSCOPE_CHECKPOINT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/status.h"
#include "model/net/config.h"

struct expected_tensor {
    char name[96];
    int dimensions; // 1 or 2
    int64_t shape[2];
    bool optional;
};

/* Calls visit for every float tensor of the model, optional ones too; stops and returns false when
 * visit does. */
bool expected_tensors(const struct config *config, int source_size, int target_size,
                      bool (*visit)(const struct expected_tensor *tensor, void *context,
                                    struct status *status),
                      void *context, struct status *status);

#endif
