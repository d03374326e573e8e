/* Translating the lines of a file in chunks: shown, and stopped at Ctrl-C.
 *
 *     translating_measure; progress_begin; translating_chunk for lines 0 … step-1, step … and so on;
 *     step is translating_step's
 *
 * Several states of one model that differ in their dials alone go together: they share batches, and a source is
 * read once for all of them. A line that is blank has an empty translation.
 */
#ifndef ATTNSCOPE_TRANSLATING_H
#define ATTNSCOPE_TRANSLATING_H

#include "tui/lines.h"
#include "tui/progress.h"
#include "tui/session.h"

/* Who works on with translations as they come, so that little is left to do at the end, or after Ctrl-C. */
struct follower {
    /* Called on the calling thread after every translation, which is among the texts. False: all ends, and why
     * is in `status`. */
    bool (*follow)(void *context, struct status *status);
    void *context;
};

struct translating {
    const struct session *session; // in the state that translates
    const char *path;              // of the lines, for messages
    const struct lines *lines;
    char **texts;              // (lines->count), strings of the caller; NULL: not translated yet
    int64_t tokens;            // of what was translated, end-of-sentence included
    struct progress *progress; // its total: the source tokens of all that is to be translated
    const struct follower *follower; // NULL: none
};

/* Checks every line that some of the states (count) has no translation of yet and adds its source tokens to
 * *tokens, once for each of these states. */
bool translating_measure(const struct translating *states, int count, double *tokens,
                         struct status *status);

/* How many lines of so many states go at once. The search takes the longest first, so that after Ctrl-C hardly any
 * line of a chunk has those before it translated too: in the first chunk it takes few lines at first, then twice
 * as many. */
int translating_step(const struct session *session, int count);

/* Translates the lines first … last-1 under the states that have no translation of them yet; lines, progress and
 * follower are those of the first. After a failure those that were finished have one. The line of progress is taken
 * away. */
bool translating_chunk(struct translating *states, int count, int first, int last,
                       struct status *status);

#endif
