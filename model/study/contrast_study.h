/* Scores a contrastive suite from files with a model, and compares its decisions in two states.
 *
 *     fill in the request and normalize; contrast_run; contrast_free
 */
#ifndef ATTNSCOPE_CONTRAST_STUDY_H
#define ATTNSCOPE_CONTRAST_STUDY_H

#include "model/study/contrast/contrast_groups.h"
#include "model/study/study.h"
#include "model/study/study_context.h"
#include "model/text/text.h"

struct contrast_request {
    struct strings files; // JSON or a folder; SRC CORRECT INCORRECT…
    int by;               // enum contrast_by: the only kind of groups; CONTRAST_BYS: all kinds
    int listed;           // a group, LISTED_NONE or LISTED_ALL
};

struct contrast_result {
    struct contrast_request request; // owned
    const struct suite_run *run;     // borrowed
    enum contrast_normalize normalize;
    int decisions, correct; // of the scored items
    struct contrast_groups groups;
    int *list; // (list_count): decisions, the smallest margin first
    int list_count;
};
void contrast_free(struct contrast_result *contrast); // leaves it empty

/* Reads the suite and computes the scores that are not cached. After a stop (STATUS_CANCELLED),
 * out->run has the finished scores, or is NULL if no scores are finished. It is also NULL after any
 * other failure, and if only a part is computed. */
bool contrast_run(const struct study_context *context, struct contrast_result *out,
                  struct status *status);

/* Step 3 of contrast_run: computes the decisions from the scores of the run. */
bool contrast_make(struct contrast_result *contrast, struct status *status);
/* Step 1: finds the run of the suite in the state of the context, with its cached scores. NULL on
 * failure. */
struct suite_run *contrast_find(const struct study_context *context, const struct strings *files,
                                struct status *status);
/* Step 2: computes the missing scores. After a stop (STATUS_CANCELLED), the finished scores stay in
 * the run. */
bool contrast_score_rest(const struct study_context *context, struct suite_run *run,
                         struct status *status);
/* Sets `status` to the message on how many items were scored before the stop. Returns false. */
bool contrast_tell_stopped(const struct suite_run *run, struct status *status);

/* True if some items have not been scored. */
bool contrast_partial(const struct contrast_result *contrast);

/* Decisions of a suite that differ between two states: before and after. */
struct flips_result {
    const struct suite *suite;               // borrowed
    const struct contrast_scores *scores[2]; // borrowed
    const struct suite_run *runs[2];         // borrowed; the runs that own the scores
    enum contrast_normalize normalize;
    int decisions;  // compared decisions: those scored by both runs
    int correct[2]; // before and after
    int lost, won;  // correct only before, only after
    double p;       // McNemar's
    int *list;      // (lost + won): decisions, in the order of the suite
};
void flips_free(struct flips_result *flips); // leaves it empty

/* Compares the scores. The caller has filled in suite, scores and normalize. */
bool flips_make(struct flips_result *flips, struct status *status);

#endif
