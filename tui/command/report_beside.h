/* Two states side by side, and the report of them. */
#ifndef ATTNSCOPE_REPORT_BESIDE_H
#define ATTNSCOPE_REPORT_BESIDE_H

#include "tui/report/report.h"
#include "tui/report/view.h"

/* The current sentence in one state. */
struct beside_side {
    char *name;                      // the state's
    struct loaded *loaded;           // borrowed: stays as long as the session
    struct sentence_pair *pair;      // its head settings and search are the state's
    struct attention_view attention; // over its own translation, or over the given one
};

/* a is side[0], b side[1]; all views are the session's current one. */
struct beside {
    struct beside_side side[2];
    struct attention_view difference; // b - a, in a's tokens; weights NULL: none
    bool forced;                      // it is over a's translation, forced in b
    char *note;                       // one line on the difference; NULL: nothing to say
};
void beside_free(struct beside *beside);

/* Pairs and weights are taken. */
bool report_beside(struct report *report, const struct session *session, struct beside *beside,
                   struct status *status);

#endif
