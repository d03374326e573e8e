/* `:contrast` and `:flips`: what a model decides in a contrastive suite, and what another state decides
 * otherwise. */
#include <string.h>

#include "model/net/quote.h"
#include "tui/across.h"
#include "tui/arguments.h"
#include "tui/command.h"
#include "tui/contrast.h"
#include "tui/progress.h"
#include "tui/suite_files.h"

static const char ablate[] = "ablate"; // between files and what is off at a time

static bool parse_group(const char *word, int *listed, struct status *status)
{
    if (word && strcmp(word, "all") == 0) {
        *listed = LISTED_ALL;
        return true;
    }
    return word ? parse_int("group", word, 1, 1000000000, listed, status)
                : status_fail(status, STATUS_INVALID, "group: expected a number or all after it");
}

static bool ends_files(const char *word)
{
    static const char *const ends[] = {"by", "group", ACROSS_IN, ablate};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(word, ends[i]) == 0)
            return true;
    return false;
}

/* FILE…, up to such a word; a file that is called so is ./by. Returns how many words these are, or -1. */
static int take_files(const struct pieces *words, struct pieces *files, struct status *status)
{
    int i = 0;
    for (; i < words->count && !ends_files(words->text[i]); i++)
        if (!pieces_add(files, words->text[i], strlen(words->text[i]), status))
            return -1;
    if (i == 1 || i >= 3)
        return i;
    status_fail(status, STATUS_INVALID, "expected FILE, or SRC CORRECT INCORRECT…");
    return -1;
}

static bool parse_by(const char *word, int *by, struct status *status)
{
    for (*by = 0; word && *by < CONTRAST_BYS; ++*by)
        if (strcmp(word, contrast_by_names[*by]) == 0)
            return true;
    return status_fail(status, STATUS_INVALID,
                       "by: expected type, sense, distance or frequency after it");
}

static bool is_word(const struct pieces *words, int i, const char *word)
{
    return i < words->count && strcmp(words->text[i], word) == 0;
}

/* FILE… [by KIND] [group N|all], or FILE… [by KIND] in STATE… */
static bool parse_contrast(const struct pieces *words, struct contrast_request *out,
                           struct status *status)
{
    *out = (struct contrast_request){.by = CONTRAST_BYS, .listed = LISTED_NONE};
    int i = take_files(words, &out->files, status);
    if (i < 0)
        return false;
    if (is_word(words, i, "by")) {
        if (!parse_by(i + 1 < words->count ? words->text[i + 1] : NULL, &out->by, status))
            return false;
        i += 2;
    }
    if (is_word(words, i, ACROSS_IN))
        return across_parse(words, i + 1, &out->states, status);
    if (is_word(words, i, "group")) {
        if (!parse_group(i + 1 < words->count ? words->text[i + 1] : NULL, &out->listed, status))
            return false;
        i += 2;
    }
    return i >= words->count || status_fail(status, STATUS_INVALID, "\"%s\": expected nothing more",
                                            QUOTED(words->text[i]));
}

/* Scores what has not been scored. After Ctrl-C what is finished stays with the run. */
static bool score_rest(struct session *session, struct contrasted *run, struct status *status)
{
    if (run->scores.items == run->suite.count)
        return true;
    struct contrast *contrast =
        contrast_open(&run->suite, session->state.model, &progress_watcher, status);
    const struct dials *dials = run->dials;
    bool ok = contrast && contrast_score(contrast, &dials, 1, session->state.search.batch,
                                         &progress_watcher, &run->scores, status);
    contrast_close(contrast);
    return ok;
}

/* The suite under a state, scored as far as it was. */
static struct contrasted *find_run(struct session *session, const struct saved_state *state,
                                   const struct pieces *files, struct status *status)
{
    struct suite suite;
    return suite_read(files, &suite, status)
               ? contrasts_get(&session->contrasts, state, files, &suite, status)
               : NULL;
}

static bool tell_interrupted(const struct contrasted *run, struct status *status)
{
    return status_fail(status, STATUS_CANCELLED, "interrupted: the first %d of %d items are scored",
                       run->scores.items, run->suite.count);
}

/* Fills in `out`. After Ctrl-C it holds what is finished. */
static bool work_through(struct session *session, const struct saved_state *state,
                         struct contrast_result *out, struct status *status)
{
    struct status other;
    struct session under = session_under(session, state, NULL);
    struct contrasted *run = find_run(session, state, &out->request.files, status);
    if (!run)
        return false;
    bool scored = score_rest(&under, run, status);
    if (!scored && (status->code != STATUS_CANCELLED || run->scores.items == 0))
        return false;
    out->run = run;
    out->normalize = (enum contrast_normalize)session->settings.study.normalize;
    bool made = contrast_make(out, scored ? status : &other);
    if (!made)
        out->run = NULL;
    return scored ? made : made && tell_interrupted(run, status);
}

