/* `:prune`: how many heads a model can do without. */
#include <stdlib.h>

#include "tui/behind.h"
#include "tui/command.h"
#include "tui/parallel.h"
#include "tui/progress.h"
#include "tui/prune.h"
#include "tui/sweep.h"

/* What it takes until the result is there. */
struct work {
    struct session *session;
    struct prune_result *out;
    struct kept_prune *known;       // steps that were taken; owned by the session
    struct parallel files;          // sources, references
    const char *const **references; // (files.count - 1, lines)
    struct ablation_list heads;     // that are on still, one in each
    struct dials *dials;            // without those that are gone
    int kept;                       // states whose translations were made
};

static void work_close(struct work *work)
{
    ablation_list_free(&work->heads);
    dials_free(work->dials);
    free(work->references);
    parallel_free(&work->files);
}

/* The heads ------------------------------------------------------------------------------------- */

static void remove_head(struct ablation_list *list, int index)
{
    ablation_free(&list->items[index]);
    for (int i = index; i + 1 < list->count; i++)
        list->items[i] = list->items[i + 1];
    list->count--;
}

static bool same_head(const struct ablation *a, const struct ablation *b)
{
    return a->module == b->module && a->layers[0] == b->layers[0] && a->heads[0] == b->heads[0];
}

/* Whether a head is off already, or there twice. */
static bool is_needless(const struct work *work, int index)
{
    const struct ablation *one = &work->heads.items[index];
    for (int i = 0; i < index; i++)
        if (same_head(&work->heads.items[i], one))
            return true;
    return *dials_gain(work->dials, one->module, one->layers[0], one->heads[0]) == 0;
}

static bool list_heads(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    work->dials = dials_copy(work->session->state.dials, status);
    if (!work->dials || !ablation_list_make(&out->request.selectors, ABLATE_LAYER_HEAD,
                                            session_config(work->session), &work->heads, status))
        return false;
    for (int i = work->heads.count - 1; i >= 0; i--)
        if (is_needless(work, i))
            remove_head(&work->heads, i);
    if (!work->heads.count)
        return status_fail(status, STATUS_INVALID, "the heads selected are off: expected one on");
    out->heads = work->heads.count;
    if (out->request.shown > out->heads)
        return status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d", out->request.shown,
                           out->heads);
    out->steps = memory_new((size_t)out->heads, sizeof *out->steps, status);
    return out->steps != NULL;
}

/* A step ---------------------------------------------------------------------------------------- */

static void free_dials(struct dials **dials, int count)
{
    for (int i = 0; dials && i < count; i++)
        dials_free(dials[i]);
    free(dials);
}

/* Each of the heads off, one at a time, besides those that are gone; first none. NULL: out of memory. */
static struct dials **make_dials(const struct work *work, struct status *status)
{
    int count = work->heads.count + 1;
    struct dials **dials = memory_new((size_t)count, sizeof *dials, status);
    bool ok = dials != NULL;
    for (int i = 0; ok && i < count; i++) {
        dials[i] = i ? ablation_dials(work->dials, &work->heads.items[i - 1], status)
                     : dials_copy(work->session->state.dials, status);
        ok = dials[i] != NULL;
    }
    if (ok)
        return dials;
    free_dials(dials, count);
    return NULL;
}

/* Translates without each of the heads, and counts that. */
static bool translate_and_count(struct work *work, struct sweep *sweep,
                                const char *const *const *texts, struct ablations *ablations,
                                struct status *status)
{
    struct prune_result *out = work->out;
    return ablations_open(ablations, &out->options, texts, work->heads.count, work->references,
                          out->references, out->sentences, status) &&
           sweep_translate(work->session, sweep, NULL, status) &&
           ablations_count(ablations, &progress_watcher, status);
}

/* The head whose loss leaves the best score, the first of several. */
static int find_best(const struct ablations *ablations)
{
    int best = 0;
    for (int i = 1; i < ablations->count; i++)
        if (ablations_score(ablations, i).score > ablations_score(ablations, best).score)
            best = i;
    return best;
}

static void switch_off(struct dials *dials, const struct prune_step *step)
{
    *dials_gain(dials, step->module, step->layer, step->head) = 0;
}

static void take_step(struct work *work, int index, const struct prune_step *step)
{
    work->out->steps[work->out->count++] = *step;
    switch_off(work->dials, step);
    remove_head(&work->heads, index);
}

static void take_new_step(struct work *work, int index, const struct ablations *ablations)
{
    const struct ablation_score score = ablations_score(ablations, index);
    const struct ablation *head = &work->heads.items[index];
    const struct prune_step step = {.module = head->module,
                                    .layer = head->layers[0],
                                    .head = head->heads[0],
                                    .left = work->heads.count - 1,
                                    .score = score.score,
                                    .delta = score.delta};
    work->out->base = ablations_base(ablations); // the same in every step
    take_step(work, index, &step);
    kept_prune_step(work->known, work->out->base, &step);
}

/* Translations of states whose texts do not take too much memory. */
static bool may_keep(const struct work *work, int states)
{
    return (double)states * work->out->sentences <= SWEEP_TEXTS_KEPT;
}

