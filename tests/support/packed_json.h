#ifndef ATTNSCOPE_PACKED_JSON_H
#define ATTNSCOPE_PACKED_JSON_H

#include <jansson.h>

/* Loads a JSON file compressed by gzip; fails the test if it cannot be read. The caller frees the
 * result. */
json_t *packed_json_load(const char *path);

#endif