/* Ablations -------------------------------------------------------------------------------------- */

/* FILE… ablate [by …] [SELECTOR or …] [show N] */
static bool parse_ablate(const struct pieces *words, const struct config *config,
                         struct contrast_ablate_result *out, struct status *status)
{
    struct ablate_request *request = &out->ablate;
    int first = take_files(words, &request->files, status);
    if (first < 0 || !ablate_parse_rest(words, first + 1, request, status) ||
        !ablation_list_make(&request->selectors, request->by, config, &out->ablations, status))
        return false;
    if (request->shown > out->ablations.count)
        return status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d", request->shown,
                           out->ablations.count);
    out->rows = memory_new((size_t)out->ablations.count, sizeof *out->rows, status);
    return out->rows != NULL;
}

/* Ablations that go together. */
enum { TOGETHER_MOST = 8 };

struct together {
    struct dials *dials[TOGETHER_MOST]; // (count)
    struct contrast_scores scores[TOGETHER_MOST];
    int count;
};

static void together_close(struct together *together)
{
    for (int i = 0; i < together->count; i++) {
        dials_free(together->dials[i]);
        contrast_scores_free(&together->scores[i]);
    }
}

/* What is begun is lost at Ctrl-C: only ablations that share layers of the encoder go together. */
static bool together_open(const struct contrast_ablate_result *out, struct together *together,
                          struct status *status)
{
    *together = (struct together){.count = 0};
    for (int i = out->done; i < out->ablations.count && together->count < TOGETHER_MOST; i++) {
        struct dials *dials = ablation_dials(out->run->dials, &out->ablations.items[i], status);
        if (!dials) {
            together_close(together);
            return false;
        }
        if (together->count &&
            dials_common_layers(together->dials[0], dials, MODULE_ENCODER) == 0) {
            dials_free(dials);
            break;
        }
        together->dials[together->count++] = dials;
    }
    return true;
}

/* The suite with the next ablations. Those that are finished stay in `out`, and with the run. */
static bool score_together(struct session *session, struct contrast *contrast,
                           struct contrasted *run, struct contrast_ablate_result *out,
                           struct status *status)
{
    struct together together;
    const struct dials *dials[TOGETHER_MOST];
    if (!together_open(out, &together, status))
        return false;
    for (int i = 0; i < together.count; i++)
        dials[i] = together.dials[i];
    bool ok = contrast_score(contrast, dials, together.count, session->state.search.batch,
                             &progress_watcher, together.scores, status);
    for (int i = 0; ok && i < together.count; i++) {
        ok = contrast_ablate_row(out, &together.scores[i], status);
        contrasts_keep(&session->contrasts, run, &together.dials[i], &together.scores[i]);
    }
    together_close(&together);
    return ok;
}

/* The next ablations that have been scored before. */
static bool take_scored(struct contrast_ablate_result *out, struct status *status)
{
    while (out->done < out->ablations.count) {
        struct dials *dials =
            ablation_dials(out->run->dials, &out->ablations.items[out->done], status);
        if (!dials)
            return false;
        const struct contrast_scores *scores = contrasts_variant(out->run, dials);
        dials_free(dials);
        if (!scores)
            break;
        if (!contrast_ablate_row(out, scores, status))
            return false;
    }
    return true;
}

/* Whether there is nothing to score: what Ctrl-C has stopped goes on, unless it is to be looked into. */
static bool is_enough(const struct contrast_ablate_result *out)
{
    bool stopped = ablation_list_equal(&out->run->stopped, &out->ablations);
    return out->done == out->ablations.count ||
           (stopped && out->ablate.shown > 0 && out->ablate.shown <= out->done);
}

static bool score_ablations(struct session *session, struct contrasted *run,
                            struct contrast_ablate_result *out, struct status *status)
{
    struct contrast *contrast =
        contrast_open(&run->suite, session->state.model, &progress_watcher, status);
    bool ok = contrast != NULL;
    while (ok && out->done < out->ablations.count)
        ok = score_together(session, contrast, run, out, status) && take_scored(out, status);
    contrast_close(contrast);
    return ok;
}

static bool tell_stopped(struct contrasted *run, const struct contrast_ablate_result *out,
                         struct status *status)
{
    struct status other;
    if (!ablation_list_copy(&out->ablations, &run->stopped, &other)) {
        *status = other;
        return false;
    }
    return status_fail(status, STATUS_CANCELLED,
                       "interrupted: the first %d of %d ablations are scored", out->done,
                       out->ablations.count);
}

