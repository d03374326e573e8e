#include "tui/contrast_ablate.h"

#include <stdlib.h>
#include <string.h>

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

static struct contrast_scores *copy_scores(const struct contrast_scores *scores, int candidates,
                                           struct status *status)
{
    struct contrast_scores *copy = memory_new(1, sizeof *copy, status);
    if (!copy)
        return NULL;
    copy->candidates = memory_new((size_t)candidates, sizeof *copy->candidates, status);
    if (!copy->candidates) {
        free(copy);
        return NULL;
    }
    memcpy(copy->candidates, scores->candidates, (size_t)candidates * sizeof *copy->candidates);
    copy->items = scores->items;
    return copy;
}

/* Keeps what is shown of an ablation; takes the flips. */
static bool keep_shown(struct contrast_ablate_result *result, const struct contrast_scores *scores,
                       struct flips_result *flips, struct status *status)
{
    result->shown = *flips;
    result->shown_scores = copy_scores(scores, flips->suite->candidates, status);
    result->shown.scores[1] = result->shown_scores;
    return result->shown_scores != NULL;
}

bool contrast_ablate_row(struct contrast_ablate_result *result,
                         const struct contrast_scores *scores, struct status *status)
{
    struct flips_result flips = {.suite = &result->run->suite,
                                 .scores = {&result->run->scores, scores},
                                 .normalize = result->normalize};
    if (!flips_make(&flips, status))
        return false;
    result->rows[result->done++] =
        (struct decider){flips.correct[1], flips.lost, flips.won, flips.p, flips.p};
    if (result->done == result->ablate.shown)
        return keep_shown(result, scores, &flips, status);
    flips_free(&flips);
    return true;
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
