/* Reports of `:contrast` and `:flips`. They borrow the results, which outlive them. */
#ifndef ATTNSCOPE_REPORT_CONTRAST_H
#define ATTNSCOPE_REPORT_CONTRAST_H

#include "model/study/contrast/contrast.h"
#include "model/study/contrast_ablate.h"
#include "model/study/several_states.h"
#include "report/report.h"
#include "tui/command/study/report_ablation.h"

/* contrast_free etc. as release functions of reports (report_keep). */
void contrast_release(void *contrast);
void contrast_ablate_release(void *ablate);
void flips_release(void *flips);

/* Reports how often a state is right, by groups, and the decisions of one group. JSON: `file`,
 * `files`, `normalize`, `items` (those scored), `partial`, `decisions`, `correct`, `accuracy`,
 * `groups` [{`by`, `name`, `decisions`, `correct`}]; for a requested group `listed` [{`file`,
 * `number`, `type`, `sense`, `distance`, `frequency` (null: the suite does not say), `source`,
 * `correct`, `candidates` [{`text`, `logprob`, `tokens`, `score`}]: the reference, then those with
 * errors}]. */
void report_contrast(struct report *report, const struct session *session,
                     const struct contrast_result *contrast);
/* The same for several states, side by side. */
void report_contrast_in_states(struct report *report, const struct several_states *several);
/* The same with the heads off that `words` requests. JSON: `ablations` [{`module`, `layer` and
 * `head` (null: all), `correct`, `accuracy`, `lost`, `won`, `p`, `p_adjusted` (null: some ablations
 * are missing)}]; `show` and `flips` as below, if requested for one ablation. */
void report_contrast_ablate(struct report *report, const struct session *session,
                            const struct ablate_words *words,
                            const struct contrast_ablate_result *ablate);
/* Reports the decisions that differ between two states. JSON: `before` and `after` {`model`,
 * `disabled`, `changed`, `correct`, `accuracy`}, `lost`, `won`, `p`, `flips` [as `listed`, with
 * `won` instead of `correct`, and for the candidates `before` and `after` {`logprob`, `tokens`,
 * `score`}]. */
void report_flips(struct report *report, const struct session *session,
                  const struct flips_result *flips);

/* Lists of decisions (report_decisions.c) ------------------------------------------------------ */

/* Lists may be long: rows are generated on demand. Everything is borrowed and outlives the
 * report. */
struct decision_list {
    const struct suite *suite;
    const struct contrast_scores *scores[2]; // in one state (the second NULL), or before and after
    enum contrast_normalize normalize;
    const int *numbers; // (count): the decisions, from 0; NULL: the first `count`
    int count;
};

/* Each decision with its candidates, as `key` in JSON. For two states csv has a line for each. */
void report_decisions(struct report *report, unsigned in, const char *key,
                      const struct decision_list *list);
/* One line per candidate, only for csv; for one state. */
void report_candidates(struct report *report, const struct decision_list *list);
/* The table on the screen: Enter on a row opens the source and forces the reference. */
void report_decision_sheet(struct report *report, const struct decision_list *list);

#endif
