/* `:bleu` and `:compare`: a file's translations scored against references, of one state, of two, of each of
 * several. */
#include <stdlib.h>
#include <string.h>

#include "model/study/several_states.h"
#include "model/text/quote.h"
#include "tui/command/command.h"
#include "tui/command/study/report_bleu.h"
#include "tui/command/study/report_several.h"
#include "tui/command/study/report_study.h"
#include "tui/command/study/study_words.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

/* The command's words ---------------------------------------------------------------------------- */

/* [source] [LENGTHS], after `by`. Returns how many words these are, or -1. */
static int parse_by(const struct pieces *words, int first, struct study_request *out,
                    struct status *status)
{
    int i = first;
    out->of_source = i < words->count && strcmp(words->text[i], "source") == 0;
    i += out->of_source;
    const char *lengths = i < words->count ? words->text[i] : "";
    if (out->of_source && !(*lengths >= '0' && *lengths <= '9'))
        return 1;
    if (!length_groups_parse(lengths, &out->groups, status))
        return -1;
    out->by = true;
    return i + 1 - first;
}

static bool ends_files(const char *word)
{
    return strcmp(word, "by") == 0 || strcmp(word, "group") == 0 || strcmp(word, STATES_IN) == 0;
}

/* FILE… [by [source] [LENGTHS]] [group N|all], or after one system's [in STATE…]; a file that is called so is
 * ./by. */
static bool parse_files(const struct pieces *words, int first, struct study_request *out,
                        struct pieces *states, struct status *status)
{
    int i = first;
    for (; i < words->count && !ends_files(words->text[i]); i++)
        if (!pieces_add(&out->files, words->text[i], strlen(words->text[i]), status))
            return false;
    if (i < words->count && strcmp(words->text[i], "by") == 0) {
        int more = parse_by(words, i + 1, out, status);
        if (more < 0)
            return false;
        i += 1 + more;
    }
    if (i < words->count && strcmp(words->text[i], "group") == 0) {
        if (!study_parse_group(words, i + 1, CUTOFFS_MOST + 1, &out->listed, status))
            return false;
        i += 2;
    } else if (i < words->count && strcmp(words->text[i], STATES_IN) == 0 && out->systems == 1) {
        return states_parse(words, i + 1, states, status);
    }
    return i >= words->count || status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument",
                                            QUOTED(words->text[i]));
}

/* states: after `in`; zero before. */
static bool parse_bleu(const struct request *request, struct study_request *out,
                       struct pieces *states, struct status *status)
{
    const struct pieces *words = &request->words;
    *out = (struct study_request){.systems = 1, .listed = LISTED_NONE};
    if (words->count && begins_with(words->text[0], "--")) {
        if (strcmp(words->text[0], "--scored") != 0)
            return status_fail(status, STATUS_INVALID, "%s: expected --scored or a file",
                               QUOTED(words->text[0]));
        out->scored = true;
    }
    if (!parse_files(words, out->scored, out, states, status))
        return false;
    if (out->scored && states->count > 0)
        return status_fail(status, STATUS_INVALID,
                           "in: expected no states, what is --scored is no state's");
    if (out->scored && out->of_source)
        return status_fail(status, STATUS_INVALID,
                           "by source: expected lengths of references, --scored has no source");
    return out->files.count >= 2 || status_fail(status, STATUS_INVALID, "expected %s REF…",
                                                out->scored ? "--scored HYP" : "SRC");
}

static bool parse_compare(const struct request *request, struct study_request *out,
                          struct status *status)
{
    *out = (struct study_request){.systems = 2, .listed = LISTED_NONE};
    if (!parse_files(&request->words, 2, out, NULL, status))
        return false;
    return out->files.count >= 2 ||
           status_fail(status, STATUS_INVALID, "expected A B SRC REF…: two states, and files");
}

/* Running ---------------------------------------------------------------------------------------- */

