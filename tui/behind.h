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

/* Fills in `shown`, which is zero: a is the state in force, b that with these dials. What the session has no
 * translation of any more is translated again. */
bool behind_open(struct session *session, const struct behind *behind, struct dials *dials,
                 struct study_result *shown, struct status *status);

#endif
