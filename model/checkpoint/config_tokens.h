/* Added tokens: those that stand outside the subword models of both sides, which the configuration
 * lists.
 *
 * `tokenizer.added` is a list of texts, or of objects that have more than its text to say of a
 * token: {"text": "<mask>", "strip_left": true}. Its other members are `strip_right`, `single_word`
 * and `normalized` (struct added_token in model/text/text.h); absent ones are false.
 */
#ifndef ATTNSCOPE_CONFIG_TOKENS_H
#define ATTNSCOPE_CONFIG_TOKENS_H

#include <jansson.h>

#include "model/checkpoint/config.h"

/* Used by config.c. Fills config->added; `value` NULL: there are none. */
struct place;
bool added_read(const json_t *value, const struct place *place, struct config *config,
                struct status *status);
void added_free(struct config *config);

#endif
