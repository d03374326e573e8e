/* Translating the lines of a file in chunks: shown, and stopped at Ctrl-C.
 *
 *     translating_measure; progress_begin; translating_chunk for lines 0 … step-1, step … and so on;
 *     step is translating_step's
 *
 * A line that is blank has an empty translation.
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

/* Checks every line that has no translation yet and adds its source tokens to *tokens. */
bool translating_measure(const struct translating *translating, double *tokens,
                         struct status *status);

/* How many lines go at once: the search takes the longest first, and what is left of a chunk after Ctrl-C is
 * lost. */
int translating_step(const struct session *session);

/* Translates the lines first … last-1 that have no translation yet. After a failure those that were
 * finished have one. The line of progress is taken away. */
bool translating_chunk(struct translating *translating, int first, int last, struct status *status);

/* How many lines from the first on have a translation. */
int translating_finished(const struct translating *translating);

#endif
