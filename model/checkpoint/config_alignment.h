/* Heads of cross-attention that a model names for aligning words, counted from 0:
 *
 *     "alignment": {"layer": 4, "heads": [0]}
 */
#ifndef ATTNSCOPE_CONFIG_ALIGNMENT_H
#define ATTNSCOPE_CONFIG_ALIGNMENT_H

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_json.h"

/* Fills in config->alignment; NULL: the model names none. The stacks must have been read. For
 * config.c. */
bool alignment_read(const json_t *json, const struct place *place, struct config *config,
                    struct status *status);

#endif
