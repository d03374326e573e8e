/* The data of `:beside`: two states side by side, the difference in each head's attention between
 * them (beside_heads.c), and the reports of both (report_beside.c). */
#ifndef ATTNSCOPE_BESIDE_H
#define ATTNSCOPE_BESIDE_H

#include "report/report.h"
#include "report/view.h"
#include "session/selector.h"

/* The current sentence in one state. */
struct beside_side {
    char *name;                      // the state's
    struct loaded *loaded;           // borrowed; lives as long as the session
    struct sentence_pair *pair;      // with the state's head settings and search
    struct attention_view attention; // over its own or the given translation
};

/* a is side[0], b is side[1]; all views are the session's current view. */
struct beside {
    struct beside_side side[2];
    const char *names[2]; // shown to people: "before" and "after" the last change, else "a", "b"
    struct attention_view difference; // b - a, in a's tokens; weights NULL: none
    bool forced;                      // over a's translation, forced in b
    char *note;                       // one line on the difference; NULL: none
};
void beside_free(struct beside *beside);
/* "b − a: both given translation a"; owned by the report. */
const char *beside_forced(struct report *report, const struct beside *beside);

/* Takes pairs and weights. */
bool report_beside(struct report *report, const struct session *session, struct beside *beside,
                   struct status *status);

/* All heads ------------------------------------------------------------------------------------ */

struct head_change {
    enum module module;
    int layer, head; // 0-based
    double change;   // mean over the rows of the total variation distance, in [0, 1]; 0: identical
    float largest;   // the difference b - a furthest from 0
    const char *row, *column; // its place, as shown to people; owned by the report
    bool off[2];              // in a and in b
};

struct head_changes {
    struct head_change *heads; // (count), the greatest change first
    int count;
    size_t capacity;
    bool words, forced;
    const char *note; // one line on what could not be compared; owned by the report; NULL: none
};

/* Fills in the heads that both states have and the selector (parsed for HEADS_SINGLE) names;
 * without a module, heads of all modules. `beside` must hold both states' pairs. If the
 * translations differ, b is forced to a's. The caller frees changes->heads, also after a
 * failure. */
bool head_changes_find(const struct session *session, const struct saved_state states[2],
                       const struct beside *beside, const struct selector *selector,
                       struct head_changes *changes, struct report *report, struct status *status);

/* Takes the pairs. `selection`: the words with which the command selected heads. */
bool report_beside_heads(struct report *report, const struct session *session,
                         struct beside *beside, const struct head_changes *changes,
                         const char *selection, struct status *status);

#endif
