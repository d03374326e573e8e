/* What decisions heads are behind: a contrastive suite with heads off, beside all that are on.
 *
 *     contrast_ablate_row for each ablation in turn, contrast_ablate_adjust after the last; contrast_ablate_free
 */
#ifndef ATTNSCOPE_CONTRAST_ABLATE_H
#define ATTNSCOPE_CONTRAST_ABLATE_H

#include "tui/ablate.h"
#include "tui/contrast.h"

/* One ablation. */
struct decider {
    int correct;
    int lost, won;        // decisions that are correct only without it, only with it
    double p, p_adjusted; // McNemar's; by Holm's method, among all (holm.h)
};

struct contrast_ablate_result {
    struct ablate_request ablate; // owned; its files are the suite's
    const struct contrasted *run; // borrowed: without an ablation
    enum contrast_normalize normalize;
    int decisions, correct; // without an ablation
    struct ablation_list ablations;
    struct decider *rows; // (ablations.count)
    int done;             // ablations scored, from the first on; p_adjusted is known when all are
    struct flips_result shown;            // of ablate.shown; suite NULL: not asked for, or not done
    struct contrast_scores *shown_scores; // with it; owned
};
void contrast_ablate_free(struct contrast_ablate_result *result); // leaves it empty

/* Fills in the next row from the scores with its ablation. */
bool contrast_ablate_row(struct contrast_ablate_result *result,
                         const struct contrast_scores *scores, struct status *status);
bool contrast_ablate_adjust(struct contrast_ablate_result *result, struct status *status);

#endif
