/* YAML as JSON values, through libyaml: mappings are objects, sequences arrays, and scalars what
 * the core schema of YAML 1.2 makes of them.
 *
 *     json_t *config = yaml_parse(text, bytes, status);
 *     ... json_object_get(config, "enc-depth"), yaml_flag(config, "tied-embeddings", false) ...
 *     json_decref(config);
 *
 * Keys are the text of their scalar, whatever it would be as a value: `yes: 3` and `1.0: 4` have
 * the keys "yes" and "1.0". Plain scalars become null, true or false, integers of 64 bits, or
 * numbers; what is quoted, and all else, is text. Files are read by those who did not write them:
 * anchors and tags other than !!str are refused, as are duplicate keys, depths above 64 and more
 * than one document.
 */
#ifndef ATTNSCOPE_YAML_H
#define ATTNSCOPE_YAML_H

#include <jansson.h>

#include "base/status.h"

/* The value of the only document; null where there is none. The caller has json_decref it. NULL on
 * failure; messages begin with the line. */
json_t *yaml_parse(const char *text, size_t bytes, struct status *status);
/* The same of what Python writes of its objects: tags are passed over, and an alias is null. */
json_t *yaml_parse_objects(const char *text, size_t bytes, struct status *status);

/* A member that is true or false, or in YAML 1.1's words yes, on, y, no, off, n; `otherwise` where
 * it is absent or anything else. */
bool yaml_flag(const json_t *object, const char *key, bool otherwise);

#endif
