/* `:ablate`: what heads contribute to the score of a test set. */
#include <stdlib.h>
#include <string.h>

#include "tui/ablate.h"
#include "tui/behind.h"
#include "tui/command.h"
#include "tui/parallel.h"
#include "tui/progress.h"
#include "tui/study_counts.h"
#include "tui/sweep.h"

/* What it takes until the result is there. */
struct work {
    struct session *session;
    struct ablate_result *out;
    struct parallel files;          // sources, references
    struct dials **dials;           // (count): without an ablation, with each
    int count;                      // of them
    struct sweep sweep;             // under these
    const char *const **texts;      // (count, lines)
    const char *const **references; // (files.count - 1, lines)
    struct ablations ablations;
    struct study_counts shown; // of the ablation whose sentences are listed
};

static void work_close(struct work *work)
{
    study_counts_close(&work->shown);
    ablations_close(&work->ablations);
    sweep_free(&work->sweep);
    for (int i = 0; i < work->count; i++)
        dials_free(work->dials[i]);
    free(work->dials);
    free(work->texts);
    free(work->references);
    parallel_free(&work->files);
}

/* What is wrong with the words shows before anything is translated. */
static bool list_ablations(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    const struct ablate_request *request = &out->request;
    if (!ablation_list_make(&request->selectors, request->by, session_config(work->session),
                            &out->ablations, status))
        return false;
    if (request->shown > out->ablations.count)
        return status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d", request->shown,
                           out->ablations.count);
    out->scores = memory_new((size_t)out->ablations.count, sizeof *out->scores, status);
    return out->scores != NULL;
}

static bool make_dials(struct work *work, struct status *status)
{
    const struct ablation_list *list = &work->out->ablations;
    const struct dials *own = work->session->state.dials;
    work->dials = memory_new((size_t)list->count + 1, sizeof *work->dials, status);
    for (int i = -1; work->dials && i < list->count; i++) {
        struct dials *dials =
            i < 0 ? dials_copy(own, status) : ablation_dials(own, &list->items[i], status);
        if (!dials)
            return false;
        work->dials[work->count++] = dials;
    }
    return work->dials != NULL;
}

static bool open_sweep(struct work *work, struct status *status)
{
    work->sweep = (struct sweep){.path = work->out->request.files.text[0],
                                 .sources = &work->files.lines[0],
                                 .dials = work->dials,
                                 .count = work->count};
    return sweep_open(work->session, &work->sweep, status);
}

/* Counts ----------------------------------------------------------------------------------------- */

/* Of the sentences behind one ablation. */
static bool open_shown(struct work *work, struct status *status)
{
    const struct ablate_result *out = work->out;
    const struct corpus_options options = study_corpus_options(&out->settings);
    const struct study_texts texts = {.texts = {work->texts[0], work->texts[out->request.shown]},
                                      .references = work->references,
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

/* First those that are listed: all that the ablations have are among them. */
static bool count_texts(struct work *work, const struct watcher *watcher, struct status *status)
{
    return (!work->out->request.shown || study_count(&work->shown, watcher, status)) &&
           ablations_count(&work->ablations, watcher, status);
}

static bool count_more(void *context, struct status *status)
{
    return count_texts(context, &silent_watcher, status);
}

/* What the session has of earlier is counted first. */
static bool translate_and_count(struct work *work, struct status *status)
{
    const struct follower follower = {count_more, work};
    return count_texts(work, &progress_watcher, status) &&
           sweep_translate(work->session, &work->sweep, &follower, status) &&
           count_texts(work, &progress_watcher, status);
}

/* Scores ----------------------------------------------------------------------------------------- */

static void score_all(struct work *work)
{
    struct ablate_result *out = work->out;
    out->base = ablations_base(&work->ablations);
    for (int i = 0; i < out->ablations.count; i++)
        out->scores[i] = ablations_score(&work->ablations, i);
}

/* After all are scored: who does not wait for the tests has the scores. */
static bool test_all(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    unsigned long seed = (unsigned long)out->settings.seed;
    for (int i = 0; i < out->ablations.count; i++)
        if (!ablations_test(&work->ablations, i, out->settings.resamples, seed, &progress_watcher,
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
        return status_fail(status, STATUS_CANCELLED,
                           "interrupted: the first %d of %d sentences are scored", out->sentences,
                           out->lines);
    return status_fail(status, STATUS_CANCELLED, "interrupted: scored, but not tested");
}

/* Presents what was counted, after Ctrl-C without tests. */
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

/* Ablations of before ---------------------------------------------------------------------------- */

/* What Ctrl-C has stopped goes on, unless it is to be looked into. */
static bool is_enough(const struct kept_ablate *kept, const struct ablate_request *request)
{
    return kept && (request->shown || (kept->tested && kept->sentences == kept->lines));
}

static bool open_row(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    const struct behind behind = {out->request.files.text[0], &work->files, &out->settings,
                                  out->sentences};
    struct dials *dials = ablation_dials(work->session->state.dials,
                                         &out->ablations.items[out->request.shown - 1], status);
    bool ok = dials && behind_open(work->session, &behind, dials, &out->shown, status);
    dials_free(dials);
    return ok;
}

static bool take_kept(struct work *work, const struct kept_ablate *kept, struct status *status)
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
    out->sentences = 0; // without what was asked for it is no result
    return false;
}

/* ----------------------------------------------------------------------------------------------- */

/* Whether there are scores, of all or of what was finished before Ctrl-C. */
static bool found(const struct ablate_result *out, bool ok, const struct status *status)
{
    return ok || (status->code == STATUS_CANCELLED && out->sentences > 0);
}

static bool make(struct work *work, const struct kept_subject *of, struct status *status)
{
    struct ablate_result *out = work->out;
    if (!make_dials(work, status) || !open_sweep(work, status) || !open_counts(work, status))
        return false;
    bool counted = translate_and_count(work, status);
    if (!counted && status->code != STATUS_CANCELLED)
        return false;
    out->sentences = work->ablations.counted;
    bool ok = out->sentences > 0 && present(work, counted, status);
    if (found(out, ok, status))
        kept_ablate_put(&work->session->kept, of, out);
    sweep_leave(work->session, &work->sweep);
    return ok;
}

static bool run(struct work *work, const struct request *request, struct status *status)
{
    struct ablate_result *out = work->out;
    struct session *session = work->session;
    if (!ablate_request_parse(&request->words, &out->request, status) ||
        !list_ablations(work, status) || !parallel_read(&out->request.files, &work->files, status))
        return false;
    out->lines = work->files.lines[0].count;
    struct kept_subject of =
        kept_subject_of(session, &work->files, &out->ablations, &out->settings);
    const struct kept_ablate *kept = kept_ablate_find(&session->kept, &of);
    return is_enough(kept, &out->request) ? take_kept(work, kept, status) : make(work, &of, status);
}

COMMAND(ablate)
{
    struct work work = {.session = session, .out = &result->ablate};
    result->kind = RESULT_ABLATE;
    result->ablate = (struct ablate_result){.settings = session->settings.study};
    bool ok = run(&work, request, status);
    work_close(&work);
    // What was finished before Ctrl-C is kept, and nothing of what else failed.
    if (!found(&result->ablate, ok, status))
        result_free(result);
    return ok;
}
