/* YAML as JSON values, through libyaml: mappings become objects, sequences arrays, and scalars
 * follow the core schema of YAML 1.2.
 *
 *     json_t *config = yaml_parse(text, bytes, status);
 *     ... json_object_get(config, "enc-depth"), yaml_flag(config, "tied-embeddings", false) ...
 *     json_decref(config);
 *
 * Keys are the text of their scalar, whatever its type as a value: `yes: 3` and `1.0: 4` have the
 * keys "yes" and "1.0". Plain scalars become null, true or false, 64-bit integers, or numbers;
 * quoted and all other scalars are text. Files are untrusted input: anchors and tags other than
 * !!str are refused, as are duplicate keys, depths above 64 and more than one document.
 */
#ifndef ATTNSCOPE_YAML_H
#define ATTNSCOPE_YAML_H

#include <jansson.h>

#include "base/status.h"

/* The value of the only document; null if there is none. The caller calls json_decref. NULL on
 * failure; messages begin with the line. */
json_t *yaml_parse(const char *text, size_t bytes, struct status *status);
/* The same for files in which Python dumped its objects: ignores tags; an alias is null. */
json_t *yaml_parse_objects(const char *text, size_t bytes, struct status *status);

/* A member that is true or false, or YAML 1.1's yes, on, y, no, off or n; `otherwise` if absent or
 * anything else. */
bool yaml_flag(const json_t *object, const char *key, bool otherwise);

#endif
