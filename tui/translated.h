/* Translations of files that a session has made, kept for commands that ask for them again: to score them by
 * other groups, to look at single sentences, to export. A few files are kept; the one not asked for the
 * longest goes first.
 *
 * They are a file's lines under a state, whatever the file is called; what a command stopped at Ctrl-C had
 * finished is among them.
 */
#ifndef ATTNSCOPE_TRANSLATED_H
#define ATTNSCOPE_TRANSLATED_H

#include "tui/lines.h"
#include "tui/states.h"

enum { TRANSLATED_MOST = 4 };

struct translated {
    struct loaded *loaded; // the state
    struct dials *dials;
    struct search_options search;
    struct lines sources;
    char **texts; // (sources.count), NULL: not translated yet
};

struct translations {
    struct translated *files[TRANSLATED_MOST]; // (count), the one last asked for first
    int count;
};
void translations_free(struct translations *translations); // leaves it empty

/* The translations of these lines under a state, as far as there are any. Owned by `translations` until a
 * few others are asked for. NULL: out of memory. */
struct translated *translations_get(struct translations *translations,
                                    const struct saved_state *state, const struct lines *sources,
                                    struct status *status);

#endif
