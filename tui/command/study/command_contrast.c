/* `:contrast` and `:flips`: what a model decides in a contrastive suite, and what another state
 * decides differently. */
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_contrast.h"
#include "tui/command/study/report_study.h"

enum { FILES, BY, GROUP, IN, ABLATE, ABLATE_BY, SELECTED, SHOW };
static const struct argument arguments[] = {
    [FILES] = {"FILE|FOLDER|SRC CORRECT INCORRECT", .kind = ARGUMENT_FILE, .required = true,
               .most = ARGUMENT_MANY, .sources = true,
               .expected = "FILE, or SRC CORRECT INCORRECT…"},
    [BY] = {"KIND", "by", ARGUMENT_CHOICE, .choices = contrast_by_names, .without = ARG(ABLATE)},
    [GROUP] = GROUP_ARGUMENT(1000000000),
    [IN] = STATES_ARGUMENT(GROUP),
    [ABLATE] = {.keyword = "ablate",
                .kind = ARGUMENT_FLAG,
                .without = ARG(BY) | ARG(GROUP) | ARG(IN)},
    [ABLATE_BY] = {.keyword = "by",
                   .kind = ARGUMENT_CHOICE,
                   .choices = ablate_choices,
                   .aliases = 1,
                   .needs = ARG(ABLATE)},
    [SELECTED] = {.kind = ARGUMENT_SELECTORS, .needs = ARG(ABLATE)},
    [SHOW] = {"N", "show", ARGUMENT_INTEGER, .needs = ARG(ABLATE),
              .expected = "the number of an ablation"},
};
static const struct ablate_places places = {FILES, FILES, ABLATE_BY, SELECTED, SHOW};

static bool check_files(const struct argument_values *given, struct status *status)
{
    return given->each[FILES].count != 2 ||
           status_fail(status, STATUS_INVALID, "expected FILE, or SRC CORRECT INCORRECT…");
}

static enum contrast_normalize normalize_of(const struct session *session)
{
    return (enum contrast_normalize)session->settings.study.normalize;
}

static bool read_request(const struct session *session, const struct argument_values *given,
                         struct contrast_result *out, struct status *status)
{
    out->normalize = normalize_of(session);
    out->request = (struct contrast_request){.by = argument_choice(given, BY, CONTRAST_BYS),
                                             .listed = study_listed(given, GROUP)};
    return arguments_copy(given, FILES, FILES, &out->request.files, status);
}

/* In one state --------------------------------------------------------------------------------- */

static bool contrast_here(struct session *session, const struct argument_values *given,
                          struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct contrast_result *out = report_hold(report, sizeof *out, contrast_release);
    bool ok =
        out && read_request(session, given, out, status) && contrast_run(&context, out, status);
    bool found = out && study_found(ok, out->run != NULL, status); // false for a part
    if (found)
        report_contrast(report, session, out);
    return study_finish(ok, found, report, status);
}

/* Ablations ------------------------------------------------------------------------------------ */

/* Reads the words; the files go to `out`. */
static bool read_ablate(const struct session *session, const struct argument_values *given,
                        struct ablate_words *words, struct contrast_ablate_result *out,
                        struct status *status)
{
    out->normalize = normalize_of(session);
    if (argument_choice(given, ABLATE_BY, -1) == ABLATE_CHOICE_GRADIENT)
        return status_fail(status, STATUS_INVALID,
                           "by gradient: expected head, layer or layer,head");
    bool ok = ablate_words_read(given, &places, words, status) &&
              ablate_words_select(words, session_config(session), &out->ablations, status);
    if (ok) {
        out->ablate = (struct ablate_request){words->files, words->shown};
        words->files = (struct strings){0};
    }
    return ok;
}

static bool contrast_with_ablations(struct session *session, const struct argument_values *given,
                                    struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct contrast_ablate_result *out = report_hold(report, sizeof *out, contrast_ablate_release);
    struct ablate_words words = {.by = ABLATE_SELECTED};
    bool ok = out && read_ablate(session, given, &words, out, status) &&
              contrast_ablate_run(&context, out, status);
    bool found = out && study_found(ok, out->done > 0 && out->run, status); // false for a part
    if (found)
        report_contrast_ablate(report, session, &words, out);
    ablate_words_free(&words);
    return study_finish(ok, found, report, status);
}

/* Several states ------------------------------------------------------------------------------- */

static bool contrast_state(struct session *session, const struct argument_values *given,
                           const struct saved_state *state, void *result, struct status *status)
{
    struct contrast_result *out = result;
    const struct study_context context = session_study_in(session, state, &progress_watch);
    return read_request(session, given, out, status) && contrast_run(&context, out, status);
}

static bool contrast_in_states(struct session *session, const struct argument_values *given,
                               struct report *report, struct status *status)
{
    struct several_states *out = report_hold(report, sizeof *out, several_states_release);
    bool ok = out && several_run(session, given, IN, contrast_state, true, report, out, status);
    bool found = out && study_found(ok, out->done > 0 && !shards_divided(session->shards), status);
    if (found)
        report_contrast_in_states(report, out);
    return study_finish(ok, found, report, status);
}

