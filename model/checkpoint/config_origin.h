/* The origin of a model in our format, and those of its options that the search here does not have,
 * as its configuration says.
 *
 *     "origin": {"family": "Hugging Face", "files": [{"name": "config.json", "sha256": "…"}, …]}
 *     "left_out": ["repetition_penalty 1.2", …]
 */
#ifndef ATTNSCOPE_CONFIG_ORIGIN_H
#define ATTNSCOPE_CONFIG_ORIGIN_H

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_json.h"

/* Reads it; NULL: the model was not converted. */
bool model_origin_read(const json_t *json, const struct place *place, struct model_origin *origin,
                       struct status *status);
void model_origin_free(struct model_origin *origin); // leaves it empty

/* The texts, NULL at the end, also on failure; left_out_free frees them. JSON NULL: there are none,
 * and no list. */
bool left_out_read(const json_t *json, const struct place *place, char ***texts,
                   struct status *status);
void left_out_free(char **texts); // NULL: nothing

#endif
