/* The common part of studies' reports: states, words of titles and commands, listed sentences. */
#ifndef ATTNSCOPE_REPORT_STUDY_H
#define ATTNSCOPE_REPORT_STUDY_H

#include "model/study/several_states.h"
#include "model/study/study.h"
#include "report/report.h"
#include "session/session.h"
#include "tui/argument/argument.h"

/* Figures mark values with p below this. */
#define SIGNIFICANT 0.05

/* The ends of an interval that holds 95% of the resamples. People read `text`, or the distance from
 * the middle to either end, in units of 1/unit, as in sacreBLEU. */
struct value report_interval(struct report *report, const struct interval *interval,
                             const char *text);
struct value report_half_interval(struct report *report, const struct interval *interval,
                                  double unit, int digits);

/* Marks a report as one of scores: of files, not of the current sentence. */
void report_is_scores(struct report *report);
/* The same, made in the current state. */
void report_is_of_current(struct report *report, const struct session *session);
/* Adds one of several states in which it is made. `name` is borrowed. Fails if not found. */
bool report_add_origin(struct report *report, const struct session *session, const char *name,
                       struct status *status);

/* Returns the number of parameters of the model of one of these states; absent if unknown. */
struct value report_parameters(const struct report *report, int state);
/* True if these differ among the first `states`: the size of a single model is not worth
 * showing. */
bool report_sizes_differ(const struct report *report, int states);

/* True if there is something to show: everything, or (`some`) what was finished before Ctrl-C. */
bool study_found(bool ok, bool some, const struct status *status);
/* Ends a command: keeps results finished (`found`) before Ctrl-C, but none after another
 * failure. */
bool study_finish(bool ok, bool found, struct report *report, struct status *status);

/* study_free, ablate_result_free and prune_result_free as release functions of reports. */
void study_release(void *study);
void ablate_release(void *ablate);
void prune_release(void *prune);

/* report_joined: the texts, separated by `between`. report_paths: the paths as words of a command
 * line. */
const char *report_joined(struct report *report, const struct strings *texts, const char *between);
const char *report_paths(struct report *report, const struct strings *paths);
/* The same as a list of texts; borrowed. */
struct value report_files(const struct strings *files);
/* A state's name as a word of a command line; a model's name may have any bytes. */
const char *report_state_name(struct report *report, const char *name);
/* The name of a group of lengths for people: "7-8", "20 or more", "up to 6"; programs get "[7,9)",
 * ">=20" and "<7". Other names are unchanged. */
const char *report_length_words(struct report *report, const char *name);
/* " group 2", " group all"; " show 3". "" if not requested. */
const char *report_group_words(struct report *report, int listed);
const char *report_show_words(struct report *report, int shown);

/* Returns the signature that reproduces a metric's scores and, with `tests`, the tests. */
const char *report_signature(struct report *report, const struct study_result *study, int metric,
                             bool tests);

/* The sentences that a study lists, as `listed` in JSON. `files`: SRC REF…, in which Enter opens
 * them, for two states with both translations; NULL: sources unknown. */
void report_listed(struct report *report, unsigned in, const struct study_result *study,
                   const struct strings *files);

/* Arguments that the commands of studies share: "group N|all", "in A B...". */

extern const char *const all_choices[]; // all; NULL at the end

/* `group N|all`, with N at most `last`; `in A B...`, which excludes `group`. */
#define GROUP_ARGUMENT(last)                                                                       \
    {                                                                                              \
        "N", "group", ARGUMENT_INTEGER, .from = 1, .to = (last), .choices = all_choices,           \
                                        .expected = "a number or all"                              \
    }
#define STATES_ARGUMENT(group)                                                                     \
    {                                                                                              \
        "A B...", "in", ARGUMENT_STATE, .least = 2, .most = SEVERAL_MOST, .without = ARG(group),   \
                                        .expected = "2 to 6 states"                                \
    }

/* The listed group: its number, LISTED_ALL or LISTED_NONE. */
int study_listed(const struct argument_values *given, int group);

/* Several states: `:bleu … in A B` and `:contrast … in A B` ------------------------------------ */

/* several_states_free as a release function of reports. */
void several_states_release(void *several);

/* Fills in the result of one state: a zeroed study_result or contrast_result. */
typedef bool state_study(struct session *session, const struct argument_values *given,
                         const struct saved_state *state, void *result, struct status *status);
/* Runs it in the states that argument `in` names, which become the report's origin, until it
 * fails. */
bool several_run(struct session *session, const struct argument_values *given, int in,
                 state_study *one, bool of_contrasts, struct report *report,
                 struct several_states *out, struct status *status);

/* " in vanilla.bin current": for the report's command. */
const char *report_in_states(struct report *report, const struct strings *names);

/* Reports lines on what is missing, a table of states, and a table of groups by states; in JSON
 * `partial`, `states` [{`state`, `parameters`, `score` and `chrf`, or `accuracy`}], `sentences` or
 * `decisions`, `groups` [{`by`, `name`, `sentences` or `decisions`, `scores` or `accuracies` (one
 * per state; null: none)}]. Borrows its arguments. `measure`: a line on the measure; NULL: none.
 * `grouped`: groups were requested; otherwise .tex, .md and pictures have the table of states. */
void report_several_states(struct report *report, const struct several_states *several,
                           const char *measure, bool grouped);

/* A plot of groups first … first+count-1 of all states, as several_states_groups counts them. The
 * caller fills in titles and labels. */
struct plot *report_several_plot(struct report *report, const struct several_states *several,
                                 enum plot_kind kind, int first, int count);

/* The reports of `:bleu` and `:compare`: scores of translations, by groups of length. */

/* Fills in everything but the origin. Borrows the study, which has at least one scored sentence. In
 * JSON:
 *
 * `:bleu`: `name`, `score`, `signature`, `verbose_score`, `chrf` {`name`, `score`, `signature`},
 * `scored`, `files`, `sentences`, `partial`, `by` ("source", "reference"), `groups` [{`name`,
 * `sentences`, `score`, `verbose_score`, `chrf`}]; for a requested group `listed` [{`number`,
 * `group`, `length`, `score`, `chrf`, `text`, `reference`}].
 *
 * `:compare`: `a` and `b` {`state`, `score`, `verbose_score`, `chrf`}; `tests` [{`name`,
 * `signature`, `a` and `b` {`score`, `mean`, `interval`}, `difference`: b - a, `interval`,
 * `p_bootstrap`, `p_randomisation`, `differing`: sentences with different scores}], null if not
 * done; `files`, `sentences`, `partial`, `by`, `groups` and `listed` as above, scores in `a` and
 * `b`; `differing`: sentences with different translations. */
void report_scores(struct report *report, const struct study_result *study);

/* The same for `:bleu … in A B`, with at least one scored state: `name`, `signature`, `by`,
 * `files`, and the members that report_study.h describes for several states. */
void report_studies(struct report *report, const struct several_states *several);

#endif
