/* The report of `:head`. */
#ifndef ATTNSCOPE_REPORT_HEAD_H
#define ATTNSCOPE_REPORT_HEAD_H

#include "model/study/alignment/align_files.h"
#include "model/study/sentences/head_card.h"
#include "report/report.h"

/* A head's card, and what its report needs. */
struct head_report {
    const struct session *session;
    struct report *report;
    struct head_card card;
    const char *gold;          // NULL: none
    struct align_result align; // of the head, if there is GOLD
    const char *files;         // SRC and TGT as words, each after a blank; "": a sentence
    const char *all_files;     // the same with GOLD
    const char *selector;      // "cross layer 2 head 7"
    struct table *table;
};

static inline const struct head_stats *head_report_stats(const struct head_report *work)
{
    return &work->card.result->stats;
}

static inline double head_report_mean(const struct head_report *work, enum head_measure measure)
{
    return head_mean(head_report_stats(work), work->card.module, work->card.index, measure);
}

/* Fills work->report. In JSON `module`, `layer`, `head`, `name`, `summary`, `file` and `target`
 * (null: none), `sentences`, `partial`, `rows`, `measure` (of the examples); lists of [{`name`,
 * `share`}]: `places`, `offsets`, `tokens`, for a CoNLL-U file `pos`, `relations`; `pairs` [{`row`,
 * `column`, `count`, `weight`}], `examples` as in `:stats`, `nearest` [{`layer`, `head`, `name`,
 * `distance`}]; `shift` with `aer`, or with `against`, `agreement`, `silver_aer`; `setting`, `off`,
 * `importance`; with entmax `alpha`, `zeros`. */
bool report_head(struct head_report *work, struct status *status);

/* What the head does, as a sentence with its evidence: "Each token looks at the one before it:
 * 61 % of the weight is there." */
const char *head_sentence(const struct head_report *work);

#endif
