/* The normalizer of a Hugging Face tokenizer.json: steps that change a text before it is cut.
 *
 *     normalizer_open; normalizer_apply any number of times; normalizer_close
 */
#ifndef ATTNSCOPE_NORMALIZER_H
#define ATTNSCOPE_NORMALIZER_H

#include <jansson.h>

#include "model/text/buffer.h"

struct normalizer;

/* `json`: the member `normalizer`, or NULL; need not live after the call. NULL: a step is not
 * supported, or broken; messages name it. */
struct normalizer *normalizer_open(const json_t *json, struct status *status);
void normalizer_close(struct normalizer *normalizer); // NULL: nothing

/* Applies the steps to the text (valid UTF-8); `work` is scratch space. */
bool normalizer_apply(const struct normalizer *normalizer, struct text_buffer *text,
                      struct text_buffer *work, struct status *status);

#endif
