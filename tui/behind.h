/* The sentences behind a row of a study with heads off: those that are translated otherwise then, as many as
 * `:compare` lists, those whose BLEU differs most first.
 */
#ifndef ATTNSCOPE_BEHIND_H
#define ATTNSCOPE_BEHIND_H

#include "tui/parallel.h"
#include "tui/session.h"
#include "tui/study.h"

struct behind {
    const char *path; // of the sources, for messages
    const struct parallel *files;
    const struct study_settings *settings;
    int sentences; // those scored, the first of the files' lines
};

/* Fills in `shown`, which is zero: a without and b with the heads off, from their translations (sentences). */
bool behind_list(const struct behind *behind, const char *const *without, const char *const *with,
                 struct study_result *shown, struct status *status);

/* The same with translations that the session keeps, of the state in force and that with these dials. What it
 * does not have any more is translated again. */
bool behind_open(struct session *session, const struct behind *behind, struct dials *dials,
                 struct study_result *shown, struct status *status);

#endif
