#include "tui/kept.h"

#include <stdlib.h>
#include <string.h>

#include "tui/session.h"

/* What it is of -------------------------------------------------------------------------------- */

struct kept_subject kept_subject_of(const struct session *session, const struct parallel *files,
                                    const struct ablation_list *heads,
                                    const struct study_settings *settings)
{
    const struct state *state = &session->state;
    return (struct kept_subject){session->loaded, state->dials, state->search,
                                 *files,          *heads,       *settings};
}

static void subject_close(struct kept_subject *of)
{
    dials_free(of->dials);
    parallel_free(&of->files);
    ablation_list_free(&of->heads);
}

static bool subject_copy(const struct kept_subject *of, struct kept_subject *copy,
                         struct status *status)
{
    *copy =
        (struct kept_subject){.loaded = of->loaded, .search = of->search, .settings = of->settings};
    copy->dials = dials_copy(of->dials, status);
    if (copy->dials && parallel_copy(&of->files, &copy->files, status) &&
        ablation_list_copy(&of->heads, &copy->heads, status))
        return true;
    subject_close(copy);
    return false;
}

static bool same_state(const struct kept_subject *a, const struct kept_subject *b)
{
    const struct saved_state one = {NULL, a->loaded, a->dials, a->search};
    const struct saved_state other = {NULL, b->loaded, b->dials, b->search};
    return states_equal(&one, &other);
}

static bool same_bleu(const struct study_settings *a, const struct study_settings *b)
{
    return a->tokenizer == b->tokenizer && a->lowercase == b->lowercase &&
           a->smoothing == b->smoothing && a->smooth_value == b->smooth_value;
}

static bool same_tests(const struct study_settings *a, const struct study_settings *b)
{
    return a->resamples == b->resamples && a->seed == b->seed;
}

static bool same_subject(const struct kept_subject *a, const struct kept_subject *b)
{
    return same_state(a, b) && same_bleu(&a->settings, &b->settings) &&
           ablation_list_equal(&a->heads, &b->heads) && parallel_equal(&a->files, &b->files);
}

/* Ablations -------------------------------------------------------------------------------------- */

static void ablate_close(struct kept_ablate *ablate)
{
    subject_close(&ablate->of);
    free(ablate->scores);
    *ablate = (struct kept_ablate){.scores = NULL};
}

const struct kept_ablate *kept_ablate_find(const struct kept *kept, const struct kept_subject *of)
{
    const struct kept_ablate *ablate = &kept->ablate;
    return ablate->scores && same_subject(&ablate->of, of) &&
                   same_tests(&ablate->of.settings, &of->settings)
               ? ablate
               : NULL;
}

void kept_ablate_put(struct kept *kept, const struct kept_subject *of,
                     const struct ablate_result *result)
{
    struct kept_ablate *ablate = &kept->ablate;
    struct status unused;
    size_t size = (size_t)of->heads.count * sizeof *ablate->scores;
    ablate_close(ablate);
    if (!subject_copy(of, &ablate->of, &unused))
        return;
    ablate->scores = memory_new((size_t)of->heads.count, sizeof *ablate->scores, &unused);
    if (!ablate->scores) {
        ablate_close(ablate);
        return;
    }
    memcpy(ablate->scores, result->scores, size);
    ablate->sentences = result->sentences;
    ablate->lines = result->lines;
    ablate->base = result->base;
    ablate->tested = result->tested;
}

/* Prunings --------------------------------------------------------------------------------------- */

static void prune_close(struct kept_prune *prune)
{
    subject_close(&prune->of);
    free(prune->steps);
    *prune = (struct kept_prune){.steps = NULL};
}

struct kept_prune *kept_prune_get(struct kept *kept, const struct kept_subject *of,
                                  struct status *status)
{
    struct kept_prune *prune = &kept->prune;
    if (prune->steps && same_subject(&prune->of, of))
        return prune;
    prune_close(prune);
    if (!subject_copy(of, &prune->of, status))
        return NULL;
    prune->steps = memory_new((size_t)of->heads.count, sizeof *prune->steps, status);
    if (prune->steps)
        return prune;
    prune_close(prune);
    return NULL;
}

void kept_prune_step(struct kept_prune *kept, double base, const struct prune_step *step)
{
    kept->base = base;
    kept->steps[kept->count++] = *step;
}

/* ------------------------------------------------------------------------------------------------ */

void kept_free(struct kept *kept)
{
    ablate_close(&kept->ablate);
    prune_close(&kept->prune);
}
