#include "model/study/ablate.h"

#include <stdlib.h>
#include <string.h>

#include "model/study/study_counts.h"
#include "model/study/study_examples.h"
#include "model/study/sweep.h"
#include "model/study/walk.h"

/* The work's data until there is a result. */
struct work {
    const struct study_context *context;
    struct ablate_result *out;
    struct parallel files;                // sources, references
    struct head_settings **head_settings; // (count): without an ablation, then with each
    int count;                            // of head_settings
    struct sweep sweep;                   // under head_settings
    const char *const **texts;            // (count, lines)
    const char *const **references;       // (files.count - 1, lines)
    struct ablations ablations;
    struct study_counts shown; // for the ablation whose sentences are listed
};

static void work_close(struct work *work)
{
    study_counts_close(&work->shown);
    ablations_close(&work->ablations);
    sweep_free(&work->sweep);
    for (int i = 0; i < work->count; i++)
        head_settings_free(work->head_settings[i]);
    free(work->head_settings);
    free(work->texts);
    free(work->references);
    parallel_free(&work->files);
}

static bool make_head_settings(struct work *work, struct status *status)
{
    const struct ablation_list *list = &work->out->ablations;
    const struct head_settings *own = work->context->state.head_settings;
    work->head_settings = memory_new((size_t)list->count + 1, sizeof *work->head_settings, status);
    for (int i = -1; work->head_settings && i < list->count; i++) {
        struct head_settings *head_settings =
            i < 0 ? head_settings_copy(own, status)
                  : ablation_head_settings(own, &list->items[i], status);
        if (!head_settings)
            return false;
        work->head_settings[work->count++] = head_settings;
    }
    return work->head_settings != NULL;
}

static bool open_sweep(struct work *work, struct status *status)
{
    work->sweep = (struct sweep){.path = work->out->request.files.text[0],
                                 .sources = &work->files.lines[0],
                                 .head_settings = work->head_settings,
                                 .count = work->count};
    return sweep_open(work->context, &work->sweep, status);
}

/* Counts --------------------------------------------------------------------------------------- */

/* Opens the list of the sentences behind one ablation. */
static bool open_shown(struct work *work, struct status *status)
{
    const struct ablate_result *out = work->out;
    const struct corpus_options options = study_corpus_options(&out->settings);
    const struct study_texts texts = {.texts = {work->texts[0], work->texts[out->request.shown]},
                                      .references = work->references,
                                      .sources = (const char *const *)work->files.lines[0].text,
                                      .systems = 2,
                                      .reference_count = out->references,
                                      .sentences = out->lines};
    return !out->request.shown || study_counts_open(&work->shown, &options, &texts, false, status);
}

static bool open_counts(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    out->lines = work->files.lines[0].count;
    out->references = work->files.count - 1;
    out->options = study_bleu_options(&out->settings);
    work->texts = sweep_texts(&work->sweep, status);
    work->references = work->texts ? parallel_others(&work->files, status) : NULL;
    return work->references &&
           ablations_open(&work->ablations, &out->options, work->texts, out->ablations.count,
                          work->references, out->references, out->lines, status) &&
           open_shown(work, status);
}

/* Counts the listed ablation's texts first: they include all that the ablations have so far. */
static bool count_texts(struct work *work, const struct watch *watch, struct status *status)
{
    return (!work->out->request.shown || study_count(&work->shown, watch, status)) &&
           ablations_count(&work->ablations, watch, status);
}

static bool count_more(void *context, struct status *status)
{
    struct work *work = context;
    const struct watch quiet = watch_quietly(work->context->watch);
    return count_texts(work, &quiet, status);
}

/* Translations in the cache are counted first. */
static bool translate_and_count(struct work *work, struct status *status)
{
    const struct follower follower = {count_more, work};
    return count_texts(work, work->context->watch, status) &&
           sweep_translate(work->context, &work->sweep, &follower, status) &&
           count_texts(work, work->context->watch, status);
}

/* Scores --------------------------------------------------------------------------------------- */

static void score_all(struct work *work)
{
    struct ablate_result *out = work->out;
    out->base = ablations_base(&work->ablations);
    for (int i = 0; i < out->ablations.count; i++)
        out->scores[i] = ablations_score(&work->ablations, i);
}

/* Tests come after all scores, so that an interrupt leaves the scores. */
static bool test_all(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    unsigned long seed = (unsigned long)out->settings.seed;
    for (int i = 0; i < out->ablations.count; i++)
        if (!ablations_test(&work->ablations, i, out->settings.trials, seed, work->context->watch,
                            &out->scores[i].p, status))
            return false;
    out->tested = ablations_adjust(out->scores, out->ablations.count, status);
    return out->tested;
}

static bool list_sentences(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    if (!out->request.shown)
        return true;
    out->shown =
        (struct study_result){.request = {.systems = 2, .listed = LISTED_NONE, .untested = true},
                              .settings = out->settings,
                              .lines = out->lines};
    return study_make(&out->shown, &work->shown, out->sentences, NULL, status);
}

