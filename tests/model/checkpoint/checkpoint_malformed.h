/* Malformed checkpoints, for the table of checkpoint_support.h. */
#ifndef ATTNSCOPE_TESTS_CHECKPOINT_MALFORMED_H
#define ATTNSCOPE_TESTS_CHECKPOINT_MALFORMED_H

#include "tests/model/checkpoint/checkpoint_support.h"

#define SET(where, what, expected)                                                                 \
    {                                                                                              \
        {{CONFIG_SET, where, what}}, expected                                                      \
    }
#define DEL(where, expected)                                                                       \
    {                                                                                              \
        {{CONFIG_DELETE, where, NULL}}, expected                                                   \
    }
#define ONE(kind, where, what, expected)                                                           \
    {                                                                                              \
        {{kind, where, what}}, expected                                                            \
    }

/* Configurations and metadata; then tensors, the header and the rest of the file. */
extern const struct checkpoint_case checkpoint_malformed_configs[], checkpoint_malformed_tensors[];
extern const int checkpoint_malformed_config_count, checkpoint_malformed_tensor_count;

#endif
