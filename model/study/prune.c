#include "model/study/prune.h"

#include <math.h>
#include <stdlib.h>

#include "model/study/head_gradients.h"
#include "model/study/study_examples.h"
#include "model/study/sweep.h"

/* The work's data until there is a result. */
struct work {
    const struct study_context *context;
    struct prune_result *out;
    struct cached_pruning *known;        // steps taken; owned by the cache
    const struct cached_pruning *greedy; // greedy's, if the order is another; NULL: none
    struct parallel files;               // sources, references
    const char *const **references;      // (files.count - 1, lines)
    struct ablation_list heads;          // still on, one in each
    struct head_settings *head_settings; // without the heads removed
    int kept;                            // states whose translations were made
};

static void work_close(struct work *work)
{
    ablation_list_free(&work->heads);
    head_settings_free(work->head_settings);
    free(work->references);
    parallel_free(&work->files);
}

/* The heads ------------------------------------------------------------------------------------ */

static bool same_head(const struct ablation *a, const struct ablation *b)
{
    return a->module == b->module && a->layers[0] == b->layers[0] && a->heads[0] == b->heads[0];
}

/* True if a head is off already, or listed twice. */
static bool is_needless(const struct work *work, int index)
{
    const struct ablation *one = &work->heads.items[index];
    for (int i = 0; i < index; i++)
        if (same_head(&work->heads.items[i], one))
            return true;
    return *head_settings_gain(work->head_settings, one->module, one->layers[0], one->heads[0]) ==
           0;
}

static bool list_heads(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    work->head_settings = head_settings_copy(work->context->state.head_settings, status);
    if (!work->head_settings || !ablation_list_copy(&out->request.heads, &work->heads, status))
        return false;
    for (int i = work->heads.count - 1; i >= 0; i--)
        if (is_needless(work, i))
            ablation_list_remove(&work->heads, i);
    if (!work->heads.count)
        return status_fail(status, STATUS_INVALID, "all selected heads are off");
    out->heads = work->heads.count;
    if (out->request.shown > out->heads)
        return status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d", out->request.shown,
                           out->heads);
    out->steps = memory_new((size_t)out->heads, sizeof *out->steps, status);
    return out->steps != NULL;
}

/* Orders --------------------------------------------------------------------------------------- */

/* Lists all heads, also those removed: importances are compared within layers. */
static bool list_gradients(const struct work *work, struct head_gradients *out,
                           struct status *status)
{
    out->heads = memory_new((size_t)work->out->heads, sizeof *out->heads, status);
    for (int i = 0; out->heads && i < work->heads.count; i++) {
        const struct ablation *one = &work->heads.items[i];
        out->heads[out->count++] = (struct head_gradient){
            .module = one->module, .layer = one->layers[0], .head = one->heads[0]};
    }
    for (int k = 0; out->heads && k < work->out->count; k++) {
        const struct prune_step *step = &work->out->steps[k];
        out->heads[out->count++] = (struct head_gradient){
            .module = step->module, .layer = step->layer, .head = step->head};
    }
    return out->heads != NULL;
}

/* Among equally important heads, the first one comes first. gradients: for the heads still on, in
 * their order. */
static void sort_heads(struct ablation_list *list, struct head_gradient *gradients)
{
    for (int i = 1; i < list->count; i++)
        for (int k = i; k > 0 && gradients[k].normalized < gradients[k - 1].normalized; k--) {
            struct ablation ablation = list->items[k];
            struct head_gradient gradient = gradients[k];
            list->items[k] = list->items[k - 1];
            list->items[k - 1] = ablation;
            gradients[k] = gradients[k - 1];
            gradients[k - 1] = gradient;
        }
}

static bool list_importance(const struct work *work, struct head_gradients *gradients,
                            struct status *status)
{
    for (int i = 0; i < work->heads.count; i++) {
        struct head_gradient *of = &gradients->heads[i];
        const int heads = work->head_settings->count[of->module];
        of->normalized = work->out->request.importance[of->module][of->layer * heads + of->head];
        if (isnan(of->normalized))
            return status_fail(status, STATUS_INVALID,
                               "%s layer %d: its heads have no importance, as it does not combine "
                               "them by dhicm",
                               module_names[of->module], of->layer + 1);
    }
    return true;
}

static bool order_heads(struct work *work, struct status *status)
{
    struct head_gradients gradients = {.count = 0};
    bool ok = list_gradients(work, &gradients, status);
    if (work->out->request.order == PRUNE_BY_IMPORTANCE)
        ok = ok && list_importance(work, &gradients, status);
    else
        ok = ok &&
             head_gradients_run(work->context, work->out->request.files.text[0],
                                &work->files.lines[0], &work->files.lines[1], &gradients, status);
    if (ok)
        sort_heads(&work->heads, gradients.heads);
    head_gradients_free(&gradients);
    return ok;
}

/* Returns how many of the remaining heads the next step tries. */
static int tried(const struct work *work)
{
    return work->out->request.order == PRUNE_GREEDY ? work->heads.count : 1;
}