static bool tell_interrupted(const struct ablate_result *out, struct status *status)
{
    if (out->sentences < out->lines)
        return study_interrupted(out->sentences, out->lines, "sentences", "scored", status);
    return status_fail(status, STATUS_CANCELLED, "interrupted: scored, but not tested");
}

/* Presents what was counted; after Ctrl-C without tests. */
static bool present(struct work *work, bool counted, struct status *status)
{
    struct ablate_result *out = work->out;
    struct status other;
    score_all(work);
    if (!list_sentences(work, counted ? status : &other))
        return false;
    if (counted && test_all(work, status))
        return true;
    return status->code == STATUS_CANCELLED ? tell_interrupted(out, status) : false;
}

/* Earlier ablations ---------------------------------------------------------------------------- */

/* Work stopped by Ctrl-C goes on, unless only its results are wanted. */
static bool is_enough(const struct cached_ablation *kept, const struct ablate_request *request)
{
    return kept && (request->shown || (kept->tested && kept->sentences == kept->lines));
}

static bool open_row(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    const struct study_examples examples = {out->request.files.text[0], &work->files,
                                            &out->settings, out->sentences};
    struct head_settings *head_settings = ablation_head_settings(
        work->context->state.head_settings, &out->ablations.items[out->request.shown - 1], status);
    bool ok = head_settings &&
              study_examples_open(work->context, &examples, head_settings, &out->shown, status);
    head_settings_free(head_settings);
    return ok;
}

static bool take_kept(struct work *work, const struct cached_ablation *kept, struct status *status)
{
    struct ablate_result *out = work->out;
    memcpy(out->scores, kept->scores, (size_t)out->ablations.count * sizeof *out->scores);
    out->options = study_bleu_options(&out->settings);
    out->references = work->files.count - 1;
    out->sentences = kept->sentences;
    out->base = kept->base;
    out->tested = kept->tested;
    if (!out->request.shown || open_row(work, status))
        return true;
    out->sentences = 0; // without the listed sentences it is not a result
    return false;
}

/* ---------------------------------------------------------------------------------------------- */

/* True if there are scores, of everything or of what was finished before Ctrl-C. */
static bool found(const struct ablate_result *out, bool ok, const struct status *status)
{
    return ok || (status->code == STATUS_CANCELLED && out->sentences > 0);
}

static bool make(struct work *work, const struct result_key *of, struct status *status)
{
    struct ablate_result *out = work->out;
    if (!make_head_settings(work, status) || !open_sweep(work, status))
        return false;
    if (shards_divided(work->context->shards))
        return sweep_translate(work->context, &work->sweep, NULL, status);
    if (!open_counts(work, status))
        return false;
    bool counted = translate_and_count(work, status);
    if (!counted && status->code != STATUS_CANCELLED)
        return false;
    out->sentences = work->ablations.counted;
    bool ok = out->sentences > 0 && present(work, counted, status);
    if (found(out, ok, status))
        cache_put_ablation(work->context->cache, of, out);
    if (ok || status->code != STATUS_CANCELLED) // else the next run goes on from them
        sweep_leave(work->context, &work->sweep);
    return ok;
}

static bool run(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    const struct study_context *context = work->context;
    out->scores = memory_new((size_t)out->ablations.count, sizeof *out->scores, status);
    if (!out->scores || !parallel_read(&out->request.files, context->watch, &work->files, status))
        return false;
    out->lines = work->files.lines[0].count;
    const struct result_key of =
        ablation_key(&context->state, &work->files, &out->ablations, &out->settings);
    const struct cached_ablation *kept = cache_ablation(context->cache, &of);
    return is_enough(kept, &out->request) ? take_kept(work, kept, status) : make(work, &of, status);
}

bool ablate_run(const struct study_context *context, struct ablate_result *out,
                struct status *status)
{
    struct work work = {.context = context, .out = out};
    bool ok = run(&work, status);
    work_close(&work);
    if (!found(out, ok, status))
        out->sentences = 0;
    return ok;
}

/* Results -------------------------------------------------------------------------------------- */

void ablate_result_free(struct ablate_result *result)
{
    strings_free(&result->request.files);
    ablation_list_free(&result->ablations);
    free(result->scores);
    study_free(&result->shown);
    *result = (struct ablate_result){0};
}

bool ablate_partial(const struct ablate_result *result)
{
    return result->sentences < result->lines || !result->tested;
}

void ablate_write_signature(FILE *out, const struct ablate_result *result)
{
    char tests[48] = "";
    if (result->tested)
        snprintf(tests, sizeof tests, "ar:%d|seed:%d|", result->settings.trials,
                 result->settings.seed);
    bleu_write_signature(out, &result->options, result->references, tests, study_version);
}
