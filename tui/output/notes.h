/* The provenance in an exported file (provenance.h), read back from any format that has it. Files
 * are hostile until checked. */
#ifndef ATTNSCOPE_NOTES_H
#define ATTNSCOPE_NOTES_H

#include <jansson.h>

#include "base/status.h"

/* An object of notes: strings, but for those that are JSON. The caller releases it (json_decref).
 * NULL: the file cannot be read, is of no such format, or holds none; messages begin with the
 * path. */
json_t *notes_read(const char *path, struct status *status);

#endif
