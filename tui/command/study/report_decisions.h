/* Lists of decisions of a contrastive suite, in the reports of `:contrast`, `:flips` and `:contrast
 * … ablate show N`. There may be very many decisions: their rows are made when they are read.
 */
#ifndef ATTNSCOPE_REPORT_DECISIONS_H
#define ATTNSCOPE_REPORT_DECISIONS_H

#include "model/study/contrast/contrast.h"
#include "tui/report/report.h"

/* All is borrowed, and outlives the report. */
struct decision_list {
    const struct suite *suite;
    const struct contrast_scores *scores[2]; // in one state (the second NULL), or before and after
    enum contrast_normalize normalize;
    const int *numbers; // (count): which decisions, from 0; NULL: the first ones
    int count;
};

/* Each decision with its candidates, as `key` in JSON. Of two states csv has a line for each. */
void report_decisions(struct report *report, unsigned in, const char *key,
                      const struct decision_list *list);
/* A line for each candidate, for csv alone; of one state. */
void report_candidates(struct report *report, const struct decision_list *list);
/* The table of the screen: Enter on a row opens the source and forces the reference. */
void report_decision_sheet(struct report *report, const struct decision_list *list);

#endif
