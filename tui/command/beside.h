/* Two states side by side, the difference in each head's attention between them (beside_heads.c),
 * and the reports of both (report_beside.c): what `:beside` shows. */
#ifndef ATTNSCOPE_BESIDE_H
#define ATTNSCOPE_BESIDE_H

#include "report/report.h"
#include "report/view.h"
#include "session/selector.h"

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
    const char *names[2]; // of both to people: "before" and "after" the last change, else "a", "b"
    struct attention_view difference; // b - a, in a's tokens; weights NULL: none
    bool forced;                      // it is over a's translation, forced in b
    char *note;                       // one line on the difference; NULL: nothing to say
};
void beside_free(struct beside *beside);
/* "b − a: both given translation a"; of the report. */
const char *beside_forced(struct report *report, const struct beside *beside);

/* Pairs and weights are taken. */
bool report_beside(struct report *report, const struct session *session, struct beside *beside,
                   struct status *status);

/* All heads ------------------------------------------------------------------------------------ */

struct head_change {
    enum module module;
    int layer, head; // 0-based
    double change;   // mean over the rows of the total variation distance, in [0, 1]; 0: identical
    float largest;   // the difference b - a that is furthest from 0
    const char *row, *column; // its place, as people read it; of the report
    bool off[2];              // in a and in b
};

struct head_changes {
    struct head_change *heads; // (count), the greatest change first
    int count;
    size_t capacity;
    bool words, forced;
    const char *note; // one line on what could not be compared; of the report; NULL: nothing to say
};

/* Fills in the heads that both states have and that the selector, parsed for HEADS_SINGLE, says:
 * without a module those of all modules. Both states' pairs must be in `beside`. Where the
 * translations differ, b is forced to a's. The caller frees changes->heads, also after a
 * failure. */
bool head_changes_find(const struct session *session, const struct saved_state states[2],
                       const struct beside *beside, const struct selector *selector,
                       struct head_changes *changes, struct report *report, struct status *status);

/* Pairs are taken. `selection`: the words that the command selected heads with. */
bool report_beside_heads(struct report *report, const struct session *session,
                         struct beside *beside, const struct head_changes *changes,
                         const char *selection, struct status *status);

#endif