static bool work_through_ablations(struct session *session, struct contrasted *run,
                                   struct contrast_ablate_result *out, struct status *status)
{
    const struct suite *suite = &run->suite;
    out->normalize = (enum contrast_normalize)session->settings.study.normalize;
    if (!score_rest(session, run, status))
        return status->code == STATUS_CANCELLED ? tell_interrupted(run, status) : false;
    out->run = run;
    out->decisions = suite->decision_count;
    out->correct = contrast_correct(suite, &run->scores, out->decisions, out->normalize);
    if (!take_scored(out, status))
        return false;
    if (!is_enough(out)) {
        ablation_list_free(&run->stopped);
        if (!score_ablations(session, run, out, status))
            return status->code == STATUS_CANCELLED ? tell_stopped(run, out, status) : false;
    }
    return out->done < out->ablations.count || contrast_ablate_adjust(out, status);
}

static bool contrast_with_ablations(struct session *session, const struct pieces *words,
                                    struct result *result, struct status *status)
{
    struct contrast_ablate_result *out = &result->contrast_ablate;
    result->kind = RESULT_CONTRAST_ABLATE;
    *out = (struct contrast_ablate_result){.run = NULL};
    struct saved_state state = states_current(session);
    struct contrasted *run = parse_ablate(words, session_config(session), out, status)
                                 ? find_run(session, &state, &out->ablate.files, status)
                                 : NULL;
    bool ok = run && work_through_ablations(session, run, out, status);
    if (!ok && (status->code != STATUS_CANCELLED || out->done == 0))
        result_free(result);
    return ok;
}

/* Several states ----------------------------------------------------------------------------------- */

static bool score_state(struct session *session, const struct pieces *words, const char *name,
                        struct contrast_result *out, struct status *status)
{
    struct saved_state state;
    *out = (struct contrast_result){.run = NULL};
    return states_find(session, name, &state, status) &&
           parse_contrast(words, &out->request, status) &&
           work_through(session, &state, out, status);
}

static bool score_states(struct session *session, const struct pieces *words,
                         const struct pieces *states, struct across_result *out,
                         struct status *status)
{
    if (!across_open(session, states, true, out, status))
        return false;
    for (; out->done < states->count; out->done++)
        if (!score_state(session, words, out->names.text[out->done], &out->contrasts[out->done],
                         status) ||
            !across_agree(out, out->done, status))
            return across_stop(out, status);
    return true;
}

static bool contrast_across(struct session *session, const struct pieces *words,
                            struct result *result, struct status *status)
{
    struct contrast_result asked = {.run = NULL};
    result->kind = RESULT_CONTRAST_ACROSS;
    result->across = (struct across_result){.done = 0};
    bool ok = parse_contrast(words, &asked.request, status) &&
              score_states(session, words, &asked.request.states, &result->across, status);
    contrast_free(&asked);
    if (!ok && (status->code != STATUS_CANCELLED || result->across.done == 0))
        result_free(result);
    return ok;
}

static bool means_ablations(const struct pieces *words)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->text[i], ablate) == 0)
            return true;
    return false;
}

COMMAND(contrast)
{
    if (means_ablations(&request->words))
        return contrast_with_ablations(session, &request->words, result, status);
    if (across_asked(&request->words))
        return contrast_across(session, &request->words, result, status);
    struct saved_state state = states_current(session);
    struct contrast_result *out = &result->contrast;
    result->kind = RESULT_CONTRAST;
    *out = (struct contrast_result){.run = NULL};
    bool ok = parse_contrast(&request->words, &out->request, status) &&
              work_through(session, &state, out, status);
    if (!ok && (status->code != STATUS_CANCELLED || !out->run))
        result_free(result);
    return ok;
}

COMMAND(flips)
{
    struct flips_result *out = &result->flips;
    const struct contrasts *runs = &session->contrasts;
    const struct contrasted *after = runs->count ? runs->runs[0] : NULL, *before;
    if (!no_more_words(request, 0, status))
        return false;
    if (!after)
        return status_fail(status, STATUS_INVALID, "no suite yet: expected :contrast before");
    before = contrasts_before(runs, after);
    if (!before)
        return status_fail(status, STATUS_INVALID,
                           "one run of the suite: expected another, with heads off or another "
                           "model, by :contrast");
    *out = (struct flips_result){.suite = &after->suite,
                                 .scores = {&before->scores, &after->scores},
                                 .runs = {before, after},
                                 .normalize =
                                     (enum contrast_normalize)session->settings.study.normalize};
    result->kind = RESULT_FLIPS;
    if (flips_make(out, status))
        return true;
    result_free(result);
    return false;
}