/* Of what was translated before, the steps may be asked for again. */
static bool keep_steps(struct work *work, struct status *status)
{
    struct saved_state state = states_current(work->session);
    struct dials *dials = state.dials = dials_copy(state.dials, status);
    if (!dials)
        return false;
    for (int k = 0; k < work->out->count; k++) {
        switch_off(dials, &work->out->steps[k]);
        translations_touch(&work->session->translations, &state, &work->files.lines[0]);
    }
    dials_free(dials);
    return true;
}

static bool run_step(struct work *work, struct status *status)
{
    struct sweep sweep = {.path = work->out->request.files.text[0],
                          .sources = &work->files.lines[0],
                          .count = work->heads.count + 1,
                          .kept = work->kept};
    struct ablations ablations = {.count = 0};
    struct dials **dials = make_dials(work, status);
    sweep.dials = dials;
    bool ok = dials && keep_steps(work, status) && sweep_open(work->session, &sweep, status);
    const char *const **texts = ok ? sweep_texts(&sweep, status) : NULL;
    ok = texts && translate_and_count(work, &sweep, texts, &ablations, status);
    if (ok)
        take_new_step(work, find_best(&ablations), &ablations);
    if (ok && may_keep(work, work->kept + sweep.count))
        work->kept += sweep.count;
    ablations_close(&ablations);
    free(texts);
    free_dials(dials, sweep.count);
    sweep_free(&sweep);
    return ok;
}

/* Steps of before --------------------------------------------------------------------------------- */

static int find_head(const struct work *work, const struct prune_step *step)
{
    int i = 0;
    while (work->heads.items[i].module != step->module ||
           work->heads.items[i].layers[0] != step->layer ||
           work->heads.items[i].heads[0] != step->head)
        i++;
    return i;
}

/* Up to the one that falls too far. */
static void take_known(struct work *work)
{
    const struct kept_prune *known = work->known;
    int wanted = work->session->translations.wanted;
    work->out->base = known->base;
    for (int k = 0; k < known->count && !prune_fell(work->out); k++)
        take_step(work, find_head(work, &known->steps[k]), &known->steps[k]);
    if (known->count > 0 && may_keep(work, wanted))
        work->kept = wanted;
}

/* What Ctrl-C has stopped goes on, unless it is to be looked into. */
static bool is_enough(const struct work *work)
{
    const struct prune_request *request = &work->out->request;
    return work->known->stopped && work->known->until == request->until && request->shown > 0 &&
           request->shown <= work->out->count;
}

/* The sentences behind a step. */
static bool open_step(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    const struct behind behind = {out->request.files.text[0], &work->files, &out->settings,
                                  out->sentences};
    if (out->request.shown > out->count)
        return status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d, the steps taken",
                           out->request.shown, out->count);
    struct dials *dials = dials_copy(work->session->state.dials, status);
    for (int k = 0; dials && k < out->request.shown; k++)
        switch_off(dials, &out->steps[k]);
    bool ok = dials && behind_open(work->session, &behind, dials, &out->shown, status);
    dials_free(dials);
    return ok;
}

/* ----------------------------------------------------------------------------------------------- */

static bool tell_interrupted(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    out->partial = work->known->stopped = true;
    work->known->until = out->request.until;
    out->request.shown = 0;
    return status_fail(status, STATUS_CANCELLED, "interrupted after %d of at most %d steps",
                       out->count, out->heads);
}

static bool prepare(struct work *work, const struct request *request, struct status *status)
{
    struct prune_result *out = work->out;
    if (!prune_request_parse(&request->words, &out->request, status) || !list_heads(work, status) ||
        !parallel_read(&out->request.files, &work->files, status))
        return false;
    out->references = work->files.count - 1;
    out->sentences = work->files.lines[0].count;
    out->options = study_bleu_options(&out->settings);
    work->references = parallel_others(&work->files, status);
    if (!work->references)
        return false;
    const struct kept_subject of =
        kept_subject_of(work->session, &work->files, &work->heads, &out->settings);
    work->known = kept_prune_get(&work->session->kept, &of, status);
    return work->known != NULL;
}

static bool run(struct work *work, const struct request *request, struct status *status)
{
    struct prune_result *out = work->out;
    if (!prepare(work, request, status))
        return false;
    take_known(work);
    out->partial = is_enough(work);
    work->known->stopped &= out->partial;
    while (!out->partial && work->heads.count && !prune_fell(out))
        if (!run_step(work, status))
            return status->code == STATUS_CANCELLED && out->count ? tell_interrupted(work, status)
                                                                  : false;
    return !out->request.shown || open_step(work, status);
}

COMMAND(prune)
{
    struct work work = {.session = session, .out = &result->prune};
    result->kind = RESULT_PRUNE;
    result->prune = (struct prune_result){.settings = session->settings.study};
    bool ok = run(&work, request, status);
    work_close(&work);
    // What was finished before Ctrl-C is kept, and nothing of what else failed.
    if (!ok && (!result->prune.partial || result->prune.request.shown))
        result_free(result);
    return ok;
}
