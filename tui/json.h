/* Parts of the JSON presentation that fill a file of their own. */
#ifndef ATTNSCOPE_JSON_H
#define ATTNSCOPE_JSON_H

#include "tui/json_writer.h"
#include "tui/result.h"

/* The members of `:info`: the whole configuration, with the value that an absent field means, and what
 * is known of file and device. */
void json_info(struct json_writer *json, const struct session *session,
               const struct info_result *info);

/* The members of `:heads` and `:token`. */
void json_heads(struct json_writer *json, const struct heads_result *heads);
void json_token(struct json_writer *json, const struct token_result *token);

/* The members of a command's object, within one that is open. */
void json_result(struct json_writer *json, const struct session *session, const char *command,
                 const struct result *result);

#endif
