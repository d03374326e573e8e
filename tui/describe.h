/* Heads in words, and the parts of results that several presentations share. */
#ifndef ATTNSCOPE_DESCRIBE_H
#define ATTNSCOPE_DESCRIBE_H

#include "tui/json_writer.h"
#include "tui/session.h"

/* "learned, global", "learned, local 2", "current", "previous (word)". */
void describe_head(const struct head *head, char *text, size_t size);

/* Whether a head does not attend as the checkpoint has it. */
bool head_changed(const struct session *session, enum module module, int layer, int head);
bool head_off(const struct session *session, enum module module, int layer, int head);

/* Heads for which `chosen` holds, as one line: "encoder layer 1-4 head 8; cross layer 2 head 1,3". "" when
 * there are none. The caller frees it; NULL: out of memory. */
char *describe_heads(const struct session *session,
                     bool (*chosen)(const struct session *, enum module, int, int));

/* The same for a test that is handed `context`. */
char *describe_chosen(const struct session *session,
                      bool (*chosen)(const struct session *, enum module, int, int, const void *),
                      const void *context);

/* JSON: [{module, layer, head}] of the heads that are off; of those replaced with how they attend. */
void put_heads_off(struct json_writer *json, const struct session *session);
void put_heads_changed(struct json_writer *json, const struct session *session);
/* JSON: {beam, length_penalty {kind, alpha}, max_length {factor, plus}}, as in the configuration. */
void put_search(struct json_writer *json, const struct search_options *search);

#endif
