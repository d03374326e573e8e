#ifndef ATTNSCOPE_PACKED_JSON_H
#define ATTNSCOPE_PACKED_JSON_H

#include <jansson.h>

/* What a file compressed by gzip holds. Fails the test where it cannot be read. Freed by the
 * caller. */
json_t *packed_json_load(const char *path);

#endif
