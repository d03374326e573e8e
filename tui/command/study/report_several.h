/* The same scores in several states, in the reports of `:bleu … in A B` and `:contrast … in A
 * B`. */
#ifndef ATTNSCOPE_REPORT_SEVERAL_H
#define ATTNSCOPE_REPORT_SEVERAL_H

#include "model/study/several_states.h"
#include "tui/report/report.h"

/* several_states_free, for what reports hold. */
void several_states_release(void *several);

/* All states as the report's origin. */
bool report_several_origin(struct report *report, const struct session *session,
                           const struct strings *names, struct status *status);

/* " in vanilla.bin current": for the report's command. */
const char *report_in_states(struct report *report, const struct strings *names);

/* Lines on what is missing, a table of the states, and one of groups by states; in JSON `partial`,
 * `states` [{`state`, `parameters`, `score` and `chrf`, or `accuracy`}], `sentences` or
 * `decisions`, `groups` [{`by`, `name`, `sentences` or `decisions`, `scores` or `accuracies` (one a
 * state; null: none)}]. Borrows what it is given. `measure`: a line on what is measured; NULL:
 * none. `grouped`: by groups that were asked for; else .tex, .md and pictures have the table of the
 * states. */
void report_several_states(struct report *report, const struct several_states *several,
                           const char *measure, bool grouped);

/* A plot for figures of groups first … first+count-1 of all states, several_states_groups of all:
 * its titles and labels are to be filled in. */
struct plot *report_several_plot(struct report *report, const struct several_states *several,
                                 enum plot_kind kind, int first, int count);

#endif
