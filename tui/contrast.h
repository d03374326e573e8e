/* What `:contrast` and `:flips` find out.
 *
 *     contrast_make fills a result whose request, run, normalize and listed group are there; contrast_free
 */
#ifndef ATTNSCOPE_TUI_CONTRAST_H
#define ATTNSCOPE_TUI_CONTRAST_H

#include "model/study/contrast_groups.h"
#include "model/text/text.h"
#include "tui/contrasted.h"
#include "tui/study.h"

/* What is asked for, as the command says it. */
struct contrast_request {
    struct pieces files;  // JSON or a folder; SRC CORRECT INCORRECT…
    int by;               // the only kind of groups, of enum contrast_by; CONTRAST_BYS: all kinds
    int listed;           // a group, LISTED_NONE or LISTED_ALL
    struct pieces states; // to be scored in, one after the other; none: the current one
};

struct contrast_result {
    struct contrast_request request; // owned
    const struct contrasted *run;    // borrowed
    enum contrast_normalize normalize;
    int decisions, correct; // of the items that have been scored
    struct contrast_groups groups;
    int *list; // (list_count): decisions, the least margin first
    int list_count;
};
void contrast_free(struct contrast_result *contrast); // leaves it empty

bool contrast_make(struct contrast_result *contrast, struct status *status);

/* Whether some items have not been scored. */
bool contrast_partial(const struct contrast_result *contrast);

/* The value of candidate c of an item, 0 the reference. */
double contrast_candidate(const struct contrast_result *contrast, int item, int candidate);

/* Decisions of a suite that two states make differently: before and after. */
struct flips_result {
    const struct suite *suite;               // borrowed
    const struct contrast_scores *scores[2]; // borrowed
    const struct contrasted *runs[2];        // borrowed; of `:flips`
    enum contrast_normalize normalize;
    int decisions;  // compared: those that both have scored
    int correct[2]; // before and after
    int lost, won;  // correct before alone, after alone
    double p;       // McNemar's
    int *list;      // (lost + won): decisions, in the order of the suite
};
void flips_free(struct flips_result *flips); // leaves it empty

/* Compares the scores by normalize, which are there with the suite. */
bool flips_make(struct flips_result *flips, struct status *status);

#endif
