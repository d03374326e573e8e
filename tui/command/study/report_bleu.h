/* The reports of `:bleu` and `:compare`: scores of translations, by groups of length. */
#ifndef ATTNSCOPE_REPORT_BLEU_H
#define ATTNSCOPE_REPORT_BLEU_H

#include "model/study/several_states.h"
#include "tui/report/report.h"

/* Fills in all but the origin. Borrows the study, of which at least one sentence is scored. In
 * JSON:
 *
 * `:bleu`: `name`, `score`, `signature`, `verbose_score`, `chrf` {`name`, `score`, `signature`},
 * `scored`, `files`, `sentences`, `partial`, `by` ("source", "reference"), `groups` [{`name`,
 * `sentences`, `score`, `verbose_score`, `chrf`}]; of a group that was asked for `listed`
 * [{`number`, `group`, `length`, `score`, `chrf`, `text`, `reference`}].
 *
 * `:compare`: `a` and `b` {`state`, `score`, `verbose_score`, `chrf`}; `tests` [{`name`,
 * `signature`, `a` and `b` {`score`, `mean`, `interval`}, `difference`: b - a, `interval`,
 * `p_bootstrap`, `p_randomisation`, `differing`: sentences that score otherwise}], null where they
 * were not done; `files`, `sentences`, `partial`, `by`, `groups` and `listed` as above, scores in
 * `a` and `b`; `differing`: sentences that are translated otherwise. */
void report_scores(struct report *report, const struct study_result *study);

/* The same for `:bleu … in A B`, of at least one state that is scored: `name`, `signature`, `by`,
 * `files`, and what report_study.h says of several states. */
void report_studies(struct report *report, const struct several_states *several);

#endif
