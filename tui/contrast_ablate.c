#include "tui/contrast_ablate.h"

#include <stdlib.h>

#include "model/study/holm.h"

void contrast_ablate_free(struct contrast_ablate_result *result)
{
    ablate_request_free(&result->ablate);
    ablation_list_free(&result->ablations);
    free(result->rows);
    flips_free(&result->shown);
    if (result->shown_scores)
        contrast_scores_free(result->shown_scores);
    free(result->shown_scores);
    *result = (struct contrast_ablate_result){.run = NULL};
}

/* Keeps what is shown of an ablation; takes the flips. */
static bool keep_shown(struct contrast_ablate_result *result, struct contrast_scores *scores,
                       struct flips_result *flips, struct status *status)
{
    result->shown = *flips;
    result->shown_scores = memory_new(1, sizeof *result->shown_scores, status);
    if (!result->shown_scores)
        return false;
    *result->shown_scores = *scores;
    *scores = (struct contrast_scores){0};
    result->shown.scores[1] = result->shown_scores;
    return true;
}

bool contrast_ablate_row(struct contrast_ablate_result *result, struct contrast_scores *scores,
                         struct status *status)
{
    struct flips_result flips = {.suite = &result->run->suite,
                                 .scores = {&result->run->scores, scores},
                                 .normalize = result->normalize};
    bool ok = flips_make(&flips, status);
    if (ok) {
        result->rows[result->done++] =
            (struct decider){flips.correct[1], flips.lost, flips.won, flips.p, flips.p};
        if (result->done == result->ablate.shown)
            ok = keep_shown(result, scores, &flips, status);
        else
            flips_free(&flips);
    }
    contrast_scores_free(scores);
    return ok;
}

bool contrast_ablate_adjust(struct contrast_ablate_result *result, struct status *status)
{
    size_t count = (size_t)result->done;
    double *p = memory_new(2 * count, sizeof *p, status);
    for (size_t i = 0; p && i < count; i++)
        p[i] = result->rows[i].p;
    bool ok = p && holm_adjust(p, result->done, p + count, status);
    for (size_t i = 0; ok && i < count; i++)
        result->rows[i].p_adjusted = p[count + i];
    free(p);
    return ok;
}
