/* Suites of documents: ContraPro, Voita et al. 2019 and DiscEvalMT (suite.h), of which the
 * sentences are taken without those before them. For model/study only. */
#ifndef ATTNSCOPE_SUITE_DISCOURSE_H
#define ATTNSCOPE_SUITE_DISCOURSE_H

#include <jansson.h>

#include "model/study/contrast/suite.h"

/* True if an object is an item of ContraPro or of Voita et al.; reads it. Messages do not say
 * where. */
bool discourse_is_item(const json_t *object);
bool discourse_read_item(const json_t *object, struct suite_item *item, struct status *status);

/* Adds the items of DiscEvalMT's object of numbered blocks. Messages begin with "item N". */
bool discourse_read_blocks(struct suite *suite, const json_t *root, struct status *status);

#endif