/* ---------------------------------------------------------------------------------------------- */

static bool run_contrast(struct session *session, const struct request *request,
                         struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    if (!check_files(given, status))
        return false;
    return (argument_given(given, ABLATE) ? contrast_with_ablations
            : argument_given(given, IN)   ? contrast_in_states
                                          : contrast_here)(session, given, report, status);
}

static bool run_flips(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const struct suite_run *after = cache_last_suite(&session->cache), *before;
    (void)request;
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
    if (made)
        report_flips(report, session, out);
    return study_finish(made, false, report, status);
}

/* The commands --------------------------------------------------------------------------------- */

static const struct help_item meanings_of_contrast[] = {
    {"FILE", "JSON as in LingEval97, ContraWSD, MuCoW, ContraPro, DiscEvalMT or Voita et al. 2019"},
    {"FOLDER",
     "src.LANG, correct.LANG and incorrect.LANG as in CoMMuTE, or folders with such files"},
    {"SRC CORRECT INCORRECT", "text files, one sentence a line"},
    {"by KIND", "shows one kind of group only: type, sense, pronoun, intrasegmental, reference, "
                "distance or frequency"},
    {"by pronoun", "of source and reference (it:sie)"},
    {"by distance",
     "that of ContraPro is of the antecedent, in sentences, that of Voita et al. of the context"},
    {"by frequency",
     "of the sense, or of what was changed, in the suite's training data, in the groups of the "
     "suites' own evaluation: >20 is 21 to 50"},
    {"by intrasegmental", "whether the antecedent is in the same sentence"},
    {"by reference", "whether DiscEvalMT calls it correct or semi-correct"},
    {"group N, all",
     "also list the items of a group, or all, those with the smallest margin first"},
    {"in A B...", "the results in each of these states side by side (:state lists the states)"},
    {"ablate", "which heads the decisions depend on. by and SELECTOR choose heads as in :ablate"},
    {"show N", "also list the items of row N"},
    {NULL, NULL},
};
static const struct help_item column_meanings_of_contrast[] = {
    {"group", "the number of the group, for group N"},
    {"by, name", "the kind of group, and its name"},
    {"decisions", "the number of decisions in the group"},
    {"correct, accuracy %", "the number of correct decisions, and their percentage"},
    {"margin", "the reference's score less that of the best error; below 0 the decision is wrong"},
    {"off", "the heads that are off"},
    {"lost", "decisions that are correct only with these heads on"},
    {"won", "decisions that are correct only with these heads off"},
    {"p", "McNemar's exact test of lost against won"},
    {"p adjusted", "the same, adjusted by Holm's method for the number of rows"},
    {NULL, NULL},
};
static const char *const notes_of_contrast[] = {
    "A suite holds source sentences, each with a correct translation (the reference) and "
    "translations with an error. A decision is correct if the reference scores better than the "
    "error. The score is the sum of the log-probabilities of the tokens, or with :set "
    "contrast.normalize length their mean; a tie is wrong.",
    "An item with several errors counts as one decision for each error; in text files, and for "
    "ambiguous words, it counts as one decision against all of them.",
    "ContraPro, DiscEvalMT and the suites of Voita et al. are documents: their sentences are "
    "scored without those before them.",
    "Scores computed earlier are used again.",
    "csv, tsv: the groups, as they are printed; after group N or group all, a line for each "
    "candidate of the items listed. Figures show accuracy by distance, or without distances by "
    "another kind "
    "of group.",
    NULL,
};

const struct command command_contrast = {
    .name = "contrast",
    .summary = "accuracy on a contrastive suite, by type, sense, distance, frequency",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings_of_contrast,
    .columns = column_meanings_of_contrast,
    .notes = notes_of_contrast,
    .examples =
        (const char *const[]){":contrast samples/agreement-en-de.json by distance",
                              ":contrast samples/senses-en-de.json ablate by layer cross", NULL},
    .run = run_contrast,
    .group = GROUP_STUDY,
    .view = true,
    .continues = true,
};

static const struct help_item column_meanings_of_flips[] = {
    {"margin before, margin after",
     "the reference's score less that of the best error, in the previous and in the last run; "
     "below 0 the decision is wrong"},
    {NULL, NULL},
};
static const char *const notes_of_flips[] = {
    "The last run of :contrast is compared with the previous run of the same suite in another "
    "state: with other heads off, or of another model.",
    NULL,
};

const struct command command_flips = {
    .name = "flips",
    .summary = "items of the last suite decided differently by the previous run",
    .columns = column_meanings_of_flips,
    .notes = notes_of_flips,
    .examples =
        (const char *const[]){":contrast samples/senses-en-de.json", ":disable cross layer 2",
                              ":contrast samples/senses-en-de.json", ":flips", ":undo",
                              ":contrast samples/senses-en-de.json", ":flips", NULL},
    .run = run_flips,
    .group = GROUP_STUDY,
    .view = true,
};
