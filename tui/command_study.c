/* `:bleu` and `:compare`: a file's translations scored against references, of one state, of two, of each of
 * several. */
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/across.h"
#include "tui/arguments.h"
#include "tui/command.h"
#include "tui/parallel.h"
#include "tui/progress.h"
#include "tui/study_counts.h"
#include "tui/translating.h"

/* What it takes until the texts are there. */
struct work {
    struct session *session;
    struct study_request *request;
    const struct saved_state *state;        // the one that translates; NULL: the current one
    struct parallel files;                  // the sources or translations, references
    struct session sides[STUDY_SYSTEMS];    // the session in the states that translate
    struct translated *made[STUDY_SYSTEMS]; // by them; owned by the session
    const char *const **references;         // (files.count - 1, lines)
    struct study_counts counts;
};

static void work_close(struct work *work)
{
    study_counts_close(&work->counts);
    free(work->references);
    parallel_free(&work->files);
}

/* The command's words ---------------------------------------------------------------------------- */

static bool parse_group(const char *word, struct study_request *out, struct status *status)
{
    if (word && strcmp(word, "all") == 0) {
        out->listed = LISTED_ALL;
        return true;
    }
    if (!word)
        return status_fail(status, STATUS_INVALID, "group: expected a number or all after it");
    return parse_int("group", word, 1, CUTOFFS_MOST + 1, &out->listed, status);
}

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
    return strcmp(word, "by") == 0 || strcmp(word, "group") == 0 || strcmp(word, ACROSS_IN) == 0;
}

/* FILE… [by [source] [LENGTHS]] [group N|all], or after one system's [in STATE…]; a file that is called so is
 * ./by. */
static bool parse_files(const struct pieces *words, int first, struct study_request *out,
                        struct status *status)
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
        if (!parse_group(i + 1 < words->count ? words->text[i + 1] : NULL, out, status))
            return false;
        i += 2;
    } else if (i < words->count && strcmp(words->text[i], ACROSS_IN) == 0 && out->systems == 1) {
        return across_parse(words, i + 1, &out->states, status);
    }
    return i >= words->count || status_fail(status, STATUS_INVALID, "\"%s\": expected nothing more",
                                            QUOTED(words->text[i]));
}

static bool parse_bleu(const struct request *request, struct study_request *out,
                       struct status *status)
{
    const struct pieces *words = &request->words;
    *out = (struct study_request){.systems = 1, .listed = LISTED_NONE};
    if (words->count && begins_with(words->text[0], "--")) {
        if (strcmp(words->text[0], "--scored") != 0)
            return status_fail(status, STATUS_INVALID, "%s: expected --scored or a file",
                               QUOTED(words->text[0]));
        out->scored = true;
    }
    if (!parse_files(words, out->scored, out, status))
        return false;
    if (out->scored && out->states.count > 0)
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
    if (!parse_files(&request->words, 2, out, status))
        return false;
    return out->files.count >= 2 ||
           status_fail(status, STATUS_INVALID, "expected A B SRC REF…: two states, and files");
}

/* A group that cannot come about is not worth waiting for. */
static bool check_group(const struct study_request *request, int groups, struct status *status)
{
    return request->listed <= groups ||
           status_fail(status, STATUS_INVALID, "group %d: expected 1 to %d, or all",
                       request->listed, groups);
}

/* Translations ----------------------------------------------------------------------------------- */

/* The states that translate: those named, or the current one. */
static bool find_sides(struct work *work, const struct request *request, struct status *status)
{
    struct session *session = work->session;
    for (int s = 0; s < work->request->systems; s++) {
        struct saved_state state = work->state ? *work->state : states_current(session);
        if (work->request->systems > 1) {
            if (!states_find(session, request->words.text[s], &state, status))
                return false;
            work->request->names[s] = copy_text(state.name, status);
            if (!work->request->names[s])
                return false;
        }
        work->sides[s] = session_under(session, &state, NULL);
        work->made[s] =
            translations_get(&session->translations, &state, &work->files.lines[0], status);
        if (!work->made[s])
            return false;
    }
    return true;
}

static bool count_more(void *context, struct status *status)
{
    struct work *work = context;
    return study_count(&work->counts, &silent_watcher, status);
}

/* One state after the other in every chunk, so that after Ctrl-C both have translated about as much. */
static bool translate_sides(struct work *work, struct status *status)
{
    const struct follower follower = {count_more, work};
    struct translating sides[STUDY_SYSTEMS];
    struct progress progress;
    int systems = work->request->systems, step = translating_step(work->session, 1);
    double tokens = 0;
    for (int s = 0; s < systems; s++) {
        sides[s] = (struct translating){.session = &work->sides[s],
                                        .path = work->request->files.text[0],
                                        .lines = &work->files.lines[0],
                                        .texts = work->made[s]->texts,
                                        .progress = &progress,
                                        .follower = &follower};
        if ((s == 0 || work->made[s] != work->made[0]) &&
            !translating_measure(&sides[s], 1, &tokens, status))
            return false;
    }
    progress_begin(&progress, "translating", "sentences", tokens);
    for (int first = 0; first < work->files.lines[0].count; first += step) {
        int left = work->files.lines[0].count - first;
        for (int s = 0; s < systems; s++)
            if (!translating_chunk(&sides[s], 1, first, first + (left < step ? left : step),
                                   status))
                return false;
    }
    return true;
}

