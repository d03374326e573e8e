/* The common part of studies' reports: their states, words of titles and commands, sentences that
 * are listed. */
#ifndef ATTNSCOPE_REPORT_STUDY_H
#define ATTNSCOPE_REPORT_STUDY_H

#include "model/study/study.h"
#include "tui/report/report.h"

/* Below this p, what a figure shows has a mark. */
#define SIGNIFICANT 0.05

/* A report of scores: of files, not of the current sentence. */
void report_is_scores(struct report *report);
/* The same made in the state in force. */
void report_is_of_current(struct report *report, const struct session *session);
/* Another of several states that it is made in. `name` is borrowed; not found: an error. */
bool report_add_origin(struct report *report, const struct session *session, const char *name,
                       struct status *status);

/* Returns the number of parameters of the model of one of these states; absent where it is not
 * known. */
struct value report_parameters(const struct report *report, int state);
/* True if these differ among the first `states`: those of one model need not be told how large it
 * is. */
bool report_sizes_differ(const struct report *report, int states);

/* Ends a command: results finished (`found`) before Ctrl-C are kept, and none after another
 * failure. */
bool study_finish(bool ok, bool found, struct report *report, struct status *status);

/* study_free, ablate_result_free and prune_result_free, for what reports hold. */
void study_release(void *study);
void ablate_release(void *ablate);
void prune_release(void *prune);

/* The texts with that between them; the same as words of a command line. */
const char *report_joined(struct report *report, const struct strings *texts, const char *between);
const char *report_paths(struct report *report, const struct strings *paths);
/* The same as a list of texts; borrowed. */
struct value report_files(const struct strings *files);
/* A state's name as a word of a command line: a model's may be of any bytes. */
const char *report_state_name(struct report *report, const char *name);
/* " group 2", " group all"; " show 3". "" where it was not asked for. */
const char *report_group_words(struct report *report, int listed);
const char *report_show_words(struct report *report, int shown);

/* Returns how a metric's scores can be made again, with `tests` also the tests. */
const char *report_signature(struct report *report, const struct study_result *study, int metric,
                             bool tests);

/* The sentences that a study lists, as `listed` in JSON. `files`: SRC REF…, in which Enter goes to
 * them; NULL: sources are not known. */
void report_listed(struct report *report, unsigned in, const struct study_result *study,
                   const struct strings *files);

#endif