/* A step --------------------------------------------------------------------------------------- */

static void free_head_settings(struct head_settings **head_settings, int count)
{
    for (int i = 0; head_settings && i < count; i++)
        head_settings_free(head_settings[i]);
    free(head_settings);
}

/* Makes settings: first with all heads on, then without each head in turn, besides those removed.
 * NULL: out of memory. */
static struct head_settings **make_head_settings(const struct work *work, struct status *status)
{
    int count = tried(work) + 1;
    struct head_settings **head_settings = memory_new((size_t)count, sizeof *head_settings, status);
    bool ok = head_settings != NULL;
    for (int i = 0; ok && i < count; i++) {
        head_settings[i] =
            i ? ablation_head_settings(work->head_settings, &work->heads.items[i - 1], status)
              : head_settings_copy(work->context->state.head_settings, status);
        ok = head_settings[i] != NULL;
    }
    if (ok)
        return head_settings;
    free_head_settings(head_settings, count);
    return NULL;
}

/* Says of the progress which step it is of. */
static bool proceed_in_step(void *context, const struct work_progress *progress)
{
    const struct work *work = context;
    const struct watch *outer = work->context->watch;
    struct work_progress of_step = *progress;
    of_step.step = work->out->count + 1;
    return outer->proceed(outer->context, &of_step);
}

/* Translates without each of the heads and counts the results. */
static bool translate_and_count(struct work *work, struct sweep *sweep,
                                const char *const *const *texts, struct ablations *ablations,
                                struct status *status)
{
    struct prune_result *out = work->out;
    const struct watch watch = {proceed_in_step, work};
    struct study_context context = *work->context;
    context.watch = context.watch ? &watch : NULL;
    return ablations_open(ablations, &out->options, texts, tried(work), work->references,
                          out->references, out->sentences, status) &&
           sweep_translate(&context, sweep, NULL, status) &&
           ablations_count(ablations, context.watch, status);
}

/* Returns the head whose loss leaves the best score, the first if tied. */
static int find_best(const struct ablations *ablations)
{
    int best = 0;
    for (int i = 1; i < ablations->count; i++)
        if (ablations_score(ablations, i).score > ablations_score(ablations, best).score)
            best = i;
    return best;
}

static void switch_off(struct head_settings *head_settings, const struct prune_step *step)
{
    *head_settings_gain(head_settings, step->module, step->layer, step->head) = 0;
}

static void take_step(struct work *work, int index, const struct prune_step *step)
{
    work->out->steps[work->out->count++] = *step;
    switch_off(work->head_settings, step);
    ablation_list_remove(&work->heads, index);
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
    cache_pruning_step(work->known, work->out->base, &step);
}

/* True if the translations of so many states do not take too much memory. */
static bool may_keep(const struct work *work, int states)
{
    return (double)states * work->out->sentences <= SWEEP_TEXTS_KEPT;
}

/* The steps may be requested again, from these translations. */
static bool keep_steps(struct work *work, struct status *status)
{
    struct state state = work->context->state;
    struct head_settings *head_settings = state.head_settings =
        head_settings_copy(state.head_settings, status);
    if (!head_settings)
        return false;
    for (int k = 0; k < work->out->count; k++) {
        switch_off(head_settings, &work->out->steps[k]);
        cache_touch_translations(work->context->cache, &state, &work->files.lines[0]);
    }
    head_settings_free(head_settings);
    return true;
}

static bool run_step(struct work *work, struct status *status)
{
    struct sweep sweep = {.path = work->out->request.files.text[0],
                          .sources = &work->files.lines[0],
                          .count = tried(work) + 1,
                          .kept = work->kept};
    struct ablations ablations = {.count = 0};
    struct head_settings **head_settings = make_head_settings(work, status);
    sweep.head_settings = head_settings;
    bool ok =
        head_settings && keep_steps(work, status) && sweep_open(work->context, &sweep, status);
    const char *const **texts = ok ? sweep_texts(&sweep, status) : NULL;
    ok = texts && translate_and_count(work, &sweep, texts, &ablations, status);
    if (ok)
        take_new_step(work, find_best(&ablations), &ablations);
    if (ok && may_keep(work, work->kept + sweep.count))
        work->kept += sweep.count;
    ablations_close(&ablations);
    free(texts);
    free_head_settings(head_settings, sweep.count);
    sweep_free(&sweep);
    return ok;
}

/* Earlier steps -------------------------------------------------------------------------------- */

static int find_head(const struct work *work, const struct prune_step *step)
{
    int i = 0;
    while (work->heads.items[i].module != step->module ||
           work->heads.items[i].layers[0] != step->layer ||
           work->heads.items[i].heads[0] != step->head)
        i++;
    return i;
}

/* Takes the known steps, up to the one that falls too far. */
static void take_known(struct work *work)
{
    const struct cached_pruning *known = work->known;
    int wanted = work->context->cache->wanted;
    work->out->base = known->base;
    for (int k = 0; k < known->count && !prune_fell(work->out); k++)
        take_step(work, find_head(work, &known->steps[k]), &known->steps[k]);
    if (known->count > 0 && may_keep(work, wanted))
        work->kept = wanted;
}