/* Scores ----------------------------------------------------------------------------------------- */

static bool open_counts(struct work *work, const struct study_result *out, struct status *status)
{
    const struct study_request *request = work->request;
    const struct corpus_options options = study_corpus_options(&out->settings);
    struct study_texts texts = {.sources = (const char *const *)work->files.lines[0].text,
                                .systems = request->systems,
                                .reference_count = work->files.count - 1,
                                .sentences = out->lines};
    texts.references = work->references = parallel_others(&work->files, status);
    for (int s = 0; s < request->systems; s++)
        texts.texts[s] =
            request->scored ? texts.sources : (const char *const *)work->made[s]->texts;
    return work->references &&
           study_counts_open(&work->counts, &options, &texts, request->of_source, status);
}

/* What the session has of earlier is counted first. */
static bool translate_and_count(struct work *work, struct status *status)
{
    return study_count(&work->counts, &progress_watcher, status) &&
           (work->request->scored || (translate_sides(work, status) &&
                                      study_count(&work->counts, &progress_watcher, status)));
}

static bool tell_interrupted(const struct study_result *study, struct status *status)
{
    if (study->sentences < study->lines)
        return status_fail(status, STATUS_CANCELLED,
                           "interrupted: the first %d of %d sentences are scored", study->sentences,
                           study->lines);
    return status_fail(status, STATUS_CANCELLED, "interrupted: scored, but %s",
                       study_untested(study));
}

/* Fills in `out`, whose request is filled in. After Ctrl-C it holds what is finished. */
static bool work_through(struct work *work, const struct request *request, struct study_result *out,
                         struct status *status)
{
    struct status other;
    if (!check_group(work->request,
                     work->request->by ? work->request->groups.count + 1 : out->settings.groups,
                     status) ||
        !parallel_read(&work->request->files, &work->files, status) ||
        (!work->request->scored && !find_sides(work, request, status)))
        return false;
    out->lines = work->files.lines[0].count;
    if (!open_counts(work, out, status))
        return false;
    bool counted = translate_and_count(work, status);
    int finished = study_counted(&work->counts);
    if ((!counted && status->code != STATUS_CANCELLED) || finished == 0)
        return false;
    bool made =
        study_make(out, &work->counts, finished, &progress_watcher, counted ? status : &other);
    if (made && (counted || !study_partial(out))) // Ctrl-C came too late
        return check_group(work->request, out->row_count, status);
    return status->code == STATUS_CANCELLED && out->sentences ? tell_interrupted(out, status)
                                                              : false;
}

static bool run(struct session *session, const struct request *request,
                bool (*parse)(const struct request *, struct study_request *, struct status *),
                struct study_result *out, struct status *status)
{
    struct work work = {.session = session, .request = &out->request};
    *out = (struct study_result){.settings = session->settings.study};
    bool ok = parse(request, &out->request, status) && work_through(&work, request, out, status);
    work_close(&work);
    return ok;
}

/* Keeps what was finished before Ctrl-C, and nothing of what else failed. */
static bool finish(bool ok, struct result *result, const struct status *status)
{
    if (!ok && (status->code != STATUS_CANCELLED || !result->study.sentences))
        result_free(result);
    return ok;
}

/* Several states, one after the other ------------------------------------------------------------------ */

static bool score_state(struct session *session, const struct request *request, const char *name,
                        struct study_result *out, struct status *status)
{
    struct saved_state state;
    struct work work = {.session = session, .request = &out->request, .state = &state};
    *out = (struct study_result){.settings = session->settings.study};
    bool ok = states_find(session, name, &state, status) &&
              parse_bleu(request, &out->request, status) &&
              work_through(&work, request, out, status);
    work_close(&work);
    return ok;
}

static bool score_states(struct session *session, const struct request *request,
                         const struct pieces *states, struct across_result *out,
                         struct status *status)
{
    if (!across_open(session, states, false, out, status))
        return false;
    translations_want(&session->translations, states->count);
    for (; out->done < states->count; out->done++)
        if (!score_state(session, request, out->names.text[out->done], &out->studies[out->done],
                         status) ||
            !across_agree(out, out->done, status))
            return across_stop(out, status);
    return true;
}

static bool bleu_across(struct session *session, const struct request *request,
                        struct result *result, struct status *status)
{
    struct study_request asked;
    result->kind = RESULT_BLEU_ACROSS;
    result->across = (struct across_result){.done = 0};
    bool ok = parse_bleu(request, &asked, status) &&
              score_states(session, request, &asked.states, &result->across, status);
    study_request_free(&asked);
    if (!ok && (status->code != STATUS_CANCELLED || result->across.done == 0))
        result_free(result);
    return ok;
}

COMMAND(bleu)
{
    if (across_asked(&request->words))
        return bleu_across(session, request, result, status);
    result->kind = RESULT_BLEU;
    return finish(run(session, request, parse_bleu, &result->study, status), result, status);
}

COMMAND(compare)
{
    result->kind = RESULT_COMPARE;
    return finish(run(session, request, parse_compare, &result->study, status), result, status);
}
