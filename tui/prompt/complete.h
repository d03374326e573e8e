/* Completes a line being typed, from the table of commands and the session.
 *
 * Changes and shows nothing. A new kind of argument (argument.h) needs a line in the table of
 * complete.c.
 */
#ifndef ATTNSCOPE_COMPLETE_H
#define ATTNSCOPE_COMPLETE_H

#include "model/text/text.h"
#include "session/session.h"

struct completions {
    size_t start;         // the byte of the line where the word to replace begins
    struct strings words; // as typed, with quotes if needed; sorted, without duplicates
};

/* Completes `line` at byte `cursor`; text after the cursor is ignored. An empty list is not a
 * failure. The caller frees `completions` with completions_free, also after a failure. */
bool complete(const struct session *session, const char *line, size_t cursor,
              struct completions *completions, struct status *status);
void completions_free(struct completions *completions); // leaves it empty

/* The length in bytes of the words' common prefix: whole characters, and no backslash without the
 * character it quotes. */
size_t completions_common(const struct completions *completions);

/* True if the word can be continued because it is a folder. */
bool completion_open(const char *word);

#endif
