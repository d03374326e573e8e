/* `:ablate`: what heads contribute to the score of a test set. */
#include <stdlib.h>
#include <string.h>

#include "tui/ablate.h"
#include "tui/behind.h"
#include "tui/command.h"
#include "tui/parallel.h"
#include "tui/progress.h"
#include "tui/sweep.h"

/* What it takes until the result is there. */
struct work {
    struct session *session;
    struct ablate_result *out;
    struct parallel files;          // sources, references
    struct dials **dials;           // (count): without an ablation, with each
    int count;                      // of them
    struct sweep sweep;             // under these
    const char *const **references; // (files.count - 1, lines)
    struct ablations ablations;
};

static void work_close(struct work *work)
{
    ablations_close(&work->ablations);
    sweep_free(&work->sweep);
    for (int i = 0; i < work->count; i++)
        dials_free(work->dials[i]);
    free(work->dials);
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

static bool translate(struct work *work, struct status *status)
{
    work->sweep = (struct sweep){.path = work->out->request.files.text[0],
                                 .sources = &work->files.lines[0],
                                 .dials = work->dials,
                                 .count = work->count};
    return sweep_translate(work->session, &work->sweep, status);
}

/* Scores ----------------------------------------------------------------------------------------- */

static bool open_scores(struct work *work, const struct watcher *watcher, struct status *status)
{
    struct ablate_result *out = work->out;
    work->references = parallel_others(&work->files, status);
    out->references = work->files.count - 1;
    out->options = study_bleu_options(&out->settings);
    if (!work->references ||
        !ablations_open(&work->ablations, &out->options, sweep_texts(&work->sweep, 0),
                        work->references, out->references, out->sentences, watcher, status))
        return false;
    out->base = work->ablations.score;
    return true;
}

static bool score_all(struct work *work, const struct watcher *watcher, struct status *status)
{
    struct ablate_result *out = work->out;
    for (int i = 0; i < out->ablations.count; i++)
        if (!ablations_score(&work->ablations, sweep_texts(&work->sweep, i + 1), 0, 0, watcher,
                             &out->scores[i], status))
            return false;
    return true;
}

/* After all are scored: who does not wait for the tests has the scores. */
static bool test_all(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    unsigned long seed = (unsigned long)out->settings.seed;
    for (int i = 0; i < out->ablations.count; i++) {
        struct ablation_score score;
        if (!ablations_score(&work->ablations, sweep_texts(&work->sweep, i + 1),
                             out->settings.resamples, seed, &progress_watcher, &score, status))
            return false;
        out->scores[i] = score;
    }
    out->tested = ablations_adjust(out->scores, out->ablations.count, status);
    return out->tested;
}

static struct behind behind_of(const struct work *work)
{
    const struct ablate_result *out = work->out;
    return (struct behind){out->request.files.text[0], &work->files, &out->settings,
                           out->sentences};
}

/* The sentences behind one ablation. */
static bool list_sentences(struct work *work, struct status *status)
{
    struct ablate_result *out = work->out;
    struct behind behind = behind_of(work);
    return !out->request.shown ||
           behind_list(&behind, sweep_texts(&work->sweep, 0),
                       sweep_texts(&work->sweep, out->request.shown), &out->shown, status);
}

static bool score(struct work *work, const struct watcher *watcher, struct status *status)
{
    return open_scores(work, watcher, status) && score_all(work, watcher, status) &&
           list_sentences(work, status);
}

static bool tell_interrupted(const struct ablate_result *out, struct status *status)
{
    if (out->sentences < out->lines)
        return status_fail(status, STATUS_CANCELLED,
                           "interrupted: the first %d of %d sentences are scored", out->sentences,
                           out->lines);
    return status_fail(status, STATUS_CANCELLED, "interrupted: scored, but not tested");
}

/* Scores what is finished; after Ctrl-C, which may come meanwhile, without tests. */
static bool present(struct work *work, bool translated, struct status *status)
{
    struct ablate_result *out = work->out;
    struct status other;
    bool watched = translated && score(work, &progress_watcher, status);
    if (!watched && status->code != STATUS_CANCELLED)
        return false;
    if (watched && test_all(work, status))
        return true;
    if (status->code != STATUS_CANCELLED)
        return false;
    if (!watched) {
        ablations_close(&work->ablations);
        free(work->references);
        study_free(&out->shown);
        if (!score(work, NULL, &other)) {
            *status = other;
            return false;
        }
    }
    return tell_interrupted(out, status);
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
    struct behind behind = behind_of(work);
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
    if (!make_dials(work, status))
        return false;
    bool translated = translate(work, status);
    if (!translated && status->code != STATUS_CANCELLED)
        return false;
    out->sentences = sweep_finished(&work->sweep);
    bool ok = out->sentences > 0 && present(work, translated, status);
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
