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

struct translating {
    const struct session *session; // in the state that translates
    const char *path;              // of the lines, for messages
    const struct lines *lines;
    char **texts;              // (lines->count), strings of the caller; NULL: not translated yet
    int64_t tokens;            // of what was translated, end-of-sentence included
    struct progress *progress; // its total: the source tokens of all that is to be translated
};

/* Checks every line that some of the states (count) has no translation of yet and adds its source tokens to
 * *tokens, once for each of these states. */
bool translating_measure(const struct translating *states, int count, double *tokens,
                         struct status *status);

/* How many lines of so many states go at once: the search takes the longest first, and what is left of a chunk
 * after Ctrl-C is lost. */
int translating_step(const struct session *session, int count);

/* Translates the lines first … last-1 under the states that have no translation of them yet; lines and progress
 * are those of the first. After a failure those that were finished have one. The line of progress is taken
 * away. */
bool translating_chunk(struct translating *states, int count, int first, int last,
                       struct status *status);

/* How many lines from the first on have a translation. */
int translating_finished(const struct translating *translating);

#endif
