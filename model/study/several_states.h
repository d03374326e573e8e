/* The same study in several states: a table of groups by states.
 *
 *     several_states_open; for each state names.text[done], fill in its result and increase `done`;
 *     several_row; several_states_free
 */
#ifndef ATTNSCOPE_SEVERAL_STATES_H
#define ATTNSCOPE_SEVERAL_STATES_H

#include "model/study/contrast_study.h"
#include "model/study/study.h"

enum { SEVERAL_MOST = 6 }; // the number of colours in figures

struct several_states {
    struct strings names;              // of the states; owned
    int done;                          // how many of the first states are finished
    struct study_result *studies;      // (names.count), for test sets; NULL: suites
    struct contrast_result *contrasts; // (names.count), for contrastive suites; NULL: test sets
};
void several_states_free(struct several_states *several); // leaves it empty

/* Allocates the results. `names` has at least two states; everything else in `several` is zero.
 * Call several_states_free in either case. */
bool several_states_open(bool of_contrasts, struct several_states *several, struct status *status);

/* The result of a state, for the caller to fill in. */
void *several_states_result(struct several_states *several, int state);

/* Fails if the groups of a state differ from those of the first, because the files have changed in
 * between. */
bool several_states_agree(const struct several_states *several, int state, struct status *status);

/* Call after a state has failed. Returns false. After a stop, the message gives the number of
 * scored states. */
bool several_states_stop(struct several_states *several, struct status *status);

/* A row for one of the groups, which are the same in all states. The last row is for all sentences
 * or decisions. */
struct several_row {
    const char *by;   // the kind of group: "length", "distance"; "" in the last row
    const char *name; // borrowed
    int size;         // sentences or decisions
    double values
        [SEVERAL_MOST]; // of the finished states: BLEU, or the share of correct decisions; NaN:
                        // none
};
int several_states_groups(
    const struct several_states *several); // the number of rows, not counting the last
struct several_row several_row(const struct several_states *several, int row);

/* "BLEU", "accuracy" */
const char *several_states_measure(const struct several_states *several);

#endif
