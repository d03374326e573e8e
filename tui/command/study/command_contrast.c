/* `:contrast` and `:flips`: what a model decides in a contrastive suite, and what another state decides
 * otherwise. */
#include <string.h>

#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/report_part.h"
#include "tui/command/study/report_contrast.h"
#include "tui/command/study/report_several.h"
#include "tui/command/study/report_study.h"
#include "tui/command/study/study_words.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

static const char ablate[] = "ablate"; // between files and what is off at a time

static bool ends_files(const char *word)
{
    static const char *const ends[] = {"by", "group", STATES_IN, ablate};
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
                       "by: expected type, sense, pronoun, intrasegmental, reference, distance or "
                       "frequency after it");
}

static bool is_word(const struct pieces *words, int i, const char *word)
{
    return i < words->count && strcmp(words->text[i], word) == 0;
}

/* FILE… [by KIND] [group N|all], or FILE… [by KIND] in STATE…, which go to `states`, zero before. */
static bool parse_contrast(const struct pieces *words, struct contrast_request *out,
                           struct pieces *states, struct status *status)
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
    if (is_word(words, i, STATES_IN))
        return states_parse(words, i + 1, states, status);
    if (is_word(words, i, "group")) {
        if (!study_parse_group(words, i + 1, 1000000000, &out->listed, status))
            return false;
        i += 2;
    }
    return i >= words->count || status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument",
                                            QUOTED(words->text[i]));
}

static enum contrast_normalize normalize_of(const struct session *session)
{
    return (enum contrast_normalize)session->settings.study.normalize;
}

/* Whether there is something to report: all of it, or what was finished before a stop. */
static bool found(bool ok, bool some, struct report *report, const struct status *status)
{
    if (ok || (some && status->code == STATUS_CANCELLED))
        return true;
    report_free(report);
    return false;
}

/* In one state ----------------------------------------------------------------------------------- */

/* Takes the request. */
static bool contrast_here(struct session *session, struct contrast_request *asked,
                          struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct contrast_result *out = report_hold(report, sizeof *out, contrast_release);
    if (!out) {
        pieces_free(&asked->files);
        return report_end(report, status);
    }
    *out = (struct contrast_result){.request = *asked, .normalize = normalize_of(session)};
    bool ok = contrast_run(&context, out, status);
    if (!found(ok, out->run != NULL, report, status))
        return false;
    if (!out->run) // a part
        return report_end(report, status);
    report_contrast(report, session, out);
    return study_finish(ok, true, report, status);
}

/* Ablations -------------------------------------------------------------------------------------- */

/* FILE… ablate [by …] [SELECTOR or …] [show N]; the files go to `out`. */
static bool parse_ablate(const struct session *session, const struct pieces *words,
                         struct ablate_words *parsed, struct contrast_ablate_result *out,
                         struct status *status)
{
    *parsed = (struct ablate_words){.by = ABLATE_SELECTED};
    int first = take_files(words, &parsed->files, status);
    bool ok = first >= 0 && ablate_words_parse_rest(words, first + 1, parsed, status) &&
              ablate_words_select(parsed, session_config(session), &out->ablations, status);
    if (ok) {
        out->ablate = (struct ablate_request){parsed->files, parsed->shown};
        parsed->files = (struct pieces){0};
    }
    return ok;
}

static bool contrast_with_ablations(struct session *session, const struct pieces *words,
                                    struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct contrast_ablate_result *out = report_hold(report, sizeof *out, contrast_ablate_release);
    struct ablate_words parsed;
    if (!out)
        return report_end(report, status);
    out->normalize = normalize_of(session);
    bool ok = parse_ablate(session, words, &parsed, out, status) &&
              contrast_ablate_run(&context, out, status);
    bool any = found(ok, out->done > 0, report, status);
    if (any && out->run) // else a part
        report_contrast_ablate(report, session, &parsed, out);
    ablate_words_free(&parsed);
    return any && study_finish(ok, true, report, status);
}

/* Several states ----------------------------------------------------------------------------------- */

static bool score_state(struct session *session, const struct pieces *words, const char *name,
                        struct contrast_result *out, struct status *status)
{
    struct saved_state state;
    struct pieces unused = {0};
    *out = (struct contrast_result){.normalize = normalize_of(session)};
    bool ok = states_find(session, name, &state, status) &&
              parse_contrast(words, &out->request, &unused, status);
    if (ok) {
        const struct study_context context = session_study_in(session, &state, &progress_watch);
        ok = contrast_run(&context, out, status);
    }
    pieces_free(&unused);
    return ok;
}

static bool score_states(struct session *session, const struct pieces *words,
                         const struct pieces *states, struct several_states *out,
                         struct status *status)
{
    if (!states_take_names(session, states, &out->names, status) ||
        !several_states_open(true, out, status))
        return false;
    for (; out->done < states->count; out->done++)
        if (!score_state(session, words, out->names.text[out->done], &out->contrasts[out->done],
                         status) ||
            (!parts_divided(session->parts) && !several_states_agree(out, out->done, status)))
            return several_states_stop(out, status);
    return true;
}

static bool contrast_in_states(struct session *session, const struct pieces *words,
                               const struct pieces *states, struct report *report,
                               struct status *status)
{
    struct several_states *out = report_hold(report, sizeof *out, several_states_release);
    struct status other;
    if (!out)
        return report_end(report, status);
    bool ok = score_states(session, words, states, out, status);
    if (!found(ok, out->done > 0, report, status))
        return false;
    if (parts_divided(session->parts))
        return study_finish(ok, false, report, status);
    bool known = report_several_origin(report, session, &out->names, ok ? status : &other);
    report_contrast_in_states(report, out);
    return study_finish(ok && known, known, report, status);
}

/* ----------------------------------------------------------------------------------------------- */

static bool contrast_of_request(struct session *session, const struct pieces *words,
                                struct report *report, struct status *status)
{
    struct contrast_request asked;
    struct pieces states = {0};
    bool ok = parse_contrast(words, &asked, &states, status);
    if (ok && states.count == 0)
        return contrast_here(session, &asked, report, status);
    ok = ok && contrast_in_states(session, words, &states, report, status);
    pieces_free(&asked.files);
    pieces_free(&states);
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
    return means_ablations(&request->words)
               ? contrast_with_ablations(session, &request->words, report, status)
               : contrast_of_request(session, &request->words, report, status);
}

COMMAND(flips)
{
    const struct suite_run *after = cache_last_suite(&session->cache), *before;
    if (!no_more_words(request, 0, status))
        return false;
    if (report_needs_whole(report, session))
        return report_end(report, status);
    if (!after)
        return status_fail(status, STATUS_INVALID, "no suite yet: expected :contrast before");
    before = cache_suite_before(&session->cache, after);
    if (!before)
        return status_fail(status, STATUS_INVALID,
                           "one run of the suite: expected another, with heads off or another "
                           "model, by :contrast");
    struct flips_result *out = report_hold(report, sizeof *out, flips_release);
    if (!out)
        return report_end(report, status);
    *out = (struct flips_result){.suite = &after->suite,
                                 .scores = {&before->scores, &after->scores},
                                 .runs = {before, after},
                                 .normalize = normalize_of(session)};
    bool made = flips_make(out, status);
    if (made && !out->decisions)
        made = status_fail(status, STATUS_INVALID,
                           "no item of the suite is scored in both runs: expected :contrast to "
                           "succeed before");
    if (!found(made, false, report, status))
        return false;
    report_flips(report, session, out);
    return report_end(report, status);
}
