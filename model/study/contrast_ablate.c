#include "model/study/contrast_ablate.h"

#include <stdlib.h>
#include <string.h>

#include "model/score/holm.h"
#include "model/study/walk.h"

void contrast_ablate_free(struct contrast_ablate_result *result)
{
    strings_free(&result->ablate.files);
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

/* Keeps what is shown of an ablation. Takes the flips. */
static bool keep_shown(struct contrast_ablate_result *result, const struct contrast_scores *scores,
                       struct flips_result *flips, struct status *status)
{
    result->shown = *flips;
    result->shown_scores = copy_scores(scores, flips->suite->candidates, status);
    result->shown.scores[1] = result->shown_scores;
    return result->shown_scores != NULL;
}

static bool add_row(struct contrast_ablate_result *result, const struct contrast_scores *scores,
                    struct status *status)
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

static bool adjust(struct contrast_ablate_result *result, struct status *status)
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

/* Running -------------------------------------------------------------------------------------- */

/* Ablations computed together. */
enum { TOGETHER_MOST = 8 };

struct together {
    struct head_settings *head_settings[TOGETHER_MOST]; // (count)
    struct contrast_scores scores[TOGETHER_MOST];
    int count;
};

static void together_close(struct together *together)
{
    for (int i = 0; i < together->count; i++) {
        head_settings_free(together->head_settings[i]);
        contrast_scores_free(&together->scores[i]);
    }
}

/* A stop loses all that has begun, so only ablations that share encoder layers are computed
 * together. */
static bool together_open(const struct contrast_ablate_result *out, struct together *together,
                          struct status *status)
{
    *together = (struct together){.count = 0};
    for (int i = out->done; i < out->ablations.count && together->count < TOGETHER_MOST; i++) {
        struct head_settings *head_settings =
            ablation_head_settings(out->run->head_settings, &out->ablations.items[i], status);
        if (!head_settings) {
            together_close(together);
            return false;
        }
        if (together->count && head_settings_common_layers(together->head_settings[0],
                                                           head_settings, MODULE_ENCODER) == 0) {
            head_settings_free(head_settings);
            break;
        }
        together->head_settings[together->count++] = head_settings;
    }
    return true;
}

/* Scores the suite under the next ablations. Finished ones stay in `out` and with the run. */
static bool score_together(const struct study_context *context, struct contrast *contrast,
                           struct suite_run *run, struct contrast_ablate_result *out,
                           struct status *status)
{
    struct together together;
    const struct head_settings *head_settings[TOGETHER_MOST];
    if (!together_open(out, &together, status))
        return false;
    for (int i = 0; i < together.count; i++)
        head_settings[i] = together.head_settings[i];
    bool ok = contrast_score(contrast, head_settings, together.count, context->state.search.batch,
                             context->watch, together.scores, status);
    if (ok && shards_divided(context->shards))
        out->done += together.count;
    else
        for (int i = 0; ok && i < together.count; i++) {
            ok = add_row(out, &together.scores[i], status);
            cache_keep_variant(context->cache, run, &together.head_settings[i],
                               &together.scores[i]);
        }
    together_close(&together);
    return ok;
}

/* Takes the next ablations if they have been scored before. */
static bool take_scored(struct contrast_ablate_result *out, struct status *status)
{
    while (out->done < out->ablations.count) {
        struct head_settings *head_settings = ablation_head_settings(
            out->run->head_settings, &out->ablations.items[out->done], status);
        if (!head_settings)
            return false;
        const struct contrast_scores *scores = suite_run_variant(out->run, head_settings);
        head_settings_free(head_settings);
        if (!scores)
            break;
        if (!add_row(out, scores, status))
            return false;
    }
    return true;
}

/* True if there is nothing to score: stopped work goes on, unless only its results are wanted. */
static bool is_enough(const struct contrast_ablate_result *out)
{
    bool stopped = ablation_list_equal(&out->run->stopped, &out->ablations);
    return out->done == out->ablations.count ||
           (stopped && out->ablate.shown > 0 && out->ablate.shown <= out->done);
}

static bool score_ablations(const struct study_context *context, struct suite_run *run,
                            struct contrast_ablate_result *out, struct status *status)
{
    struct contrast *contrast =
        contrast_open(&run->suite, context->state.model, &context->state.search.languages,
                      context->watch, status);
    bool ok = contrast != NULL;
    if (contrast)
        contrast_divide(contrast, context->shards);
    while (ok && out->done < out->ablations.count)
        ok = score_together(context, contrast, run, out, status) && take_scored(out, status);
    contrast_close(contrast);
    return ok;
}

/* A shard has no decisions. */
static bool score_part(const struct study_context *context, struct suite_run *run,
                       struct contrast_ablate_result *out, struct status *status)
{
    out->run = run;
    bool ok = score_ablations(context, run, out, status);
    out->run = NULL;
    out->done = 0;
    return ok;
}

static bool tell_stopped(struct suite_run *run, const struct contrast_ablate_result *out,
                         struct status *status)
{
    struct status other;
    if (!ablation_list_copy(&out->ablations, &run->stopped, &other)) {
        *status = other;
        return false;
    }
    return study_interrupted(out->done, out->ablations.count, "ablations", "scored", status);
}

static bool run_ablations(const struct study_context *context, struct suite_run *run,
                          struct contrast_ablate_result *out, struct status *status)
{
    const struct suite *suite = &run->suite;
    if (!contrast_score_rest(context, run, status))
        return status->code == STATUS_CANCELLED && !shards_divided(context->shards)
                   ? contrast_tell_stopped(run, status)
                   : false;
    if (shards_divided(context->shards))
        return score_part(context, run, out, status);
    out->run = run;
    out->decisions = suite->decision_count;
    out->correct = contrast_correct(suite, &run->scores, out->decisions, out->normalize);
    if (!take_scored(out, status))
        return false;
    if (!is_enough(out)) {
        ablation_list_free(&run->stopped);
        if (!score_ablations(context, run, out, status))
            return status->code == STATUS_CANCELLED ? tell_stopped(run, out, status) : false;
    }
    return out->done < out->ablations.count || adjust(out, status);
}

bool contrast_ablate_run(const struct study_context *context, struct contrast_ablate_result *out,
                         struct status *status)
{
    out->rows = memory_new((size_t)out->ablations.count, sizeof *out->rows, status);
    struct suite_run *run = out->rows ? contrast_find(context, &out->ablate.files, status) : NULL;
    return run && run_ablations(context, run, out, status);
}
