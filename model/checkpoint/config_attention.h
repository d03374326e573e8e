/* The `attention` rules of a configuration: heads, combination and context of every module.
 *
 * Used by config.c alone; the stacks' layers, heads and head_dim must have been read.
 */
#ifndef ATTNSCOPE_CONFIG_ATTENTION_H
#define ATTNSCOPE_CONFIG_ATTENTION_H

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_json.h"

/* Fills config->attention: vanilla modules, then the rules in order. `rules` NULL: none. */
bool attention_read(const json_t *rules, const struct place *place, struct config *config,
                    struct status *status);
void attention_free(struct config *config);

#endif
