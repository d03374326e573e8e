/* What a model in our format was converted from, as its configuration says.
 *
 *     "origin": {"family": "Hugging Face", "files": [{"name": "config.json", "sha256": "…"}, …]}
 */
#ifndef ATTNSCOPE_CONFIG_ORIGIN_H
#define ATTNSCOPE_CONFIG_ORIGIN_H

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_json.h"

/* Reads it; NULL: the model was not converted. */
bool model_origin_read(const json_t *json, const struct place *place, struct model_origin *origin,
                       struct status *status);
void model_origin_free(struct model_origin *origin); // leaves it empty

#endif
