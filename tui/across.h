/* The same scores in several states of a session: what `:bleu … in STATE…` and `:contrast … in STATE…` find
 * out, a table of groups by states.
 *
 *     across_open; one result after the other, of the state names.text[done], after which `done` is one more;
 *     across_row; across_free
 */
#ifndef ATTNSCOPE_ACROSS_H
#define ATTNSCOPE_ACROSS_H

#include "tui/contrast.h"
#include "tui/study.h"

#define ACROSS_IN "in"
enum { ACROSS_MOST = 6 }; // as many colours as figures have

struct across_result {
    struct pieces names;               // of the states; owned
    int done;                          // states that are finished, from the first on
    struct study_result *studies;      // (names.count), `:bleu`; NULL: it is
    struct contrast_result *contrasts; // (names.count), `:contrast`
};
void across_free(struct across_result *across); // leaves it empty

/* Whether `in` is among a command's words; a file that is called so is ./in. */
bool across_asked(const struct pieces *words);
/* The states after `in`, words first … of a command: all that are left, two at least. */
bool across_parse(const struct pieces *words, int first, struct pieces *states,
                  struct status *status);

/* Finds the states by name; `across` is zero. across_free in either case. */
bool across_open(struct session *session, const struct pieces *states, bool of_contrasts,
                 struct across_result *across, struct status *status);

/* Whether the state's groups are the first one's: its files were read anew, and may have changed. */
bool across_agree(const struct across_result *across, int state, struct status *status);

/* After one of the states failed, for the command to return: false. What is finished is kept after Ctrl-C
 * alone. */
bool across_stop(struct across_result *across, struct status *status);

/* The groups of all states, which are the same, and after them all sentences or decisions. */
struct across_row {
    const char *by;   // what kind of group: "length", "distance"; of the last row ""
    const char *name; // borrowed
    int size;         // sentences or decisions
    double values
        [ACROSS_MOST]; // of the states that are finished: BLEU, or share of correct decisions; NaN: none
};
int across_groups(const struct across_result *across); // without the last
struct across_row across_row(const struct across_result *across, int row);

/* "BLEU", "accuracy" */
const char *across_measure(const struct across_result *across);

#endif
