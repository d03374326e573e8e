/* Ablation on a contrastive suite: which decisions depend on which heads.
 *
 *     fill in the request (its files are the suite's), the ablations and normalize;
 *     contrast_ablate_run; contrast_ablate_free
 */
#ifndef ATTNSCOPE_CONTRAST_ABLATE_H
#define ATTNSCOPE_CONTRAST_ABLATE_H

#include "model/study/ablate.h"
#include "model/study/contrast_study.h"

/* The decisions with one ablation. */
struct decider {
    int correct;
    int lost, won;        // decisions correct only without, and only with the ablation
    double p, p_adjusted; // McNemar's test; adjusted by Holm's method for all ablations (holm.h)
};

struct contrast_ablate_result {
    struct ablate_request ablate; // owned; its files are the suite's
    const struct suite_run *run;  // borrowed; the run without an ablation
    enum contrast_normalize normalize;
    int decisions, correct;         // without an ablation
    struct ablation_list ablations; // owned
    struct decider *rows;           // (ablations.count)
    int done; // how many of the first ablations are scored; p_adjusted is known when all are
    struct flips_result
        shown; // the decisions of ablate.shown; suite NULL: not requested or not done
    struct contrast_scores *shown_scores; // the scores of `shown`; owned
};
void contrast_ablate_free(struct contrast_ablate_result *result); // leaves it empty

/* After a stop (STATUS_CANCELLED), out->done is the number of finished ablations. */
bool contrast_ablate_run(const struct study_context *context, struct contrast_ablate_result *out,
                         struct status *status);

#endif
