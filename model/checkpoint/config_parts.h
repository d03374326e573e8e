/* The parts of a configuration that have their own readers. */
#ifndef ATTNSCOPE_CONFIG_PARTS_H
#define ATTNSCOPE_CONFIG_PARTS_H

#include <jansson.h>

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_json.h"

/* Added tokens, listed by the configuration: tokens outside the subword models of both sides.
 *
 * `tokenizer.added` is a list of texts, or of objects with more properties of a token: {"text":
 * "<mask>", "strip_left": true}. The other members are `strip_right`, `single_word` and
 * `normalized` (struct added_token in model/text/text.h); absent ones are false.
 */

/* Fills config->added; `value` NULL: none. */
bool added_read(const json_t *value, const struct place *place, struct config *config,
                struct status *status);
void added_free(struct config *config);

/* Checks the rules for a stack's `positions` that span several fields. root: the configuration;
 * place: its own. The fields must have been read. */
bool positions_check(const json_t *root, const struct place *place, const struct config *config,
                     enum stack stack, struct status *status);

/* Heads of cross-attention that a model names for word alignment, counted from 0:
 *
 *     "alignment": {"layer": 4, "heads": [0]}
 */

/* Fills in config->alignment; NULL: the model names none. The stacks must have been read. */
bool alignment_read(const json_t *json, const struct place *place, struct config *config,
                    struct status *status);

/* The origin of a model in our format, and its original options that the search here does not
 * support, from its configuration.
 *
 *     "origin": {"family": "Hugging Face", "files": [{"name": "config.json", "sha256": "…"}, …]}
 *     "left_out": ["repetition_penalty 1.2", …]
 */

/* Reads it; NULL: the model was not converted. */
bool model_origin_read(const json_t *json, const struct place *place, struct model_origin *origin,
                       struct status *status);
void model_origin_free(struct model_origin *origin); // leaves it empty

/* Reads the texts, NULL-terminated even on failure; left_out_free frees them. json NULL: does
 * nothing. */
bool left_out_read(const json_t *json, const struct place *place, char ***texts,
                   struct status *status);
void left_out_free(char **texts); // NULL: nothing

/* The `attention` rules of a configuration: heads, combination and context of every module.
 *
 * Only for config.c; the stacks' layers, heads and head_dim must have been read.
 */

/* Fills config->attention: vanilla modules, then the rules in order. `rules` NULL: none. */
bool attention_read(const json_t *rules, const struct place *place, struct config *config,
                    struct status *status);
void attention_free(struct config *config);

#endif
