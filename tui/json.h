/* Parts of the JSON presentation that fill a file of their own. */
#ifndef ATTNSCOPE_JSON_H
#define ATTNSCOPE_JSON_H

#include "tui/json_writer.h"
#include "tui/result.h"

/* The members of `:info`: the whole configuration, with the value that an absent field means, and what
 * is known of file and device. */
void json_info(struct json_writer *json, const struct session *session,
               const struct info_result *info);

#endif
