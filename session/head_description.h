/* Describes heads in words: how a head attends, and which heads are off or changed. */
#ifndef ATTNSCOPE_HEAD_DESCRIPTION_H
#define ATTNSCOPE_HEAD_DESCRIPTION_H

#include "session/session.h"

/* A fixed head's pattern as `:pattern` reads it: "previous", "gaussian -1 0.5". Returns the
 * text. */
enum { PATTERN_BYTES = 40 };
const char *describe_pattern(const struct head *head, char text[PATTERN_BYTES]);

/* "learned" (over all positions), "local 2", "backward", "entmax 1.5", "local 2, entmax 1.5",
 * "current", "previous (word)". */
void describe_head(const struct head *head, char *text, size_t size);
/* The same for titles, which name only exceptions: "" for a learned head. */
void describe_exception(const struct head *head, char *text, size_t size);

/* The name of a head's kind if the heads of the module differ: "current", "local 2", "forward",
 * "entmax 1.5"; "learned" beside fixed heads, "global" beside masked ones. "" if all heads are
 * learned and global. */
enum { HEAD_KIND_BYTES = 40 };
/* The kind of head `head` in `count` layers; "" if the layers differ. */
void describe_kind_in_layers(const struct session *session, enum module module, const int *layers,
                             int count, int head, char text[HEAD_KIND_BYTES]);

/* head_changed: true if a head's energy, mask, α or pattern differs from the checkpoint. head_off:
 * true if the head is off. */
bool head_changed(const struct session *session, enum module module, int layer, int head);
bool head_off(const struct session *session, enum module module, int layer, int head);

/* Lists the heads for which `chosen` is true in one line: "encoder layer 1-4 head 8; cross layer 2
 * head 1,3", or "". The caller frees it; NULL: out of memory. */
char *describe_heads(const struct session *session,
                     bool (*chosen)(const struct session *, enum module, int, int));

/* The same for a function that also takes `context`. */
char *describe_chosen(const struct session *session,
                      bool (*chosen)(const struct session *, enum module, int, int, const void *),
                      const void *context);

#endif
