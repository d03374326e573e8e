/* What may come next in a line that is being typed, from the table of commands and the session.
 *
 * Pure: nothing is changed, nothing shown. A new kind of argument is a bit of enum completion_kind
 * (commands.h) and a line in the table of
 * complete_kinds.c.
 */
#ifndef ATTNSCOPE_COMPLETE_H
#define ATTNSCOPE_COMPLETE_H

#include "model/text/text.h"
#include "tui/session.h"

struct completions {
    size_t start;        // byte of the line where the word begins that each of them would replace
    struct pieces words; // as they are typed, with quotes where they need them; sorted, each once
};

/* Completes `line` at byte `cursor`; what stands behind it is not looked at. Nothing to offer is no failure.
 * Freed with completions_free, also after a failure. */
bool complete(const struct session *session, const char *line, size_t cursor,
              struct completions *completions, struct status *status);
void completions_free(struct completions *completions); // leaves it empty

/* Bytes that all of them begin with: whole characters, and no backslash without what it quotes. */
size_t completions_common(const struct completions *completions);

/* Whether the word goes on behind this one: a folder. */
bool completion_open(const char *word);

#endif
