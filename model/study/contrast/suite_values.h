/* Members of JSON objects for the readers of suites. Messages name the member: "\"source\" is
 * missing, expected a text". For model/study only. */
#ifndef ATTNSCOPE_SUITE_VALUES_H
#define ATTNSCOPE_SUITE_VALUES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/status.h"

extern const char *const json_type_names[]; // of enum json_type: "a list"

/* Fails: the member `key` is `value`, which is not as expected. */
bool json_fail_type(const json_t *value, const char *key, const char *expected,
                    struct status *status);

/* A text that must be there; NULL: failure. */
const char *json_get_text(const json_t *object, const char *key, struct status *status);

/* A text or NULL: an absent one is none. */
bool json_get_optional(const json_t *object, const char *key, const char **out,
                       struct status *status);

/* The whole number that a text begins with; *end: what follows. */
bool json_parse_count(const char *text, int *out, const char **end);

/* A whole number, or one written as a text; absent or null: SUITE_ABSENT. */
bool json_get_count(const json_t *object, const char *key, int *out, struct status *status);

#endif