/* Finds the states that are compared, by the command's first words. */
static bool find_states(const struct session *session, const struct request *request,
                        struct study_request *out, struct report *report, struct status *status)
{
    for (int s = 0; s < out->systems; s++) {
        struct saved_state state;
        if (!states_find(session, request->words.text[s], &state, status))
            return false;
        out->names[s] = copy_text(state.name, status);
        if (!out->names[s] || !report_add_origin(report, session, out->names[s], status))
            return false;
    }
    return true;
}

/* What the report holds is in *out, also after a failure. */
static bool compare(struct session *session, const struct request *request, struct report *report,
                    struct study_result *out, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct state states[STUDY_SYSTEMS];
    out->settings = session->settings.study;
    if (!parse_compare(request, &out->request, status) ||
        !find_states(session, request, &out->request, report, status))
        return false;
    for (int s = 0; s < STUDY_SYSTEMS; s++)
        states[s] = saved_state_parts(&report->origin.states[s].state);
    return study_run(&context, states, out, status);
}

COMMAND(compare)
{
    struct study_result *study = report_hold(report, sizeof *study, study_release);
    bool ok = study && compare(session, request, report, study, status);
    bool found = study && study->sentences > 0;
    report_is_scores(report);
    if (found)
        report_scores(report, study);
    return study_finish(ok, found, report, status);
}

static bool score(struct session *session, struct study_result *study, struct report *report,
                  struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    study->settings = session->settings.study;
    bool ok = study_run(&context, &context.state, study, status);
    if (study->request.scored)
        report_is_scores(report);
    else
        report_is_of_current(report, session);
    if (study->sentences > 0)
        report_scores(report, study);
    return ok;
}

/* Several states, one after the other ------------------------------------------------------------ */

static bool score_state(struct session *session, const struct request *request, const char *name,
                        struct study_result *out, struct status *status)
{
    struct saved_state state;
    struct pieces unused = {0};
    *out = (struct study_result){.settings = session->settings.study};
    bool ok = states_find(session, name, &state, status) &&
              parse_bleu(request, &out->request, &unused, status);
    if (ok) {
        const struct study_context context = session_study_in(session, &state, &progress_watch);
        ok = study_run(&context, &context.state, out, status);
    }
    pieces_free(&unused);
    return ok;
}

static bool score_states(struct session *session, const struct request *request,
                         const struct pieces *states, struct report *report,
                         struct several_states *out, struct status *status)
{
    if (!states_take_names(session, states, &out->names, status) ||
        !report_several_origin(report, session, &out->names, status) ||
        !several_states_open(false, out, status))
        return false;
    cache_want(&session->cache, states->count);
    for (; out->done < states->count; out->done++)
        if (!score_state(session, request, out->names.text[out->done], &out->studies[out->done],
                         status) ||
            (!parts_divided(session->parts) && !several_states_agree(out, out->done, status)))
            return several_states_stop(out, status);
    return true;
}

static bool bleu_in_states(struct session *session, const struct request *request,
                           const struct pieces *states, struct report *report,
                           struct status *status)
{
    struct several_states *several = report_hold(report, sizeof *several, several_states_release);
    bool ok = several && score_states(session, request, states, report, several, status);
    bool found = several && several->done > 0 && !parts_divided(session->parts);
    report_is_scores(report);
    if (found)
        report_studies(report, several);
    return study_finish(ok, found, report, status);
}

COMMAND(bleu)
{
    struct study_result *study = report_hold(report, sizeof *study, study_release);
    struct pieces states = {0};
    bool ok = study && parse_bleu(request, &study->request, &states, status);
    if (ok && states.count > 0) {
        ok = bleu_in_states(session, request, &states, report, status);
    } else {
        ok = ok && score(session, study, report, status);
        ok = study_finish(ok, study && study->sentences > 0, report, status);
    }
    pieces_free(&states);
    return ok;
}
