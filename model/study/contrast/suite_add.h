/* Functions for readers of suites, which add to a suite. For model/study only. */
#ifndef ATTNSCOPE_SUITE_ADD_H
#define ATTNSCOPE_SUITE_ADD_H

#include "model/study/contrast/suite.h"

/* The suite owns the results. NULL or false on failure; the message does not say where. */
struct suite_set *suite_add_set(struct suite *suite, const char *const *paths, int count,
                                struct status *status);
struct suite_item *suite_add_item(struct suite *suite, int number, struct status *status);
bool suite_set_pair(struct suite_item *item, const char *source, const char *reference,
                    struct status *status);
struct suite_error *suite_add_error(struct suite_item *item, const char *text, const char *type,
                                    struct status *status);

#endif
