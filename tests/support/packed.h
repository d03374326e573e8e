/* Golden data compressed by gzip. A file that cannot be read fails the test. */
#ifndef ATTNSCOPE_PACKED_H
#define ATTNSCOPE_PACKED_H

#include <jansson.h>

#include "model/formats/safetensors.h"

/* The caller frees the result. */
json_t *packed_json_load(const char *path);

/* Opens a temporary copy, which is already deleted. The caller closes the result. */
struct safetensors *packed_safetensors_open(const char *path);

#endif
