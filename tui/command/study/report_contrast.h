/* Reports of `:contrast` and `:flips`. They borrow the findings, which outlive them. */
#ifndef ATTNSCOPE_REPORT_CONTRAST_H
#define ATTNSCOPE_REPORT_CONTRAST_H

#include "model/study/contrast/contrast.h"
#include "model/study/contrast_ablate.h"
#include "model/study/several_states.h"
#include "report/report.h"
#include "tui/command/study/report_ablation.h"

/* contrast_free and the like, for what reports hold. */
void contrast_release(void *contrast);
void contrast_ablate_release(void *ablate);
void flips_release(void *flips);

/* Reports how often a state is right, by groups, and the decisions of one. JSON: `file`, `files`,
 * `normalize`, `items` (those scored), `partial`, `decisions`, `correct`, `accuracy`, `groups`
 * [{`by`, `name`, `decisions`, `correct`}]; of a group that was asked for `listed` [{`file`,
 * `number`, `type`, `sense`, `distance`, `frequency` (null: the suite does not say), `source`,
 * `correct`, `candidates` [{`text`, `logprob`, `tokens`, `score`}]: the reference, then those with
 * errors}]. */
void report_contrast(struct report *report, const struct session *session,
                     const struct contrast_result *contrast);
/* The same in several states, side by side. */
void report_contrast_in_states(struct report *report, const struct several_states *several);
/* The same with heads off, as `words` asked for. JSON: `ablations` [{`module`, `layer` and `head`
 * (null: every one), `correct`, `accuracy`, `lost`, `won`, `p`, `p_adjusted` (null: not all
 * ablations are there)}]; `show` and `flips` as below, where those of one were asked for. */
void report_contrast_ablate(struct report *report, const struct session *session,
                            const struct ablate_words *words,
                            const struct contrast_ablate_result *ablate);
/* Reports the decisions that differ in two states. JSON: `before` and `after` {`model`, `disabled`,
 * `changed`, `correct`, `accuracy`}, `lost`, `won`, `p`, `flips` [as `listed`, `won` in place of
 * `correct`, and of the candidates `before` and `after` {`logprob`, `tokens`, `score`}]. */
void report_flips(struct report *report, const struct session *session,
                  const struct flips_result *flips);

/* Lists of decisions (report_decisions.c) ------------------------------------------------------ */

/* There may be very many: their rows are made when they are read. All is borrowed, and outlives the
 * report. */
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