/* Work stopped by Ctrl-C goes on, unless only its results are wanted. */
static bool is_enough(const struct work *work)
{
    const struct prune_request *request = &work->out->request;
    return work->known->stopped && work->known->until == request->until && request->shown > 0 &&
           request->shown <= work->out->count;
}

/* Opens the list of the sentences behind a step. */
static bool open_step(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    const struct study_examples examples = {out->request.files.text[0], &work->files,
                                            &out->settings, out->sentences};
    if (out->request.shown > out->count)
        return status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d, the steps taken",
                           out->request.shown, out->count);
    struct head_settings *head_settings =
        head_settings_copy(work->context->state.head_settings, status);
    for (int k = 0; head_settings && k < out->request.shown; k++)
        switch_off(head_settings, &out->steps[k]);
    bool ok = head_settings &&
              study_examples_open(work->context, &examples, head_settings, &out->shown, status);
    head_settings_free(head_settings);
    return ok;
}

/* ---------------------------------------------------------------------------------------------- */

static bool tell_interrupted(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    out->partial = work->known->stopped = true;
    work->known->until = out->request.until;
    out->request.shown = 0;
    return status_fail(status, STATUS_CANCELLED, "interrupted after %d of at most %d steps",
                       out->count, out->heads);
}

static bool prepare(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    if (!list_heads(work, status) ||
        !parallel_read(&out->request.files, work->context->watch, &work->files, status))
        return false;
    out->references = work->files.count - 1;
    out->sentences = work->files.lines[0].count;
    out->options = study_bleu_options(&out->settings);
    work->references = parallel_others(&work->files, status);
    if (!work->references)
        return false;
    const struct state *state = &work->context->state;
    const enum prune_order order = out->request.order;
    const struct result_key greedy =
        pruning_key(state, &work->files, &work->heads, &out->settings, PRUNE_GREEDY);
    const struct result_key of =
        pruning_key(state, &work->files, &work->heads, &out->settings, order);
    if (order != PRUNE_GREEDY)
        work->greedy = cache_find_pruning(work->context->cache, &greedy);
    work->known = cache_pruning(work->context->cache, &of, work->heads.count, status);
    return work->known != NULL;
}

/* The limit with which the greedy order takes as many steps as it has: BLEU fell below it by the
 * last one alone, or no head was left. */
static double limit_of(const struct cached_pruning *greedy, int heads)
{
    double until = 0;
    for (int k = 0; k < greedy->count - (greedy->count < heads); k++)
        until = fmax(until, greedy->base - greedy->steps[k].score);
    return until;
}

/* Adds the scores of the other order, if it went to its end. */
static void compare_orders(const struct work *work)
{
    const struct cached_pruning *greedy =
        work->greedy && !work->greedy->stopped && work->greedy->count ? work->greedy : NULL;
    struct prune_result *out = work->out;
    out->greedy_until = greedy ? limit_of(greedy, work->heads.count) : NAN;
    for (int k = 0; k < out->count; k++)
        out->steps[k].greedy = greedy && k < greedy->count ? greedy->steps[k].score : NAN;
}

static bool take_steps(struct work *work, struct status *status)
{
    struct prune_result *out = work->out;
    take_known(work);
    out->partial = is_enough(work);
    work->known->stopped &= out->partial;
    if (out->request.order != PRUNE_GREEDY && !out->partial && work->heads.count &&
        !prune_fell(out) && !order_heads(work, status))
        return status->code == STATUS_CANCELLED && out->count ? tell_interrupted(work, status)
                                                              : false;
    while (!out->partial && work->heads.count && !prune_fell(out))
        if (!run_step(work, status))
            return status->code == STATUS_CANCELLED && out->count ? tell_interrupted(work, status)
                                                                  : false;
    return !out->request.shown || open_step(work, status);
}

static bool run(struct work *work, struct status *status)
{
    if (!prepare(work, status))
        return false;
    bool ok = take_steps(work, status);
    compare_orders(work);
    return ok;
}

bool prune_run(const struct study_context *context, struct prune_result *out, struct status *status)
{
    struct work work = {.context = context, .out = out};
    bool ok = run(&work, status);
    work_close(&work);
    return ok;
}

/* Results -------------------------------------------------------------------------------------- */

/* Leaves it empty. */
static void prune_request_free(struct prune_request *request)
{
    strings_free(&request->files);
    ablation_list_free(&request->heads);
    for (int m = 0; m < MODULE_COUNT; m++)
        free(request->importance[m]);
    *request = (struct prune_request){0};
}

void prune_result_free(struct prune_result *result)
{
    prune_request_free(&result->request);
    free(result->steps);
    study_free(&result->shown);
    *result = (struct prune_result){0};
}

bool prune_fell(const struct prune_result *result)
{
    return result->count && -result->steps[result->count - 1].delta > result->request.until;
}

void prune_write_signature(FILE *out, const struct prune_result *result)
{
    bleu_write_signature(out, &result->options, result->references, "", study_version);
}
