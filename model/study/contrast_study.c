#include "model/study/contrast_study.h"

#include <stdlib.h>

#include "model/score/mcnemar.h"
#include "model/study/contrast/suite_files.h"
#include "model/study/walk.h"

void contrast_free(struct contrast_result *contrast)
{
    strings_free(&contrast->request.files);
    contrast_groups_free(&contrast->groups);
    free(contrast->list);
    *contrast = (struct contrast_result){0};
}

bool contrast_partial(const struct contrast_result *contrast)
{
    return contrast->run->scores.items < contrast->run->suite.count;
}

/* Returns the value of an item's candidate; 0 is the reference. */
static double contrast_candidate(const struct contrast_result *contrast, int item, int candidate)
{
    const struct suite_run *run = contrast->run;
    int first = run->suite.items[item].first;
    return contrast_value(&run->scores.candidates[first + candidate], contrast->normalize);
}

/* Items of a group ----------------------------------------------------------------------------- */

struct listed {
    int decision;
    double margin; // the reference's value minus the best error's
};

static double margin_of(const struct contrast_result *contrast, const struct decision *decision)
{
    const struct suite_run *run = contrast->run;
    int rival = decision_rival(&run->suite, &run->scores, decision, contrast->normalize);
    return contrast_candidate(contrast, decision->item, 0) -
           contrast_candidate(contrast, decision->item, rival);
}

static int compare_margins(const void *a, const void *b)
{
    const struct listed *one = a, *other = b;
    if (one->margin != other->margin)
        return one->margin < other->margin ? -1 : 1;
    return one->decision - other->decision;
}

static bool make_list(struct contrast_result *contrast, struct status *status)
{
    const struct suite *suite = &contrast->run->suite;
    int listed = contrast->request.listed;
    struct listed *all = memory_new((size_t)contrast->decisions, sizeof *all, status);
    contrast->list = memory_new((size_t)contrast->decisions, sizeof *contrast->list, status);
    bool ok = all && contrast->list;
    for (int d = 0; ok && d < contrast->decisions; d++)
        if (listed == LISTED_ALL || contrast_group_has(&contrast->groups, listed - 1, d))
            all[contrast->list_count++] =
                (struct listed){d, margin_of(contrast, &suite->decisions[d])};
    if (ok)
        qsort(all, (size_t)contrast->list_count, sizeof *all, compare_margins);
    for (int i = 0; ok && i < contrast->list_count; i++)
        contrast->list[i] = all[i].decision;
    free(all);
    return ok;
}

static bool keep_kind(struct contrast_result *contrast, struct status *status)
{
    int by = contrast->request.by;
    if (by == CONTRAST_BYS)
        return true;
    contrast_groups_keep(&contrast->groups, (enum contrast_by)by);
    return contrast->groups.count > 0 ||
           status_fail(status, STATUS_INVALID, "by %s: the suite does not say",
                       contrast_by_names[by]);
}

bool contrast_make(struct contrast_result *contrast, struct status *status)
{
    const struct suite_run *run = contrast->run;
    int listed = contrast->request.listed;
    contrast->decisions = contrast_decided(&run->suite, &run->scores);
    contrast->correct =
        contrast_correct(&run->suite, &run->scores, contrast->decisions, contrast->normalize);
    if (!contrast_groups_make(&run->suite, &run->scores, contrast->decisions, contrast->normalize,
                              &contrast->groups, status) ||
        !keep_kind(contrast, status))
        return false;
    if (listed > contrast->groups.count)
        return contrast->groups.count == 0
                   ? status_fail(status, STATUS_INVALID, "group %d: the suite has no groups",
                                 listed)
                   : status_fail(status, STATUS_INVALID, "group %d: expected 1 to %d, or all",
                                 listed, contrast->groups.count);
    return listed == LISTED_NONE || make_list(contrast, status);
}

/* Scores --------------------------------------------------------------------------------------- */

struct suite_run *contrast_find(const struct study_context *context, const struct strings *files,
                                struct status *status)
{
    struct suite suite;
    return suite_read(files, context->watch, &suite, status)
               ? cache_suite(context->cache, &context->state, files, &suite, status)
               : NULL;
}

bool contrast_score_rest(const struct study_context *context, struct suite_run *run,
                         struct status *status)
{
    const struct head_settings *head_settings = run->head_settings;
    struct contrast_scores of_part = {.items = 0};
    bool divided = shards_divided(context->shards);
    if (run->scores.items == run->suite.count && !divided)
        return true;
    struct contrast *contrast =
        contrast_open(&run->suite, context->state.model, &context->state.search.languages,
                      context->watch, status);
    if (contrast)
        contrast_divide(contrast, context->shards);
    bool ok = contrast && contrast_score(contrast, &head_settings, 1, context->state.search.batch,
                                         context->watch, divided ? &of_part : &run->scores, status);
    contrast_close(contrast);
    contrast_scores_free(&of_part);
    return ok;
}

bool contrast_tell_stopped(const struct suite_run *run, struct status *status)
{
    return study_interrupted(run->scores.items, run->suite.count, "items", "scored", status);
}

bool contrast_run(const struct study_context *context, struct contrast_result *out,
                  struct status *status)
{
    struct status other;
    struct suite_run *run = contrast_find(context, &out->request.files, status);
    if (!run)
        return false;
    bool scored = contrast_score_rest(context, run, status);
    if (shards_divided(context->shards))
        return scored;
    if (!scored && (status->code != STATUS_CANCELLED || run->scores.items == 0))
        return false;
    out->run = run;
    bool made = contrast_make(out, scored ? status : &other);
    if (!made)
        out->run = NULL;
    return scored ? made : made && contrast_tell_stopped(run, status);
}

/* Flips ---------------------------------------------------------------------------------------- */

void flips_free(struct flips_result *flips)
{
    free(flips->list);
    *flips = (struct flips_result){0};
}

bool flips_make(struct flips_result *flips, struct status *status)
{
    const struct suite *suite = flips->suite;
    int decided[] = {contrast_decided(suite, flips->scores[0]),
                     contrast_decided(suite, flips->scores[1])};
    flips->decisions = decided[0] < decided[1] ? decided[0] : decided[1];
    flips->list = memory_new((size_t)flips->decisions, sizeof *flips->list, status);
    if (!flips->list)
        return false;
    for (int d = 0; d < flips->decisions; d++) {
        const struct decision *one = &suite->decisions[d];
        bool was = decision_correct(suite, flips->scores[0], one, flips->normalize);
        bool is = decision_correct(suite, flips->scores[1], one, flips->normalize);
        flips->correct[0] += was;
        flips->correct[1] += is;
        if (was != is)
            flips->list[flips->lost + flips->won] = d;
        flips->lost += was && !is;
        flips->won += is && !was;
    }
    flips->p = mcnemar_test(flips->lost, flips->won);
    return true;
}
