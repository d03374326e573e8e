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

/* Lines that several files are translations of. */
struct shared_lines {
    struct lines lines;
    int users;
};

struct translated {
    struct loaded *loaded; // the state
    struct dials *dials;
    struct search_options search;
    struct shared_lines *sources;
    char **texts; // (sources->lines.count), NULL: not translated yet
};

struct translations {
    struct translated **files; // (count), the one last asked for first
    int count;
    size_t capacity;
    int wanted; // at once, by translations_want
};
void translations_free(struct translations *translations); // leaves it empty

/* So many of those asked for from now on are needed at the same time; a few more than that are kept. */
void translations_want(struct translations *translations, int count);

/* The translations of these lines under a state, as far as there are any. Owned by `translations` until a
 * few others, or as many as are wanted, are asked for. NULL: out of memory. */
struct translated *translations_get(struct translations *translations,
                                    const struct saved_state *state, const struct lines *sources,
                                    struct status *status);

/* Asks for them again where there are any, so that others go first. */
void translations_touch(struct translations *translations, const struct saved_state *state,
                        const struct lines *sources);

#endif
